"""Bad input raises psg.Error with words that say what is wrong; no call crashes the interpreter."""

import random as chance
import warnings

import numpy as np
import psg
import pytest
from reference import far, periodic, random

SHAPE = (6, 5, 4)
GOOD = random(SHAPE)


class Liar:
    """A broken package's array."""

    def __dlpack_device__(self):
        raise RuntimeError("no")

    @property
    def __array_interface__(self):
        return {"shape": SHAPE}


class Closed:
    def __dlpack_device__(self):
        return (4, 0)  # OpenCL

    def __dlpack__(self, **_):
        raise AssertionError("not asked for")


@pytest.fixture(scope="module")
def plan():
    with psg.Plan(SHAPE) as made:
        yield made


@pytest.mark.parametrize("f, kind, words", [
    (GOOD.astype("f4"), TypeError, "f is float32, and the plan's arrays are float64"),
    (GOOD.astype("f2"), TypeError, "nearest is float32"), (GOOD.astype("i4"), TypeError, "nearest is float64.*astype"),
    (GOOD.astype("g"), TypeError, "nearest is float64"), (GOOD.astype(">f8"), TypeError, "other byte order"),
    (GOOD + 1j, TypeError, "complex128.*two solves"), (GOOD > 0, TypeError, "bool"),
    (GOOD.astype(object), TypeError, "object"), (GOOD.tolist(), TypeError, r"list.*numpy.asarray"),
    (np.asfortranarray(GOOD), ValueError, r"points along x.*30 elements apart.*f\.T needs no copy"),
    (GOOD[::-1], ValueError, r"along z \(stride -20\): f\[::-1\]"), (GOOD[:, ::-1], ValueError, r"along y.*-4.*f\[:, ::-1\]"),
    (GOOD[..., ::-1], ValueError, r"along x.*-1.*f\[:, :, ::-1\]"), (GOOD[::-1, :, ::-1], ValueError, r"f\[::-1, :, ::-1\]"),
    (np.ascontiguousarray(GOOD.transpose(1, 2, 0)).transpose(2, 0, 1), ValueError, r"along z.*f\.transpose\(1, 2, 0\)"),
    (np.repeat(GOOD, 2, 2)[..., ::2], ValueError, "2 elements apart.*ascontiguousarray"),
    (np.broadcast_to(GOOD[:1], SHAPE), ValueError, "along z.*stride 0"), (np.broadcast_to(GOOD[:, :1], SHAPE), ValueError, "along y.*0"),
    (np.broadcast_to(GOOD[..., :1], SHAPE), ValueError, "along x.*stride 0"), (np.broadcast_to(1.0, SHAPE), ValueError, "stride 0"),
    (GOOD[:, :, :3], ValueError, r"shape \(6, 5, 3\).*\(6, 5, 4\)"), (GOOD.ravel(), ValueError, r"shape \(120,\).*f\[None, None\] has"),
    (np.zeros((0, 5, 4)), ValueError, "shape"), (GOOD[0], ValueError, r"f\[None\] has three axes"), (np.float64(3), ValueError, "shape"),
    (np.ma.array(GOOD, mask=GOOD > 0), TypeError, "masks"), (None, ValueError, "there is no f"), ("f", TypeError, "str"),
    (b"f" * 960, TypeError, "uint8"), (Liar(), TypeError, "no array"), (Closed(), TypeError, "type 4"),
    (np.frombuffer(b"\0" * 961, "i1")[1:].view("f8").reshape(SHAPE), ValueError, "aligned"),
    (np.ndarray(SHAPE, "f8", bytearray(2000), 0, (250, 44, 8)), TypeError, "no whole numbers")])
def test_f(plan, f, kind, words):
    with pytest.raises(psg.ArgumentError, match=words) as caught:
        plan.solve(f)
    assert isinstance(caught.value, kind)
    if isinstance(f, np.ndarray) and f.flags.writeable and not isinstance(f, np.ma.MaskedArray):
        with pytest.raises(psg.ArgumentError):
            plan.solve(GOOD, out=f)
    assert far(plan.solve(GOOD), periodic(GOOD)) <= 1e-12


@pytest.mark.parametrize("values, words", [
    ({"z": (0, np.zeros((4, 5)))}, r"upper side of z have the shape \(4, 5\).*\(5, 4\)"), ({"w": 1}, "the key 'w'"),
    ({"z": (1, 2, 3)}, "along z.*lower, upper"), ((1, 2), "2 values"), ("lid", "'lid': a number is needed, or an array"),
    ({"x": np.zeros((6, 5), "f4")}, "lower side of x are float32.*float64"), ({"y": 1j}, "1j: a number"),
    ({"y": np.ones((6, 4))}, "side y0.*periodic along y"), ({"z": np.inf}, "z0 is not finite"),
    ({"z": np.full((5, 4), np.nan)}, "nan on side z0 at point"), ({"z": [[1.0]]}, "along z.*lower, upper"),
    ({"z": ([[1.0]], 0)}, "list.*numpy.asarray")])
