"""psg.solve() and psg.Plan give NumPy's answer for every shape, type, box and layout that they take."""

import array
import sys
import types

import numpy as np
import psg
import pytest
from reference import far, periodic, random

TOLERANCE = {"f8": 1e-12, "f4": 1e-5}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(8, 8, 8), (7, 6, 5), (1, 9, 4), (5, 1, 6), (6, 7, 1), (1, 1, 8), (31, 2, 3)])
def test_shapes(shape, dtype):
    f = random(shape, dtype)
    u = psg.solve(f, box=(1, 2, 3))
    assert type(u) is np.ndarray and u.dtype == f.dtype and u.shape == shape
    assert far(u, periodic(f.astype(float), (1, 2, 3))) <= TOLERANCE[dtype]


def test_terms():
    f = random((8, 9, 10))
    with psg.Plan(f.shape, factor=2, lambda_=3) as plan:
        assert far(plan.solve(f), periodic(f, lambda_=3, factor=2)) <= 1e-12
        assert far(plan.solve(f, lambda_=5, factor=-1), periodic(f, lambda_=5, factor=-1)) <= 1e-12
        assert far(plan.solve(f, lambda_=0), periodic(f, factor=2)) <= 1e-12
    assert far(psg.solve(f, lambda_=4.5, factor=7), periodic(f, lambda_=4.5, factor=7)) <= 1e-12


def test_units():
    """A galaxy of 100 kpc in cm, and gravity in cgs units: f32 has u with 4 pi G, and nothing of the kind with the factor 1."""
    box, factor = 3e23, 4 * np.pi * 6.674e-8
    f = random((8, 9, 10)) * 1e-24
    for _ in range(2):  # with a new plan, and with the one that is kept
        assert far(psg.solve(f.astype("f4"), box=box, factor=factor), periodic(f, (box,) * 3, factor=factor)) <= 1e-5
    with pytest.raises(psg.ArgumentError, match="factor = 1, "):
        psg.solve(f.astype("f4"), box=box)


@pytest.mark.parametrize("symbol, weights", [
    ("fd2", (-2, 1)), ("fd4", (-5 / 2, 4 / 3, -1 / 12)),
    ("fd6", (-49 / 18, 3 / 2, -3 / 20, 1 / 90)),
    ("fd8", (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560))])
def test_stencils(symbol, weights):
    """The stencil of u is f. Around short axes np.roll() goes more than once."""
    for shape in (9, 12, 11), (1, 2, 3), (3, 16, 1):
        f = random(shape)
        u = psg.solve(f, box=(1, 2, 3), symbol=symbol, lambda_=2)
        total = -2 * u
        for axis, length in enumerate((1, 2, 3)):
            for m, weight in enumerate(weights):
                both = sum(np.roll(u, step, axis) for step in {m, -m})
                total += weight * (shape[axis] / length) ** 2 * both
        assert far(total, f) <= 1e-12, shape


@pytest.mark.parametrize("bc, place, wave", [
    ("dirichlet", "cells", lambda x: np.sin(np.pi * x)), ("dirichlet", "nodes", lambda x: np.sin(np.pi * x)),
    ("neumann", "cells", lambda x: np.cos(np.pi * x)), ("neumann", "nodes", lambda x: np.cos(np.pi * x)),
    (("dirichlet", "neumann"), "cells", lambda x: np.sin(np.pi * x / 2)),
    (("neumann", "D"), "nodes", lambda x: np.cos(np.pi * x / 2))])
