"""epsilon of a solve, at points or on faces, as the library has it."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import _arrays as arrays
from ._errors import ArgumentError
from ._grid import AXES, listed
from ._library import PLACES, Array, SolveArgs


def fill(args: SolveArgs, epsilon: Any, look: Callable[[Any, str], arrays.View], axes: int) -> list[Any]:
    """@return what the arguments point at, and what that points at"""
    faces, kept = isinstance(epsilon, (tuple, list)), []
    if faces and len(epsilon) != axes:
        raise ArgumentError("epsilon: an array like f, or %s on faces, not %d arrays"
                            % (listed(["e" + axis for axis in AXES[-axes:]]), len(epsilon)))
    for d, given in enumerate(epsilon if faces else [epsilon]):
        name, array = "epsilon[%d]" % d if faces else "epsilon", Array()
        view = look(given, name)
        arrays.fill(array, view, name)
        kept += [view, array]
        if faces:
            args.epsilon_faces[PLACES[axes][d]] = ctypes.addressof(array)
        else:
            args.epsilon = ctypes.addressof(array)
    return kept
