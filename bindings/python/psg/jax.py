"""psg.jax.solve(): a solve that JAX differentiates (in reverse) and compiles around.

u = factor G f, and G is self-adjoint where points on Neumann sides count half: the gradient is W G (g / W), with the weights W
of psg._grid.weights(). Outside of jit a solve works on the array where it is. Inside of jit JAX calls it back with an array in
main memory: a function of a GPU would have to be compiled.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import numpy

from . import _grid as grids
from ._kept import plan_for
from ._options import OptionValue
from ._plan import Plan

__all__ = ["solve"]


class Terms:
    """What a solve has beside f. JAX tells functions apart by it."""

    def __init__(self, plan: Plan | None, sides: tuple[grids.Box, grids.Sides, grids.Points], options: dict[str, Any], lambda_: float | None,
                 factor: float | None) -> None:
        self.plan, self.sides, self.options = plan, sides, options
        self.lambda_, self.factor = lambda_, factor

    def solve(self, f: Any) -> Any:
        plan = self.plan if self.plan is not None else plan_for(f, *self.sides, self.options)
        return plan.solve(f, lambda_=self.lambda_, factor=self.factor)

    def weights(self, shape: tuple[int, ...]) -> list[list[float] | None]:
        return grids.weights(self.plan.grid if self.plan is not None else grids.make(shape, *self.sides))


def called_back(terms: Terms, f: Any) -> Any:
    return terms.solve(numpy.ascontiguousarray(f))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def solved(terms: Terms, f: Any) -> Any:
    if isinstance(f, jax.core.Tracer):
        return jax.pure_callback(functools.partial(called_back, terms), jax.eval_shape(lambda: f), f,
                                 vmap_method="sequential")
    return terms.solve(jnp.asarray(f))


def forward(terms: Terms, f: Any) -> Any:
    return solved(terms, f), None


def weighted(x: Any, weights: list[list[float] | None], power: int) -> Any:
    """x times the weights of points, or divided by them."""
    for d, w in enumerate(weights):
        if w is not None:
            x = x * jnp.asarray(w, x.dtype).reshape([-1 if e == d else 1 for e in range(3)]) ** power
    return x


def backward(terms: Terms, _: Any, g: Any) -> Any:
    weights = terms.weights(g.shape)
    return (weighted(solved(terms, weighted(g, weights, -1)), weights, 1),)


solved.defvjp(forward, backward)


def solve(f: Any, plan: Plan | None = None, *, box: grids.Box = 1.0, bc: grids.Sides = "periodic",
          points: grids.Points = "cells", lambda_: float | None = None, factor: float | None = None,
          **options: OptionValue) -> Any:
    """Solve lap(u) - lambda u = factor f, and return u. The gradient for f is another solve.
    With a plan, box and what follows it are the plan's, but for lambda_ and factor. Else as psg.solve()."""
    return solved(Terms(plan, (box, bc, points), options, lambda_, factor), f)
