"""Arrays of other packages as psg_array: memory, strides, type and stream by DLPack, then __cuda_array_interface__, then
__array_interface__, then the buffer protocol. Nothing is copied.

What no protocol tells is a `Kind`: the stream that the package works on now, and how it makes a new array.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Callable, Tuple

import numpy

from ._errors import ArgumentError, ArrayError, shown
from ._library import PLACES, Array

HOST, ASK = -1, -2  # psg_array.device
LEGACY, PER_THREAD = 1, 2  # CUDA's default streams, as DLPack and CUDA count them
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLPack's types of devices
TYPES = {"float64": "f64", "float32": "f32"}
MODES = {**TYPES, "complex128": "c128", "complex64": "c64"}  # of the modes of fields
SIZES = {"f64": 8, "f32": 4, "c128": 16, "c64": 8}


class View:
    """Where an array is. Strides are in elements; `keep` holds the memory. `of` is the array, where psg.solve() has looked."""

    __slots__ = ("data", "device", "shape", "strides", "dtype", "writable", "stream", "keep", "of")
    of: Any

    def __init__(self, data: int, device: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: str,
                 writable: bool, stream: int, keep: Any) -> None:
        self.data, self.device, self.shape, self.dtype = data, device, shape, dtype
        self.strides = strides if strides is not None else dense(shape)
        self.writable, self.stream, self.keep = writable, stream, keep


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def fresh(shape: tuple[int, ...], dtype: str) -> Any:
    return numpy.empty(shape, "f8" if dtype == "f64" else "f4")


# -------------------------------------------------------------------------------------- kinds


class Kind:
    """An array of a package that is not known: results are NumPy's."""

    writable = True

    def refusal(self, x: Any) -> str | None:
        """Why the object's memory is not what a solve should have, where its protocols do not say so."""
        return None

    def view(self, x: Any) -> View | None:
        """Where the array is, if the package says so in a way of its own."""
        return None

    def stream(self, device: int) -> int:
        """The stream of the package's work on a GPU: the legacy default stream, if nothing else is known."""
        return LEGACY

    def export(self, x: Any) -> tuple[int, int, int, Any]:
        """DLPack's device type, its number, the stream on which the array is ready, and the capsule."""
        device_type, device = x.__dlpack_device__()
        if device_type not in (CUDA, CUDA_MANAGED):
            return device_type, device, LEGACY, x.__dlpack__() if device_type in (CPU, CUDA_HOST) else None
        stream = self.stream(device)
        return device_type, device, stream, x.__dlpack__(stream=stream)

    def fresh(self, x: Any, view: View, shape: Any = None, dtype: Any = None) -> Any:
        """A new array, dense, where x is, of x's shape and type, or of these, as NumPy names it."""
        if view.device != HOST:
            raise ArrayError("u for an array of type %s on GPU %d: give it as out=" % (type_of(x), view.device))
        return fresh(view.shape, view.dtype) if shape is None else numpy.empty(shape, dtype)


# Strides in elements and the type, by shape, strides in bytes and a word for the type: they follow from these alone, so what was
# found for one array holds for all.
Form = Tuple[Tuple[int, ...], str]
forms: dict[Any, Form] = {}
FORMS_MOST = 256


