"""psg.torch.solve(): a solve that PyTorch differentiates.

u = factor G f, and G is self-adjoint where points on Neumann sides count half: the gradient is W G (g / W), with the weights W
of psg._grid.weights(). So it is another solve, and it can be differentiated in turn.
"""

from __future__ import annotations

from typing import Any

import torch

from . import _grid as grids
from ._errors import ArgumentError
from ._kept import plan_for
from ._options import OptionValue
from ._plan import Plan

__all__ = ["solve"]


def weighted(x: Any, grid: Any, power: int) -> Any:
    """x times the weights of points, or divided by them."""
    for d, w in enumerate(grids.weights(grid)):
        if w is not None:
            x = x * torch.tensor(w, dtype=x.dtype, device=x.device).reshape([-1 if e == d else 1 for e in range(3)]) ** power
    return x


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, f: Any, plan: Plan, terms: dict[str, Any]) -> Any:
        ctx.plan, ctx.terms = plan, terms
        return plan.solve(f.detach(), **terms)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradient of a sum has strides of 0, and becomes dense here."""
        grid = ctx.plan.grid
        g = weighted(gradients[0], grid, -1).contiguous()
        return weighted(Solve.apply(g, ctx.plan, ctx.terms), grid, 1), None, None


def solve(f: torch.Tensor, plan: Plan | None = None, *, box: grids.Box = 1.0, bc: grids.Sides = "periodic",
          points: grids.Points = "cells", lambda_: float | None = None, factor: float | None = None,
          **options: OptionValue) -> torch.Tensor:
    """Solve lap(u) - lambda u = factor f, and return u. The gradient for f is another solve.
    With a plan, box and what follows it are the plan's, but for lambda_ and factor. Else as psg.solve()."""
    if not isinstance(f, torch.Tensor):
        raise ArgumentError("f is %r: a tensor is needed" % type(f).__qualname__)
    if plan is None:
        plan = plan_for(f.detach(), box, bc, points, options)
    u: torch.Tensor = Solve.apply(f, plan, {"lambda_": lambda_, "factor": factor})  # type: ignore[no-untyped-call,unused-ignore]
    return u
