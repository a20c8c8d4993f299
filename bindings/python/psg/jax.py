"""psg.jax.solve(): a solve that JAX differentiates, in reverse and forward, for f, lambda_, factor
and box, maps, and compiles around.

_linear.py says what the derivatives are. Outside of jit a solve works on the array where it is. Inside of jit JAX calls it back
with an array in main memory: a function of a GPU would have to be compiled.
"""

from __future__ import annotations

import copy
import functools
from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import numpy
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _arrays as arrays
from . import _grid as grids
from . import _linear as linear
from ._errors import ArgumentError
from ._options import OptionValue
from ._plan import Plan

__all__ = ["solve"]


class Problem(linear.Problem):
    """JAX tells functions apart by it."""

    fixed: list[Any]  # lambda, factor and lengths of the box; None: an operand of the solve

    def fix(self, numbers: Any) -> tuple[Problem, list[Any]]:
        """@return a problem for these, and the operands beside f: numbers of Python stay exact in it"""
        fixed = copy.copy(self)
        traced = [isinstance(n, (jax.Array, numpy.ndarray)) for n in numbers]
        fixed.fixed = [None if t else n for n, t in zip(numbers, traced)]
        return fixed, [n for n, t in zip(numbers, traced) if t]

    def given(self, operands: Any) -> list[Any]:
        """lambda, factor and lengths. @param operands  beside f"""
        rest = iter(operands)
        return [next(rest) if n is None else n for n in self.fixed]

    def tangents(self, operands: Any) -> list[Any]:
        """Of lambda, factor and lengths; None: it is fixed."""
        rest = iter(operands)
        return [next(rest) if n is None else None for n in self.fixed]


def u_of(problem: Problem, f: Any, operands: Any) -> Any:
    like = arrays.view(f, "f")
    like.shape = like.shape[-problem.axes:]
    return problem.solve(f, like, [float(n) for n in problem.given(operands)])


def concrete(f: Any, *operands: Any, problem: Problem) -> Any:
    return u_of(problem, jnp.asarray(f), operands)


def called_back(problem: Problem, f: Any, *operands: Any) -> Any:
    return u_of(problem, numpy.ascontiguousarray(f), operands)


def compiled(f: Any, *operands: Any, problem: Problem) -> Any:
    return jax.pure_callback(functools.partial(called_back, problem), jax.eval_shape(lambda: f), f, *operands)


def solved(problem: Problem, f: Any, numbers: Any) -> Any:
    fixed, operands = problem.fix(numbers)
    return primitive.bind(f, *operands, problem=fixed)


def second(u: Any, problem: Problem, d: int) -> Any:
    """The second derivative along axis d of u, where that axis has the length 1."""
    point, sign, eigen = problem.second(u.shape[-problem.axes:], d)
    axis = u.ndim - problem.axes + d
    shape = [-1 if e == axis else 1 for e in range(u.ndim)]
    period = jnp.take(u, point, axis) * jnp.asarray(sign, u.dtype).reshape(shape)
    modes = jnp.fft.rfft(period, axis=axis) * jnp.asarray(eigen, u.dtype).reshape(shape)
    return jax.lax.slice_in_dim(jnp.fft.irfft(modes, len(sign), axis), 0, u.shape[axis], axis=axis)


def weighted(x: Any, problem: Problem, power: int) -> Any:
    """x times the weights of points, or divided by them."""
    for d, w in enumerate(problem.weights(x.shape[-problem.axes:])):
        if w is not None:
            x = x * jnp.asarray(w, x.dtype).reshape([-1 if e == d else 1 for e in range(problem.axes)]) ** power
    return x