def test_values(values, words):
    bc = {"z": "dirichlet", "x": "neumann"}
    with psg.Plan(SHAPE, bc=bc, symbol="fd2") as plan:
        with pytest.raises(psg.Error, match=words):
            plan.solve(GOOD, values=values)
        plan.solve(GOOD)
    with psg.Plan(SHAPE, bc=bc) as plan, pytest.raises(psg.UnsupportedError, match="symbol fd2"):
        plan.solve(GOOD, values={"z": 1})


def test_gradient(plan):
    three = [np.empty(SHAPE) for _ in range(3)]
    for given in {"symbol": "fd4"}, {"bc": {"z": "dirichlet"}}:
        with psg.Plan(SHAPE, **given) as other, pytest.raises(psg.UnsupportedError, match="symbol fd2, or spectral"):
            other.gradient(GOOD)
    for plan in plan, psg.Plan(SHAPE, symbol="fd2"):
        for out, words in ((three[:2], "not 2 arrays"), ((three[0], three[0], None), "overlap"), ((GOOD, None, None), "overlap"),
                           ((three[0], None, np.empty(3)), r"out\[2\] has the shape"),
                           ((np.empty(SHAPE, "f4"), None, None), r"out\[0\] is float32"),
                           ((np.broadcast_to(0.0, SHAPE), None, None), "read-only")):
            with pytest.raises(psg.Error, match=words):
                plan.gradient(GOOD, out)
        plan.gradient(GOOD, three)


def test_out(plan):
    room = np.zeros((8, 5, 4))
    for f, out, words in ((room[:6], room[1:7], "overlap"), (GOOD, 3, "out is builtins.int"), (GOOD, Liar(), "out is")):
        with pytest.raises(psg.ArgumentError, match=words):
            plan.solve(f, out=out)


