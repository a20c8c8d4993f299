"""What holds on the sides where that is not 0, as the fields `value` and `side` of psg_solve_args."""

from __future__ import annotations

import ctypes
import numbers
from typing import Any, Mapping, Sequence, Tuple, Union

from . import _arrays as arrays
from ._errors import ArgumentError, ArrayError, number
from ._grid import AXES, per_axis
from ._library import PLACES, Array, SolveArgs

# A number or an array for both sides of an axis, or (lower, upper). None: 0.
Value = Union[None, float, Any, Tuple[Any, Any]]
Values = Union[None, float, Sequence[Value], Mapping[str, Value]]


def single(value: Any) -> bool:
    return value is None or isinstance(value, (str, numbers.Number)) or getattr(value, "ndim", None) == 0


def array_of(value: Any, name: str, d: int, shape: tuple[int, ...], precision: str,
             count: int | None) -> tuple[Array, arrays.View, int]:
    """@param d      the side's axis: 0 is the first one
    @param count  of several right-hand sides
    @return the view, too, which holds the memory; and elements from one to the next"""
    v = arrays.view(value, name)
    along = [e for e in range(len(shape)) if e != d]
    expected = tuple(shape[e] for e in along)
    each = count is not None and v.shape == (count, *expected)
    if v.shape != expected and not each:
        several = "" if count is None else ", or of all right-hand sides %s" % ((count, *expected),)
        words = "%s have the shape %s, and the side has %s%s"
        raise ArgumentError(words % (name, v.shape, expected, several))
    if v.dtype != precision:
        raise ArrayError("%s are float%s, and the plan's arrays are float%s" % (name, v.dtype[1:], precision[1:]))
    array = Array(data=v.data, device=v.device)
    array.stride[:] = (1, 1, 1)  # also where it has no meaning: a broadcast array has 0 along others, and all 0 would mean dense
    for e, n, stride in zip(along, expected, v.strides[each:]):
        array.stride[PLACES[len(shape)][e]] = stride if n > 1 else 1  # of a single point NumPy writes any
    return array, v, v.strides[0] if each else 0


def fill(args: SolveArgs, values: Values, shape: tuple[int, ...], precision: str,
         count: int | None = None) -> list[tuple[Array, arrays.View, int]]:
    """@param shape  of f, or of each of so many right-hand sides
    @return what the arguments point at, and what that points at: to be kept until the library has read them"""
    kept = []
    axes = AXES[-len(shape):]
    for d, given in enumerate(per_axis(values, "values", axes, None, single)):
        place = PLACES[len(shape)][d]
        pair = given if isinstance(given, (tuple, list)) else (given, given)
        if len(pair) != 2:
            raise ArgumentError("values along %s: one for both sides, or (lower, upper)" % axes[d])
        for side, value in enumerate(pair):
            name = "values on the %s side of %s" % (("lower", "upper")[side], axes[d])
            if single(value):
                args.value[place][side] = 0.0 if value is None else number(value, name, ", or an array")
            else:
                kept.append(array_of(value, name, d, shape, precision, count))
                args.side[place][side] = ctypes.addressof(kept[-1][0])
                args.side_step[place][side] = kept[-1][2]
    return kept
