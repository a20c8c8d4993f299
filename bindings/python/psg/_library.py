"""libpsg by ctypes: where it is, its structures and functions, and statuses as exceptions.

The structures are those of graph/psg.h and graph/psg_observe.h. A test compares their layout with the C compiler's.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint, c_uint64, c_void_p
from typing import Any, Iterator

from ._errors import BY_STATUS, Error

# Of the library that this package is written for.
MAJOR, MINOR = 0, 2
SONAME = "libpsg.so.%d.%d" % (MAJOR, MINOR)
HERE = os.path.dirname(os.path.abspath(__file__))


# Which one of x, y and z, 0 to 2, each axis of an array with so many is.
PLACES = {1: (0,), 2: (1, 0), 3: (2, 1, 0)}


class Axis(Structure):
    _fields_ = [("n", c_size_t), ("length", c_double), ("bc", c_int * 2), ("points", c_int),
                ("faces", POINTER(c_double)), ("robin", c_double * 2)]


class Grid(Structure):
    _fields_ = [("axis", Axis * 3), ("axes", c_int)]


class OptionRow(Structure):
    _fields_ = [("name", c_char_p), ("group", c_char_p), ("values", c_char_p), ("standard", c_char_p), ("help", c_char_p),
                ("scope", c_uint)]


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("precision", c_int), ("symbol", c_int), ("lambda", c_double), ("mean", c_int),
                ("mean_tolerance", c_double), ("graph", c_int), ("exchange", c_int), ("z_layout", c_int),
                ("segment_planes", c_size_t), ("sheets", c_size_t), ("cpus", c_int), ("gpus", c_int),
                ("gpu_ids", POINTER(c_int)), ("policy", c_char_p), ("effort", c_int), ("cache_dir", c_char_p),
                ("in_flight", c_uint), ("comm", c_void_p), ("calibrate", c_int), ("record", c_int), ("machine", c_char_p),
                ("tuned", c_int), ("cpu_share", c_double), ("executor", c_int), ("network", c_double), ("nodes", c_uint),
                ("time_limit", c_double), ("factor", c_double), ("batch", c_size_t),
                ("placement", c_int), ("kernel", c_int), ("wire_bits", c_int)]


class Array(Structure):
    _fields_ = [("data", c_void_p), ("device", c_int), ("stride", c_ssize_t * 3), ("stream", c_void_p)]


class SolveArgs(Structure):
    _fields_ = [("struct_size", c_size_t), ("lambda", c_double), ("factor", c_double), ("mean", c_int),
                ("guess", c_int), ("value", c_double * 2 * 3), ("side", c_void_p * 2 * 3),
                ("gradient", c_void_p * 3), ("epsilon", c_void_p), ("tolerance", c_double), ("iterations", c_size_t),
                ("box", c_double * 3), ("side_step", c_ssize_t * 2 * 3),
                ("f_modes", c_void_p), ("u_modes", c_void_p), ("epsilon_faces", c_void_p * 3)]


class StageStatistics(Structure):
    _fields_ = [("tasks", c_uint64), ("seconds", c_double)]


class LinkStatistics(Structure):
    _fields_ = [("bytes", c_uint64), ("seconds", c_double)]


class SubmitStatistics(Structure):
    _fields_ = [("seconds", c_double), ("tasks", c_size_t), ("pieces", c_size_t), ("starpu_tasks", c_size_t),
                ("placed_tasks", c_size_t), ("executor", c_int)]


STAGES, LINKS = 16, 4


class Statistics(Structure):
    _fields_ = [("struct_size", c_size_t), ("plan_seconds", c_double), ("ranks", c_int), ("rank", c_int),
                ("workers", c_size_t), ("segments", c_size_t), ("sheets", c_size_t), ("segment_planes", c_size_t),
                ("graph", c_int), ("z_layout", c_int), ("exchange", c_int), ("returned_rows", c_size_t),
                ("fetched_rows", c_size_t), ("tuned", c_int), ("spectrum_bytes", c_size_t), ("scratch_bytes", c_size_t),
                ("solves", c_uint64), ("submitted", c_double), ("seconds", c_double), ("mean", c_double),
                ("stage", StageStatistics * STAGES), ("copied_bytes", c_uint64), ("cpu_planes", c_size_t),
                ("cpu_rows", c_size_t), ("submit", SubmitStatistics),
                ("link", LinkStatistics * LINKS), ("iterations", c_size_t), ("residual", c_double)]


class Event(Structure):
    _fields_ = [("stage", c_int), ("worker", c_int), ("rank", c_int), ("received", c_int), ("segment", c_size_t),
                ("sheet", c_size_t), ("step", c_size_t), ("count", c_size_t), ("pieces", c_size_t), ("remote", c_size_t), ("dense", c_int),
                ("start", c_double), ("end", c_double), ("bytes", c_size_t),
                ("least", c_double * 2), ("extent", c_size_t * 3), ("axis", c_int)]


# By the structure's name in C.
STRUCTURES = {"psg_axis": Axis, "psg_grid": Grid, "psg_option": OptionRow, "psg_options": Options, "psg_array": Array,
              "psg_solve_args": SolveArgs, "psg_stage_statistics": StageStatistics, "psg_link_statistics": LinkStatistics, "psg_submit_statistics": SubmitStatistics,
              "psg_statistics": Statistics, "psg_event": Event}

# Result and parameters by the function's name.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "psg_status_string": (c_char_p, [c_int]),
    "psg_last_error": (c_char_p, []),
    "psg_last_error_detail": (c_char_p, []),
    "psg_axis_points": (c_int, [POINTER(Axis), POINTER(c_double), POINTER(c_double)]),
    "psg_good_length": (c_int, [c_size_t, c_int * 2, c_int, POINTER(c_size_t)]),
    "psg_options_init": (None, [POINTER(Options), c_size_t]),
    "psg_option_at": (POINTER(OptionRow), [c_size_t]),
    "psg_options_set": (c_int, [POINTER(Options), c_char_p, c_char_p]),
    "psg_options_get": (c_int, [POINTER(Options), c_char_p, c_char_p, c_size_t]),
    "psg_plan_create": (c_int, [POINTER(c_void_p), POINTER(Grid), POINTER(Options)]),
    "psg_plan_destroy": (None, [c_void_p]),
    "psg_wait": (c_int, [c_void_p]),
    "psg_plan_in_flight": (c_size_t, [c_void_p]),
    "psg_call_refuse": (c_int, [c_void_p, POINTER(Options), c_int, c_char_p]),
    "psg_solve_args_init": (c_int, [POINTER(SolveArgs), c_void_p, c_size_t]),
    "psg_submit_arrays": (c_int, [c_void_p, c_size_t, POINTER(Array), POINTER(Array), POINTER(SolveArgs)]),
    "psg_plan_box": (c_int, [c_void_p, POINTER(c_size_t), POINTER(c_size_t)]),
    "psg_plan_kernel": (c_int, [c_void_p, c_int, c_size_t * 3, c_void_p]),
    "psg_solve_arrays": (c_int, [c_void_p, c_size_t, POINTER(Array), POINTER(Array), POINTER(SolveArgs)]),
    "psg_solve_many_arrays": (c_int, [c_void_p, c_size_t, POINTER(Array), POINTER(Array), POINTER(SolveArgs)]),
    "psg_project": (c_int, [c_void_p, POINTER(Array), POINTER(Array), POINTER(SolveArgs)]),
    "psg_plan_local_box": (c_int, [c_void_p, c_int, c_size_t * 3, c_size_t * 3]),
    "psg_plan_local_modes": (c_int, [c_void_p, c_size_t * 3, c_size_t * 3, POINTER(c_int)]),
    "psg_stage_name": (c_char_p, [c_int]),
    "psg_link_name": (c_char_p, [c_int]),
    "psg_plan_statistics": (c_int, [c_void_p, POINTER(Statistics), c_size_t]),
    "psg_plan_memory": (c_int, [c_void_p, POINTER(c_int), POINTER(c_double)]),
    "psg_plan_means": (c_int, [c_void_p, POINTER(c_double), c_size_t, POINTER(c_size_t)]),
    "psg_plan_events": (c_int, [c_void_p, POINTER(Event), c_size_t, POINTER(c_size_t)]),
    "psg_component_name": (c_char_p, [c_int]),
    "psg_component_version": (c_char_p, [c_int]),
}


def candidates() -> Iterator[tuple[str, str]]:
    """Where the library may be, with words for it."""
    given = os.environ.get("PSG_LIBRARY")
    if given:
        yield given, "PSG_LIBRARY in the environment"
        return
    try:
        from ._built import PATH  # type: ignore[import-not-found,unused-ignore] # pyright: ignore[reportMissingImports]
    except ImportError:
        pass
    else:
        yield os.path.normpath(os.path.join(HERE, PATH)), "the library that the package was installed with"
    yield SONAME, "the folders of the dynamic linker and LD_LIBRARY_PATH"
    yield os.path.join(HERE, "..", "..", "..", "build", "libpsg.so"), "the build of the clone that the package is in"


def load() -> ctypes.CDLL:
    tried = []
    for path, where in candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append("%s: %s" % (where, error))
    raise ImportError("libpsg was not found. Build it (./quickstart.sh demo), or put its path into PSG_LIBRARY. Tried: " +
                      "; ".join(tried))


lib = load()
for name, (result, parameters) in FUNCTIONS.items():
    try:
        function = getattr(lib, name)
    except AttributeError:
        raise ImportError("%s has no %s: it is not the library of this package, version %d.%d"
                          % (lib._name, name, MAJOR, MINOR)) from None
    function.restype = result
    function.argtypes = parameters


def text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value is not None else ""


def check(status: int) -> None:
    """Raise what the status of this thread's latest call stands for."""
    if status != 0:
        kind = BY_STATUS[status - 1] if 0 < status <= len(BY_STATUS) else Error
        raise kind(text(lib.psg_last_error()) or text(lib.psg_status_string(status)), text(lib.psg_last_error_detail()))


def refuse(plan: Any, options: Any, error: BaseException) -> None:
    """Tell the other processes of a collective call that this one does not make it, and why."""
    status = next((m for m, kind in enumerate(BY_STATUS, 1) if isinstance(error, kind)), len(BY_STATUS))
    words = str(error) if isinstance(error, Error) else "%s: %s" % (type(error).__name__, error)
    lib.psg_call_refuse(plan, options, status, " ".join(words.split()).encode("utf-8", "replace"))


def components() -> dict[str, str | None]:
    """What the library was built from, with versions; None: it was built without."""
    found: dict[str, str | None] = {}
    while lib.psg_component_name(len(found)) is not None:
        built = lib.psg_component_version(len(found))
        found[text(lib.psg_component_name(len(found)))] = None if built is None else text(built)
    return found


version = components()["psg"] or ""
if version.split(".")[:2] != [str(MAJOR), str(MINOR)]:
    raise ImportError("%s is psg %s, and this package is for psg %d.%d" % (lib._name, version, MAJOR, MINOR))
