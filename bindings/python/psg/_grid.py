"""Shape, box, sides and points in the order of NumPy's axes, as a psg_grid."""

from __future__ import annotations

import ctypes
import difflib
import math
import operator
import warnings
from typing import Any, Mapping, Sequence, Tuple, Union

import numpy

from ._errors import ArgumentError, number, shown
from ._library import PLACES, Axis, Grid, check, lib

AXES = "zyx"  # of an array with fewer: the last ones
SIDES = {"periodic": 0, "dirichlet": 1, "neumann": 2, "free": 3, "robin": 4}
POINTS = {"cells": 0, "nodes": 1}

# One value for all axes, one for each of the array's, or a dictionary by the axis' letter.
Side = Union[str, Tuple[str, str]]
Sides = Union[Side, Sequence[Side], Mapping[str, Side]]
Box = Union[float, Sequence[float], Mapping[str, float]]
Points = Union[str, Sequence[str], Mapping[str, str]]
Faces = Union[None, Mapping[str, Any]]  # arrays
Robin = Union[None, Mapping[str, Tuple[float, float]]]
RATIO = 1e6  # of cells: a larger one is a word worth


def listed(axes: Sequence[str]) -> str:
    return "(%s)" % ", ".join(axes)


def per_axis(value: Any, name: str, axes: str, standard: Any, single: Any) -> list[Any]:
    """One for each of the axes, as "yx". @param single  is this one value for all?"""
    if isinstance(value, Mapping):
        strange = [key for key in value if not isinstance(key, str) or key not in axes or len(key) != 1]
        if strange:
            letters = " and ".join(map(repr, axes))
            raise ArgumentError("%s has the key %r: the axes are %s" % (name, strange[0], letters))
        return [value.get(axis, standard) for axis in axes]
    if single(value):
        return [value] * len(axes)
    try:
        values = list(value)
    except TypeError:
        raise ArgumentError("%s = %s: one value for all axes, or one for each of %s" % (name, shown(value), listed(axes))) from None
    if len(values) != len(axes):
        raise ArgumentError("%s has %d values: it needs one for each of %s"
                            % (name, len(values), listed(axes)))
    return values


def number_of(words: Mapping[str, int], word: Any, name: str) -> int:
    if isinstance(word, str):
        for known, number in words.items():
            if word.lower() == known or (word and word.upper() == known[0].upper()):
                return number
    if isinstance(word, str) and word.lower() in ("open", "isolated", "vacuum") and words is SIDES:
        raise ArgumentError("%s = %s: a side without a condition is 'free': bc='free', or "
                            "bc={'z': 'free'} for z alone" % (name, shown(word)))
    offered = list(words)
    nearest = difflib.get_close_matches(word.lower(), offered, 1) if isinstance(word, str) else []
    raise ArgumentError("%s: %s is none of %s%s" % (name, shown(word), ", ".join(offered),
                                                    "".join(": did you mean '%s'?" % near for near in nearest)))


def both_sides(value: Any, axis: str) -> list[int]:
    pair = [value, value] if isinstance(value, str) else list(value) if isinstance(value, (tuple, list)) else []
    if len(pair) != 2:
        raise ArgumentError("bc along %s = %s: a word for both sides, or (lower, upper)" % (axis, shown(value)))
    return [number_of(SIDES, side, "bc along " + axis) for side in pair]


def extents(shape: Any) -> tuple[int, ...]:
    try:
        numbers = tuple(operator.index(n) for n in shape)
    except TypeError:
        numbers = ()
    if len(numbers) not in PLACES or not all(0 <= n < 2**63 for n in numbers):
        raise ArgumentError("shape = %s: one to three whole numbers are needed, as (nz, ny, nx)"
                            % shown(shape))
    return numbers


def part(axes: int, lo: Any, local: Any) -> tuple[Any, Any]:
    """The first point and the points of a process' part along x, y and z. (None, None): its planes"""
    if lo is None and local is None:
        return None, None
    both = []
    for value, name, standard in ((lo, "lo", 0), (local, "local", 1)):
        try:
            numbers = tuple(operator.index(n) for n in value)
        except TypeError:
            numbers = ()
        if len(numbers) != axes or not all(0 <= n < 2**63 for n in numbers):
            raise ArgumentError("%s = %s: lo and local are a whole number for each axis of shape, "
                                "and come together" % (name, shown(value)))
        all_three = (ctypes.c_size_t * 3)(*[standard] * 3)
        for place, n in zip(PLACES[axes], numbers):
            all_three[place] = n
        both.append(all_three)
    return both[0], both[1]


