"""Free sides along x and y, with every mixture: random f beside a larger box, beside dense sums
over the Green's function of the lattice, and beside the stencil; charges beside closed forms."""

import itertools
import math

import numpy as np
import psg
import pytest
from reference import far

BOX = (1.3, 1.0, 2.0)
KINDS = ("free", "periodic", "neumann", "dirichlet")
MIXTURES = [bc for bc in itertools.product(KINDS, repeat=3) if "free" in bc[1:]]
UNBOUNDED = [bc for bc in MIXTURES if set(bc) <= {"free", "periodic"}]


def solve(f, bc, box=BOX, dtype="f8", **options):
    with psg.Plan(f.shape, dtype, box=box, bc=bc, gpus=0, effort="estimate", **options) as plan:
        return plan.solve(f.astype(dtype))


def random(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape)


def mirrored(f, bc):
    for axis, kind in enumerate(bc):
        if kind in ("neumann", "dirichlet"):
            f = np.concatenate([f, (1 if kind == "neumann" else -1) * np.flip(f, axis)], axis)
    return f


def screened(f, bc, lambda_, box=BOX, beyond=60):
    """By fd2. u decays, so a free axis is a periodic one that is long enough."""
    large = mirrored(f, bc)
    n = [m + (beyond if kind == "free" else 0) for m, kind in zip(large.shape, bc)]
    e = [-(2 * m / length * np.sin(np.pi * np.arange(k) / k)) ** 2
         for m, k, length in zip(f.shape, n, box)]
    u = np.fft.ifftn(np.fft.fftn(large, n) / (e[0][:, None, None] + e[1][:, None] + e[2] - lambda_))
    return u.real[:f.shape[0], :f.shape[1], :f.shape[2]]


@pytest.mark.parametrize("bc", MIXTURES, ids="-".join)
def test_every_mixture(bc):
    for shape in ((5, 6, 4), (4, 3, 5), (1, 2, 11), (7, 1, 1), (12, 9, 8)):
        f = random(shape)
        assert far(solve(f, bc, symbol="fd2", lambda_=900.0), screened(f, bc, 900.0)) < 1e-13, shape


@pytest.mark.parametrize("bc", MIXTURES, ids="-".join)
def test_other_sides_are_those_of_a_larger_box(bc):
    """Free axes stay, and the other sides mirror f."""
    f = random((5, 4, 7))
    large = mirrored(f, bc)
    box = [length * m / n for length, m, n in zip(BOX, large.shape, f.shape)]
    other = ["free" if kind == "free" else "periodic" for kind in bc]
    for symbol, lambda_ in itertools.product(("fd2", "spectral"), (0.0, 1.5)):
        u = solve(f, bc, symbol=symbol, lambda_=lambda_)
        v = solve(large, other, box, symbol=symbol, lambda_=lambda_)
        assert far(u, v[:5, :4, :7]) < 1e-13, (symbol, lambda_)


@pytest.mark.parametrize("bc", UNBOUNDED, ids="-".join)
def test_axes_may_change_places(bc):
    """The same f with its axes in another order has the same u, by other methods."""
    f = random((6, 5, 9))
    for order in itertools.permutations(range(3)):
        kinds, box = [bc[d] for d in order], [BOX[d] for d in order]
        for symbol, lambda_ in itertools.product(("fd2", "spectral"), (0.0, 3.0)):
            u = solve(f, bc, symbol=symbol, lambda_=lambda_)
            turned = np.ascontiguousarray(f.transpose(order))
            v = solve(turned, kinds, box, symbol=symbol, lambda_=lambda_)
            assert far(v, u.transpose(order)) < 1e-13, (order, symbol, lambda_)


# ------------------------------------------------------------------------------ walls and free ends

WALLS = [(a, b) for wall in ("dirichlet", "neumann") for a, b in ((wall, "free"), ("free", wall))]


def imaged(f, bc):
    """Beside each wall the image of f, and where f is in it."""
    own = []
    for axis, kind in enumerate(bc):
        n = f.shape[axis]
        if kind in WALLS:
            wall = kind[0] if kind[1] == "free" else kind[1]
            image = (1 if wall == "neumann" else -1) * np.flip(f, axis)
            f = np.concatenate([image, f] if kind[1] == "free" else [f, image], axis)
        own.append(slice(n, None) if kind in WALLS and kind[1] == "free" else slice(n))
    return f, tuple(own)


