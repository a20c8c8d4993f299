"""f and u as modes: they are those of numpy's and scipy's transforms of f and u, whichever of them
a solve is from and to, and words for what has none."""

import ctypes
import os

import numpy as np
import psg
import pytest

GPUS = int(os.environ.get("PSG_TEST_GPUS", "0"))
QUICK = {"gpus": GPUS, "effort": "estimate"}
try:
    with psg.Plan((4, 4, 4), **QUICK):
        pass
except psg.DeviceError as error:
    pytest.skip(str(error), allow_module_level=True)
SHAPES = (
    (6, 8, 10),
    (7, 5, 9),
    (5, 7, 6),
    (11, 13, 3),
    (1, 6, 5),
    (6, 1, 4),
    (4, 5, 1),
    (1, 1, 1),
    (2, 2, 2),
    (3, 2, 79),
    (20, 40, 36),
    (8, 9),
    (9, 7),
    (1, 8),
    (12,),
    (7,),
)
TERMS = (
    {},
    {"lambda_": 0.7, "factor": -3.0},
    {"symbol": "fd2"},
    {"symbol": "fd4", "lambda_": 2.0, "box": 3.0},
)
WAYS = (
    {},
    {"executor": "tasks"},
    {"segment_planes": 1, "sheets": 64, "policy": "eager"},
    {"cpus": 1},
    *({"placement": "free", "policy": "random"} for _ in range(GPUS > 0)),
)


def far(got, expected):
    """As reference.far(), also of complex numbers; and the largest number where all are to be 0."""
    error = np.max(np.abs(got - expected)) / (np.max(np.abs(expected)) or 1)
    return error if error == error else np.inf


