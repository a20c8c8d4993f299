"""Arrays of two axes and of one: beside dense matrices, beside arrays of three axes, and what is
refused."""

import itertools
import warnings

import numpy as np
import pytest

import psg
from reference import far, random

TOLERANCE = {"f8": 1e-12, "f4": 1e-5}
ENDS = ["PP", "DD", "NN", "DN", "ND"]


def second(n, length, ends, points):
    """The matrix of the second difference along an axis, points in cells or at nodes."""
    cells = ends == "PP" or points == "cells"
    h = length / (n if cells else n - 1 + ends.count("D"))
    m = -2 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    for side, (edge, inner) in zip(ends, ((0, 1), (-1, -2))):
        other = 0 if edge else n - 1
        if side == "P":
            m[edge, other] += 1
        elif points == "cells":
            m[edge, edge] += 1 if side == "N" else -1
        elif side == "N" and n > 1:
            m[edge, inner] += 1
    return m / h**2


def sides_of(ends):
    words = {"P": "periodic", "D": "dirichlet", "N": "neumann"}
    return words[ends[0]], words[ends[1]]


def dense(f, box, bc, points, lambda_):
    """u by a matrix for all points; without a mean where nothing fixes it."""
    d2 = [second(n, l, e, p) for n, l, e, p in zip(f.shape, box, bc, points)]
    m = (
        d2[0]
        if f.ndim == 1
        else np.kron(d2[0], np.eye(f.shape[1])) + np.kron(np.eye(f.shape[0]), d2[1])
    )
    return np.linalg.solve(m - lambda_ * np.eye(f.size), f.ravel()).reshape(f.shape)


@pytest.mark.parametrize("points", ["cells", "nodes"])
@pytest.mark.parametrize("y, x", list(itertools.product(ENDS, ENDS)))
def test_two_axes_beside_a_matrix(y, x, points):
    dice = np.random.default_rng(7)
    for _ in range(4):
        shape = tuple(int(n) for n in dice.integers(3, 21, 2))
        f, box = random(shape, seed=int(dice.integers(1000))), (1.5, 2.5)
        u = psg.solve(
            f,
            box=box,
            bc={"y": sides_of(y), "x": sides_of(x)},
            points=points,
            symbol="fd2",
            lambda_=1.25,
        )
        assert far(u, dense(f, box, (y, x), (points, points), 1.25)) <= 1e-12, shape


@pytest.mark.parametrize("points", ["cells", "nodes"])
@pytest.mark.parametrize("x", ENDS)
def test_one_axis_beside_a_matrix(x, points):
    for n in (3, 4, 7, 20):
        f = random((n,), seed=n)
        u = psg.solve(f, box=1.5, bc=[sides_of(x)], points=points, symbol="fd2", lambda_=2)
        assert u.shape == (n,) and far(u, dense(f, (1.5,), (x,), (points,), 2)) <= 1e-12, n


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("symbol", ["spectral", "fd2", "fd4"])
def test_as_with_three_axes(symbol, dtype):
    """Each pair of sides, and free ones, beside the same box with a z of one point."""
    pairs = ENDS + ([] if symbol == "fd4" else ["FF", "DF"])
    words = {"P": "periodic", "D": "dirichlet", "N": "neumann", "F": "free"}
    for y, x in itertools.product(pairs, pairs):
        bc = {"y": (words[y[0]], words[y[1]]), "x": (words[x[0]], words[x[1]])}
        f = random((9, 14), dtype, seed=3)
        if symbol == "fd4" and ("D" in y + x or "N" in y + x):
            continue
        if y == "DF" and "F" not in x:  # z has another method than y, which a random f sees
            sides = {"z": bc["y"], "x": bc["x"]}
            three = psg.solve(f[:, None], box=(3, 1, 2), bc=sides, symbol=symbol)[:, 0]
        else:
            three = psg.solve(f[None], box={"y": 3, "x": 2}, bc=bc, symbol=symbol)[0]
        two = psg.solve(f, box=(3, 2), bc=bc, symbol=symbol)
        assert two.shape == f.shape and two.dtype == f.dtype
        assert far(two, three) <= TOLERANCE[dtype], (y, x)