def test_walls_have_images():
    """Random axes, x or y free at an end, and one at one end alone: the same as with f and its
    image in a box of twice the length, free at both ends."""
    dice = np.random.default_rng(11)
    solved = 0
    for count in range(300):
        bc = [(*KINDS, *WALLS)[m] for m in dice.integers(len(KINDS) + len(WALLS), size=3)]
        if not any(kind in WALLS for kind in bc) or not {"free", *WALLS} & set(bc[1:]):
            continue
        f = random([int(n) for n in dice.integers(1, 13, 3)], seed=count)
        large, own = imaged(f, bc)
        box = [length * m / n for length, m, n in zip(BOX, large.shape, f.shape)]
        both = ["free" if kind in WALLS else kind for kind in bc]
        options = {"symbol": ("fd2", "spectral")[count % 2], "lambda_": (0.0, 1.5)[count // 2 % 2]}
        want = solve(large, both, box, **options)[own]
        assert far(solve(f, bc, **options), want) < 1e-12, (bc, f.shape, options)
        if count % 5 == 0:
            assert far(solve(f, bc, dtype="f4", **options), want) < 2e-5, (bc, f.shape, options)
        solved += 1
    assert solved > 200


@pytest.mark.parametrize("wall", WALLS, ids="-".join)
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

def bessel(x, most):
    """exp(-x) I_a(x), a = 0 .. most: a mean over so many angles that nothing is folded back."""
    count = 16384
    angles = 2 * np.pi * np.arange(count) / count
    heat = np.exp(-2 * x[:, None] * np.sin(angles / 2) ** 2)
    return np.fft.rfft(heat, axis=1).real[:, :most + 1] / count


def lattice(n, h):
    """-u of a charge 1 at (0, 0, 0), at points 0 .. n of each axis of a lattice: the integral of
    the heat kernel by Gauss's rule, and its tail by the first terms of the series in 1/t."""
    most = max(n)
    end = 1e4 * max(h) ** 2
    nodes, weights = np.polynomial.legendre.leggauss(400)
    v = np.log(1e-14 * min(h) ** 2) + (nodes + 1) / 2 * math.log(end / (1e-14 * min(h) ** 2))
    t = np.exp(v)
    w = weights / 2 * math.log(end / (1e-14 * min(h) ** 2)) * t
    one = [bessel(2 * t / (step * step), most) / step for step in h]
    g = np.einsum("t,ta,tb,tc->abc", w, *one)
    # exp(-z) I_a(z) = (1 - c1/z + c2/z^2 - ..)/sqrt(2 pi z), z = 2 t/h^2
    a = 4.0 * np.arange(most + 1) ** 2
    c = [[np.ones(most + 1), -(a - 1) / 8 * s, (a - 1) * (a - 9) / 128 * s ** 2,
          -(a - 1) * (a - 9) * (a - 25) / 3072 * s ** 3] for s in [step * step / 2 for step in h]]
    for i, j, k in itertools.product(range(4), repeat=3):
        if i + j + k < 4:
            power = 0.5 + i + j + k
            terms = c[0][i][:, None, None] * c[1][j][:, None] * c[2][k]
            g += (4 * np.pi) ** -1.5 * end ** -power / power * terms
    return g


@pytest.mark.parametrize("shape, box", (((12, 8, 10), BOX), ((5, 7, 3), (5, 7, 3)),
                                        ((1, 1, 12), (1, 1, 12)), ((11, 1, 6), BOX)), ids=str)
def test_dense_sums_over_the_lattice(shape, box):
    h = [length / n for length, n in zip(box, shape)]
    g = lattice(shape, h)
    f = random(shape)
    z, y, x = (np.abs(np.subtract.outer(np.arange(n), np.arange(n))) for n in shape)
    g = g[z[:, None, None, :, None, None], y[:, None, None, :, None], x[:, None, None, :]]
    dense = -np.prod(h) * np.einsum("zyxkji,kji->zyx", g, f)
    assert far(solve(f, "free", box, symbol="fd2"), dense) < 1e-12
    assert far(solve(f, "free", box, "f4", symbol="fd2"), dense) < 1e-5


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
    for shape, lambda_ in itertools.product(((12, 8, 10), (7, 5, 9), (13, 11, 6)), (0.0, 2.0)):
        f = random(shape)
        u = solve(f, bc, symbol="fd2", lambda_=lambda_)
        inner = (slice(1, -1),) * 3
        lap = sum((np.roll(u, 1, d) + np.roll(u, -1, d) - 2 * u) * (n / length) ** 2
                  for d, (n, length) in enumerate(zip(shape, BOX)))
        assert far((lap - lambda_ * u)[inner], f[inner]) < 1e-13, (shape, lambda_)


# -------------------------------------------------------------------------------- spectral accuracy

def potential(r, s):
    """-u of a Gaussian charge 1 of width s."""
    return np.vectorize(lambda r: math.erf(r / (math.sqrt(2) * s)) / (4 * math.pi * r) if r > 0
                        else math.sqrt(2 / math.pi) / (4 * math.pi * s))(r)


GAUSSIAN = {16: 7.7e-4, 24: 1.7e-6, 32: 1.7e-9, 48: 1e-13}


@pytest.mark.parametrize("n", GAUSSIAN)
@pytest.mark.parametrize("dtype, rounding", (("f8", 0), ("f4", 1e-6)))
def test_spectral_accuracy(n, dtype, rounding):
    """Also of long cells, with as many of them."""
    x = (np.arange(n) + 0.5) / n - 0.5
    for long in (1, 16, 64) if n == 48 else (1,):
        r2 = x[:, None, None] ** 2 + x[:, None] ** 2 + x ** 2
        s = 0.05
        f = np.exp(-r2 / (2 * s * s)) / (2 * math.pi * s * s) ** 1.5
        if long == 1:
            error = far(solve(f, "free", 1.0, dtype), -potential(np.sqrt(r2), s))
            assert error <= GAUSSIAN[n] + rounding, error
        else:  # a long one has the derivatives of its f: u of lap(g) is g
            h2 = (s * s, s * s, (s * long) ** 2)
            lap = sum((q ** 2 / h2[d] - 1) / h2[d] for d, q in
                      ((0, x[:, None, None]), (1, x[:, None]), (2, x * long)))
            g = np.exp(-r2 / (2 * s * s))
            error = far(solve(g * lap, "free", (1, 1, long), dtype), g)
            assert error <= 1e-11 + 10 * rounding, (long, error)


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
                                     dict(in_flight=2), dict(placement="free")), ids=str)