def test_sides(bc, place, wave):
    """An eigenfunction along each axis in turn: so z is the first axis of the shape, of box, bc and points."""
    lengths = {"z": 2.0, "y": 3.0, "x": 5.0}
    for d, axis in enumerate("zyx"):
        sides = dict(box=lengths, bc={axis: bc}, points={axis: place})
        x = psg.points((6, 7, 9), **sides)[d] / lengths[axis]
        f = np.broadcast_to(wave(x), (6, 7, 9)).copy()
        waves = 0.5 if isinstance(bc, tuple) else 1
        expected = -f / (np.pi * waves / lengths[axis]) ** 2
        assert far(psg.solve(f, **sides), expected) <= 1e-12, axis
    listed = psg.solve(f, box=(2, 3, 5), bc=["periodic", "P", bc], points=("cells", "cells", place))
    assert far(listed, expected) <= 1e-12


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_values(dtype):
    """u = 1 + 2x + 3y - z + xy + yz, whose Laplacian is 0: the sides alone make it, by arrays, strides and numbers."""
    shape = (5, 6, 7)
    sides = dict(box=(2, 3, 5), bc=(("neumann", "dirichlet"), ("dirichlet", "dirichlet"), ("dirichlet", "neumann")),
                 points=("cells", "nodes", "cells"))
    z, y, x = psg.points(shape, **sides)
    values = {"z": ((y - 1 + 0 * x)[0].astype(dtype), np.asfortranarray((1 + 2 * x + 3 * y - 2 + x * y + 2 * y)[0].astype(dtype))),
              "y": ((1 + 2 * x - z)[:, 0].astype(dtype), np.repeat((10 + 5 * x + 2 * z)[:, 0], 2, axis=0).astype(dtype)[::2]),
              "x": ((1 + 3 * y - z + y * z)[:, :, 0].astype(dtype), (2 + y + 0 * z)[:, :, 0].astype(dtype))}
    u = psg.solve(np.zeros(shape, dtype), symbol="fd2", values=values, **sides)
    assert far(u, 1 + 2 * x + 3 * y - z + x * y + y * z) <= TOLERANCE[dtype]
    cube = dict(bc="dirichlet", symbol="fd2")
    lids = psg.solve(np.zeros((5, 5, 5)), values={"z": (0, 1)}, **cube)
    assert abs(lids[2, 2, 2] - 1 / 6) <= 1e-12 and lids[4].min() > lids[0].max()
    assert far(psg.solve(np.zeros((5, 5, 5)), values=[None, [1, 0], 0], **cube)[:, ::-1].transpose(1, 0, 2), lids) <= 1e-12
    assert far(psg.solve(np.zeros((5, 5, 5)), values=3, **cube), np.full((5, 5, 5), 3)) <= 1e-12


def turned(a):
    """Views with the numbers of a: in Fortran's order, reversed in memory, and every second one of a larger array."""
    room = np.full([2 * n for n in a.shape], np.nan, a.dtype)
    room[::2, ::2] = a
    return [np.asfortranarray(a), np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1], np.asfortranarray(a[:, ::-1])[:, ::-1], room[::2, ::2]]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(6, 5, 4), (6, 1, 4), (1, 5, 4), (1, 1, 1)])
def test_values_of_any_stride(shape, dtype):
    """Numbers of a side count, and not how they stand in memory."""
    with psg.Plan(shape, dtype, bc="dirichlet", symbol="fd2") as plan:
        for axis in range(3):
            side = tuple(n for d, n in enumerate(shape) if d != axis)
            given = random(side, dtype, seed=axis) + 1
            pool = np.full(4096, np.nan, dtype)  # what stands behind a number that is repeated
            pool[:max(side)] = given.ravel()[:1].repeat(max(side))
            broadcast = [np.broadcast_to(pool[:1].reshape(1, 1), side), np.broadcast_to(pool[:side[1]], side),
                         np.broadcast_to(pool[:side[0], None], side)]
            for views, plain in ((turned(given), given), (broadcast, np.full(side, given.flat[0]))):
                want = plan.solve(np.zeros(shape, dtype), values={"zyx"[axis]: (plain, 0)})
                for view in views:
                    assert (view == plain).all()
                    assert (plan.solve(np.zeros(shape, dtype), values={"zyx"[axis]: (view, 0)}) == want).all()


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(7, 6, 5), (1, 9, 4), (8, 8, 8)])
def test_many(shape, dtype):
    for count in (1, 2, 5):
        f = random((count, *shape), dtype)
        with psg.Plan(shape, dtype, box=(1, 2, 3), batch=2) as plan:
            each = [plan.solve(one) for one in f]
            u = plan.solve_many(f)
            assert u.shape == f.shape and u.dtype == f.dtype
            padded = np.zeros((count, shape[0], shape[1] + 1, shape[2] + 2), dtype)[:, :, :-1, 1:-1]
            padded[:] = f
            out = np.empty_like(f)
            assert plan.solve_many(padded, out) is out and plan.solve_many(f, f) is f
            for got in (u, out, f):
                for one, want in zip(got, each):
                    assert far(one, want) <= (1e-14 if dtype == "f8" else 1e-6)