def forward(primals: Any, tangents: Any, problem: Problem) -> Any:
    u = primitive.bind(*primals, problem=problem)
    lambda_, factor, *lengths = problem.given(primals[1:])
    of_f, of_lambda, of_factor, *of_lengths = (t if type(t) is not ad.Zero else None
                                               for t in (tangents[0], *problem.tangents(tangents[1:])))
    parts, sources = [], []
    if of_f is not None:
        parts.append(primitive.bind(of_f, *primals[1:], problem=problem))
    if of_factor is not None:
        parts.append(jnp.asarray(of_factor / factor, u.dtype) * u)
    if of_lambda is not None:
        problem.check_lambda(u.shape[-problem.axes:])
        sources.append(jnp.asarray(of_lambda, u.dtype) * u)
    for d, (length, of_length) in enumerate(zip(lengths, of_lengths)):
        if of_length is not None:
            sources.append(jnp.asarray(of_length * 2 / length**3, u.dtype) * second(u, problem, d))
    if sources:
        parts.append(solved(problem, sum(sources[1:], sources[0]), (lambda_, 1.0, *lengths)))
    return u, sum(parts[1:], parts[0]) if parts else jnp.zeros_like(u)


def backward(g: Any, f: Any, *operands: Any, problem: Problem) -> Any:
    """The solve is linear in f alone."""
    back = weighted(primitive.bind(weighted(g, problem, -1), *operands, problem=problem), problem, 1)
    return (back, *(None for _ in operands))


def mapped(arguments: Any, dims: Any, *, problem: Problem) -> Any:
    """Right-hand sides with the same numbers are solved together."""
    f, *operands = arguments
    if all(d is None for d in dims[1:]):
        all_ = jnp.moveaxis(f, dims[0], 0)
        together = primitive.bind(all_.reshape(-1, *all_.shape[-problem.axes:]), *operands, problem=problem)
        return together.reshape(all_.shape), 0
    count = next(x.shape[d] for x, d in zip(arguments, dims) if d is not None)
    each = [[x if d is None else jnp.take(x, m, d) for x, d in zip(arguments, dims)] for m in range(count)]
    return jnp.stack([primitive.bind(*one, problem=problem) for one in each]), 0


primitive: Any = Primitive("psg_solve")
primitive.def_impl(concrete)
primitive.def_abstract_eval(lambda f, *operands, problem: jax.core.ShapedArray(f.shape, f.dtype))
mlir.register_lowering(primitive, mlir.lower_fun(compiled, multiple_results=False))
ad.primitive_jvps[primitive] = forward
ad.primitive_transposes[primitive] = backward
batching.primitive_batchers[primitive] = mapped


def check_number(x: Any, name: str) -> Any:
    if isinstance(x, (jax.Array, numpy.ndarray)) and x.shape != ():
        raise ArgumentError("%s has the shape %s: one number is needed" % (name, x.shape))
    return x


def solve(f: Any, plan: Plan | None = None, *, box: Any = None, bc: grids.Sides = "periodic",
          points: grids.Points = "cells", faces: grids.Faces = None,
          robin: grids.Robin = None, lambda_: Any = None, factor: Any = None, many: bool = False,
          **options: OptionValue) -> Any:
    """Solve lap(u) - lambda u = factor f, and return u. The gradients for f, lambda_ and box are
    another solve, and that for factor is a sum over u. lambda_ and factor are numbers, or arrays of
    one, which may be traced; so is box, or it has one for each axis. The options may not be traced.
    jax.grad, jvp, vmap and jit work. many as in psg.solve(). With a plan, bc, points, faces,
    robin and the options are the plan's, and so are box, lambda_ and factor where they are None.
    Else as psg.solve().

    The derivative for the box is at constant f. With free sides, faces or Robin sides, and with a
    plan of several processes, it is UnsupportedError. So is that for lambda_ with free sides.

    Where lambda is 0 and the mean is dropped, the gradient for lambda is that of u without a mean.
    With a plan of several processes the gradients for lambda_ and factor are this process' part of
    the sum over all."""
    sides = {"bc": bc, "points": points, "faces": faces, "robin": robin}
    linear.refuse(lambda x: isinstance(x, jax.core.Tracer), {**sides, **options},
                  "is traced, and psg.jax.solve() is differentiated, mapped and compiled for f, lambda_, factor and box")
    problem = Problem(plan, sides, options, linear.one_of(numpy.shape(f), many), "jax.vmap()")
    lambda_, factor, *lengths = problem.numbers(check_number(lambda_, "lambda_"), check_number(factor, "factor"), box)
    return solved(problem, f, (lambda_, factor, *(check_number(length, "a length of box") for length in lengths)))
