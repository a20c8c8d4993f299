"""f or u of a solve as modes."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from . import _arrays as arrays
from ._errors import ArgumentError, ArrayError
from ._library import PLACES, Array, SolveArgs, check, lib


class Space:
    """The modes that a process has of a plan's solves."""

    def __init__(self, plan: Any, axes: int, precision: str) -> None:
        lo, n, is_complex = (ctypes.c_size_t * 3)(), (ctypes.c_size_t * 3)(), ctypes.c_int()
        check(lib.psg_plan_local_modes(plan, lo, n, ctypes.byref(is_complex)))
        places = PLACES[axes]
        here = all(n[place] for place in range(3) if place not in places)
        self.lo = tuple(lo[place] for place in places)
        self.shape = tuple(n[place] if here else 0 for place in places)
        kind = {"f64": ("f8", "c16"), "f32": ("f4", "c8")}[precision][is_complex.value]
        self.dtype = numpy.dtype(kind)
        self.gap = 0 if is_complex.value else self.shape[-1] % 2  # real rows are of even length

    def fresh(self, f: Any, f_modes: Any) -> Any:
        """A new array of modes, of the package of what is given, if psg knows it and it lets arrays
        be written; else of NumPy."""
        x, name = (f, "f") if f_modes is None else (f_modes, "f_modes")
        kind = arrays.kind_of(x)
        if isinstance(x, numpy.ndarray) or self.gap or kind is arrays.OTHER or not kind.writable:
            return numpy.empty(self.shape, self.dtype)
        return kind.fresh(x, arrays.view(x, name, arrays.MODES), self.shape, self.dtype.name)

    def look(self, x: Any, name: str, written: bool) -> tuple[Array, Any]:
        """@return a psg_array, and what holds its memory, with a gap if rows need one"""
        if not isinstance(x, numpy.ndarray):
            return self.seen(x, name, written)
        if isinstance(x, numpy.ma.MaskedArray):
            raise ArrayError("%s has a mask: x.filled(0) has none" % name)
        if x.shape != self.shape:
            raise ArgumentError("%s has the shape %s, and the plan's modes have %s"
                                % (name, x.shape, self.shape))
        if x.dtype != self.dtype:
            raise ArrayError("%s is %s, and the plan's modes are %s" % (name, x.dtype, self.dtype))
        if written and not (x.flags.c_contiguous and x.flags.writeable):
            why = "not contiguous" if x.flags.writeable else "read-only"
            raise ArgumentError("%s cannot be written: it is %s" % (name, why))
        held = numpy.ascontiguousarray(x)
        if self.gap:
            held = numpy.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, self.gap)])
        return Array(data=held.ctypes.data, device=arrays.HOST), held


    def seen(self, x: Any, name: str, written: bool) -> tuple[Array, arrays.View]:
        """Of another package, where it is: nothing is copied."""
        v = arrays.view(x, name, arrays.MODES)
        words = "%s%s" % ({"c": "complex", "f": "float"}[v.dtype[0]], v.dtype[1:])
        if v.shape != self.shape:
            raise ArgumentError("%s has the shape %s, and the plan's modes have %s"
                                % (name, v.shape, self.shape))
        if words != self.dtype.name:
            raise ArrayError("%s is %s, and the plan's modes are %s" % (name, words, self.dtype))
        steps = zip(v.shape, v.strides, arrays.dense(v.shape))
        if any(n > 1 and step != want for n, step, want in steps):
            raise ArrayError("%s is not contiguous: ascontiguousarray() or contiguous() makes it "
                             "so, as a copy" % name)
        if self.gap:
            raise ArrayError("%s is %s: real modes of an odd number of points along x are an array "
                             "of NumPy, as they are copied" % (name, arrays.type_of(x)))
        if written and not v.writable:
            raise ArgumentError("%s cannot be written: it is read-only, or of a package whose "
                                "arrays never change" % name)
        stream = None if v.stream == arrays.LEGACY else v.stream
        return Array(data=v.data, device=v.device, stream=stream), v


class Given:
    """The modes of a solve: those of f, or None, and those of u, or None."""

    def __init__(self, space: Space, f: Any, u: Any) -> None:
        self.f = None if f is None else space.look(f, "f_modes", False)
        self.u = None if u is None else space.look(u, "out", True)
        self.gap, self.out, self.given = space.gap, u, (f, u)

    def fresh_u(self, shape: tuple[int, ...], precision: str) -> Any:
        """Room for u where the modes of f are."""
        x, v = self.given[0], self.f[1] if self.f is not None else None
        return (arrays.kind_of(x).fresh(x, v, shape, "float" + precision[1:])
                if isinstance(v, arrays.View) else arrays.fresh(shape, precision))

    def check_beside(self, f: Any, u: Any) -> None:
        """Where rows have a gap the library sees copies, and not that modes overlap f or u."""
        for modes, of_f in zip(self.given, (True, False)):
            for view, is_u in ((f, False), (u, True)):
                beside = self.gap and modes is not None and (is_u or not of_f)
                array = None if view is None else view.keep
                if beside and isinstance(array, numpy.ndarray) and numpy.may_share_memory(modes, array):
                    raise ArgumentError("%s and %s overlap" % ("f_modes" if of_f else "u_modes",
                                                               "u" if is_u else "f"))

    def fill(self, args: SolveArgs) -> None:
        args.f_modes = None if self.f is None else ctypes.addressof(self.f[0])
        args.u_modes = None if self.u is None else ctypes.addressof(self.u[0])

    def finish(self) -> None:
        """After the solve."""
        if self.u is not None and self.gap:
            self.out[...] = self.u[1][..., :-self.gap]


def streams(given: Given | None, *views: arrays.View | None) -> set[int]:
    """Of all arrays of a solve."""
    held = () if given is None else (given.f, given.u)
    of_modes = [one[1] for one in held if one is not None]
    return {v.stream for v in (*views, *of_modes) if isinstance(v, arrays.View)}