def test_means_and_memory():
    f = random((3, 5, 6, 7)) + np.arange(3.0)[:, None, None, None]
    with psg.Plan((5, 6, 7), gpus=0) as plan:
        plan.solve(f[1])
        assert len(plan.means()) == 1 and far(np.array(plan.means()), f[1:2].mean(axis=(1, 2, 3))) <= 1e-12
        plan.solve_many(f)
        assert len(plan.means()) == 3 and far(np.array(plan.means()), f.mean(axis=(1, 2, 3))) <= 1e-12
        assert plan.memory() == {"spectrum_on_gpus": False, "gpu_bytes_free": 0}
    for closed in (plan.means, plan.memory):
        with pytest.raises(psg.Error, match="closed"):
            closed()


def test_many_bad():
    f = random((4, 5, 6, 7))
    with psg.Plan((5, 6, 7)) as plan:
        for wrong, words in ((f[0], "several right-hand sides"), (f[:, 1:], "several right-hand sides"), (f[:0], "count is 0"),
                             (f[::2], "right-hand sides are"), (f.astype("f4"), "float32")):
            with pytest.raises(psg.Error, match=words):
                plan.solve_many(wrong)
        with pytest.raises(psg.Error, match="and out"):
            plan.solve_many(f, np.empty((3, 5, 6, 7)))
        f[2, 1, 2, 3] = np.nan
        with pytest.raises(psg.Error, match="right-hand side 2: f is NaN"):
            plan.solve_many(f)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_epsilon(dtype):
    rng = np.random.default_rng(8)
    f, eps = rng.standard_normal((6, 5, 8)).astype(dtype), np.exp(rng.random((6, 5, 8))).astype(dtype)
    u = psg.solve(f, symbol="fd2", epsilon=eps, box=(1, 2, 3))
    total = np.zeros(f.shape)
    for axis, h in enumerate((1 / 6, 2 / 5, 3 / 8)):
        e, v = eps.astype(float), u.astype(float)
        flux = (np.roll(v, -1, axis) - v) / (h / 2 / e + h / 2 / np.roll(e, -1, axis))
        total += (flux - np.roll(flux, 1, axis)) / h
    assert abs(total - (f - f.astype(float).mean())).max() <= (1e-9 if dtype == "f8" else 2e-3)
    with psg.Plan(f.shape, f.dtype, symbol="fd2") as plan:
        assert plan.statistics()["iterations"] == 0
        plan.solve(f, epsilon=eps[:, ::1], tolerance=1e-3, lambda_=2)
        v, g = plan.gradient(f, epsilon=eps, tolerance=1e-3, lambda_=2)
        for axis, length in enumerate(plan.box):
            step = length / f.shape[axis]
            assert np.abs(g[axis] - (np.roll(v, -1, axis) - v) / step).max() <= 1e-5 * np.abs(v).max() / step
        found = plan.statistics()
        assert 1 < found["iterations"] < 20 and 0 < found["residual"] <= 1e-3
        residuals = plan.residuals()
        assert len(residuals) == found["iterations"] + 1
        assert residuals[0] == 1 and residuals[-1] == found["residual"]
        plan.solve(f, v, epsilon=eps, tolerance=1e-3, lambda_=2, guess=True)
        assert plan.statistics()["iterations"] == 0
        for given, words in (({"epsilon": -eps}, "finite and above 0"), ({"epsilon": eps[1:]}, "epsilon has the shape"),
                             ({"tolerance": 1e-3}, "are for epsilon"), ({"epsilon": eps, "tolerance": "x"}, "a number is needed"),
                             ({"epsilon": eps[::-1]}, r"epsilon\[::-1\]"), ({"epsilon": np.asfortranarray(eps)}, r"epsilon\.T"),
                             ({"epsilon": np.broadcast_to(eps.dtype.type(1), f.shape)}, "epsilon.*stride 0"),
                             ({"epsilon": eps, "iterations": -1}, "from 0 to"), ({"epsilon": eps, "tolerance": 3}, "below 1"),
                             ({"epsilon": eps, "iterations": 2**64 + 5}, "from 0 to"),
                             ({"epsilon": eps, "iterations": 1}, "after 1 iteration the residual"),
                             ({"epsilon": eps, "guess": True}, "no out that has it"),
                             ({"guess": True, "out": v}, "are for epsilon")):
            with pytest.raises(psg.Error, match=words):
                plan.solve(f, **given)


