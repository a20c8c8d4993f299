"""What the derivatives of a solve need, whatever the package that differentiates it.

u = factor G f with G = (lap - lambda)^-1. Points on Neumann sides count half, and with these
weights W G is self-adjoint. So the gradient for f is W factor G (g / W), another solve, with g the
gradient for u. Between faces the weight of a point is the length of its cell. The gradient for
lambda is the sum of g (G u), and that for factor the sum of g u / factor. Where the mean is
dropped, it is dropped from all of these.

lap is the sum of one operator D for each axis. The modes of D do not depend on the length l of its
axis, and its eigenvalues are those of a unit length over l^2. So the derivative of lap for l is
-2/l D, and that of u is G (2/l D u).
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

import numpy

from . import _arrays as arrays
from . import _grid as grids
from ._errors import ArgumentError, StateError, UnsupportedError
from ._kept import plan_like
from ._library import PLACES, Axis
from ._options import Chosen, choice
from ._plan import Plan


def shares(symbol: str) -> list[float]:
    """Of "fd2", "fd4", ...: as many terms of (arcsin(s)/s)^2, a series of s^2, as the order has."""
    return [4**m / (2 * m * m * math.comb(2 * m, m)) for m in range(1, int(symbol[2:]) // 2 + 1)]


@functools.lru_cache(maxsize=64)
def second(n: int, sides: tuple[int, int], points: int, symbol: str) -> tuple[Any, Any, Any]:
    """The symbol's second derivative along an axis of length 1, of u at its n points: it is
    multiplied by the eigenvalues among the real modes of a period of mirror images of u.
    @return which point stands at each place of the period; times what; the eigenvalues"""
    axis = Axis(n=n, length=1.0, bc=sides, points=points)
    first, step = grids.line(axis)
    intervals, offset = round(1 / step), first / step
    image = [-1 if side == grids.SIDES["dirichlet"] else 1 for side in sides]
    period = intervals if sides[0] == grids.SIDES["periodic"] else 4 * intervals
    at = numpy.arange(period) + offset
    again = at >= 2 * intervals + offset  # the images in both sides are alike but for a sign
    at = numpy.where(again, at - 2 * intervals, at)
    mirrored = at > intervals
    point = numpy.rint(numpy.where(mirrored, 2 * intervals - at, at) - offset).astype(int)
    sign = numpy.where(again, image[0] * image[1], 1) * numpy.where(mirrored, image[1], 1) * ((point >= 0) & (point < n))
    angle = 2 * numpy.pi * numpy.arange(period // 2 + 1) / period
    s2 = numpy.sin(angle / 2) ** 2
    eigen = -angle**2 if symbol == "spectral" else -4 * s2 * sum(c * s2**m for m, c in enumerate(shares(symbol)))
    return numpy.clip(point, 0, n - 1), sign.astype(float), eigen / step**2


def is_free(grid: Any) -> bool:
    """Has it free sides?"""
    return any(side == grids.SIDES["free"] for axis in grid.axis for side in axis.bc)


class Problem:
    """A plan, or what psg.solve() finds one by: it may close the one of the solve before its derivative is asked for."""

    def __init__(self, plan: Plan | None, sides: dict[str, Any], options: dict[str, Any],
                 shape: tuple[int, ...], mapping: str) -> None:
        """@param sides    bc, points, faces and robin, by these names
        @param shape    of f
        @param mapping  the function that maps over a further axis"""
        self.plan, self.sides, self.options = plan, sides, options
        self.axes = len(shape)
        if self.axes not in PLACES or (plan is not None and self.axes != len(plan.shape)):
            raise ArgumentError("f has the shape %s: %s axes are needed, and %s maps over more, as many=True does"
                                % (tuple(shape), "one to three" if plan is None else len(plan.shape), mapping))
        if plan is None and sides["faces"] is not None:  # the caller's array may change
            faces = grids.faces_of(sides["faces"], grids.AXES[-self.axes:], shape)
            self.sides = {**sides, "faces": faces}

    def numbers(self, lambda_: Any, factor: Any, box: Any) -> tuple[Any, ...]:
        """lambda, factor and the lengths of the box, with what stands where the caller gives None."""
        own = self.plan._args if self.plan is not None else None
        axes, given = grids.AXES[-self.axes:], 1.0 if box is None else box
        lengths = self.plan.box if self.plan is not None and box is None else grids.per_axis(
            given, "box", axes, 1.0, grids.is_length)
        faces = (self.sides["faces"] or {}) if self.plan is None else {}
        lengths = [float(faces[letter][-1] - faces[letter][0])
                   if letter in faces and grids.is_of_faces(given, letter) else length
                   for letter, length in zip(axes, lengths)]
        return ((getattr(own, "lambda") if own is not None else 0.0) if lambda_ is None else lambda_,
                (own.factor if own is not None else 1.0) if factor is None else factor, *lengths)

    def grid(self, shape: tuple[int, ...]) -> Any:
        """With lengths that mean nothing."""
        return self.plan.grid if self.plan is not None else grids.make(shape, 1.0, **self.sides)

    def second(self, shape: tuple[int, ...], d: int) -> tuple[Any, Any, Any]:
        """second() of an axis of u. @param shape  of u, for this process"""
        grid, place = self.grid(shape), PLACES[self.axes][d]
        if is_free(grid):
            raise UnsupportedError("a solve is not differentiated for a box with free sides: the Green's function is not that of "
                                   "modes whose eigenvalues are known multiples of 1/length^2")
        if any(axis.faces or any(axis.robin) for axis in grid.axis):
            raise UnsupportedError("a solve is not differentiated for a box with faces or Robin "
                                   "sides")
        if self.plan is not None and self.plan.own_kernel:
            raise UnsupportedError("a solve with kernel='user' is not differentiated for the box")
        if self.plan is not None and self.plan.local_shape != self.plan.shape:
            raise UnsupportedError("a solve of several processes is not differentiated for the box")
        axis = grid.axis[place]
        symbol = self.plan.symbol if self.plan is not None else choice(
            "symbol", Chosen({"symbol": self.options.get("symbol")}, None, None).options.symbol)
        return second(axis.n, tuple(axis.bc), axis.points, symbol)

    def check_lambda(self, shape: tuple[int, ...]) -> None:
        """The derivative for lambda is a solve for u. @param shape  of u, for this process"""
        if is_free(self.grid(shape)):
            raise UnsupportedError("a solve is not differentiated for lambda_ with free sides: u "
                                   "goes on beyond the points, and f is 0 there")

    def weights(self, shape: tuple[int, ...]) -> list[list[float] | None]:
        """Of this process' points, for each axis; None: they all count 1."""
        if self.plan is None:
            return grids.weights(self.grid(shape), self.axes)
        own = [slice(lo, lo + n) for lo, n in zip(self.plan.lo, self.plan.local_shape)]
        return [w if w is None else w[part] for w, part in zip(grids.weights(self.plan.grid, self.axes), own)]

    def solve(self, f: Any, like: arrays.View, numbers: Sequence[float]) -> Any:
        """u of f, or of several right-hand sides f[0], f[1], ...
        @param like     one of them, as psg.solve() looks at it
        @param numbers  as self.numbers()"""
        while True:
            own = tuple(numbers[:2]) == self.numbers(None, None, None)[:2]
            lambda_, factor = (None, None) if own else numbers[:2]
            plan, box = self.plan, tuple(numbers[2:])
            other: tuple[float, ...] | None
            if plan is None:
                plan, other = plan_like(like, box, options=self.options, lambda_=lambda_,
                                        factor=factor, **self.sides)
            else:
                other = None if plan.box == box else box
            try:
                call = plan.solve if len(f.shape) == self.axes else plan.solve_many
                return call(f, lambda_=lambda_, factor=factor, box=other)
            except StateError:
                if plan is self.plan or not plan.closed:  # by another thread's solve() of another shape
                    raise


def one_of(shape: Any, many: bool) -> tuple[int, ...]:
    """The shape of a right-hand side."""
    return tuple(shape)[1:] if many else tuple(shape)


def refuse(wanted: Callable[[Any], bool], given: dict[str, Any], words: str) -> None:
    """Of what a solve is not differentiated for. @param wanted  does somebody want the derivative for this value?"""

    def any_in(value: Any) -> bool:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return wanted(value) or any(any_in(v) for v in inside)

    for name, value in given.items():
        if any_in(value):
            raise ArgumentError("%s %s" % (name, words))
