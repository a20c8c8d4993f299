"""A kernel of the caller's in place of the symbol: an octant of its values, or of its modes."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _arrays as arrays
from ._errors import ArgumentError, ArrayError, shown
from ._library import PLACES, check, lib

FORMS = {"space": 0, "modes": 1, "spectrum": 2}  # psg_kernel_form


class Kernel:
    """What psg_plan_kernel() gets. `view` holds the memory."""

    def __init__(self, kernel: Any, form: str, axes: int) -> None:
        self.view = v = arrays.view(kernel, "kernel")
        if form not in FORMS:
            raise ArgumentError("kernel_form = %s: one of 'space', 'modes' and 'spectrum' is needed"
                                % shown(form))
        if len(v.shape) != axes:
            raise ArgumentError("kernel has the shape %s, and one of %d axes is needed, as f has"
                                % (v.shape, axes))
        if v.dtype != "f64":
            raise ArrayError("kernel is float%s, and float64 is needed, also where f is float32"
                             % v.dtype[1:])
        if v.device >= 0:
            raise ArrayError("kernel is on a GPU, and is needed in main memory")
        if any(n > 1 and s != step for n, s, step in
               zip(v.shape, v.strides, arrays.dense(v.shape))):
            raise ArrayError("kernel: its values do not follow one another: "
                             "numpy.ascontiguousarray() makes them so, as a copy")
        self.form = FORMS[form]
        self.n = (ctypes.c_size_t * 3)(1, 1, 1)
        for place, n in zip(PLACES[axes], v.shape):
            self.n[place] = n

    def give(self, plan: Any) -> None:
        check(lib.psg_plan_kernel(plan, self.form, self.n, self.view.data))


def look(kernel: Any, form: str, axes: int) -> Kernel | None:
    """@return None: it is no array, but a word of the option"""
    if kernel is not None and not isinstance(kernel, str):
        return Kernel(kernel, form, axes)
    if form != "space":
        raise ArgumentError("kernel_form = %s is for a kernel that is an array" % shown(form))
    return None