def test_names():
    """An exception shows by the name that a program catches it by."""
    kinds = [kind for kind in vars(psg).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(kinds) == 10 and all(repr(kind) == "<class 'psg.%s'>" % kind.__name__ for kind in kinds)


def test_status(plan):
    for status, (kind, base) in enumerate(((psg.ArgumentError, ValueError), (psg.UnsupportedError, NotImplementedError),
                                           (psg.OutOfMemoryError, MemoryError), (psg.DeviceError, RuntimeError),
                                           (psg.DataError, ValueError), (psg.MeanError, ValueError),
                                           (psg.StateError, RuntimeError), (psg.BackendError, RuntimeError)), 1):
        with pytest.raises(kind) as caught:
            psg._library.check(status)
        assert isinstance(caught.value, base) and isinstance(caught.value, psg.Error)
    f = GOOD.copy()
    f[1, 2, 3] = np.nan
    with pytest.raises(psg.DataError, match=r"\(3,2,1\)") as caught:
        plan.solve(f)
    assert caught.value.detail.startswith("graph/solve.c:") and str(caught.value) in caught.value.detail
    with pytest.raises(psg.UnsupportedError, match="lambda = -1"):
        plan.solve(GOOD, lambda_=-1)
    with pytest.raises(psg.ArgumentError, match="factor = nan"):
        plan.solve(GOOD, factor=float("nan"))
    for wrong, words in ((dict(factor="two"), "factor = 'two': "), (dict(factor=GOOD), "factor = an array of shape"),
                         (dict(lambda_=GOOD), "lambda_ = an array of shape")):
        with pytest.raises(psg.ArgumentError, match=words):
            plan.solve(GOOD, **wrong)
        with pytest.raises(psg.ArgumentError, match=words):
            psg.solve(GOOD, **wrong)
    with pytest.raises(psg.MeanError, match="has the mean"):
        plan.solve(GOOD + 1, mean="error")
    with pytest.raises(psg.UnsupportedError, match="free"):
        psg.Plan(SHAPE, bc=("free", "free", "free"), symbol="fd4")


@pytest.mark.parametrize("wrong, words", [
    (dict(box=0), "0 long"), (dict(box=float("nan")), "nan long"), (dict(box=(1, 2)), "2 values"), (dict(box="long"), "box"),
    (dict(box={"w": 1}), "'w'"), (dict(box=None), "box"), (dict(bc="wet"), "'wet' is none of periodic, dirichlet, neumann, free, robin$"),
    (dict(bc="open"), "'free': bc='free', or bc={'z': 'free'}"), (dict(bc="dirichlett"), "did you mean 'dirichlet'"),
    (dict(box=(np.arange(6.0), 1, 1)), r"box along z = an array of shape \(6,\).*length of the box"),
    (dict(bc=("periodic", "neumann")), "periodic at both sides"), (dict(bc=["periodic"] * 2), "2 values"),
    (dict(bc={"x": ("neumann",)}), "lower, upper"), (dict(bc=7), "bc"), (dict(points="corners"), "corners"),
    (dict(shape=()), "nz, ny, nx"), (dict(shape=(4, 4, 4, 4)), "nz, ny, nx"), (dict(shape=4), "nz, ny, nx"), (dict(shape=(4, 4, -1)), "nz, ny, nx"),
    (dict(shape=(4, 4, 2.5)), "nz, ny, nx"), (dict(shape=(0, 4, 4)), "nz = 0"), (dict(dtype="f2"), "nearest is float32"),
    (dict(dtype=complex), "two solves"), (dict(dtype="frob"), "frob"), (dict(comm=3), "comm = 3"), (dict(gpu_ids=5), "gpu_ids"),
    (dict(gpu_ids=[99]), "GPU|gpus"), (dict(policy="no\0such"), "policy"),
    (dict(sched="eager"), "no option 'sched': did you mean 'policy'"), (dict(symbl="fd2"), "did you mean 'symbol'"),
    (dict(boxx=2), "did you mean 'box'"), (dict(frobs=None), "there are: precision symbol"), (dict(symbol="fd3"), "did you mean 'fd2'. Expected"),
    (dict(policy="eagr"), "did you mean 'eager'"), (dict(lambda_=-1), "a finite number from 0; below 0 is the equation of waves"), (dict(policy="no such"), "no such"),
    (dict(policy="c\nx"), r"policy 'c\?x'")])
def test_plan(wrong, words):
    with pytest.raises(psg.Error, match=words):
        psg.Plan(**{"shape": SHAPE, **wrong})


def some_array(dice):
    """An array of some shape, type and layout, or no array at all."""
    shape = tuple(dice.choice([n] * 30 + [0, 1, n + 1]) for n in SHAPE)
    room = np.zeros([2 * n + 3 for n in shape], dice.choice(["f8"] * 30 + ["f4", "i8", "c16", ">f8", "f2", "?"]))
    room[...] = np.random.default_rng(dice.randrange(99)).integers(0, 2, room.shape)
    cut = []
    for n in shape:
        first, step = dice.randrange(3), dice.choice([1] * 20 + [2, -1])
        cut.append(slice(first, first + step * n, step) if step > 0 else slice(n, 0, -1))
    array = room[tuple(cut)]
    array = dice.choice([lambda a: a] * 30 + [np.asfortranarray, lambda a: a.T, np.ascontiguousarray, lambda a: a.tolist(),
                                             lambda a: a[0] if len(a) else a, lambda a: memoryview(a), lambda a: a.copy(),
                                             lambda a: np.broadcast_to(a[:, :, :1], a.shape), lambda a: Liar(),
                                             lambda a: a[..., None]])(array)
    if isinstance(array, np.ndarray) and dice.random() < 0.1:
        array.flags.writeable = False
    return array


def test_fuzz(plan):
    """A thousand calls: each is right, or raises psg.Error."""
    dice = chance.Random(7)
    right = 0
    for _ in range(1000):
        f, out = some_array(dice), dice.choice([None, None, some_array(dice), "f"])
        out = f if isinstance(out, str) else out
        terms = {name: dice.choice([None, 1, 2.5, -1, float("inf"), "x", [1]])
                 for name in ("lambda_", "factor") if dice.random() < 0.2}
        before = np.array(f) if isinstance(f, (np.ndarray, memoryview)) else None
        try:
            u = plan.solve(f, out, **terms)
        except psg.Error:
            continue
        right += 1
        expected = periodic(before, lambda_=terms.get("lambda_") or 0, factor=terms.get("factor") or 1)
        assert np.max(np.abs(np.asarray(u) - expected)) <= 1e-12 * max(1e-3, np.max(np.abs(expected)))
    assert 100 < right < 900, right


def test_nearest_argument():
    with pytest.raises(psg.ArgumentError, match="did you mean 'lambda_'?"):
        psg.solve(GOOD, lamda=1)
    for wrong, words in ((dict(eps=GOOD), "no option 'eps'; there are: precision"),
                         (dict(epsilom=GOOD), "no option 'epsilom': did you mean 'epsilon'"),
                         (dict(dtype="f4"), r"no option 'dtype': it is an argument of psg.Plan\(\)"),
                         (dict(gpu_ids=(0,)), r"no option 'gpu_ids': it is an argument of psg.Plan"),
                         (dict(symbol=["fd2"]), r"symbol = \['fd2'\]: a text, a number")):
        with pytest.raises(psg.ArgumentError, match=words):
            psg.solve(GOOD, **wrong)
    for name in ("epsilon", "values", "guess"):
        with pytest.raises(psg.ArgumentError, match=r"it is an argument of solve\(\)"):
            psg.Plan(SHAPE, **{name: GOOD})


def test_box_in_another_order():
    """Lengths that fit the shape in another order alone are named, and the solve is done as asked."""
    for box in ((20, 10, 10), (10, 20, 10), {"z": 20, "y": 10, "x": 10}):
        with pytest.warns(UserWarning, match="box has the order of the shape, z, y, x"):
            psg.points((6, 6, 12), box=box)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for box in ((10, 10, 20), 10, (1, 2, 3)):
            psg.points((6, 6, 12), box=box)
