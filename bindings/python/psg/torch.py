"""psg.torch.solve(): a solve that PyTorch differentiates, in reverse and forward, for f, lambda_ and factor, and maps.

_linear.py says what the derivatives are. Each is made of solves, so it can be differentiated in turn.
"""

from __future__ import annotations

from typing import Any

import torch

from . import _arrays as arrays
from . import _grid as grids
from . import _linear as linear
from ._errors import ArgumentError, UnsupportedError
from ._options import OptionValue
from ._plan import Plan

__all__ = ["solve"]


def weighted(x: Any, problem: linear.Problem, power: int) -> Any:
    """x times the weights of points, or divided by them."""
    for d, w in enumerate(problem.weights(x.shape[-problem.axes:])):
        if w is not None:
            x = x * torch.tensor(w, dtype=x.dtype, device=x.device).reshape([-1 if e == d else 1 for e in range(problem.axes)]) ** power
    return x


def of_kind(sum_: Any, number: Any) -> Any:
    """A gradient, as the tensor that it is for."""
    return sum_.reshape(number.shape).to(number)


class Solve(torch.autograd.Function):
    """f is one right-hand side, or several along a first axis; lambda_ and factor are numbers, or tensors of one."""

    @staticmethod
    def forward(f: Any, lambda_: Any, factor: Any, problem: linear.Problem) -> Any:
        like = arrays.View(0, f.get_device() if f.is_cuda else arrays.HOST, tuple(f.shape[-problem.axes:]), None,
                           arrays.precision_of(f.dtype), True, arrays.LEGACY, None)
        try:
            f = f.detach()
        except RuntimeError:
            raise UnsupportedError("f is mapped by is_grads_batched=True or vectorize=True, which psg.torch.solve() does not support: "
                                   "torch.func.jacrev(), jacfwd() and vmap() map it") from None
        return problem.solve(f, like, (float(lambda_), float(factor)), torch.stack)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """u is kept where a derivative needs it."""
        _, *ctx.numbers, ctx.problem = inputs
        tensors = [n for n in ctx.numbers if isinstance(n, torch.Tensor)]
        kept = [*tensors, output] if tensors else []
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)
        ctx.numbers = [None if isinstance(n, torch.Tensor) else n for n in ctx.numbers]

    @staticmethod
    def kept(ctx: Any) -> Any:
        """lambda_, factor, and u where one of them is a tensor."""
        saved = list(ctx.saved_tensors)
        lambda_, factor = (saved.pop(0) if n is None else n for n in ctx.numbers)
        return lambda_, factor, saved[0] if saved else None

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradient of a sum has strides of 0, and becomes dense here."""
        lambda_, factor, u = Solve.kept(ctx)
        g = gradients[0]
        for_f = for_lambda = for_factor = None
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            back = Solve.apply(weighted(g, ctx.problem, -1).contiguous(), lambda_, factor, ctx.problem)
            for_f = weighted(back, ctx.problem, 1)
        if ctx.needs_input_grad[1]:
            for_lambda = of_kind((for_f * u).sum() / factor, lambda_)
        if ctx.needs_input_grad[2]:
            for_factor = of_kind((g * u).sum() / factor, factor)
        return for_f, for_lambda, for_factor, None

    @staticmethod
    def jvp(ctx: Any, f: Any, of_lambda: Any, of_factor: Any, _: Any) -> Any:
        lambda_, factor, u = Solve.kept(ctx)
        parts = []
        if f is not None:
            parts.append(Solve.apply(f.contiguous(), lambda_, factor, ctx.problem))
        if of_lambda is not None:
            parts.append(of_lambda.reshape(()).to(u) * Solve.apply(u, lambda_, 1.0, ctx.problem))
        if of_factor is not None:
            parts.append((of_factor / factor).reshape(()).to(u) * u)
        return sum(parts[1:], parts[0])

    @staticmethod
    def vmap(info: Any, in_dims: Any, f: Any, lambda_: Any, factor: Any, problem: linear.Problem) -> Any:
        """Right-hand sides with the same numbers are solved together."""
        if in_dims[1] is None and in_dims[2] is None:
            all_ = f.movedim(in_dims[0], 0).contiguous()
            return Solve.apply(all_.reshape(-1, *all_.shape[-problem.axes:]), lambda_, factor, problem).reshape(all_.shape), 0
        each = [[x if d is None else x.select(d, m) for m in range(info.batch_size)]
                for x, d in zip((f, lambda_, factor), in_dims)]
        return torch.stack([Solve.apply(one.contiguous(), *two, problem) for one, *two in zip(*each)]), 0


def transformed(x: Any) -> bool:
    """Differentiated in reverse or forward, or mapped?"""
    dual: Any = torch.autograd.forward_ad.unpack_dual
    if not isinstance(x, torch.Tensor):
        return False
    try:
        x.tolist()
    except RuntimeError:  # vmap has no numbers to tell
        return True
    return x.requires_grad or dual(x).tangent is not None


def check_number(x: Any, name: str) -> Any:
    if isinstance(x, torch.Tensor) and x.numel() != 1:
        raise ArgumentError("%s has the shape %s: one number is needed" % (name, tuple(x.shape)))
    return x


def solve(f: torch.Tensor, plan: Plan | None = None, *, box: grids.Box = 1.0, bc: grids.Sides = "periodic",
          points: grids.Points = "cells", lambda_: float | torch.Tensor | None = None,
          factor: float | torch.Tensor | None = None, **options: OptionValue) -> torch.Tensor:
    """Solve lap(u) - lambda u = factor f, and return u. The gradients for f and lambda_ are another solve, and that for factor is
    a sum over u. Tensors of one number are differentiated for; box and the options are not. torch.func.grad, jvp and vmap work.
    With a plan, box and what follows it are the plan's, but for lambda_ and factor. Else as psg.solve().

    Where lambda is 0 and the mean is dropped, the gradient for lambda is that of u without a mean. With a plan of several
    processes the gradients for lambda_ and factor are this process' part of the sum over all."""
    if not isinstance(f, torch.Tensor):
        raise ArgumentError("f is %r: a tensor is needed" % type(f).__qualname__)
    linear.refuse(transformed, {"box": box, "bc": bc, "points": points, **options},
                  "requires a gradient or is mapped, and psg.torch.solve() is differentiated and mapped for f, lambda_ and factor alone: "
                  "x.detach() requires none")
    problem = linear.Problem(plan, (box, bc, points), options, tuple(f.shape), "torch.vmap()")
    numbers = problem.numbers(check_number(lambda_, "lambda_"), check_number(factor, "factor"))
    u: torch.Tensor = Solve.apply(f, *numbers, problem)  # type: ignore[no-untyped-call,unused-ignore]
    return u
