"""The options of a plan by name, from the library's table: what they are, their values and their help."""

from __future__ import annotations

import ctypes
import difflib
import numbers
import os
from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

from ._errors import ArgumentError, shown
from ._library import Options, check, lib, text

# None leaves an option at its default; True and False are "yes" and "no".
OptionValue = Union[str, int, float, bool, None]


@dataclass(frozen=True)
class Option:
    """What the library says about an option."""

    name: str
    group: str
    values: str
    default: str
    help: str


def options() -> dict[str, Option]:
    """All options by name."""
    found: dict[str, Option] = {}
    while True:
        row = lib.psg_option_at(len(found))
        if not row:
            return found
        about = row.contents
        found[text(about.name)] = Option(text(about.name), text(about.group), text(about.values), text(about.standard),
                                         text(about.help))


def table() -> str:
    """The options as a part of a docstring."""
    lines = []
    group = ""
    for option in options().values():
        if option.group != group:
            group = option.group
            lines.append("\n    %s:" % group)
        lines.append("      %s = %s (default %s)\n          %s" % (option.name, option.values, option.default, option.help))
    return "\n".join(lines)


# Arguments that are no options, and whose they are.
ARGUMENTS = {**dict.fromkeys(("shape", "dtype", "box", "bc", "points", "faces", "robin", "comm",
                              "gpu_ids"), "psg.Plan()"),
             **dict.fromkeys(("out", "values", "epsilon", "tolerance", "iterations", "guess",
                              "lambda_"), "solve()")}


def misnamed(name: str) -> bytes:
    """Words for a name that is no option's; b"": the library has them."""
    near = difflib.get_close_matches(name, ARGUMENTS, 1, 0.7)
    if near:
        raise ArgumentError("there is no option '%s': %s" % (
            name, "it is an argument of " + ARGUMENTS[name] if name in ARGUMENTS else
            "did you mean '%s'?" % near[0]))
    return b""


def word_of(value: Any, name: str) -> bytes:
    if isinstance(value, bool):
        return b"yes" if value else b"no"
    if isinstance(value, numbers.Integral):
        return str(int(value)).encode()
    if isinstance(value, numbers.Real):
        return repr(float(value)).encode()
    if isinstance(value, (str, os.PathLike)):
        word = os.fsencode(value)
        if b"\0" not in word:
            return word
    raise ArgumentError("%s = %s: a text, a number or True or False is needed" % (name, shown(value)))


def choice(name: str, number: int) -> str:
    """The word for a value of an option."""
    o = Options()
    lib.psg_options_init(ctypes.byref(o), ctypes.sizeof(o))
    setattr(o, name, number)
    room = ctypes.create_string_buffer(64)
    check(lib.psg_options_get(ctypes.byref(o), name.encode(), room, len(room)))
    return text(room.value)


class Chosen:
    """psg_options with what its pointers point to. The library keeps none of them once the plan is made."""

    def __init__(self, wanted: Mapping[str, Any], gpu_ids: Sequence[int] | None, comm: Any) -> None:
        self.options = Options()
        self.kept: list[Any] = []
        lib.psg_options_init(ctypes.byref(self.options), ctypes.sizeof(self.options))
        for name, value in wanted.items():
            known = name.rstrip("_") in options()
            if value is not None or not known:
                word = word_of(value, name) if known else misnamed(name)
                self.kept.append(word)
                check(lib.psg_options_set(ctypes.byref(self.options),
                                          name.rstrip("_").encode("utf-8", "replace"), word))
        if gpu_ids is not None:
            try:
                ids = (ctypes.c_int * len(gpu_ids))(*gpu_ids)
            except TypeError:
                raise ArgumentError("gpu_ids = %s: numbers of GPUs are needed" % shown(gpu_ids)) from None
            self.kept.append(ids)
            self.options.gpus = len(ids)
            if len(ids) > 0:
                self.options.gpu_ids = ctypes.cast(ids, ctypes.POINTER(ctypes.c_int))
        if comm is not None:
            self.kept.append(comm)
            self.options.comm = address_of(comm)


def address_of(comm: Any) -> int:
    """The address of the MPI_Comm of an mpi4py communicator. Both sides need the same MPI: handles differ between them."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise ArgumentError("comm = %r: a communicator of mpi4py is needed, and mpi4py cannot be imported: %s"
                            % (comm, error)) from None
    if not isinstance(comm, MPI.Comm):
        raise ArgumentError("comm = %r: a communicator of mpi4py is needed" % (comm,))
    theirs = MPI.Get_library_version().strip("\0 \n")
    ours = components_mpi()
    if ours is not None and ours.split()[0] != theirs.split()[0]:
        raise ArgumentError("psg was built with %s, and mpi4py with %s" % (ours, theirs.split(",")[0]))
    return int(MPI._addressof(comm))


def components_mpi() -> str | None:
    from ._library import components

    return components().get("MPI")