def is_side(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and len(value) == 2)


def is_length(value: Any) -> bool:
    return isinstance(value, str) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def is_of_faces(box: Any, letter: str) -> bool:
    """Do the faces of an axis say how long it is?"""
    return is_length(box) or (isinstance(box, Mapping) and letter not in box)


def lengths_of(box: Box, axes: str) -> list[float]:
    return [number(length, "box along " + axis, ", the length of the box; psg.points() has the points")
            for axis, length in zip(axes, per_axis(box, "box", axes, 1.0, is_length))]


def faces_of(faces: Faces, axes: str, numbers: Sequence[int]) -> dict[str, Any]:
    """By the letter of an axis: n + 1 positions, float64."""
    if faces is None:
        return {}
    if not isinstance(faces, Mapping):
        raise ArgumentError("faces = %s: a dictionary is needed, as {'z': positions}"
                            % shown(faces))
    found = {}
    for letter, given in zip(axes, per_axis(faces, "faces", axes, None, lambda p: False)):
        if given is None:
            continue
        try:
            array = numpy.ascontiguousarray(given, dtype=numpy.float64)
        except (TypeError, ValueError):
            raise ArgumentError("faces along %s = %s: an array of numbers is needed"
                                % (letter, shown(given))) from None
        n = numbers[axes.index(letter)]
        if array.shape != (n + 1,):
            raise ArgumentError("faces along %s have the shape %s: %d cells have %d faces"
                                % (letter, array.shape, n, n + 1))
        found[letter] = array.copy()
    return found


def robin_of(robin: Robin, axes: str) -> dict[str, tuple[float, float]]:
    """By the letter of an axis: k of its lower and of its upper side."""
    if robin is not None and not isinstance(robin, Mapping):
        raise ArgumentError("robin = %s: a dictionary is needed, as {'z': (k0, k1)}" % shown(robin))
    found = {}
    for letter, given in zip(axes, per_axis(robin or {}, "robin", axes, None, lambda p: False)):
        if given is not None:
            if not isinstance(given, (tuple, list)) or len(given) != 2:
                raise ArgumentError("robin along %s = %s: k of both sides is needed, (lower, "
                                    "upper), 0 of a side that is not Robin"
                                    % (letter, shown(given)))
            name = "robin along " + letter
            found[letter] = (number(given[0], name), number(given[1], name))
    return found


def note_ratio(letter: str, array: Any) -> None:
    widths = numpy.diff(array)
    if widths.size and 0 < RATIO * widths.min() < widths.max():
        warnings.warn("the cells along %s are from %.3g to %.3g long, more than 1e6 to 1"
                      % (letter, widths.min(), widths.max()), stacklevel=4)


def make(shape: Any, box: Box, bc: Sides, points: Points, faces: Faces = None,
         robin: Robin = None) -> Grid:
    numbers = extents(shape)
    grid = Grid(axes=len(numbers))
    axes = AXES[-len(numbers):]
    lengths = lengths_of(box, axes)
    if len(axes) == 2 and isinstance(bc, tuple) and len(bc) == 2 and bc[0] != bc[1]:
        raise ArgumentError("bc = %s: is it (y, x), or (lower, upper)? Write bc={'y': .., 'x': ..}, where "
                            "each may be a pair (lower, upper)" % shown(bc))
    sides = per_axis(bc, "bc", axes, "periodic", is_side)
    kinds = per_axis(points, "points", axes, "cells", lambda p: isinstance(p, str))
    stretched = faces_of(faces, axes, numbers)
    losses = robin_of(robin, axes)
    for axis in grid.axis:
        axis.n, axis.length = 1, 1.0  # of those that the array has not
    for d, (letter, place) in enumerate(zip(axes, PLACES[len(numbers)])):
        axis = grid.axis[place]
        axis.n = numbers[d]
        axis.length = lengths[d]
        if letter in stretched:
            array = stretched[letter]
            note_ratio(letter, array)
            axis.faces = array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            grid.kept = array  # as long as the structure
            if is_of_faces(box, letter):
                axis.length = array[-1] - array[0]
        axis.bc[0], axis.bc[1] = both_sides(sides[d], letter)
        axis.points = number_of(POINTS, kinds[d], "points along " + letter)
        if SIDES["robin"] in axis.bc[:] and letter not in losses:
            raise ArgumentError("bc along %s is robin: robin={'%s': (k0, k1)} says what k is"
                                % (letter, letter))
        axis.robin[:] = losses.get(letter, (0, 0))
    if not stretched and mixed_up([grid.axis[place] for place in PLACES[len(numbers)]]):
        warnings.warn("box = %s, and the points have equal distances along all axes if the lengths are in another order: box has "
                      "the order of the shape, %s" % (lengths, ", ".join(axes)), stacklevel=2)
    return grid


