"""Free sides along z: random f beside direct sums over the Green's function of each mode, smooth f
beside closed forms, sides along x and y beside a larger box, values on a wall, what is refused."""

import itertools
import math
import os

import numpy as np
import psg
import pytest
from reference import far

BOX = (1.3, 1.0, 2.0)
ENDS = {"ff": "free", "df": ("dirichlet", "free"), "nf": ("neumann", "free"),
        "fd": ("free", "dirichlet"), "fn": ("free", "neumann")}
SIDES = ("periodic", "neumann", "dirichlet")
GPUS = int(os.environ.get("PSG_TEST_GPUS", "0"))
SAME = 1e-13 if GPUS else 1e-14  # of two ways that cores go alike
try:
    # StarPU does not start for each plan, and has cores, too, for plans that want them
    HELD = psg.Plan((4, 4, 4), gpus=GPUS, **({"cpus": 2} if GPUS else {}))
except psg.DeviceError as error:
    pytest.skip(str(error), allow_module_level=True)


def solve(f, bc, box=BOX, dtype="f8", **options):
    with psg.Plan(f.shape, dtype, box=box, bc=bc, gpus=GPUS, effort="estimate", **options) as plan:
        return plan.solve(f.astype(dtype))


def random(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape)


# ------------------------------------------------------------------------------- the stencil fd2

def green(k2, h):
    """u of u'' - k2 u = 1 at one point, in differences, so many points away."""
    if k2 == 0:
        return lambda m: h * h * np.abs(m) / 2
    q = k2 * h * h
    decay = 1 / (1 + q / 2 + np.sqrt(q + q * q / 4))
    return lambda m: -h * h * decay ** np.abs(m) / (1 / decay - decay)


def eigenvalues(n, length):
    return -(2 * n / length * np.sin(np.pi * np.arange(n) / n)) ** 2


def direct(f, ends, lambda_=0.0, box=BOX):
    """x and y are periodic. The image of point m in a wall below is at -1-m, above at 2n-1-m."""
    nz, ny, nx = f.shape
    modes = np.fft.fft2(f, axes=(1, 2))
    m = np.arange(nz)
    sums = m[:, None] + m + 1 - (2 * nz if ends in ("fd", "fn") else 0)
    sign = -1 if "d" in ends else 1 if "n" in ends else 0
    for j, i in itertools.product(range(ny), range(nx)):
        k2 = lambda_ - eigenvalues(ny, box[1])[j] - eigenvalues(nx, box[2])[i]
        g = green(k2, box[0] / nz)
        modes[:, j, i] = (g(m[:, None] - m) + sign * g(sums)) @ modes[:, j, i]
    return np.fft.ifft2(modes, axes=(1, 2)).real


@pytest.mark.parametrize("nz", (1, 2, 3, 12, 39) + (() if GPUS else (37,)))
@pytest.mark.parametrize("ends", ENDS)
def test_direct_sums(nz, ends):
    for nx, lambda_ in itertools.product((1, 7, 10), (0.0, 2.0)):
        f = random((nz, 8, nx))
        u = solve(f, {"z": ENDS[ends]}, symbol="fd2", lambda_=lambda_)
        assert far(u, direct(f, ends, lambda_)) < 1e-13, (nx, lambda_)


@pytest.mark.parametrize("options", (dict(cpus=1), dict(sheets=3, segment_planes=4),
                                     dict(executor="tasks"), dict(in_flight=1),
                                     dict(graph="staged")), ids=str)
def test_ways(options):
    f = random((21, 8, 10))
    u = solve(f, {"z": "free"}, symbol="fd2", factor=-3.0, **options)
    assert far(u, -3 * direct(f, "ff")) < 1e-13
    assert far(solve(f, {"z": "free"}, dtype="f4", symbol="fd2", **options), direct(f, "ff")) < 1e-5


@pytest.mark.parametrize("ends", ("df", "fd"))
@pytest.mark.parametrize("dtype, most", (("f8", 3e-8), ("f4", 1e-3)))
def test_small_lambda_over_a_wall(ends, dtype, most):
    f = random((21, 8, 10)).astype(dtype)
    for symbol in ("fd2", "spectral"):
        with psg.Plan(f.shape, dtype, box=BOX, bc={"z": ENDS[ends]}, symbol=symbol, gpus=GPUS) as plan:
            want = plan.solve(f)
            for lambda_ in (1e-17, 1e-20, 1e-30):
                assert far(plan.solve(f, lambda_=lambda_), want) < most, (symbol, lambda_)


def test_tasks_of_the_staged_graph():
    f = random((21, 8, 10))
    with psg.Plan(f.shape, bc={"z": "free"}, graph="staged", gpus=GPUS, segment_planes=7,
                  sheets=2) as plan:
        plan.solve(f)
        found = plan.statistics()
    assert found["graph"] == "staged"
    segments = dict.fromkeys(("fft_xy", "pack", "unpack", "ifft_xy", "normalize"), 3)
    assert {name: s["tasks"] for name, s in found["stage"].items() if s["tasks"] > 0} \
        == {"kspace": 2, **segments}


def test_several_right_hand_sides_and_terms():
    f = random((21, 8, 10))
    with psg.Plan(f.shape, box=BOX, bc={"z": "free"}, symbol="fd2", gpus=GPUS) as plan:
        for one, u in zip((f, 2 * f), plan.solve_many(np.stack([f, 2 * f]))):
            assert far(u, plan.solve(one)) < (1e-13 if GPUS else 1e-15)
        for lambda_ in (0.5, 0.0, 30.0):
            assert far(plan.solve(f, lambda_=lambda_), direct(f, "ff", lambda_)) < 1e-13


