"""psg.torch.solve(): a solve that PyTorch differentiates, in reverse and forward, for f, lambda_,
factor and box, and maps.

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


def second(u: Any, problem: linear.Problem, d: int) -> Any:
    """The second derivative along axis d of u, where that axis has the length 1."""
    point, sign, eigen = (torch.tensor(x, device=u.device) for x in problem.second(u.shape[-problem.axes:], d))
    axis = u.dim() - problem.axes + d
    shape = [-1 if e == axis else 1 for e in range(u.dim())]
    period = u.index_select(axis, point) * sign.to(u.dtype).reshape(shape)
    modes = torch.fft.rfft(period, dim=axis) * eigen.to(u.dtype).reshape(shape)
    return torch.fft.irfft(modes, n=len(sign), dim=axis).narrow(axis, 0, u.shape[axis])


def of_kind(sum_: Any, number: Any) -> Any:
    """A gradient, as the tensor that it is for."""
    return sum_.reshape(number.shape).to(number)


class Solve(torch.autograd.Function):
    """f is one right-hand side, or several along a first axis; lambda, factor and lengths are numbers, or tensors of one."""

    @staticmethod
    def forward(f: Any, problem: linear.Problem, *numbers: Any) -> Any:
        like = arrays.View(0, f.get_device() if f.is_cuda else arrays.HOST, tuple(f.shape[-problem.axes:]), None,
                           arrays.precision_of(f.dtype), True, arrays.LEGACY, None)
        try:
            f = f.detach()
        except RuntimeError:
            raise UnsupportedError("f is mapped by is_grads_batched=True or vectorize=True, which psg.torch.solve() does not support: "
                                   "torch.func.jacrev(), jacfwd() and vmap() map it") from None
        return problem.solve(f, like, [float(n) for n in numbers])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """u is kept where a derivative needs it."""
        _, ctx.problem, *ctx.numbers = inputs
        tensors = [n for n in ctx.numbers if isinstance(n, torch.Tensor)]
        kept = [*tensors, output] if tensors else []
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)
        ctx.numbers = [None if isinstance(n, torch.Tensor) else n for n in ctx.numbers]

    @staticmethod
    def kept(ctx: Any) -> Any:
        """The numbers, and u where one of them is a tensor."""
        saved = list(ctx.saved_tensors)
        numbers = [saved.pop(0) if n is None else n for n in ctx.numbers]
        return numbers, saved[0] if saved else None

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradient of a sum has strides of 0, and becomes dense here."""
        numbers, u = Solve.kept(ctx)
        lambda_, factor, *lengths = numbers
        g = gradients[0]
        for_f = for_lambda = for_factor = None
        for_lengths: list[Any] = [None] * len(lengths)
        needs_f, _, needs_lambda, needs_factor, *needs = ctx.needs_input_grad
        if needs_f or needs_lambda or any(needs):
            back = Solve.apply(weighted(g, ctx.problem, -1).contiguous(), ctx.problem, *numbers)
            for_f = weighted(back, ctx.problem, 1)
        if needs_lambda:
            ctx.problem.check_lambda(u.shape[-ctx.problem.axes:])
            for_lambda = of_kind((for_f * u).sum() / factor, lambda_)
        if needs_factor:
            for_factor = of_kind((g * u).sum() / factor, factor)
        for d, length in enumerate(lengths):
            if needs[d]:
                for_lengths[d] = of_kind((for_f * second(u, ctx.problem, d)).sum() * 2 / (factor * length**3), length)
        return for_f, None, for_lambda, for_factor, *for_lengths

    @staticmethod
    def jvp(ctx: Any, f: Any, _: Any, of_lambda: Any, of_factor: Any, *of_lengths: Any) -> Any:
        numbers, u = Solve.kept(ctx)
        lambda_, factor, *lengths = numbers
        parts, sources = [], []
        if f is not None:
            parts.append(Solve.apply(f.contiguous(), ctx.problem, *numbers))
        if of_factor is not None:
            parts.append((of_factor / factor).reshape(()).to(u) * u)
        if of_lambda is not None:
            ctx.problem.check_lambda(u.shape[-ctx.problem.axes:])
            sources.append(of_lambda.reshape(()).to(u) * u)
        for d, (length, of_length) in enumerate(zip(lengths, of_lengths)):
            if of_length is not None:
                sources.append((of_length * 2 / length**3).reshape(()).to(u) * second(u, ctx.problem, d))
        if sources:
            parts.append(Solve.apply(sum(sources[1:], sources[0]).contiguous(), ctx.problem, lambda_, 1.0, *lengths))
        return sum(parts[1:], parts[0])

    @staticmethod
    def vmap(info: Any, in_dims: Any, f: Any, problem: linear.Problem, *numbers: Any) -> Any:
        """Right-hand sides with the same numbers are solved together."""
        if all(d is None for d in in_dims[1:]):
            all_ = f.movedim(in_dims[0], 0).contiguous()
            return Solve.apply(all_.reshape(-1, *all_.shape[-problem.axes:]), problem, *numbers).reshape(all_.shape), 0
        each = [[x if d is None else x.select(d, m) for m in range(info.batch_size)]
                for x, d in zip((f, *numbers), (in_dims[0], *in_dims[2:]))]
        return torch.stack([Solve.apply(one.contiguous(), problem, *rest) for one, *rest in zip(*each)]), 0


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


def solve(f: torch.Tensor, plan: Plan | None = None, *, box: Any = None, bc: grids.Sides = "periodic",
          points: grids.Points = "cells", faces: grids.Faces = None,
          robin: grids.Robin = None, lambda_: float | torch.Tensor | None = None,
          factor: float | torch.Tensor | None = None, many: bool = False, **options: OptionValue) -> torch.Tensor:
    """Solve lap(u) - lambda u = factor f, and return u. The gradients for f, lambda_ and box are
    another solve, and that for factor is a sum over u. Tensors of one number are differentiated
    for, and box as a tensor of one number, or of one for each axis; the options are not.
    torch.func.grad, jvp and vmap work. many as in psg.solve(). With a plan, bc, points, faces,
    robin and the options are the plan's, and so are box, lambda_ and factor where they are None.
    Else as psg.solve().

    The derivative for the box is at constant f. With free sides, faces or Robin sides, and with a
    plan of several processes, it is UnsupportedError. So is that for lambda_ with free sides.

    Where lambda is 0 and the mean is dropped, the gradient for lambda is that of u without a mean.
    With a plan of several processes the gradients for lambda_ and factor are this process' part of
    the sum over all."""
    if not isinstance(f, torch.Tensor):
        raise ArgumentError("f is %r: a tensor is needed" % type(f).__qualname__)
    sides = {"bc": bc, "points": points, "faces": faces, "robin": robin}
    linear.refuse(transformed, {**sides, **options},
                  "requires a gradient or is mapped, and psg.torch.solve() is differentiated and mapped for f, lambda_, factor and box alone: "
                  "x.detach() requires none")
    problem = linear.Problem(plan, sides, options, linear.one_of(f.shape, many), "torch.vmap()")
    lambda_, factor, *lengths = problem.numbers(check_number(lambda_, "lambda_"), check_number(factor, "factor"), box)
    numbers = (lambda_, factor, *(check_number(length, "a length of box") for length in lengths))
    u: torch.Tensor = Solve.apply(f, problem, *numbers)  # type: ignore[no-untyped-call,unused-ignore]
    return u