@pytest.mark.parametrize("dtype, graph, off", [("f8", "fused", 0), ("f4", "staged", 0), ("f4", "fused", 1e-6)])
def test_gradient(dtype, graph, off):
    """The differences of u, around the ring along z, towards a wall along y and as the side along x has them. In f32 the fused
    graph makes them of the modes, beside u, by other sums than those of a solve alone."""
    rng = np.random.default_rng(3)
    shape, lengths = (4, 5, 6), (2, 3, 5)
    f = rng.normal(size=shape).astype(dtype)
    lid, flux = rng.normal(size=(4, 6)).astype(dtype), 0.5
    given = dict(values={"y": (0, lid), "x": (0, flux)}, lambda_=0.5)
    with psg.Plan(shape, dtype, symbol="fd2", box=lengths, bc=("periodic", "dirichlet", "neumann"), graph=graph) as plan:
        u, (gz, gy, gx) = plan.gradient(f, **given)
        assert far(u, plan.solve(f, **given)) <= off and u.dtype == gz.dtype == dtype
        beyond = [np.roll(u, -1, 0), np.concatenate((u[:, 1:], 2 * lid[:, None] - u[:, -1:]), 1),
                  np.concatenate((u[:, :, 1:], u[:, :, -1:] + flux * 5 / 6), 2)]
        for d, g in enumerate((gz, gy, gx)):
            assert far(g, (beyond[d] - u) * shape[d] / lengths[d]) <= TOLERANCE[dtype], "zyx"[d]
        out, other = np.full((4, 5, 9), np.nan, dtype), np.empty(shape, dtype)
        assert plan.gradient(f, (None, out[:, :, 1:7], None), u=other, **given)[0] is other
        assert np.array_equal(out[:, :, 1:7], gy) and np.isnan(out[:, :, 7:]).all() and np.array_equal(other, u)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(4, 5, 6), (7, 8, 1), (9, 2, 12)])
def test_gradient_by_modes(dtype, shape):
    """With the default symbol the derivatives are those of the modes of u, by numpy's transforms."""
    lengths = (2, 3, 5)
    f = np.random.default_rng(4).normal(size=shape).astype(dtype)
    with psg.Plan(shape, dtype, box=lengths) as plan:
        u, gradient = plan.gradient(f)
        assert np.array_equal(u, plan.solve(f)) and gradient[0].dtype == dtype
        one = plan.gradient(f, (None, np.empty(shape, dtype), None))[1]
    assert one[0] is None and np.array_equal(one[1], gradient[1])
    for d, n in enumerate(shape):
        k = 2j * np.pi * np.fft.fftfreq(n, lengths[d] / n) * (np.arange(n) != n / 2)
        want = np.fft.ifft(np.fft.fft(u.astype("f8"), axis=d) * k.reshape([-1 if axis == d else 1 for axis in range(3)]), axis=d).real
        assert abs(gradient[d] - want).max() <= 10 * TOLERANCE[dtype] * max(abs(want).max(), abs(u).max() / lengths[d]), "zyx"[d]


def test_forces_of_rock_salt():
    """E = -grad u of the crystal: none at the ions, and between two of them towards the negative one."""
    rho = np.zeros((16, 16, 16))
    k, j, i = np.indices((2, 2, 2))
    rho[::8, ::8, ::8] = (-1.0) ** (i + j + k)
    with psg.Plan(rho.shape, symbol="fd2", factor=-4 * np.pi) as plan:
        gradient = plan.gradient(rho)[1]
        for d, g in enumerate(gradient):
            here, before = g[::8, ::8, ::8], np.roll(g, 1, d)[::8, ::8, ::8]
            assert far(here, -before) <= 1e-12 * abs(g).max() and (here * rho[::8, ::8, ::8] < 0).all()


def test_points():
    z, y, x = psg.points((4, 5, 8), box=2)
    assert (z.shape, y.shape, x.shape) == ((4, 1, 1), (1, 5, 1), (1, 1, 8))
    assert np.allclose(x.ravel(), np.arange(8) / 4) and np.allclose(z.ravel(), np.arange(4) / 2)