def test_values_on_a_wall():
    """f = 0: a mode on the wall decays into the box, exactly as the stencil says."""
    nz, ny, nx = 12, 8, 10
    x = np.arange(nx) * BOX[2] / nx
    g = np.broadcast_to(np.cos(2 * np.pi * x / BOX[2]), (ny, nx)).copy()
    h = BOX[0] / nz
    q = -eigenvalues(nx, BOX[2])[1] * h * h
    decay = 1 / (1 + q / 2 + math.sqrt(q + q * q / 4))
    with psg.Plan((nz, ny, nx), box=BOX, bc={"z": ENDS["df"]}, symbol="fd2", gpus=GPUS) as plan:
        u = plan.solve(np.zeros((nz, ny, nx)), values={"z": (g, None)})
    first = 2 / (1 + 1 / decay)  # the mean of it and of its neighbour below is 1
    assert far(u, first * decay ** np.arange(nz)[:, None, None] * g) < SAME


# ---------------------------------------------------------------------------- other sides, spectral

def mirrored(f, axis, kind):
    return np.concatenate([f, (1 if kind == "neumann" else -1) * np.flip(f, axis)], axis)


@pytest.mark.parametrize("ends", ENDS)
def test_sides_along_x_and_y_are_those_of_a_larger_box(ends):
    """free_axes.py has fd2, and spectral where z has two ends."""
    shapes = ((5, 5, 6), (12, 4, 7))
    for kx, ky, lambda_, shape in itertools.product(SIDES, SIDES, (0.0, 1.5), shapes):
        f = random(shape)
        u = solve(f, {"z": ENDS[ends], "y": ky, "x": kx}, lambda_=lambda_)
        large, box = f, list(BOX)
        for axis, kind in ((1, ky), (2, kx)):
            if kind != "periodic":
                large = mirrored(large, axis, kind)
                box[axis] *= 2
        v = solve(large, {"z": ENDS[ends]}, box, lambda_=lambda_)
        assert far(u, v[:, :shape[1], :shape[2]]) < 1e-13, (kx, ky, lambda_, shape)


def bell(z, k, s):
    """u of u'' - k^2 u = -g, g a Gaussian of integral 1 and width s about 0."""
    erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)
    if k == 0:
        corner = s / math.sqrt(2 * math.pi) * np.exp(-z * z / (2 * s * s))
        return -corner - z / 2 * erf(z / (math.sqrt(2) * s))
    near, far_side = (k * s * s - z) / (math.sqrt(2) * s), (k * s * s + z) / (math.sqrt(2) * s)
    both = np.exp(-k * z) * erfc(near) + np.exp(k * z) * erfc(far_side)
    return math.exp(k * k * s * s / 2) / (4 * k) * both


# The largest error over the largest u, of a layer of charge about z = 0.45, and over a wall.
LAYER = {16: (1.6e-4, 8.5e-5), 24: (4e-7, 2.3e-7), 32: (4.6e-10, 2.6e-10), 48: (SAME, SAME),
         64: (SAME, SAME)}


@pytest.mark.parametrize("n", LAYER)
@pytest.mark.parametrize("dtype, rounding", (("f8", 0), ("f4", 1e-6)))
def test_spectral_accuracy(n, dtype, rounding):
    s, at = 0.05, 0.45
    z = ((np.arange(n) + 0.5) / n)[:, None, None]
    x = np.arange(16) / 16
    wave = np.cos(2 * np.pi * x) * np.cos(4 * np.pi * x)[:, None]
    f = -np.exp(-(z - at) ** 2 / (2 * s * s)) / (math.sqrt(2 * math.pi) * s) * (1 + wave)

    def layer(z):
        return bell(z, 0, s) + bell(z, 2 * math.pi * math.sqrt(5), s) * wave

    for ends, expected, bound in (("ff", layer(z - at), LAYER[n][0]),
                                  ("df", layer(z - at) - layer(z + at), LAYER[n][1])):
        error = far(solve(f, {"z": ENDS[ends]}, 1.0, dtype), expected)
        assert error <= bound + rounding, (ends, error)


def test_two_layers_of_charge():
    """u jumps by the charge times the distance. A layer is cut at 7.5 widths."""
    z, s = (np.arange(64) + 0.5) / 64, 0.04
    f = sum(sign * np.exp(-((z - at) / s) ** 2 / 2) for sign, at in ((1, 0.3), (-1, 0.7)))
    u = solve((f / (math.sqrt(2 * math.pi) * s))[:, None, None].repeat(4, 1), {"z": "free"}, 1.0)
    assert abs(u[-1] - u[0] - 0.4).max() < 1e-12


# ------------------------------------------------------------------------------------- refused

@pytest.mark.parametrize("bc, options, words", (
    ({"z": ("periodic", "free")}, {}, "periodic at both sides or at none"),
    ({"z": "free"}, dict(symbol="fd4"), "fd4 has no free sides"),
    ({"z": "free"}, dict(symbol="fd8"), "fd8 has no free sides"),
    ({"z": "free"}, dict(points="nodes"), "of nodes"),
), ids=str)
def test_refused(bc, options, words):
    with pytest.raises(psg.Error, match=words):
        solve(np.ones((6, 6, 6)), bc, **options)


def test_refused_terms():
    f = random((6, 6, 6))
    with psg.Plan(f.shape, bc={"z": "free"}, symbol="fd2", gpus=GPUS) as plan:
        with pytest.raises(psg.Error, match="free there"):
            plan.solve(f, values={"z": (None, 1.0)})
    with psg.Plan(f.shape, bc={"z": ("neumann", "free")}, symbol="fd2", gpus=GPUS) as plan:
        with pytest.raises(psg.Error, match="free upper side"):
            plan.gradient(f)