def random(shape, dtype="f8", seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check_all(plan, f, forward, tolerance):
    """Each way from f or its modes to u, its modes or both, beside a plain solve."""
    u = plan.solve(f)
    from_, to = forward(f), forward(u)
    from_, to = (np.ascontiguousarray(modes, plan.modes(f).dtype) for modes in (from_, to))

    def same(got, want):
        assert got.shape == want.shape and got.dtype == want.dtype
        assert far(got, want) < tolerance

    kept = f.copy(), from_.copy()
    same(plan.solve(f_modes=from_), u)
    same(plan.modes(f), to)
    same(plan.modes(f_modes=from_), to)
    for given in ({"f": f}, {"f_modes": from_}):
        beside, out = np.full_like(u, np.nan), np.full_like(to, np.nan)
        assert plan.modes(out=out, u=beside, **given) is out
        same(beside, u)
        same(out, to)
    assert (f == kept[0]).all() and (from_ == kept[1]).all()
    plan.modes(f_modes=from_, out=from_)
    same(from_, to)


@pytest.mark.parametrize("dtype, tolerance", (("f8", 1e-13), ("f4", 2e-5)))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_periodic(shape, dtype, tolerance):
    for m, terms in enumerate(TERMS):
        with psg.Plan(shape, dtype, **terms, **WAYS[(m + sum(shape)) % len(WAYS)], **QUICK) as plan:
            check_all(plan, random(shape, dtype), np.fft.rfftn, tolerance)


# scipy.fft's transform of an axis between these sides, for cells and for nodes.
REAL = {
    ("dirichlet", "dirichlet"): ("dst", 2, 1),
    ("neumann", "neumann"): ("dct", 2, 1),
    ("dirichlet", "neumann"): ("dst", 4, 3),
    ("neumann", "dirichlet"): ("dct", 4, 3),
}


def between(sides, points):
    """The transform of scipy for these axes."""
    fft = pytest.importorskip("scipy.fft")

    def forward(a):
        for axis in reversed(range(a.ndim)):
            if sides[axis] == "periodic":
                a = (fft.fft if np.iscomplexobj(a) else fft.rfft)(a, axis=axis)
            else:
                name, *types = REAL[sides[axis]]
                a = getattr(fft, name)(a, types[points == "nodes"], axis=axis)
        return a

    return forward


WALLS = tuple(REAL)
MIXED = (
    *((wall, "periodic", "periodic") for wall in WALLS),
    *(("periodic", wall, "periodic") for wall in WALLS),
    *((wall, WALLS[m - 1], "periodic") for m, wall in enumerate(WALLS)),
    *((wall, WALLS[m - 1], WALLS[m - 2]) for m, wall in enumerate(WALLS)),
    *((wall,) * 3 for wall in WALLS),
)


@pytest.mark.parametrize("points", ("cells", "nodes"))
@pytest.mark.parametrize("sides", MIXED, ids=str)
def test_between_walls(sides, points):
    forward = between(sides, points)
    for shape, dtype, symbol, tolerance in (
        ((6, 8, 10), "f8", "spectral", 1e-13),
        ((7, 5, 9), "f8", "fd2", 1e-13),
        ((4, 3, 7), "f4", "fd4", 2e-5),
    ):
        with psg.Plan(shape, dtype, bc=sides, points=points, symbol=symbol, **QUICK) as plan:
            check_all(plan, random(shape, dtype), forward, tolerance)


def test_few_axes_between_walls():
    for sides in (("periodic",), WALLS[:1], WALLS[1:3], (WALLS[3], "periodic")):
        shape = (8, 7)[-len(sides) :]
        with psg.Plan(shape, bc=dict(zip("yx"[-len(sides) :], sides)), **QUICK) as plan:
            check_all(plan, random(shape), between(sides, "cells"), 1e-13)


@pytest.mark.parametrize("shape", ((6, 8, 10), (7, 5, 9), (4, 6, 79), (5, 4, 142), (6, 7)), ids=str)
def test_modes_that_are_not_hermitian(shape):
    """u is that of numpy.fft.irfftn, which has the part that is; modes are divided one by one."""
    for way in WAYS:
        with psg.Plan(shape, lambda_=1.5, **way, **QUICK) as plan:
            modes = random((2, *plan.modes_shape()[0]))
            modes = modes[0] + 1j * modes[1]
            out, u = modes.copy(), np.empty(shape)
            plan.modes(f_modes=out, out=out, u=u)
            real = np.fft.irfftn(modes, shape, range(len(shape)))
            assert far(u, plan.solve(real)) < 1e-13
            assert far(u, np.fft.irfftn(out, shape, range(len(shape)))) < 1e-13
            hermitian = np.fft.rfftn(real)
            assert far(modes, hermitian) > 0.1
            assert far(out / np.where(modes == 0, 1, modes) * hermitian, plan.modes(real)) < 1e-13


def test_what_is_skipped():
    shape = (8, 6, 10)
    with psg.Plan(shape, record=True, **QUICK) as plan:
        f = random(shape)

        def stages(call):
            call()
            kinds = [(event["stage"], event["step"] % 2**32) for event in plan.events()]
            return set(kinds)

        none = 2**32 - 1
        forward, back = ("forward_xy", none), ("inverse_xy", none)
        from_ = np.fft.rfftn(f)
        assert stages(lambda: plan.solve(f)) == {forward, ("kspace", none), back}
        assert stages(lambda: plan.solve(f_modes=from_)) == {("modes_in", 1), back}
        assert stages(lambda: plan.modes(f_modes=from_)) == {("modes_in", 2)}
        assert stages(lambda: plan.modes(f_modes=from_, u=f.copy())) == {("modes_in", 3), back}
        assert stages(lambda: plan.modes(f)) == {forward, ("modes_out", 2)}
        assert stages(lambda: plan.modes(f, u=f.copy())) == {forward, ("modes_out", 3), back}
        assert plan.statistics()["cpu_rows"] == (6 if GPUS == 0 else 0)


def test_terms_and_kernels():
    f = random((6, 8, 10))
    terms = {"lambda_": 2.5, "factor": 0.3, "box": (1, 2, 3)}
    with psg.Plan(f.shape, symbol="fd2", **QUICK) as plan:
        u = plan.solve(f, **terms)
        assert far(plan.modes(f, **terms), np.fft.rfftn(u)) < 1e-13
        assert far(plan.solve(f_modes=np.fft.rfftn(f), **terms), u) < 1e-13
        assert plan.statistics()["mean"] == 0
        plan.modes(f_modes=np.fft.rfftn(f + 3))
        assert abs(plan.statistics()["mean"] - f.mean() - 3) < 1e-14
    kernel = np.abs(random(np.fft.rfftn(f).shape))
    with psg.Plan(f.shape, kernel=kernel, kernel_form="spectrum", **QUICK) as plan:
        check_all(plan, f, np.fft.rfftn, 1e-13)
    with psg.Plan(f.shape, symbol="fd2", bc=("dirichlet", "neumann", "periodic"), **QUICK) as plan:
        values = {"z": (1.0, random(f.shape[1:]))}
        u = plan.solve(f, values=values)
        assert (
            far(
                plan.modes(f, values=values),
                between(((("dirichlet",) * 2), ("neumann",) * 2, "periodic"), "cells")(u),
            )
            < 1e-13
        )


def test_solves_follow_one_another():
    """All kinds in turn, with the same arrays and with others, give the same each time."""
    f = random((12, 10, 8))
    from_ = np.ascontiguousarray(np.fft.rfftn(f))
    for way in WAYS:
        with psg.Plan(f.shape, **way, **QUICK) as plan:
            u, to = plan.solve(f), plan.modes(f)
            for _ in range(12):
                out, beside = np.empty_like(to), np.empty_like(u)
                assert (plan.modes(f, out) == to).all()
                assert far(plan.solve(f_modes=from_, out=beside), u) < 1e-14
                assert far(plan.modes(f_modes=from_, out=out, u=beside), to) < 1e-14
                assert far(beside, u) < 1e-14
                assert (plan.solve(f) == u).all()


class Interface:
    """Memory of an array of no package that psg knows, by NumPy's protocol."""

    def __init__(self, a):
        self.a, self.__array_interface__ = a, a.__array_interface__


class Capsule:
    """The same by DLPack."""

    def __init__(self, a):
        self.a = a

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.a.__dlpack__()


def cudart():
    """CUDA's library, which libpsg has loaded."""
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so"):
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            why = error
    raise why


class OnGpu:
    """The same on GPU 0, by CUDA's own calls."""

    cuda = None

    def __init__(self, a):
        OnGpu.cuda = OnGpu.cuda or cudart()
        self.a, memory = a, ctypes.c_void_p()
        assert OnGpu.cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(a.nbytes)) == 0
        self.memory = memory
        self.copy(memory, ctypes.c_void_p(a.ctypes.data))
        self.__cuda_array_interface__ = {**a.__array_interface__, "data": (memory.value, False),
                                         "version": 2, "strides": None}

    def copy(self, to, from_):
        assert OnGpu.cuda.cudaMemcpy(to, from_, ctypes.c_size_t(self.a.nbytes), 4) == 0

    def __del__(self):
        OnGpu.cuda.cudaFree(self.memory)