def test_good_lengths():
    assert [psg.good_length(n) for n in (1, 7, 96, 97, 99)] == [1, 8, 96, 98, 100]
    assert [psg.good_length(np.int64(n), "dirichlet", "nodes") for n in (95, 96)] == [95, 97]
    assert psg.good_length(18, ("dirichlet", "neumann")) == 18 and psg.good_length(19, "neumann", points="nodes") == 19
    assert psg.good_length(8, "free") == 8 and psg.good_length(17, ("dirichlet", "free")) == 18
    for wrong in ((0,), (-1,), (2.5,), (2**63,), (2**31,), (8, "open"), (8, ("dirichlet", "periodic")), (8, "dirichlet", "x"),
                  (1, "neumann", "nodes"), (8, "free", "nodes")):
        with pytest.raises(psg.Error):
            psg.good_length(*wrong)


def test_strides():
    """Padded rows and planes, and every other plane, without a copy; neighbours stay as they are."""
    shape = (6, 5, 4)
    f = random(shape)
    room, to = np.full((12, 7, 8), 77.0), np.full((13, 9, 6), 88.0)
    inside, out = room[::2, 1:6, 3:7], to[3:9, 2:7, 1:5]
    inside[...] = f
    with psg.Plan(shape) as plan:
        assert plan.solve(inside, out=out) is out
        assert far(out, periodic(f)) <= 1e-12
        out[...] = 88
        assert np.all(to == 88) and np.array_equal(inside, f) and np.count_nonzero(room == 77) == room.size - f.size
        plan.solve(inside, out=inside)
        assert far(inside, periodic(f)) <= 1e-12 and np.count_nonzero(room == 77) == room.size - f.size


def test_steps_of_single_points():
    """NumPy writes any stride for an axis of one point."""
    room = random((10, 6, 1))
    f = room[::2].transpose(0, 2, 1)
    assert f.strides == (96, 8, 8) and far(psg.solve(f), periodic(f)) <= 1e-12
    f = random((1, 6, 5)).transpose(1, 0, 2)[:, :, ::5]
    assert far(psg.solve(f), periodic(f)) <= 1e-12


def test_in_place_and_read_only():
    f = random((6, 5, 4))
    expected = periodic(f)
    f.flags.writeable = False
    assert far(psg.solve(f), expected) <= 1e-12
    with pytest.raises(psg.ArgumentError, match="read-only"):
        psg.solve(f, out=f)
    g = f.copy()
    assert psg.solve(g, out=g) is g and far(g, expected) <= 1e-12


def test_buffers():
    f = random((4, 4, 4))
    numbers = memoryview(array.array("d", f.ravel())).cast("B").cast("d", (4, 4, 4))
    assert far(psg.solve(numbers), periodic(f)) <= 1e-12
    out = memoryview(array.array("d", bytes(8 * 64))).cast("B").cast("d", (4, 4, 4))
    assert psg.solve(f, out=out) is out and far(np.asarray(out), periodic(f)) <= 1e-12


def test_one_address():
    """What was found for an array is not taken for that of another one in its place."""
    room = np.zeros(2 * 8 * 9 * 10)
    kinds = [room[:720].reshape(8, 9, 10), room[:720].reshape(10, 9, 8), room.reshape(8, 9, 20)[:, :, :10], room.reshape(8, 18, 10)[:, ::2],
             room[:720].view("f4").reshape(8, 18, 10)]
    for f in kinds * 2:
        values = random(f.shape)
        f[...] = values
        assert far(psg.solve(f), periodic(f.astype(float))) <= TOLERANCE["f4" if f.dtype == "f4" else "f8"]
        for bad in (f[::-1], f.view("i4" if f.dtype == "f4" else "i8"), f[None], f.astype(f.dtype.newbyteorder())):
            with pytest.raises(psg.ArgumentError):
                psg.solve(bad)
        f.setflags(write=False)
        with pytest.raises(psg.ArgumentError, match="cannot be written"):
            psg.solve(f.copy(), out=f)
        f.setflags(write=True)


