"""Lengths with a large prime factor, by matrices (17, 31, 34, 71), by sums of powers of a root
(193) and by a chirp (453), with lines along x and y two at a time: every pair of sides, whatever
the graph, the cut and the array, beside dense matrices."""

import functools
import itertools

import numpy as np
import psg
import pytest
from few_axes import ENDS, second, sides_of
from reference import far

SHAPES = ((3, 71, 31), (2, 6, 453), (2, 193, 6), (4, 34, 17), (453, 3, 4), (193, 4, 3), (79, 1, 1),
          (1, 1, 79), (2, 6, 34), (31, 3, 4), (3, 193, 17))
LAMBDA = 900.0  # numpy's eigenvalues are exact to 1e-16 of the largest one


@functools.cache
def modes(n, ends, points):
    """Eigenvalues of the second difference, and matrices to its modes and back. The scale of a
    point on a Neumann side makes it symmetric."""
    on_side = [points == "nodes" and end == "N" and n > 1 for end in ends]
    scale = np.ones(n)
    scale[[side for side, on in zip((0, -1), on_side) if on]] = np.sqrt(0.5)
    values, vectors = np.linalg.eigh(scale[:, None] * second(n, 1, ends, points) / scale)
    return values, vectors.T * scale, vectors / scale[:, None]


def dense(f, ends, points):
    """u by fd2 in the unit box."""
    (z, az, bz), (y, ay, by), (x, ax, bx) = (modes(n, e, points) for n, e in zip(f.shape, ends))
    u = np.einsum("az,by,cx,zyx->abc", az, ay, ax, f, optimize=True)
    u /= z[:, None, None] + y[:, None] + x - LAMBDA
    return np.einsum("za,yb,xc,abc->zyx", bz, by, bx, u, optimize=True)


def problem(shape, ends, points="cells"):
    f = np.random.default_rng(1).standard_normal(shape)
    options = dict(bc=[sides_of(e) for e in ends], points=points, symbol="fd2", lambda_=LAMBDA,
                   gpus=0, effort="estimate")
    return f, dense(f, ends, points), options


@pytest.mark.parametrize("points", ("cells", "nodes"))
def test_every_pair_of_sides(points):
    dice = np.random.default_rng(2)
    for count, (y, x) in enumerate(itertools.product(ENDS, repeat=2)):
        shape = SHAPES[count % len(SHAPES)]
        nodes = points == "nodes" and 1 in shape
        ends = (ENDS[0 if nodes else dice.integers(5)], *(("PP", "PP") if nodes else (y, x)))
        f, want, options = problem(shape, ends, points)
        for dtype, most in (("f8", 1e-12), ("f4", 1e-5)):
            with psg.Plan(shape, dtype, **options) as plan:
                assert far(plan.solve(f.astype(dtype)), want) < most, (shape, ends, dtype)


@pytest.mark.parametrize("ends", (("PP", "NN", "DD"), ("DD", "PP", "NN"), ("NN", "DD", "PP")))
@pytest.mark.parametrize("shape", ((6, 31, 193), (6, 193, 34), (34, 5, 31)))
def test_every_way(shape, ends):
    ny, nx = shape[1:]
    f, want, options = problem(shape, ends)
    for way in (dict(graph="staged"), dict(executor="tasks", segment_planes=1, sheets=9),
                dict(graph="staged", z_layout="strided", sheets=5), dict(cpus=1, in_flight=1)):
        with psg.Plan(shape, **options, **way) as plan:
            wide = np.zeros((shape[0], ny + 4, nx + 7))
            wide[:, 2 : ny + 2, 3 : nx + 3] = f
            u = np.zeros((shape[0], ny + 2, nx + 6))
            plan.solve(wide[:, 2 : ny + 2, 3 : nx + 3], out=u[:, 1 : ny + 1, 5 : nx + 5])
            assert far(u[:, 1 : ny + 1, 5 : nx + 5], want) < 1e-12, way
            assert not np.any(u[:, 0]) and not np.any(u[:, ny + 1 :]), "beside u"
            g = f.copy()
            assert far(plan.solve(g, out=g), want) < 1e-12, way
            for one, u in zip((1, -2, 3), plan.solve_many(np.stack([f, -2 * f, 3 * f]))):
                assert far(u, one * want) < 1e-12, way