def lengths_in(grid: Grid, axes: int) -> tuple[float, ...]:
    return tuple(grid.axis[place].length for place in PLACES[axes])


def mixed_up(axes: Sequence[Axis]) -> bool:
    """Do the lengths fit the numbers of points in another order alone?"""

    def fit(lengths: Sequence[float], counts: Sequence[int]) -> bool:
        return all(math.isclose(l * counts[0], lengths[0] * n) for l, n in zip(lengths, counts))

    lengths, counts = [axis.length for axis in axes], [axis.n for axis in axes]
    return not fit(lengths, counts) and fit(sorted(lengths), sorted(counts))


def line(axis: Axis) -> tuple[float, float]:
    """The first point of an axis, and the step from one to the next."""
    first, step = ctypes.c_double(), ctypes.c_double()
    check(lib.psg_axis_points(ctypes.byref(axis), ctypes.byref(first), ctypes.byref(step)))
    return first.value, step.value


def points(shape: Any, box: Box = 1.0, bc: Sides = "periodic",
           points: Points = "cells", faces: Faces = None, robin: Robin = None) -> tuple[Any, ...]:
    """Where the points are: (z, y, x), (y, x) or (x,), as NumPy arrays that broadcast to the shape
    of f."""
    grid, places = make(shape, box, bc, points, faces, robin), PLACES[len(extents(shape))]
    found = []
    for d, place in enumerate(places):
        axis = grid.axis[place]
        along = [-1 if e == d else 1 for e in range(len(places))]
        if axis.faces:
            array = numpy.array(axis.faces[:axis.n + 1])
            found.append(((array[1:] + array[:-1]) / 2).reshape(along))
            continue
        first, step = line(axis)
        found.append((first + step * numpy.arange(axis.n)).reshape(along))
    return tuple(found)


def weights(grid: Grid, axes: int) -> list[list[float] | None]:
    """For each of so many axes of an array: what a point counts in a sum over the box, which is 1/2
    on a Neumann side, and between faces the length of its cell over the mean; None: all count 1.
    The solve is self-adjoint in the inner product with these weights."""
    found: list[list[float] | None] = []
    for place in PLACES[axes]:
        axis = grid.axis[place]
        w = [1.0] * axis.n
        if axis.points == POINTS["nodes"]:
            for side in (0, 1):
                if axis.bc[side] == SIDES["neumann"]:
                    w[-side] = 0.5
        if axis.faces:
            array = numpy.array(axis.faces[:axis.n + 1])
            w = list(numpy.diff(array) * (axis.n / (array[-1] - array[0])))
        found.append(w if axis.faces or 0.5 in w else None)
    return found


def good_length(n: int, bc: Side = "periodic", points: str = "cells") -> int:
    """The smallest number of points >= n along an axis whose transform is fast on cores and GPUs.

    bc is a word for both sides of the axis, or (lower, upper). Prime factors above 13 cost most.
    """
    try:
        number = operator.index(n)
    except TypeError:
        raise ArgumentError("n = %r: a whole number is needed" % (n,)) from None
    if not 0 <= number < 2**63:
        raise ArgumentError("n = %d: a number of points from 1 is needed" % number)
    sides, good = (ctypes.c_int * 2)(*both_sides(bc, "the axis")), ctypes.c_size_t()
    check(lib.psg_good_length(number, sides, number_of(POINTS, points, "points"), ctypes.byref(good)))
    return good.value