def back(x):
    """What an array of one of these has now."""
    if isinstance(x, OnGpu):
        x.copy(ctypes.c_void_p(x.a.ctypes.data), x.memory)
    return x.a


PLACES = [Interface, Capsule, *([OnGpu] * (GPUS > 0))]


@pytest.mark.parametrize("bc", ("periodic", "dirichlet"))
@pytest.mark.parametrize("dtype", ("f8", "f4"))
def test_arrays_of_other_packages(bc, dtype):
    f = random((4, 5, 6), dtype)
    tolerance = 1e-13 if dtype == "f8" else 2e-5
    with psg.Plan(f.shape, dtype, bc=bc, **QUICK) as plan:
        u, to = plan.solve(f), plan.modes(f)
        from_ = np.ascontiguousarray(np.fft.rfftn(f) if bc == "periodic" else to, to.dtype)
        want = plan.solve(f_modes=from_), plan.modes(f_modes=from_)
        for place in PLACES:
            given, out = place(from_.copy()), place(np.zeros_like(to))
            room = place(np.zeros_like(u))
            assert plan.modes(f_modes=given, out=out, u=room) is out
            assert far(back(out), want[1]) < tolerance and far(back(room), want[0]) < tolerance
            assert plan.modes(place(f.copy()), out=out) is out and far(back(out), to) < tolerance
            assert far(plan.solve(f_modes=given, out=f * 0), want[0]) < tolerance
            assert plan.modes(f_modes=given, out=given) is given
            assert far(back(given), want[1]) < tolerance
            assert far(plan.modes(place(f.copy())), to) < tolerance, "an array of NumPy"
        assert far(plan.solve(f_modes=Capsule(from_)), want[0]) < tolerance