def test_box_of_a_solve():
    """Whatever box a plan was made with; psg.solve() makes one for all of them."""
    f = random((6, 7, 8))
    boxes = ((1, 2, 3), (1.25, 2, 3), (3e3, 2e3, 5e3), (1e-4, 3e-4, 2e-4), (1, 2, 3))
    psg.forget()
    with psg.Plan(f.shape, box=(1, 1, 1)) as plan:
        for box in boxes:
            expected = periodic(f, box, 1.5 / box[0] ** 2)
            assert far(plan.solve(f, box=box, lambda_=1.5 / box[0] ** 2), expected) <= 1e-12
            assert far(psg.solve(f, box=box, lambda_=1.5 / box[0] ** 2), expected) <= 1e-12
            u, own = plan.gradient(f, box=box), psg.Plan(f.shape, box=box).gradient(f)
            assert all(np.array_equal(x, y) for x, y in zip((u[0], *u[1]), (own[0], *own[1])))
        assert far(plan.solve(f, box=2), periodic(f, (2, 2, 2))) <= 1e-12
        assert far(plan.solve(f, box={"y": 2}), periodic(f, (1, 2, 1))) <= 1e-12
        assert far(plan.solve(f), periodic(f)) <= 1e-12
        plan.submit(f, box=2)
        with pytest.raises(psg.StateError, match="in flight, and this one has another box"):
            plan.submit(f)
        assert far(plan.wait(), periodic(f, (2, 2, 2))) <= 1e-12
        for bad, words in ((0, "the box is 0 long along x"), ((1, -1, 1), "is -1 long along y"), ((np.inf, 1, 1), "is inf long along z"),
                           (np.nan, "nan long"), ((1, 1), "box has 2 values"), ({"w": 1}, "'w'"), ("long", "box along z = 'long'")):
            with pytest.raises(psg.ArgumentError, match=words):
                plan.solve(f, box=bad)
            assert far(plan.solve(f, box=3), periodic(f, (3, 3, 3))) <= 1e-12
    assert len(psg._kept.plans) == 1


@pytest.mark.parametrize("dtype, bound", [("f8", 1e-14), ("f4", 1e-6)])
def test_many_with_values(dtype, bound):
    """Each right-hand side with values of its own, or all with the same."""
    count, shape = 5, (4, 3, 6)
    sides = dict(
        box=(1, 2, 3),
        bc={"z": "dirichlet", "y": ("neumann", "dirichlet"), "x": "neumann"},
        symbol="fd2",
    )
    f, z, y = (
        random((count, *shape), dtype),
        random((count, 3, 6), dtype, 2),
        random((4, 6), dtype, 3),
    )
    x = np.moveaxis(random((3, 4, count), dtype, 4), 2, 0).swapaxes(1, 2)[:, ::-1]  # any strides
    terms = dict(lambda_=1.5, factor=2.5)
    values = {"z": (z, 0.5), "y": (y, None), "x": x}
    wanted = np.stack(
        [
            psg.solve(f[m], values={"z": (z[m], 0.5), "y": (y, None), "x": x[m]}, **terms, **sides)
            for m in range(count)
        ]
    )
    assert far(psg.solve(f, many=True, values=values, **terms, **sides), wanted) <= bound
    with psg.Plan(shape, dtype, **{**sides, "box": 1}) as plan:
        out = np.empty_like(f)
        assert (
            plan.solve_many(f, out, values=values, box=sides["box"], **terms) is out
            and far(out, wanted) <= bound
        )
        bad = z.copy()
        bad[3, 1, 2] = np.nan
        with pytest.raises(
            psg.DataError, match=r"right-hand side 3: the value nan on side z0 at point \(2, 1\)"
        ):
            plan.solve_many(f, values={"z": (bad, 0)})
        for given, words in (
            (
                {"z": z[:4]},
                r"have the shape \(4, 3, 6\), and the side has \(3, 6\), or of all right-hand sides \(5, 3, 6\)",
            ),
            ({"z": z[:, :, :5]}, r"have the shape \(5, 3, 5\)"),
            ({"x": "one"}, "a number is needed"),
        ):
            with pytest.raises(psg.ArgumentError, match=words):
                plan.solve_many(f, values=given)
        with pytest.raises(psg.ArgumentError, match="f has the shape"):
            plan.solve_many(f[0])
        with pytest.raises(
            psg.ArgumentError, match=r"have the shape \(5, 3, 6\), and the side has \(3, 6\)$"
        ):
            plan.solve(f[0], values={"z": z})
    flat = psg.solve(
        f[0], many=True, bc="dirichlet", symbol="fd2", values={"y": (0, 1)}
    )  # of two axes each
    assert (
        far(
            flat,
            np.stack(
                [psg.solve(g, bc="dirichlet", symbol="fd2", values={"y": (0, 1)}) for g in f[0]]
            ),
        )
        <= bound
    )
    for wrong, words in (
        (f, "epsilon"),
        (f[0, 0, 0, 0], "has the shape"),
        (list(f) + [f[0, :2]], ""),
    ):
        with pytest.raises((psg.ArgumentError, TypeError), match=words):
            psg.solve(wrong, many=True, **({"epsilon": f} if wrong is f else {}))
    with pytest.raises(psg.ArgumentError, match="many=True and Plan.solve_many"):
        psg.solve(f)