@pytest.mark.parametrize("z, y, x", ((70, 3, 72), (3, 70, 72), (192, 32, 5), (5, 72, 32),
                                     (32, 1, 192), (4, 452, 30)))
def test_nodes(z, y, x):
    """n + 1 is odd with a large prime factor between Dirichlet sides, and n - 1 between Neumann
    sides."""
    shape = (z, y, x)
    for ends in itertools.product(("DD", "NN"), repeat=3):
        ends = tuple("PP" if n < 3 else e for n, e in zip(shape, ends))
        f, want, options = problem(shape, ends, "nodes")
        ways = (dict(graph="staged", z_layout="strided"), dict(executor="tasks", sheets=2))
        for way in ({}, *(ways if len(set(ends)) > 1 else ())):
            with psg.Plan(shape, **options, **way) as plan:
                assert far(plan.solve(f), want) < 1e-12, (ends, way)
                for one, u in zip((1, -2), plan.solve_many(np.stack([f, -2 * f]))):
                    assert far(u, one * want) < 1e-12, (ends, way)
        with psg.Plan(shape, "f4", **options) as plan:
            assert far(plan.solve(f.astype("f4")), want) < 1e-5, ends
            if "PP" not in ends:
                modes = plan.modes(f.astype("f4"))
                assert far(plan.solve(f_modes=modes), plan.solve(plan.solve(f.astype("f4")))) < 1e-5


@pytest.mark.parametrize("ends", tuple(itertools.product(("PP", "DN"), ENDS)))
@pytest.mark.parametrize("shape", ((37, 73), (20, 34), (19, 193), (7, 453)))
def test_two_axes(shape, ends):
    """Pairs are of rows of an array of two axes; 37 are no whole number of tiles of them."""
    dice = np.random.default_rng(1)
    f = dice.standard_normal(shape)
    options = dict(bc=[sides_of(e) for e in ends], symbol="fd2", lambda_=LAMBDA, gpus=0,
                   effort="estimate")
    want = dense(f[:, None], (ends[0], "PP", ends[1]), "cells")[:, 0]
    for way in ({}, dict(graph="staged"), dict(executor="tasks", segment_planes=5, sheets=3),
                dict(graph="staged", z_layout="strided", segment_planes=3), dict(cpus=1)):
        with psg.Plan(shape, **options, **way) as plan:
            wide = np.zeros((shape[0], shape[1] + 7))
            wide[:, 3:-4] = f
            u = np.zeros_like(wide)
            plan.solve(wide[:, 3:-4], out=u[:, 2:-5])
            assert far(u[:, 2:-5], want) < 1e-12, way
            assert not np.any(u[:, :2]) and not np.any(u[:, -5:]), "beside u"
            u, (y, x) = plan.gradient(f)
            assert far(u, want) < 1e-12, way
            for got, axis in ((y[:-1], 0), (x[:, :-1], 1)):
                assert far(got, np.diff(want, axis=axis) * shape[axis]) < 1e-10, way
            g = f.copy()
            assert far(plan.solve(g, out=g), want) < 1e-12, way
            for one, u in zip((1, -2), plan.solve_many(np.stack([f, -2 * f]))):
                assert far(u, one * want) < 1e-12, way
    with psg.Plan(shape, "f4", **options) as plan:
        assert far(plan.solve(f.astype("f4")), want) < 1e-5


def test_walls_and_free_ends():
    """A transform of twice the length has the same factor."""
    f = np.random.default_rng(1).standard_normal((3, 71, 73))
    for wall, sign in (("neumann", 1), ("dirichlet", -1)):
        options = dict(symbol="fd2", lambda_=LAMBDA, gpus=0, effort="estimate")
        bc = ("periodic", (wall, "free"), ("free", wall))
        large = np.concatenate([sign * f[:, ::-1], f], axis=1)
        large = np.concatenate([large, sign * large[:, :, ::-1]], axis=2)
        with psg.Plan(f.shape, bc=bc, **options) as plan:
            u = plan.solve(f)
        with psg.Plan(large.shape, bc=("periodic", "free", "free"), box=(1, 2, 2),
                      **options) as plan:
            assert far(u, plan.solve(large)[:, 71:, :73]) < 1e-12