@pytest.mark.parametrize("bc", ("free", {"y": "free", "x": "neumann"},
                                {"z": "free", "x": "free"}), ids=str)
def test_ways(bc, options):
    f = random((19, 8, 9))
    want = solve(f, bc, symbol="fd2", cpus=1, executor="tasks", sheets=1, segment_planes=19)
    assert far(solve(f, bc, symbol="fd2", factor=-3.0, **options), -3 * want) < 1e-14
    assert far(solve(f, bc, dtype="f4", symbol="fd2", **options), want) < 1e-5


def test_terms_and_several_right_hand_sides():
    """A Green's function is made anew for another lambda, also while a solve is in flight."""
    f = random((12, 8, 10))
    want = {l: screened(f, ("free",) * 3, l) for l in (900.0, 1200.0, 1500.0, 1800.0)}
    with psg.Plan(f.shape, box=BOX, bc="free", symbol="fd2", gpus=0, in_flight=3,
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
    with psg.Plan((9, 7, 9), box=BOX, bc="free", symbol="fd2", gpus=0) as plan:
        u = np.zeros((9, 9, 12))
        plan.solve(f[:, 1:8, 2:11], out=u[:, 1:8, 1:10])
        assert far(u[:, 1:8, 1:10], want) < 1e-14
        g = f[:, 1:8, 2:11].copy()
        assert far(plan.solve(g, out=g), want) < 1e-14


def test_values_on_other_sides():
    """They are charges at the points next to the side."""
    bc = ("dirichlet", "periodic", "free")
    with psg.Plan((8, 6, 7), box=BOX, bc=bc, symbol="fd2", gpus=0) as plan:
        u = plan.solve(np.zeros((8, 6, 7)), values={"z": (None, np.ones((6, 7)))})
    f = np.zeros((8, 6, 7))
    f[-1] = -2 / (BOX[0] / 8) ** 2
    assert far(u, solve(f, bc, symbol="fd2")) < 1e-14


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


# ------------------------------------------------------------------------------------- refused

@pytest.mark.parametrize("bc, options, words", (
    ({"x": ("periodic", "free")}, {}, "periodic at both sides or at none"),
    ("free", dict(symbol="fd6"), "fd6 has no free sides"),
    ({"y": "free"}, dict(graph="staged"), "fused graph"),
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
    with psg.Plan(f.shape, bc="free", symbol="fd2", gpus=0) as plan:
        with pytest.raises(psg.Error, match="free there"):
            plan.solve(f, values={axis: (None, 1.0)})
    other = [b for b in "zyx" if b != axis]
    with psg.Plan(f.shape, bc={axis: ("neumann", "free"), other[0]: "free", other[1]: "free"}, symbol="fd2",
                  gpus=0) as plan:
        with pytest.raises(psg.Error, match="free upper side"):
            plan.gradient(f)


WAYS = ({}, {"executor": "tasks"}, {"executor": "tasks", "segment_planes": 2, "sheets": 3})


@pytest.mark.parametrize("bc", UNBOUNDED, ids="-".join)
def test_differences_go_on_beyond_the_last_point(bc):
    """The gradient of fd2 is that of u on a box with one more point along each free axis."""
    for shape, dtype, way in itertools.product(((5, 6, 7), (4, 3, 1), (1, 2, 9)), ("f8", "f4"), WAYS):
        f = random(shape).astype(dtype)
        more = [int(kind == "free") for kind in bc]
        box = [length * (n + m) / n for length, n, m in zip(BOX, shape, more)]
        u = solve(np.pad(f, [(0, m) for m in more]), bc, box, symbol="fd2")
        with psg.Plan(shape, dtype, box=BOX, bc=bc, symbol="fd2", gpus=0, **way) as plan:
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
        with psg.Plan(f.shape, bc=bc, gpus=0, **way) as plan:
            got = plan.gradient(f)[1]
        for axis, d in enumerate((z, y, x)):
            want = force * d / np.maximum(r, 1e-30)
            assert np.abs(got[axis] - want).max() < 1e-12 * force.max(), (axis, way)