def test_kernel_is_for_one_box():
    f, own = random((4, 4, 4)), dict(kernel=np.ones((3, 3, 3)), kernel_form="modes")
    with psg.Plan(f.shape, box=2, **own) as plan:
        with pytest.raises(psg.UnsupportedError, match="kernel = user is for that"):
            plan.solve(f, box=3)
        assert far(plan.solve(f, box=2), -f) <= 1e-12
    for box in (2, 3, 2):
        assert far(psg.solve(f, box=box, **own), -f) <= 1e-12


def test_box_that_changes():
    f, length = random((8, 9, 10)), np.array(1.0)
    for now in (1.0, 2.0):
        length[...] = now
        for box in (length, (1, length, 3)):
            assert far(psg.solve(f, box=box), periodic(f, (now, now, now) if box is length else (1, now, 3))) <= 1e-12


def test_cupy_without_a_gpu(monkeypatch):
    """Arrays in main memory that look like CuPy's: the memory is theirs, u is of their kind, and the stream is asked for anew each
    time."""
    asked = []

    class Array:
        def __init__(self, values, device=-1):
            self.values, self.device = values, device
            self.shape, self.strides, self.dtype, self.ndim = values.shape, values.strides, values.dtype, values.ndim

        @property
        def data(self):
            return types.SimpleNamespace(ptr=self.values.ctypes.data, device_id=self.device)

    def stream(device):
        asked.append(device)
        return types.SimpleNamespace(ptr=0)

    Array.__module__ = "cupy"
    cuda = types.SimpleNamespace(get_current_stream=stream, runtime=types.SimpleNamespace(getDevice=lambda: -1))
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda, empty=lambda *form: Array(np.empty(*form))))
    for dtype in ("f8", "f4"):
        values = random((8, 9, 10), dtype)
        wanted = periodic(values.astype(float))
        with psg.Plan(values.shape, dtype) as plan:
            for solve in (plan.solve, plan.solve, psg.solve):
                del asked[:]
                u = solve(Array(values))
                assert type(u) is Array and far(u.values, wanted) <= TOLERANCE[dtype] and len(asked) >= 2
                padded = Array(np.zeros((8, 9, 16), dtype)[:, :, 3:13])
                assert solve(Array(values), out=padded) is padded and far(padded.values, wanted) <= TOLERANCE[dtype]
            for bad, words in ((values[::-1], "strides.*below 0"), (values.astype("i4"), "no array that memory"), (values[0], "shape")):
                with pytest.raises(psg.ArgumentError, match=words):
                    plan.solve(Array(bad))
            with pytest.raises(psg.ArgumentError, match="GPU 0"):
                plan.solve(Array(values, device=0), out=Array(values.copy(), device=0))


def test_flights():
    f = [random((8, 8, 8), seed=s) for s in range(5)]
    with psg.Plan((8, 8, 8)) as plan:
        started = [plan.submit(g) for g in f]
        with pytest.raises(psg.StateError, match="in flight"):
            plan.solve(f[0])
        with pytest.raises(psg.ArgumentError, match="overlaps"):
            plan.submit(f[0], out=started[4])
        for g, u in zip(f, started):
            assert plan.wait() is u and far(u, periodic(g)) <= 1e-12
        with pytest.raises(psg.StateError, match="no solve"):
            plan.wait()
        assert far(plan.solve(f[0]), periodic(f[0])) <= 1e-12


