"""What the derivatives of a solve need, whatever the package that differentiates it.

u = factor G f with G = (lap - lambda)^-1. Points on Neumann sides count half, and with these weights W G is self-adjoint. So
the gradient for f is W factor G (g / W), another solve, with g the gradient for u. That for lambda is the sum of g (G u),
and that for factor the sum of g u / factor. Where the mean is dropped, it is dropped from all of these.
"""

from __future__ import annotations

from typing import Any, Callable

from . import _arrays as arrays
from . import _grid as grids
from ._errors import ArgumentError, StateError
from ._kept import plan_like
from ._library import PLACES
from ._plan import Plan


class Problem:
    """A plan, or what psg.solve() finds one by: it may close the one of the solve before its derivative is asked for."""

    def __init__(self, plan: Plan | None, sides: tuple[grids.Box, grids.Sides, grids.Points], options: dict[str, Any],
                 shape: tuple[int, ...], mapping: str) -> None:
        """@param shape    of f
        @param mapping  the function that maps over a further axis"""
        self.plan, self.sides, self.options = plan, sides, options
        self.axes = len(shape)
        if self.axes not in PLACES or (plan is not None and self.axes != len(plan.shape)):
            raise ArgumentError("f has the shape %s: %s axes are needed, and %s maps over more"
                                % (tuple(shape), "one to three" if plan is None else len(plan.shape), mapping))

    def numbers(self, lambda_: Any, factor: Any) -> tuple[Any, Any]:
        """What stands for lambda and factor where the caller gives None."""
        own = self.plan._args if self.plan is not None else None
        return ((getattr(own, "lambda") if own is not None else 0.0) if lambda_ is None else lambda_,
                (own.factor if own is not None else 1.0) if factor is None else factor)

    def weights(self, shape: tuple[int, ...]) -> list[list[float] | None]:
        """Of this process' points, for each axis; None: they all count 1."""
        if self.plan is None:
            return grids.weights(grids.make(shape, *self.sides), self.axes)
        own = [slice(lo, lo + n) for lo, n in zip(self.plan.lo, self.plan.local_shape)]
        return [w if w is None else w[part] for w, part in zip(grids.weights(self.plan.grid, self.axes), own)]

    def solve(self, f: Any, like: arrays.View, numbers: tuple[float, float], stack: Callable[[list[Any]], Any]) -> Any:
        """u of f, or of several right-hand sides f[0], f[1], ...
        @param like     one of them, as psg.solve() looks at it
        @param numbers  lambda and factor
        @param stack    one array of several"""
        while True:
            own = numbers == self.numbers(None, None)
            lambda_, factor = (None, None) if own else numbers
            plan = self.plan
            if plan is None:
                plan = plan_like(like, *self.sides, self.options, lambda_=lambda_, factor=factor)
            try:
                if len(f.shape) == self.axes:
                    return plan.solve(f, lambda_=lambda_, factor=factor)
                return plan.solve_many(f) if own else stack([plan.solve(one, lambda_=lambda_, factor=factor) for one in f])
            except StateError:
                if plan is self.plan or not plan.closed:  # by another thread's solve() of another shape
                    raise


def refuse(wanted: Callable[[Any], bool], given: dict[str, Any], words: str) -> None:
    """Of what a solve is not differentiated for. @param wanted  does somebody want the derivative for this value?"""

    def any_in(value: Any) -> bool:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return wanted(value) or any(any_in(v) for v in inside)

    for name, value in given.items():
        if any_in(value):
            raise ArgumentError("%s %s" % (name, words))