def test_of_all_sizes():
    for shape in itertools.product((1, 2, 3, 5, 16, 17), repeat=2):
        f = random(shape, seed=shape[0]) + (shape == (1, 1))
        assert far(psg.solve(f, lambda_=1), psg.solve(f[None], lambda_=1)[0]) <= 1e-12, shape
    for n in (1, 2, 3, 16, 127):
        f = random((n,), seed=n) + (n == 1)
        assert far(psg.solve(f, lambda_=1), psg.solve(f[None, None], lambda_=1)[0, 0]) <= 1e-12, n


def test_one_point_along_y():
    """(1, n) has two axes, and (n,) one: their plans are not mixed up."""
    f = random((12,))
    for _ in range(2):
        one, two, three = psg.solve(f), psg.solve(f[None]), psg.solve(f[None, None])
        assert one.shape == (12,) and two.shape == (1, 12) and three.shape == (1, 1, 12)
        assert far(two[0], one) <= 1e-12 and far(three[0, 0], one) <= 1e-12


def test_values_on_sides():
    """u = 1 + 2x + 3y + xy, whose Laplacian is 0: the sides alone make it."""
    sides = dict(box=(2, 3), bc={"y": ("dirichlet", "neumann"), "x": "dirichlet"}, symbol="fd2")
    y, x = psg.points((6, 8), box=(2, 3), bc=sides["bc"])
    assert y.shape == (6, 1) and x.shape == (1, 8)
    values = {
        "y": ((1 + 2 * x)[0], (3 + x)[0]),
        "x": ((1 + 3 * y)[:, 0], np.repeat((7 + 6 * y)[:, 0], 2)[::2]),
    }
    u = psg.solve(np.zeros((6, 8)), values=values, **sides)
    assert far(u, 1 + 2 * x + 3 * y + x * y) <= 1e-12
    u = psg.solve(np.zeros((6, 8)), values=(0, (1, 1)), bc="dirichlet", symbol="fd2")
    assert far(u[::-1], u) <= 1e-12 and u[2, 0] > u[0, 3] > 0
    u = psg.solve(np.zeros(9), values=[(1, 3)], bc="dirichlet", symbol="fd2")
    assert far(u, 1 + 2 * psg.points((9,), bc="dirichlet")[0]) <= 1e-12


@pytest.mark.parametrize("symbol", ["spectral", "fd2"])
def test_gradient(symbol):
    f = random((10, 12))
    with psg.Plan(f.shape, box=(2, 3), symbol=symbol) as plan, psg.Plan(
        (1, 10, 12), box=(1, 2, 3), symbol=symbol
    ) as other:
        u, gradient = plan.gradient(f)
        _, (_, gy, gx) = other.gradient(f[None])
        assert len(gradient) == 2 and u.shape == f.shape
        assert far(gradient[0], gy[0]) <= 1e-12 and far(gradient[1], gx[0]) <= 1e-12
        mine = np.empty_like(f)
        plan.gradient(f, out=(None, mine))
        assert (mine == gradient[1]).all()
        with pytest.raises(psg.ArgumentError, match=r"\(gy, gx\) are needed, not 3"):
            plan.gradient(f, out=(None, None, None))
    f = random((16,))
    with psg.Plan(f.shape, symbol=symbol) as plan:
        u, (gx,) = plan.gradient(f)
        k = 2 * np.pi * np.fft.fftfreq(16, 1 / 16)
        k[8] = 0
        want = (
            np.fft.ifft(1j * k * np.fft.fft(u)).real
            if symbol == "spectral"
            else (np.roll(u, -1) - u) * 16
        )
        assert far(gx, want) <= 1e-12


def test_arrays():
    """In place, padded rows, several right-hand sides, two in flight, a coefficient."""
    f = random((9, 8))
    want = psg.solve(f)
    room = np.full((9, 11), np.nan)
    room[:, :8] = f
    with psg.Plan((9, 8)) as plan:
        assert (
            repr(plan) == "<psg.Plan 9 x 8 f64>"
            and plan.shape == plan.local_shape == (9, 8)
            and plan.lo == (0, 0)
        )
        assert (plan.solve(room[:, :8]) == want).all()
        assert (
            plan.solve(room[:, :8], out=room[:, :8]) is not None
            and (room[:, :8] == want).all()
            and np.isnan(room[:, 8:]).all()
        )
        plan.submit(f, lambda_=0)
        assert (plan.wait() == want).all()
        for shape in ((3, 9, 8), (1, 9, 8)):
            many = random(shape)
            u = plan.solve_many(many)
            assert u.shape == shape and all(
                far(u[m], psg.solve(many[m])) <= 1e-12 for m in range(shape[0])
            )
        with pytest.raises(psg.ArgumentError, match=r"have \(count, 9, 8\)"):
            plan.solve_many(f)
    with psg.Plan((1, 8)) as plan:
        many = random((4, 1, 8))
        assert all(far(u, psg.solve(one)) <= 1e-12 for u, one in zip(plan.solve_many(many), many))
    with psg.Plan((8,)) as plan:
        many = random((4, 16))[:, 4:12]
        assert all(
            far(u, psg.solve(one)) <= 1e-12
            for u, one in zip(plan.solve_many(many), many - many.mean(axis=1)[:, None])
        )
    epsilon = np.exp(random((9, 8)))
    u = psg.solve(f, epsilon=epsilon, symbol="fd2")
    assert far(u, psg.solve(f[None], epsilon=epsilon[None], symbol="fd2")[0]) <= 1e-8