def test_what_happened(tmp_path):
    f = random((8, 6, 4)) + 2.5
    with psg.Plan(f.shape, gpus=0, segment_planes=4, graph="staged", record=True) as plan:
        plan.solve(f)
        found = plan.statistics()
        assert found["graph"] == "staged" and found["segments"] == 2 and found["solves"] == 1
        assert abs(found["mean"] - 2.5) <= 1e-14 and found["ranks"] == 1 and found["seconds"] > 0
        assert found["stage"]["fft_xy"]["tasks"] == 2 and found["stage"]["kspace"]["tasks"] == 0
        assert set(found["link"]) == {"h2d", "d2h", "d2d", "message"} and found["copied_bytes"] == 0
        events = plan.events()
        assert sum(s["tasks"] for s in found["stage"].values()) == len(events)
        plan.trace(tmp_path / "trace.json")
        assert (tmp_path / "trace.json").read_text().count('"fft_xy"') == 2


def test_options():
    known = psg.options()
    assert known["graph"].values == "fused|staged|auto" and known["graph"].default == "auto" and known["graph"].help
    assert all(name in psg.Plan.__doc__ and about.help in psg.Plan.__doc__ for name, about in known.items())
    assert psg.components()["psg"] == psg.__version__ and psg.components()["StarPU"]
    for wrong, words in ((dict(graph="sideways"), "one of fused"), (dict(frobs=1), "no option 'frobs'"),
                         (dict(in_flight=0), "in_flight"), (dict(policy=["lws"]), "a text, a number"),
                         (dict(precision="f32"), "dtype"), (dict(cpus=0, gpus=0), "nothing to compute")):
        with pytest.raises(psg.ArgumentError, match=words):
            psg.Plan((4, 4, 4), **wrong)
    with psg.Plan((4, 4, 4), segment_planes=None, tuned=False, effort="estimate") as plan:
        assert plan.statistics()["tuned"] == 0


def divergence(v, spacing, walls):
    total = 0
    for axis in range(3):
        before = np.roll(v[axis], 1, axis)
        if axis in walls:
            before[(slice(None),) * axis + (0,)] = 0
        total = total + (v[axis] - before) / spacing[axis]
    return total


@pytest.mark.parametrize("dtype, left", [("f8", 1e-13), ("f4", 1e-5)])
@pytest.mark.parametrize("walls", [(), (0,), (0, 2)])
def test_project(dtype, left, walls):
    """A flow loses its divergence, in place; beside it stands the gradient of u."""
    shape, box = (10, 9, 12), (1, 2, 3)
    spacing = [length / n for length, n in zip(box, shape)]
    v = [random(shape, dtype) + axis for axis in range(3)]
    for axis in walls:
        v[axis][(slice(None),) * axis + (-1,)] = 0
    before = [component.copy() for component in v]
    bc = {"zyx"[axis]: "neumann" for axis in walls}
    with psg.Plan(shape, box=box, bc=bc, symbol="fd2", dtype=dtype) as plan:
        u = np.empty(shape, dtype)
        assert plan.project(v, u=u) is u
        f = divergence(before, spacing, walls)
        assert abs(divergence(v, spacing, walls)).max() <= left * abs(f).max()
        assert far(u, plan.solve(f.astype(dtype))) <= TOLERANCE[dtype]
        again = [component.copy() for component in before]
        gradient = [np.empty(shape, dtype), None, np.empty(shape, dtype)]
        plan.project(again, gradient=gradient, u=u, factor=2)
        assert all((a == b).all() for a, b in zip(again, before))
        for axis in (0, 2):
            assert far(before[axis] - gradient[axis] / 2, v[axis]) <= TOLERANCE[dtype]
        if not walls:
            assert plan.project(again) is None
            assert all(far(a, b) <= TOLERANCE[dtype] for a, b in zip(again, v))


def test_project_refused():
    v = [random((4, 5, 6)) for _ in range(3)]
    with psg.Plan((4, 5, 6), symbol="fd2") as plan:
        for given, named, words in ((v[:2], {}, "three axes"), ([v[0], v[1], v[0]], {}, "overlap"),
                                    ([v[0], v[1], v[2][1:]], {}, r"v\[2\] has the shape"),
                                    (v, {"gradient": (None,) * 3}, "three times None")):
            with pytest.raises(psg.ArgumentError, match=words):
                plan.project(given, **named)
        v[1].flags.writeable = False
        with pytest.raises(psg.ArgumentError, match="read-only"):
            plan.project(v)
    with psg.Plan((4, 5, 6)) as plan, pytest.raises(psg.UnsupportedError, match="symbol fd2"):
        plan.project([random((4, 5, 6)) for _ in range(3)])
