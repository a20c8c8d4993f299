"""A kernel of the caller's in place of the symbol: an octant of its values in space, or of its modes."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _arrays as arrays
from ._errors import ArgumentError, ArrayError, shown
from ._library import PLACES, check, lib

FORMS = {"space": 0, "modes": 1}  # psg_kernel_form


class Kernel:
    """What psg_plan_kernel() gets. `view` holds the memory."""

    def __init__(self, kernel: Any, form: str, axes: int) -> None:
        self.view = v = arrays.view(kernel, "kernel")
        if form not in FORMS:
            raise ArgumentError("kernel_form = %s: 'space' or 'modes' is needed" % shown(form))
        if len(v.shape) != axes:
            raise ArgumentError("kernel has the shape %s, and one of as many axes as the plan's %d is needed" % (v.shape, axes))
        if v.dtype != "f64":
            raise ArrayError("kernel is float%s, and float64 is needed, whatever the plan's arrays are" % v.dtype[1:])
        if v.device >= 0:
            raise ArrayError("kernel is on a GPU, and is needed in main memory")
        if any(n > 1 and step != needed for n, step, needed in zip(v.shape, v.strides, arrays.dense(v.shape))):
            raise ArrayError("kernel: its values do not follow one another: numpy.ascontiguousarray() makes them so, as a copy")
        self.form = FORMS[form]
        self.n = (ctypes.c_size_t * 3)(1, 1, 1)
        for place, n in zip(PLACES[axes], v.shape):
            self.n[place] = n

    def give(self, plan: Any) -> None:
        check(lib.psg_plan_kernel(plan, self.form, self.n, self.view.data))


def is_array(kernel: Any) -> bool:
    """Or is it a word of the option?"""
    return not (kernel is None or isinstance(kernel, str))


def look(kernel: Any, form: str, axes: int) -> Kernel | None:
    if not is_array(kernel) and form != "space":
        raise ArgumentError("kernel_form = %s is for a kernel that is an array" % shown(form))
    return Kernel(kernel, form, axes) if is_array(kernel) else None