@pytest.mark.parametrize(
    "f, more, words",
    [
        (np.zeros((3, 4, 5, 6)), {}, r"one to three axes.*solve_many"),
        (np.float64(1), {}, "one to three axes"),
        (np.zeros(8), {"many": True}, r"shape \(8,\): with many=True it has one axis more"),
        (np.zeros((2, 3, 4, 5, 6)), {"many": True}, r"shape \(2, 3, 4, 5, 6\): with many=True"),
        (np.zeros((3, 4)).T, {}, r"those along y follow one another: f\.T needs no copy"),
        (np.zeros((4, 8))[:, ::2], {}, "2 elements apart, rows 8: ascontiguous"),
        (np.zeros(8)[::2], {}, "2 elements apart: "),
        (np.zeros((4, 8))[::-1], {}, r"along y \(stride -8\): f\[::-1\]"),
        (
            np.zeros((3, 4)),
            {"box": (1, 2, 3)},
            r"box has 3 values: it needs one for each of \(y, x\)",
        ),
        (np.zeros((3, 4)), {"bc": {"z": "free"}}, "the key 'z': the axes are 'y' and 'x'"),
        (np.zeros(4), {"bc": {"y": "free"}}, "the key 'y': the axes are 'x'"),
        (np.zeros((3, 4)), {"values": {"y": 1}}, "side y0, and the grid is periodic along y"),
        (np.zeros((3, 4)), {"box": {"y": -1}}, "-1 long along y"),
        (np.array([[0.0] * 4, [0.0] * 4, [np.nan] * 4]), {}, r"\(i,j,k\) = \(0,2,0\)"),
        (
            np.zeros((3, 4)),
            {"values": {"y": np.zeros((1, 4))}, "bc": "dirichlet", "symbol": "fd2"},
            r"shape \(1, 4\).*side has \(4,\)",
        ),
        (np.zeros((0, 4)), {}, "ny = 0"),
        (np.zeros(0), {}, "nx = 0"),
    ],
)
def test_refused(f, more, words):
    with pytest.raises(psg.Error, match=words):
        psg.solve(f, **more)


def test_box_in_another_order():
    with pytest.warns(UserWarning, match="box has the order of the shape, y, x"):
        psg.points((6, 12), box=(20, 10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        psg.points((6, 12), box=(10, 20))
        psg.points((6,), box=7)


def test_a_tuple_that_may_be_two_axes_or_two_sides_is_refused():
    f = random((6, 8))
    by_axis = psg.solve(f, bc={"y": "dirichlet", "x": "neumann"})
    assert (psg.solve(f, bc=["dirichlet", "neumann"]) == by_axis).all()
    for bc in (("dirichlet", "neumann"), ("free", "periodic")):
        with pytest.raises(psg.ArgumentError, match=r"is it \(y, x\), or \(lower, upper\)"):
            psg.solve(f, bc=bc)
        with pytest.raises(psg.ArgumentError, match="lower, upper"):
            psg.points(f.shape, bc=bc)
    assert (psg.solve(f, bc=("dirichlet", "dirichlet")) == psg.solve(f, bc="dirichlet")).all()


def test_values_on_a_periodic_axis_have_the_same_words_in_each_call():
    f = random((6, 8))
    with psg.Plan(f.shape, symbol="fd2") as plan:
        for call in (plan.solve, plan.gradient):
            with pytest.raises(psg.ArgumentError, match="values on side x0, and the grid is per"):
                call(f, values={"x": 1.0})