def test_what_is_wrong_with_arrays_of_other_packages():
    wide = np.zeros((4, 5, 8), "c16")
    fixed = MODES.copy()
    fixed.flags.writeable = False
    for place in (Interface, Capsule):
        with psg.Plan(F.shape) as plan:
            for kind, words, call in (
                (psg.ArgumentError, r"f_modes has the shape \(3, 5, 4\)",
                 lambda: plan.solve(f_modes=place(MODES[1:].copy()))),
                (psg.ArrayError, "f_modes is complex64, and the plan's modes are complex128",
                 lambda: plan.solve(f_modes=place(MODES.astype("c8")))),
                (psg.ArrayError, "f_modes is float64, and the plan's modes are complex128",
                 lambda: plan.solve(f_modes=place(MODES.real.copy()))),
                (psg.ArrayError, "f_modes is int64",
                 lambda: plan.solve(f_modes=place(MODES.real.astype("i8")))),
                (psg.ArrayError, "f_modes is not contiguous",
                 lambda: plan.solve(f_modes=place(wide[:, :, ::2]))),
                (psg.ArrayError, "f is complex128: a solve is in",
                 lambda: plan.solve(place(MODES))),
            ):
                with pytest.raises(kind, match=words):
                    call()
            assert far(plan.modes(F), np.fft.rfftn(plan.solve(F))) < 1e-13
        with psg.Plan((4, 5, 7), bc="neumann") as plan:
            with pytest.raises(psg.ArrayError, match="real modes of an odd number of points"):
                plan.solve(f_modes=place(np.zeros((4, 5, 7))))
    with psg.Plan(F.shape) as plan:
        with pytest.raises(psg.ArgumentError, match="out cannot be written: it is read-only"):
            plan.modes(F, out=Interface(fixed))


F = random((4, 5, 6))
MODES = np.fft.rfftn(F)
BAD = MODES.copy()
BAD[3, 2, 1] = np.nan


@pytest.mark.parametrize("nx", (7, 8))
def test_modes_and_points_that_overlap(nx):
    """Odd rows of real modes are copied, as they need a gap: they are refused all the same."""
    f = random((4, 6, nx))
    with psg.Plan(f.shape, bc="dirichlet") as plan:
        kept, u, out = f.copy(), plan.solve(f), plan.modes(f)
        for call, words in (
            (lambda: plan.modes(f, out=out, u=out), "u_modes and u overlap"),
            (lambda: plan.modes(f, out=f), "u_modes and f overlap"),
            (lambda: plan.solve(f_modes=out, out=out), "f_modes and u overlap"),
        ):
            with pytest.raises(psg.ArgumentError, match=words):
                call()
            assert (f == kept).all()
        assert (plan.modes(f_modes=out, out=out) is out) and (plan.solve(f) == u).all()


def test_the_first_bad_mode():
    """Along x, then y, then z, in whatever sheet it is."""
    with psg.Plan(F.shape, sheets=5, **QUICK) as plan:
        for rows in ((0, 4), (4, 0)):
            bad = MODES.copy()
            bad[1, rows[0], 2] = bad[3, rows[1], 3] = np.inf
            with pytest.raises(psg.DataError, match=r"at mode \(kx,ky,kz\) = \(2,%d,1\)" % rows[0]):
                plan.solve(f_modes=bad)
            assert far(plan.solve(f_modes=MODES), plan.solve(F)) < 1e-13


