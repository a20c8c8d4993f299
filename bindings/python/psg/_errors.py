"""An exception for each status of the library, with the library's words."""

from __future__ import annotations


class Error(Exception):
    """A call into the library failed. `detail` has the words behind the place in the library's sources that wrote them."""

    def __init__(self, words: str, detail: str = "") -> None:
        super().__init__(words)
        self.detail = detail


class ArgumentError(Error, ValueError):
    """An argument is wrong; nothing was done."""


class ArrayError(ArgumentError, TypeError):
    """An object is no array that a solve can work on; nothing was done."""


class UnsupportedError(Error, NotImplementedError):
    """Valid, but not in this version or not built in."""


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be had; the words say how much was asked."""


class DeviceError(Error, RuntimeError):
    """There is no such device, or no worker that can run the plan."""


class DataError(Error, ValueError):
    """f has a NaN or an Inf; the words say where. u is undefined."""


class MeanError(Error, ValueError):
    """f has a mean, and the option mean is "error". u is undefined."""


class StateError(Error, RuntimeError):
    """The call does not fit what was done before it."""


class BackendError(Error, RuntimeError):
    """StarPU, FFTW, MPI or a device failed. u is undefined."""


def shown(value: object) -> str:
    """A wrong value in words: an array by its shape, anything else in a line at most."""
    shape = getattr(value, "shape", None)
    if shape:
        return "an array of shape %s" % (tuple(shape),)
    words = " ".join(repr(value).split())
    return words if len(words) <= 80 else words[:77] + "..."


def number(value: object, name: str, meaning: str = "") -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError("%s = %s: a number is needed%s" % (name, shown(value), meaning)) from None


def term(value: object, name: str) -> float:
    """lambda_ or factor, as a number."""
    hint = {"lambda_": "", "factor": ": an array goes into f"}[name]
    return number(value, name, ", the same at all points" + hint)


# In the order of psg_status, from 1.
BY_STATUS = (ArgumentError, UnsupportedError, OutOfMemoryError, DeviceError, DataError, MeanError, StateError, BackendError)
for public in (Error, ArrayError, *BY_STATUS):
    public.__module__ = "psg"  # as tracebacks show them
