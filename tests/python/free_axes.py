"""Free sides with every mixture: random f beside sums over all pairs of points, and beside the
stencil; charges beside closed forms."""

import itertools
import math

import numpy as np
import psg
import pytest
from free import BOX, GPUS, SAME, random, solve
from reference import OPEN, STEP, WALLS, far, unbounded

KINDS = ("free", "periodic", "neumann", "dirichlet")
MIXTURES = [bc for bc in itertools.product(KINDS, repeat=3) if "free" in bc[1:]]
UNBOUNDED = [bc for bc in MIXTURES if set(bc) <= {"free", "periodic"}]


def test_every_mixture():
    """Every pair of sides, where an axis at least has a free side, beside a sum over all pairs of
    points."""
    dice = np.random.default_rng(3)
    every = [bc for bc in itertools.product(("periodic", "free", *WALLS, *OPEN), repeat=3)
             if any("free" in kind for kind in bc)]
    turns = *dice.permutation(len(every)), *dice.integers(len(every), size=125)
    for count, turn in enumerate(turns):
        bc, lambda_ = every[turn], (0.0, 1.5, 900.0)[count // 2 % 3]
        symbol = ("fd2", "spectral")[count % 2]
        free = sum("free" in kind for kind in bc)
        if bc[0] in OPEN and free == 1:
            symbol = "fd2"  # of random f the images along z are others by spectral
        kinds = ["nodes" if kind in WALLS and count % 3 == 0 else "cells" for kind in bc]
        least = [2 if kind == ("neumann", "neumann") else 1 for kind in bc]
        p = dice.integers(-9, 10, 3)
        f = dice.standard_normal([int(n) for n in dice.integers(least, 13)])
        want = unbounded(f, bc, p, symbol, lambda_, count % 3 == 0)
        box = [(n + (kind.count("dirichlet") - 1 if at == "nodes" else 0)) * math.exp(STEP * q / 2)
               for n, kind, at, q in zip(f.shape, bc, kinds, p)]
        options = {"symbol": symbol, "lambda_": lambda_, "points": kinds}
        most = 1e-12 if free == 2 and lambda_ == 0 else 1e-13  # logarithms that may cancel
        assert far(solve(f, bc, box, **options), want) < most, (bc, f.shape, p, options)
        if count % 5 == 0:
            assert far(solve(f, bc, box, "f4", **options), want) < 1e-6, (bc, f.shape, p, options)


# ------------------------------------------------------------------------------ walls and free ends

@pytest.mark.parametrize("wall", OPEN, ids="-".join)
@pytest.mark.parametrize("order", ((1, 0, 2), (1, 2, 0), (2, 1, 0)), ids=str)
def test_walls_as_along_z(wall, order):
    """z has another method. Values on the wall count, and a smooth f has the spectral u of z."""
    bc, box = (wall, "periodic", "neumann"), (1.0, 1.3, 2.0)
    own, lengths = [bc[d] for d in order], [box[d] for d in order]
    f, of_wall = random((6, 4, 5)), random((1, 4, 5), seed=2)
    turned = of_wall.transpose(order)
    flat = np.ascontiguousarray(turned.reshape([n for n in turned.shape if n > 1]))
    for along_z, here in ((2.5, 2.5), (of_wall[0], flat)):
        pair = [(v, 0) if wall[1] == "free" else (0, v) for v in (along_z, here)]
        with psg.Plan(f.shape, bc=bc, box=box, symbol="fd2", gpus=0) as plan:
            want = plan.solve(f, values=[pair[0], 0, 0])
        there = np.ascontiguousarray(f.transpose(order))
        with psg.Plan(there.shape, bc=own, box=lengths, symbol="fd2", gpus=0) as plan:
            u = plan.solve(there, values=[pair[1] if d == 0 else 0 for d in order])
        assert far(u, want.transpose(order)) < 1e-13
    z, y, x = psg.points((48, 8, 12), box=box, bc=bc)
    f = np.exp(-((z - 0.5) ** 2) / 0.005) * (1 + 0.3 * np.cos(2 * np.pi * y / 1.3)) \
        * (1 + 0.2 * np.cos(np.pi * x / 2))
    u = solve(np.ascontiguousarray(f.transpose(order)), own, lengths)
    assert far(u, solve(f, bc, box).transpose(order)) < 1e-13


# ---------------------------------------------------------------------- the stencil without lambda

def test_a_charge_on_the_lattice():
    f = np.zeros((5, 6, 7))
    f[2, 2, 3] = 1
    u = solve(f, "free", f.shape, symbol="fd2")
    for place, known in (((2, 2, 3), 0.2527310098587), ((2, 2, 4), 0.0860643431920),
                         ((3, 3, 3), 0.0551914336877), ((3, 3, 4), 0.0435783543977),
                         ((0, 2, 3), 0.0428893145424)):
        assert abs(u[place] + known) < 1e-12


def test_a_line_of_charge_on_the_lattice():
    """The potential kernel of the square lattice is known: 1/4, 1/pi, and a constant that makes it
    log(r)/(2 pi) far away. The unit of length is the caller's."""
    for unit in (1.0, 1e-3):
        f = np.zeros((3, 9, 9))
        f[:, 4, 4] = 1 / unit ** 2
        u = solve(f, {"y": "free", "x": "free"}, np.array(f.shape) * unit, symbol="fd2")
        at_0 = (np.euler_gamma + 1.5 * math.log(2)) / (2 * math.pi) - math.log(unit) / (2 * math.pi)
        for place, known in (((4, 4), 0), ((4, 5), 0.25), ((5, 5), 1 / math.pi),
                             ((4, 6), 1 - 2 / math.pi)):
            assert np.max(np.abs(u[(slice(None), *place)] - (known - at_0))) < 1e-12, (unit, place)


@pytest.mark.parametrize("bc", [bc for bc in MIXTURES if bc.count("free") > 1], ids="-".join)
def test_the_stencil_holds_inside(bc):
    for shape, lambda_ in itertools.product(((12, 14, 16), (7, 5, 9), (40, 40, 40)), (0.0, 5.0)):
        f, box = random(shape), np.multiply((0.1, 0.15, 0.07), shape)
        u = solve(f, bc, box, symbol="fd2", lambda_=lambda_)
        inner = (slice(1, -1),) * 3
        lap = sum((np.roll(u, 1, d) + np.roll(u, -1, d) - 2 * u) * (n / length) ** 2
                  for d, (n, length) in enumerate(zip(shape, box)))
        assert far((lap - lambda_ * u)[inner], f[inner]) < 1e-13, (shape, lambda_)


# -------------------------------------------------------------------------------- spectral accuracy

def potential(r, s):
    """-u of a Gaussian charge 1 of width s."""
    return np.vectorize(lambda r: math.erf(r / (math.sqrt(2) * s)) / (4 * math.pi * r) if r > 0
                        else math.sqrt(2 / math.pi) / (4 * math.pi * s))(r)


def hejlesen(n, factors):
    """1/(4 pi r) with the moments of a Gaussian of two spacings taken off, in a unit box."""
    a, width = np.arange(n + 1) / n, 2 / n
    r = np.sqrt(a[:, None, None] ** 2 + a[:, None] ** 2 + a ** 2) / width
    series = sum(c * r ** (2 * m + 1) for m, c in enumerate(factors)) / math.sqrt(2 * math.pi)
    smooth = np.vectorize(math.erf)(r / math.sqrt(2)) + series * np.exp(-r * r / 2)
    r.flat[0], smooth.flat[0] = 1, (2 + factors[0]) / math.sqrt(2 * math.pi)
    return smooth / (4 * math.pi * width * r)


def screened_line(r, s, k):
    """-u of a Gaussian line of charge, as the integral of its heat. k = 0: but for a constant."""
    t = np.exp(np.arange(-50, 40, 0.2))[:, None, None]
    q = 2 * s * s + 4 * t
    g = np.exp(-k * k * t - r * r / q) - (k == 0) * np.exp(-1 / q)
    return np.sum(0.2 * t * g / (math.pi * q), 0)


# The largest error over the largest u of a Gaussian charge: each method has its column.
HEJ4, HEJ10 = (1,), (187 / 64, -233 / 192, 29 / 192, -1 / 192)
COLUMNS = ("hockney", "igf", HEJ4, HEJ10, "fd2", "auto", "gradient", "line")
TABLE = {16: (2.77e-2, 3.12e-2, 0.390, 0.156, 5.57e-2, 7.7e-4, 2.8e-2, 5.3e-4),
         24: (1.76e-2, 1.99e-2, 0.261, 6.50e-2, 3.07e-2, 1.6e-6, 2.8e-4, 1.4e-6),
         32: (1.15e-2, 1.31e-2, 0.168, 2.39e-2, 1.83e-2, 1.6e-9, 7.1e-7, 1.4e-9),
         48: (5.75e-3, 6.57e-3, 7.02e-2, 3.06e-3, 8.44e-3, 0, 0, 0),
         64: (3.37e-3, 3.85e-3, 3.17e-2, 4.49e-4, 4.81e-3, 0, 0, 0)}


@pytest.mark.parametrize("n", TABLE)
@pytest.mark.parametrize("dtype, rounding", (("f8", 3e-13 if GPUS else 1e-13), ("f4", 1e-5)))
def test_table_of_errors(n, dtype, rounding):
    s = 0.05
    x = (np.arange(n) + 0.5) / n - 0.5
    z, y, x = np.meshgrid(x, x, x, indexing="ij")
    r = np.sqrt(z * z + y * y + x * x)
    f = np.exp(-r * r / (2 * s * s)) / (2 * math.pi * s * s) ** 1.5
    a = r / (math.sqrt(2) * s)
    inside = np.vectorize(math.erf)(a) - 2 * a / math.sqrt(math.pi) * np.exp(-a * a)
    force = inside / (4 * math.pi * r ** 3)
    for name, want in zip(COLUMNS, TABLE[n]):
        if name == "line":
            rho = np.hypot(y, x)[:1]
            g = np.exp(-rho * rho / (2 * s * s)) / (2 * math.pi * s * s)
            error = 0
            for k in (0, 1, 8) if want == 0 else (1,):
                wave = np.cos(np.pi * np.arange(4) / 2 * (k > 0))[:, None, None]
                u = solve(g * wave, ("periodic", "free", "free"), (1 / max(k, 1), 1, 1), dtype)
                error = max(error, far(u, -wave * screened_line(rho, s, 2 * math.pi * k)))
        elif name == "gradient":
            with psg.Plan(f.shape, dtype, bc="free", gpus=GPUS) as plan:
                got = plan.gradient(f.astype(dtype))[1]
            error = far(np.stack(got), force * np.stack((z, y, x)))
        else:
            kernel = name if isinstance(name, str) else hejlesen(n, name)
            options = {"symbol": name} if name == "fd2" else {"kernel": kernel}
            with psg.Plan(f.shape, dtype, bc="free", gpus=GPUS, effort="estimate", **options) as plan:
                error = far(plan.solve(f.astype(dtype)), -potential(r, s))
        assert abs(error - want) <= 0.04 * want + rounding, (name, error)


# Of cells that are so much longer along x, as the charge is.
LONG = {("hockney", 16): 0.61, ("hockney", 64): 2.8, ("igf", 16): 7.8e-3, ("igf", 64): 5.4e-3}


@pytest.mark.parametrize("dtype, rounding", (("f8", 1e-13), ("f4", 1e-5)))
def test_long_cells(dtype, rounding):
    t = np.exp(np.arange(-50, 75, 0.15))
    cases = *((*key, 32) for key in LONG), *(("auto", long, 48) for long in (1, 16, 64))
    for kernel, long, n in cases:
        x = (np.arange(n) + 0.5) / n - 0.5
        spread = [np.exp(-(x * a) ** 2 / 2 / q[:, None]) / np.sqrt(2 * math.pi * q[:, None])
                  for a in (1, 1, long) for q in [np.append(0, 2 * t) + (0.05 * a) ** 2]]
        f, u = (np.einsum("t,tk,tj,ti->kji", w, *(q[part] for q in spread))
                for w, part in ((np.ones(1), slice(1)), (0.15 * t, slice(1, None))))
        error = far(solve(f, "free", (1, 1, long), dtype, kernel=kernel), -u)
        want = LONG.get((kernel, long), 0)
        assert abs(error - want) <= 0.03 * want + rounding, (kernel, long, error)


def test_point_sets():
    """200 sets of Gaussian charges beside the sum of erf(r / sqrt(2) s) / (4 pi r) over each set.
    They have a mean, which is no error."""
    dice = np.random.default_rng(5)
    for _ in range(20):
        n, h = dice.integers(40, 57, 3), 0.1
        s = 2.5 * h
        box = [float(m * h) for m in n]
        with psg.Plan(n, box=box, bc="free", gpus=0, mean="error", effort="estimate") as plan:
            for _ in range(10):
                at, charge = dice.uniform(18, n - 18, (8, 3)) * h, dice.standard_normal(8)
                bells = [np.exp(-((np.arange(m) + 0.5) * h - at[:, [d]]) ** 2 / (2 * s * s))
                         for d, m in enumerate(n)]
                f = np.einsum("q,qk,qj,qi->kji", charge / (2 * math.pi * s * s) ** 1.5, *bells)
                u = plan.solve(f)
                some = dice.integers(0, n, (300, 3))
                r = np.linalg.norm((some[:, None] + 0.5) * h - at, axis=2)
                assert far(u[tuple(some.T)], -potential(r, s) @ charge) < 1e-11, (n, at)


def test_screened_charge():
    n, s = 48, 0.05
    x = (np.arange(n) + 0.5) / n - 0.5
    r = np.sqrt(x[:, None, None] ** 2 + x[:, None] ** 2 + x ** 2)
    f = np.exp(-r * r / (2 * s * s)) / (2 * math.pi * s * s) ** 1.5
    for k in (1.0, 5.0, 20.0):
        a, b = k * s / math.sqrt(2), r / (math.sqrt(2) * s)
        erfc = np.vectorize(math.erfc)
        parts = np.exp(-k * r) * erfc(a - b) - np.exp(k * r) * erfc(a + b)
        u = -np.exp(a * a) / (8 * math.pi * r) * parts
        assert far(solve(f, "free", 1.0, lambda_=k * k), u) < 1e-12, k


# ------------------------------------------------------------------------------------------- ways

@pytest.mark.parametrize("options", (dict(cpus=1), dict(sheets=3, segment_planes=4),
                                     dict(sheets=16, segment_planes=1), dict(executor="tasks"),
                                     dict(in_flight=2), dict(placement="free"),
                                     dict(graph="staged"), dict(graph="staged", sheets=1)), ids=str)
@pytest.mark.parametrize("bc", ("free", {"y": "free", "x": "neumann"},
                                {"z": "free", "x": "free"}), ids=str)
def test_ways(bc, options):
    f = random((21, 8, 9))
    want = solve(f, bc, symbol="fd2", cpus=1, executor="tasks", sheets=1, segment_planes=21)
    assert far(solve(f, bc, symbol="fd2", factor=-3.0, **options), -3 * want) < SAME
    assert far(solve(f, bc, dtype="f4", symbol="fd2", **options), want) < 1e-5


def test_terms_and_several_right_hand_sides():
    """A Green's function is made anew for another lambda, also while a solve is in flight."""
    f = random((12, 8, 10))
    p = (-20, -22, -19)
    want = {l: unbounded(f, ("free",) * 3, p, "fd2", l) for l in (900.0, 1200.0, 1500.0, 1800.0)}
    box = [n * math.exp(STEP * q / 2) for n, q in zip(f.shape, p)]
    with psg.Plan(f.shape, box=box, bc="free", symbol="fd2", gpus=GPUS, in_flight=3,
                  lambda_=900.0) as plan:
        for lambda_ in (1200.0, 900.0, 1200.0, 1800.0):
            assert far(plan.solve(f, lambda_=lambda_), want[lambda_]) < 1e-13
        out = [np.empty_like(f) for _ in range(3)]
        for u, lambda_ in zip(out, (900.0, 1500.0, 1200.0)):
            plan.submit(f, out=u, lambda_=lambda_)
        for _ in out:
            plan.wait()
        for u, lambda_ in zip(out, (900.0, 1500.0, 1200.0)):
            assert far(u, want[lambda_]) < 1e-13
        for one, u in zip((1.0, 2.0, -3.0), plan.solve_many(np.stack([f, 2 * f, -3 * f]))):
            assert far(u, one * want[900.0]) < 1e-13


def test_views_with_gaps_and_in_place():
    f = random((9, 10, 14))
    want = solve(f[:, 1:8, 2:11].copy(), "free", symbol="fd2")
    with psg.Plan((9, 7, 9), box=BOX, bc="free", symbol="fd2", gpus=GPUS) as plan:
        u = np.zeros((9, 9, 12))
        plan.solve(f[:, 1:8, 2:11], out=u[:, 1:8, 1:10])
        assert far(u[:, 1:8, 1:10], want) < SAME
        g = f[:, 1:8, 2:11].copy()
        assert far(plan.solve(g, out=g), want) < SAME


def test_values_on_other_sides():
    """They are charges at the points next to the side."""
    bc = ("dirichlet", "periodic", "free")
    with psg.Plan((8, 6, 7), box=BOX, bc=bc, symbol="fd2", gpus=GPUS) as plan:
        u = plan.solve(np.zeros((8, 6, 7)), values={"z": (None, np.ones((6, 7)))})
    f = np.zeros((8, 6, 7))
    f[-1] = -2 / (BOX[0] / 8) ** 2
    assert far(u, solve(f, bc, symbol="fd2")) < SAME


# ------------------------------------------------------------------------------------- kernels

IGF = {(0, 0, 0): 2.380077364, (0, 0, 1): 0.987592404, (0, 1, 1): 0.707565818,
       (1, 1, 1): 0.578034334}


@pytest.mark.parametrize("kernel", ("igf", "hockney"))
@pytest.mark.parametrize("dtype, most", (("f8", 1e-9), ("f4", 2e-6)))
def test_kernel(kernel, dtype, most):
    """Of a charge in a corner. The other corners of an axis see the whole length of it."""
    shape = (3, 4, 5)
    f = np.zeros(shape)
    f[0, 0, 0] = -4 * math.pi
    u = solve(f, "free", shape, dtype, kernel=kernel)
    r = np.sqrt(sum(a.astype(float)**2 for a in np.indices(shape)))
    for at, value in IGF.items():
        expected = value if kernel == "igf" or at == (0, 0, 0) else 1 / r[at]
        assert abs(u[at] - expected) <= most, (at, u[at])
    error = abs(u[-1, -1, -1] * r[-1, -1, -1] - 1)
    assert error <= (1e-3 if kernel == "igf" else most), error


def test_igf_in_long_double():
    """Differences of the antiderivative of 1/r, which lose as many digits as r^3 has."""
    shape, h = (24, 30, 40), (0.1, 0.15, 0.07)
    f = np.zeros(shape)
    f[0, 0, 0] = -4 * math.pi
    u = solve(f, "free", np.multiply(shape, h), kernel="igf")
    z, y, x = np.meshgrid(*((np.arange(n + 1, dtype=np.longdouble) - 0.5) * step
                            for n, step in zip(shape, h)), indexing="ij")
    r = np.sqrt(z * z + y * y + x * x)
    whole = sum(a * b * np.log(c + r) - c * c / 2 * np.arctan(a * b / (c * r))
                for a, b, c in ((x, y, z), (y, z, x), (z, x, y)))
    want = np.diff(np.diff(np.diff(whole, axis=0), axis=1), axis=2)
    assert np.abs(u / want - 1).max() < 1e-12, np.abs(u / want - 1).max()


# ------------------------------------------------------------------------------------- refused

@pytest.mark.parametrize("bc, options, words", (
    ({"x": ("periodic", "free")}, {}, "periodic at both sides or at none"),
    ("free", dict(symbol="fd6"), "fd6 has no free sides"),
    ({"x": "free"}, dict(points="nodes"), "of nodes"),
    ({"x": "free", "y": "free"}, dict(kernel="igf"), "z is not free at both sides"),
    ("free", dict(kernel="hockney", symbol="fd2"), "in place of the symbol"),
    ("free", dict(kernel="igf", lambda_=1), "is for lambda = 0"),
    ("free", dict(kernel="vico"), "vico"),
), ids=str)
def test_refused(bc, options, words):
    with pytest.raises(psg.Error, match=words):
        solve(np.ones((6, 6, 6)), bc, **options)


@pytest.mark.parametrize("axis", "xyz")
def test_refused_terms(axis):
    f = random((6, 6, 6))
    with psg.Plan(f.shape, bc="free", symbol="fd2", gpus=GPUS) as plan:
        with pytest.raises(psg.Error, match="free there"):
            plan.solve(f, values={axis: (None, 1.0)})
    other = [b for b in "zyx" if b != axis]
    with psg.Plan(f.shape, bc={axis: ("neumann", "free"), other[0]: "free", other[1]: "free"}, symbol="fd2",
                  gpus=GPUS) as plan:
        with pytest.raises(psg.Error, match="free upper side"):
            plan.gradient(f)


WAYS = ({}, {"executor": "tasks"}, {"executor": "tasks", "segment_planes": 2, "sheets": 3},
        {"graph": "staged"}, {"graph": "staged", "segment_planes": 2, "sheets": 1})


@pytest.mark.parametrize("bc", UNBOUNDED, ids="-".join)
def test_differences_go_on_beyond_the_last_point(bc):
    """The gradient of fd2 is that of u on a box with one more point along each free axis."""
    shapes = ((6, 5, 7), (4, 3, 2)) if GPUS else ((5, 6, 7), (4, 3, 1), (1, 2, 9))
    for shape, dtype, way in itertools.product(shapes, ("f8", "f4"), WAYS):
        f = random(shape).astype(dtype)
        more = [int(kind == "free") for kind in bc]
        box = [length * (n + m) / n for length, n, m in zip(BOX, shape, more)]
        u = solve(np.pad(f, [(0, m) for m in more]), bc, box, symbol="fd2")
        with psg.Plan(shape, dtype, box=BOX, bc=bc, symbol="fd2", gpus=GPUS, **way) as plan:
            got = plan.gradient(f)
        inside = tuple(slice(n) for n in shape)
        size = {"f8": 1e-13, "f4": 1e-5}[dtype]
        assert far(got[0], u[inside]) < size
        for axis in range(3):
            step = BOX[axis] / shape[axis]
            want = ((np.roll(u, -1, axis) - u) / step)[inside]
            assert np.abs(got[1][axis] - want).max() <= size * np.abs(u).max() / step, (axis, shape)


@pytest.mark.parametrize("bc", UNBOUNDED, ids="-".join)
def test_gradient_of_modes(bc):
    """Along a free axis it is the closed form of a Gaussian charge, or of a line or a plane of it."""
    sigma, centre, n = 0.05, (0.5, 0.45, 0.55), 48
    x = (np.arange(n) + 0.5) / n
    away = [a - c if kind == "free" else np.zeros(n) for a, c, kind in zip((x,) * 3, centre, bc)]
    z, y, x = np.meshgrid(*away, indexing="ij")
    r = np.sqrt(z ** 2 + y ** 2 + x ** 2)
    free = bc.count("free")
    f = np.exp(-r ** 2 / 2 / sigma ** 2) / (math.sqrt(2 * math.pi) * sigma) ** free
    s = np.maximum(r / sigma / math.sqrt(2), 1e-9)
    erf = np.vectorize(math.erf)(s)
    enclosed = {1: erf, 2: 1 - np.exp(-s ** 2), 3: erf - 2 * s / math.sqrt(math.pi) * np.exp(-s ** 2)}[free]
    area = {1: 2 * np.ones(r.shape), 2: 2 * math.pi * r, 3: 4 * math.pi * r ** 2}[free]
    force = np.where(r > 1e-12, enclosed / np.maximum(area, 1e-30), 0)
    for way in WAYS:
        with psg.Plan(f.shape, bc=bc, gpus=GPUS, **way) as plan:
            got = plan.gradient(f)[1]
        for axis, d in enumerate((z, y, x)):
            want = force * d / np.maximum(r, 1e-30)
            assert np.abs(got[axis] - want).max() < 1e-12 * force.max(), (axis, way)


# --------------------------------------------------------------------------------- with epsilon

def between(shape, h, bc, weigh):
    """The matrix of what flows through faces in the box, and through walls, for eps of faces that
    `weigh` makes of two points."""
    n = math.prod(shape)
    matrix, number = np.zeros((n, n)), np.arange(n).reshape(shape)
    for d, ends in enumerate(bc):
        pair = (ends, ends) if isinstance(ends, str) else ends
        low = np.moveaxis(number, d, 0)
        for m, other in zip(low[:-1].ravel(), low[1:].ravel()):
            flow = weigh(m, other) / h[d] ** 2
            matrix[[m, other], [other, m]] += flow
            matrix[[m, other], [m, other]] -= flow
        if pair[0] == "periodic" and len(low) > 1:
            for m, other in zip(low[-1].ravel(), low[0].ravel()):
                flow = weigh(m, other) / h[d] ** 2
                matrix[[m, other], [other, m]] += flow
                matrix[[m, other], [m, other]] -= flow
        for side in range(2):
            if pair[side] == "dirichlet":
                for m in low[-side].ravel():
                    matrix[m, m] -= 2 * weigh(m, m) / h[d] ** 2
    return matrix


OUTSIDE = 1.7


def with_epsilon(whole, shape, h, bc, eps):
    """The matrix of div(eps grad u) - lambda u. @param whole  u without epsilon of each f that is 1
    at one point, for lambda / OUTSIDE"""
    e = eps.ravel()
    inner = between(shape, h, bc, lambda m, to: 2 * e[m] * e[to] / max(e[m] + e[to], 1e-300))
    return inner + OUTSIDE * (np.linalg.inv(whole) - between(shape, h, bc, lambda m, to: 1))


@pytest.mark.parametrize("bc, lambda_", (
    (("free", "free", "free"), 0), (("free", ("neumann", "free"), "free"), 0),
    (("free", "free", WALLS[0]), 0), (("free", "periodic", WALLS[0]), 0),
    (("free", "periodic", WALLS[3]), 2.5), ((("dirichlet", "free"), "periodic", WALLS[3]), 0),
    ((("free", "dirichlet"), "free", "periodic"), 0),
    ((("free", "neumann"), WALLS[0], WALLS[1]), 0.5)), ids=str)
def test_epsilon(bc, lambda_):
    """A dense matrix: that without epsilon is the inverse of sums over all pairs of points, and
    epsilon differs from its number outside in the box alone."""
    shape, p = (5, 4, 6), (0, 1, -1)
    n, h = math.prod(shape), np.exp(STEP * np.array(p) / 2)
    free = [d for d in range(3) if "free" in bc[d]]
    whole = np.array([unbounded(one.reshape(shape), bc, p, "fd2", lambda_ / OUTSIDE).ravel()
                      for one in np.eye(n)]).T
    for seed, solid in itertools.product((1, 2), (False, True)):
        dice = np.random.default_rng(seed)
        f, eps = dice.standard_normal(shape), np.exp(dice.uniform(-3, 3, shape))
        eps[dice.random(shape) < (0.4 if solid else 0)] = 0
        for d in free:
            rim = np.moveaxis(eps, d, 0)
            rim[0 if "free" in (bc[d], bc[d][0]) else -1] = OUTSIDE
            rim[-1 if "free" in (bc[d], bc[d][1]) else 0] = OUTSIDE
        matrix = with_epsilon(whole, shape, h, bc, eps)
        fluid = eps.ravel() > 0
        f.ravel()[~fluid] = np.nan
        want = np.zeros(n)
        want[fluid] = np.linalg.solve(matrix[np.ix_(fluid, fluid)], f.ravel()[fluid])
        want = want.reshape(shape)
        box = [m * length for m, length in zip(shape, h)]
        for dtype, most in (("f8", 1e-10), ("f4", 1e-5)):
            with psg.Plan(shape, dtype, box=box, bc=bc, symbol="fd2", points="cells",
                          gpus=GPUS) as plan:
                u = plan.solve(f.astype(dtype), epsilon=eps.astype(dtype), lambda_=lambda_,
                               tolerance=1e-11 if dtype == "f8" else 0)
                assert far(u, want) < most, (bc, seed, solid, dtype)


@pytest.mark.parametrize("bc", ((("dirichlet", "free"), "periodic", WALLS[3]),
                                (("dirichlet", "free"), "periodic", WALLS[0])), ids=str)
def test_a_body_before_the_wall(bc):
    """Beyond free sides of one axis u is any number, if no wall goes on there: u has the mean 0."""
    shape, p = (5, 4, 6), (0, 1, -1)
    n, h, fluid = math.prod(shape), np.exp(STEP * np.array(p) / 2), np.ones(shape, dtype=bool)
    fluid[0] = False
    f, eps = np.random.default_rng(5).standard_normal(shape), np.where(fluid, OUTSIDE, 0)
    whole = np.array([unbounded(one.reshape(shape), bc, p, "fd2", 0).ravel() for one in np.eye(n)])
    singular = bc[2] == WALLS[3]
    m = fluid.ravel()
    g = f.ravel()[m] - (f[fluid].mean() if singular else 0)
    want = np.zeros(n)
    want[m] = np.linalg.lstsq(with_epsilon(whole.T, shape, h, bc, eps)[np.ix_(m, m)], g, 1e-10)[0]
    with psg.Plan(shape, box=[k * length for k, length in zip(shape, h)], bc=bc, symbol="fd2",
                  points="cells", gpus=GPUS) as plan:
        assert far(plan.solve(f, epsilon=eps), want.reshape(shape)) < 1e-8
        if singular:
            with pytest.raises(psg.MeanError, match="f has the mean"):
                plan.solve(f, epsilon=eps, mean="error")