def form_of(key: tuple[Any, Any, Any]) -> Form | None:
    """@return None: it is for another way to say what is wrong with it"""
    form = forms.get(key)
    if form is None:
        shape, strides, dtype = key
        found = numpy.dtype(dtype)
        size = found.itemsize
        if found.name not in TYPES or not found.isnative or any(s % size for s in strides or ()):
            return None
        form = (dense(shape) if strides is None else tuple(s // size for s in strides), TYPES[found.name])
        if len(forms) >= FORMS_MOST:
            forms.clear()
        forms[key] = form
    return form


class NumPy(Kind):
    def refusal(self, x: Any) -> str | None:
        return "a solve does not know masks: x.filled(0) has none" if isinstance(x, numpy.ma.MaskedArray) else None

    def view(self, x: Any) -> View | None:
        about = x.__array_interface__
        shape = about["shape"]
        form = form_of((shape, about["strides"], about["typestr"]))
        if form is None:
            return None
        data, read_only = about["data"]
        return View(data, HOST, shape, *form, not read_only, LEGACY, x)


class CuPy(Kind):
    def refusal(self, x: Any) -> str | None:
        backwards = x.ndim > 0 and min(x.strides) < 0  # its DLPack has another number there
        return "it has the strides %s, below 0: cupy.ascontiguousarray() has none, as a copy" % (x.strides,) if backwards else None

    def view(self, x: Any) -> View | None:
        shape = x.shape
        form = form_of((shape, x.strides, x.dtype))
        if form is None:
            return None
        memory = x.data
        device = memory.device_id
        return View(memory.ptr, device, shape, *form, True, self.stream(device), x)

    def stream(self, device: int) -> int:
        return int(sys.modules["cupy"].cuda.get_current_stream(device).ptr) or LEGACY

    def fresh(self, x: Any, view: View, shape: Any = None, dtype: Any = None) -> Any:
        cupy = sys.modules["cupy"]
        shape, dtype = (x.shape, x.dtype) if shape is None else (shape, dtype)
        if cupy.cuda.runtime.getDevice() == view.device:
            return cupy.empty(shape, dtype)
        with cupy.cuda.Device(view.device):
            return cupy.empty(shape, dtype)


class Torch(Kind):
    def refusal(self, x: Any) -> str | None:
        if x.requires_grad:
            return "it requires a gradient: psg.torch.solve() has one, and x.detach() needs none"
        return "its numbers are the negative of what is in memory: x.resolve_neg() has them, as a copy" if x.is_neg() else None

    def view(self, x: Any) -> View | None:
        """As DLPack has it, in a quarter of the time. What is no dense memory is left to DLPack, which says why."""
        torch = sys.modules["torch"]
        dtype = "f64" if x.dtype == torch.float64 else "f32"
        if (dtype == "f32" and x.dtype != torch.float32) or x.layout != torch.strided or not (x.is_cuda or x.is_cpu):
            return None
        device = x.get_device() if x.is_cuda else HOST
        stream = self.stream(device) if x.is_cuda else LEGACY
        return View(x.data_ptr(), device, tuple(x.shape), x.stride(), dtype, True, stream, x)

    def stream(self, device: int) -> int:
        torch = sys.modules["torch"]
        number = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # what the public call wraps, in a tenth of its time
        return int(number(device) if number is not None else torch.cuda.current_stream(device).cuda_stream) or LEGACY

    def fresh(self, x: Any, view: View, shape: Any = None, dtype: Any = None) -> Any:
        torch = sys.modules["torch"]
        if shape is not None:
            return torch.empty(shape, dtype=getattr(torch, dtype), device=x.device)
        return torch.empty_like(x, memory_format=torch.contiguous_format)


class Jax(Kind):
    """Arrays of JAX never change, but for a new one that nobody else has seen yet."""

    writable = False

    def refusal(self, x: Any) -> str | None:
        tracer = sys.modules["jax"].core.Tracer
        return "it is traced: psg.jax.solve() can be traced" if isinstance(x, tracer) else None

    def fresh(self, x: Any, view: View, shape: Any = None, dtype: Any = None) -> Any:
        jax = sys.modules["jax"]
        shape, dtype = (x.shape, x.dtype) if shape is None else (shape, dtype)
        return jax.device_put(jax.numpy.empty(shape, dtype), next(iter(x.devices()))).block_until_ready()


class Numba(Kind):
    def fresh(self, x: Any, view: View, shape: Any = None, dtype: Any = None) -> Any:
        cuda = __import__("numba.cuda", fromlist=["cuda"])
        return cuda.device_array(*((x.shape, x.dtype) if shape is None else (shape, dtype)))


OF_PACKAGE: dict[str, Kind] = {"numpy": NumPy(), "cupy": CuPy(), "torch": Torch(), "jax": Jax(), "jaxlib": Jax(),
                               "numba": Numba(), "numba_cuda": Numba()}
OTHER = Kind()
of_type: dict[type, Kind] = {}


def kind_of(x: Any) -> Kind:
    kind = of_type.get(type(x))
    if kind is None:
        packages = (base.__module__.split(".")[0] for base in type(x).__mro__)
        kind = next((OF_PACKAGE[p] for p in packages if p in OF_PACKAGE and p in sys.modules), OTHER)
        of_type[type(x)] = kind
    return kind


def type_of(x: Any) -> str:
    return "%s.%s" % (type(x).__module__, type(x).__qualname__)


# -------------------------------------------------------------------------------------- types


def refuse_type(name: str, words: str) -> None:
    """A type that no solve has, with the nearest one that a solve has."""
    near = "float%d" % (32 if words in ("float16", "bfloat16") else 64)
    if words.startswith("complex"):
        nearest = "the real and the imaginary part are two solves"
    elif name == "dtype":
        nearest = "the nearest is " + near
    else:
        nearest = "the nearest is %s: astype() makes it, as a copy" % near
    raise ArrayError("%s is %s: a solve is in float64 or float32, and %s" % (name, words, nearest))


def precision_of(dtype: Any) -> str:
    """'f64' or 'f32' for a type by NumPy's name, or by that of another package."""
    words = str(dtype) if type(dtype).__module__.split(".")[0] == "torch" else ""
    words = words.split(".")[-1] if words else numpy_name(dtype)
    if words not in TYPES:
        refuse_type("dtype", words)
    return TYPES[words]


def numpy_name(dtype: Any) -> str:
    try:
        found = numpy.dtype(dtype)
    except TypeError:
        raise ArrayError("dtype = %s: float64 or float32 is needed" % shown(dtype)) from None
    name = str(found.name)
    return name if found.isnative else name + " of the other byte order"


# -------------------------------------------------------------------------------- protocols


# DLManagedTensor of DLPack to the offset: data, device type and number, dimensions, code, bits and lanes of the type, addresses
# of shape and strides, offset in bytes.
TENSOR = struct.Struct("=QiiiBBHQQQ")
CODES = {0: "int", 1: "uint", 2: "float", 3: "opaque", 4: "bfloat", 5: "complex", 6: "bool"}

capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def numbers_at(address: int, count: int) -> tuple[int, ...]:
    return struct.unpack("=%dq" % count, ctypes.string_at(address, 8 * count))


def by_dlpack(x: Any, name: str, kind: Kind, types: dict[str, str]) -> View:
    """The capsule stays what it is: it gives the memory back when it is collected."""
    device_type, device, stream, capsule = kind.export(x)
    if capsule is None:
        raise ArrayError("%s is on a device of DLPack's type %d: a solve has arrays in main memory or on CUDA's GPUs"
                         % (name, device_type))
    data, _, _, ndim, code, bits, lanes, shape, strides, offset = TENSOR.unpack(
        ctypes.string_at(capsule_pointer(capsule, b"dltensor"), TENSOR.size))
    words = "%s%s" % (CODES.get(code, "type %d of " % code), "" if code == 6 else bits)
    if words not in types or lanes != 1:
        refuse_type(name, words if lanes == 1 else "%s x %d" % (words, lanes))
    device = HOST if device_type in (CPU, CUDA_HOST) else device
    return View(data + offset, device, numbers_at(shape, ndim), numbers_at(strides, ndim) if strides else None,
                types[words], kind.writable, stream, (x, capsule))


def by_interface(x: Any, interface: dict[str, Any], name: str, kind: Kind, types: dict[str, str],
                 device: int) -> View:
    """__array_interface__ and, with device ASK, __cuda_array_interface__."""
    words = numpy_name(interface["typestr"])
    if words not in types:
        refuse_type(name, words)
    size = SIZES[types[words]]
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is not None and any(s % size for s in strides):
        raise ArrayError("%s has strides of %s bytes, which are no whole numbers of elements" % (name, tuple(strides)))
    data, read_only = interface["data"]
    stream = interface.get("stream")
    return View(data, device, shape, None if strides is None else tuple(s // size for s in strides), types[words],
                kind.writable and not read_only, LEGACY if stream is None else int(stream), x)


def by_buffer(x: Any, name: str, types: dict[str, str]) -> View:
    array = numpy.asarray(memoryview(x))
    return by_interface(array, array.__array_interface__, name, OTHER, types, HOST)


def by_cuda(x: Any, name: str, kind: Kind, types: dict[str, str]) -> View:
    return by_interface(x, x.__cuda_array_interface__, name, kind, types, ASK)


def by_array(x: Any, name: str, kind: Kind, types: dict[str, str]) -> View:
    return by_interface(x, x.__array_interface__, name, kind, types, HOST)


WAYS: tuple[tuple[str, Callable[[Any, str, Kind, dict[str, str]], View]], ...] = (
    ("__dlpack_device__", by_dlpack), ("__cuda_array_interface__", by_cuda),
    ("__array_interface__", by_array))


def view(x: Any, name: str, types: dict[str, str] = TYPES) -> View:
    kind = kind_of(x)
    why = kind.refusal(x)
    if why is not None:
        raise ArrayError("%s: %s" % (name, why))
    try:
        direct = kind.view(x)
    except Exception:  # of the array's package: a protocol says why
        direct = None
    if direct is not None:
        return direct
    reasons = []
    for protocol, way in WAYS:
        try:
            if hasattr(type(x), protocol) or hasattr(x, protocol):
                return way(x, name, kind, types)
        except ArrayError:
            raise
        except Exception as error:  # of the array's package: an array that is freed, or not for export
            reasons.append("%s: %s" % (protocol, error))
    try:
        return by_buffer(x, name, types)
    except ArrayError:
        raise
    except Exception:
        words = "; ".join(reasons) if reasons else "numpy.asarray() makes one, as a copy"
        raise ArrayError("%s is %s, and no array that memory can be had of: %s" % (name, type_of(x), words)) from None


def axes_hint(shape: tuple[int, ...], axes: int, name: str) -> str:
    """How an array gets so many axes that has fewer."""
    few = 1 <= len(shape) < axes
    return ": %s[%s] has %s axes" % (name, ", ".join(["None"] * (axes - len(shape))), ("two", "three")[axes - 2]) if few else ""


def refuse_layout(name: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Where the points stand in no way that a solve reads: with what is cheapest, a view before a copy."""
    letters, backwards = "zyx"[-len(shape):], [s < 0 for s in strides]
    order = sorted(range(len(shape)), key=lambda d: -strides[d])
    if 0 in strides:
        words = "its points along %s are one and the same (stride 0), as in a broadcast array: ascontiguousarray() or contiguous() " \
                "makes an array of them, as a copy" % letters[strides.index(0)]
    elif any(backwards):
        view = ", ".join("::-1" if back else ":" for back in backwards[:len(shape) - backwards[::-1].index(True)])
        words = "it is reversed along %s (stride %d): %s[%s] is not, and needs no copy. It is the same solve with the lower and the " \
                "upper side exchanged, and u reversed" % (letters[backwards.index(True)], min(strides), name, view)
    elif strides[order[-1]] == 1 and order != sorted(order):
        turn = "T" if order == sorted(order)[::-1] else "transpose(%d, %d, %d)" % tuple(order)
        words = "points along x, the last axis, are %d elements apart, and those along %s follow one another: %s.%s needs no copy. It " \
                "is the same solve with box, bc, points and u in that order of the axes" % (strides[-1], letters[order[-1]], name, turn)
    else:
        others = "".join(map(", %s %d".__mod__, zip(("rows", "planes"), strides[-2::-1])))
        words = "points along x, the last axis, are %d elements apart%s: ascontiguousarray() or " \
                "contiguous() makes them follow one another, as a copy" % (strides[-1], others)
    raise ArrayError("%s: %s" % (name, words))


def fill(array: Array, v: View, name: str) -> None:
    """A psg_array of a view with one to three dimensions. The library checks the rest."""
    places, n, step = PLACES[len(v.shape)], [1, 1, 1], [1, 1, 1]
    for place, points, stride in zip(places, v.shape, v.strides):
        n[place], step[place] = points, stride
    (nx, ny, nz), (sx, sy, sz) = n, step
    if nz * ny * nx == 0:
        sz, sy, sx = dense((nz, ny, nx))
    sx = 1 if nx <= 1 else sx  # between single points there is no step, and NumPy writes any
    sy = nx if ny <= 1 else sy
    sz = ny * sy if nz <= 1 else sz
    if sx != 1 or sy < nx or sz < (ny - 1) * sy + nx:
        refuse_layout(name, v.shape, tuple((sx, sy, sz)[place] for place in places))
    array.data = v.data
    array.device = v.device
    array.stride[:] = (sx, sy, sz)
    array.stream = None if v.stream == LEGACY else v.stream


def filled(v: View, name: str) -> Array:
    array = Array()
    fill(array, v, name)
    return array


def one_of(v: View) -> View:
    """The first right-hand side of several."""
    return View(v.data, v.device, v.shape[1:], v.strides[1:], v.dtype, v.writable, v.stream, v.keep)


def fill_many(array: Array, v: View, name: str) -> None:
    """A psg_array of several right-hand sides, a view with a dimension more."""
    count, n = v.shape[0], v.shape[1] if len(v.shape) > 2 else 1
    slow = 1 if len(v.shape) == 3 else 2  # the axis of n
    fill(array, one_of(v), name + "[m]")
    if n == 1 and count > 1:
        array.stride[slow] = v.strides[0]
    elif count > 1 and v.strides[0] != n * array.stride[slow]:
        raise ArrayError("%s: its right-hand sides are %d elements apart, and not the %d of their planes: "
                         "ascontiguousarray() or contiguous() makes them so, as a copy" % (name, v.strides[0], n * array.stride[slow]))


def check_beside(f: View, u: View) -> None:
    """No copy from one memory to another that the caller does not know of."""
    if (f.device == HOST) != (u.device == HOST) or (f.device >= 0 and u.device >= 0 and f.device != u.device):
        raise ArgumentError("f is %s and out %s: a solve would copy one of them" % (place_of(f), place_of(u)))


def place_of(v: View) -> str:
    return "in main memory" if v.device == HOST else "on a GPU" if v.device < 0 else "on GPU %d" % v.device