def test_masked_modes_are_refused():
    masked = np.ma.array(MODES, mask=MODES.real > 0)
    with psg.Plan(F.shape) as plan:
        with pytest.raises(psg.ArrayError, match="f_modes has a mask"):
            plan.solve(f_modes=masked)
        with pytest.raises(psg.ArrayError, match="out has a mask"):
            plan.modes(F, out=masked)


@pytest.mark.parametrize(
    "call, plan, kind, words",
    (
        ({"f": F, "f_modes": MODES}, {}, psg.ArgumentError, "f and f_modes are both given"),
        (
            {"f_modes": MODES[1:]},
            {},
            psg.ArgumentError,
            r"shape \(3, 5, 4\), and the plan's modes have \(4, 5, 4\)",
        ),
        (
            {"f_modes": MODES.astype("c8")},
            {},
            psg.ArrayError,
            "f_modes is complex64, and the plan's modes are complex128",
        ),
        (
            {"f_modes": MODES.tolist()},
            {},
            psg.ArrayError,
            "f_modes is builtins.list, and no array that memory can be had of",
        ),
        (
            {"f_modes": BAD},
            {},
            psg.DataError,
            r"f_modes is NaN or Inf at mode \(kx,ky,kz\) = \(1,2,3\)",
        ),
        (
            {"f_modes": np.full_like(MODES, 1e300)},
            {"factor": 1e10},
            psg.DataError,
            "f_modes are finite, but too large",
        ),
        (
            {"f": np.where(F == F[1, 2, 3], np.nan, F)},
            {},
            psg.DataError,
            r"f is NaN or Inf at \(i,j,k\) = \(3,2,1\)",
        ),
        (
            {"f": F, "out": MODES[:, :, ::-1]},
            {},
            psg.ArgumentError,
            "out cannot be written: it is not contiguous",
        ),
        (
            {"f": F, "out": np.broadcast_to(MODES, MODES.shape)},
            {},
            psg.ArgumentError,
            "out cannot be written: it is read-only",
        ),
        ({"f": F, "u": F[1:]}, {}, psg.ArgumentError, "out has the shape"),
        (
            {"f": F},
            {"graph": "staged"},
            psg.UnsupportedError,
            "for the fused graph, and the plan's is staged",
        ),
        ({"f": F}, {"bc": "free"}, psg.UnsupportedError, "a box with free sides has none"),
        (
            {"f": F},
            {"bc": ("periodic", "periodic", "neumann")},
            psg.UnsupportedError,
            "let x be the periodic one",
        ),
        (
            {"f_modes": MODES, "values": {"z": 1.0}},
            {"bc": ("dirichlet", "periodic", "periodic"), "symbol": "fd2"},
            psg.UnsupportedError,
            "f_modes are modes: give f",
        ),
        (
            {"f_modes": MODES},
            {"mean": "error"},
            psg.ArgumentError,
            "no f then: the solve is of modes",
        ),
        ({"f": F, "u": F[:]}, {"mean": "error"}, psg.ArgumentError, "the solve is in place"),
    ),
)
def test_words(call, plan, kind, words):
    with psg.Plan(F.shape, **{**plan, **QUICK}) as made:
        with pytest.raises(kind, match=words):
            made.modes(**call)
        if "bc" not in plan and "graph" not in plan and "mean" not in plan:
            assert far(made.modes(F), np.fft.rfftn(made.solve(F))) < 1e-13  # it can be used again


def test_words_of_solve():
    with psg.Plan(F.shape, symbol="fd2", **QUICK) as plan:
        with pytest.raises(psg.ArgumentError, match="there is no f: give f, or its modes"):
            plan.solve()
        with pytest.raises(psg.UnsupportedError, match="with epsilon there are no modes"):
            plan.solve(f_modes=MODES, epsilon=np.ones(F.shape))
        overwritten = BAD.copy()
        with pytest.raises(psg.DataError, match="u_modes are in their place"):
            plan.modes(f_modes=overwritten, out=overwritten)
    with pytest.raises(psg.StateError, match="closed"):
        plan.modes(F)
