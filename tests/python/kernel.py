"""A kernel that is an array: u beside numpy's convolution, softened gravity beside a direct sum,
multipliers beside the symbol, problems of two axes and of one, and words for what is no kernel."""

import threading

import numpy as np
import psg
import pytest
from reference import far

BOX = (1.3, 1.0, 2.0)
SIDES = (("free",) * 3, ("periodic",) * 3, ("free", "periodic", "free"),
         ("periodic", "free", "free"))
QUICK = {"gpus": 0, "effort": "estimate"}


def random(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape)


def octant(shape, bc, seed=2):
    return random([n + 1 if kind == "free" else n // 2 + 1 for n, kind in zip(shape, bc)], seed)


def convolved(f, kernel, bc, box):
    """The kernel in all of its period, and f in as much."""
    for axis, (n, kind) in enumerate(zip(f.shape, bc)):
        period = 2 * n if kind == "free" else n
        kernel = np.take(kernel, np.minimum(np.arange(period), period - np.arange(period)), axis)
    modes = np.fft.rfftn(kernel) * np.fft.rfftn(f, kernel.shape)
    u = np.fft.irfftn(modes, kernel.shape, range(f.ndim))
    return -np.prod(box) / f.size * u[tuple(slice(n) for n in f.shape)]


@pytest.mark.parametrize("bc", SIDES, ids="-".join)
def test_a_convolution(bc):
    for shape in ((6, 4, 10), (10, 12, 6)):
        f, kernel = random(shape), octant(shape, bc)
        want = convolved(f, kernel, bc, BOX)
        assert far(psg.solve(f, box=BOX, bc=bc, kernel=kernel, **QUICK), want) < 1e-13, shape
        single = psg.solve(f.astype("f4"), box=BOX, bc=bc, kernel=kernel, factor=-2, **QUICK)
        assert far(single, -2 * want) < 1e-5, shape


def test_few_axes():
    for shape in ((6, 8), (10,)):
        for bc in ("free", "periodic"):
            every, box = (bc,) * len(shape), BOX[:len(shape)]
            f, kernel = random(shape), octant(shape, every)
            u = psg.solve(f, box=box, bc=bc, kernel=kernel, **QUICK)
            assert far(u, convolved(f, kernel, every, box)) < 1e-13, (shape, bc)


def test_softened_gravity_of_points():
    """Masses at some points, and the accelerations' potential by a sum over all pairs of them."""
    shape, eps = (9, 8, 7), 0.11
    z, y, x = psg.points(shape, box=BOX, bc="free")
    h = [length / n for length, n in zip(BOX, shape)]
    at = np.random.default_rng(3).integers(0, shape, (20, 3))
    rho = np.zeros(shape)
    np.add.at(rho, tuple(at.T), 1 / np.prod(h))
    far_away = [np.arange(n + 1) * step for n, step in zip(shape, h)]
    r2 = far_away[0][:, None, None] ** 2 + far_away[1][:, None] ** 2 + far_away[2] ** 2
    kernel = 1 / (4 * np.pi * np.sqrt(r2 + eps**2))
    phi = psg.solve(rho, box=BOX, bc="free", kernel=kernel, factor=4 * np.pi, **QUICK)
    want = np.zeros(shape)
    for k, j, i in at:
        want -= 1 / np.sqrt((z - z[k]) ** 2 + (y - y[:, j]) ** 2 + (x - x[:, :, i]) ** 2 + eps**2)
    assert far(phi, want) < 1e-14


@pytest.mark.parametrize("symbol, weights", (
    ("spectral", ()), ("fd2", (1,)), ("fd6", (3 / 2, -3 / 20, 1 / 90))))
def test_multipliers_are_the_symbol(symbol, weights):
    shape = (9, 8, 7)
    k = [2 * np.pi * np.arange(n // 2 + 1) / length for n, length in zip(shape, BOX)]
    if weights:
        h = [length / n for n, length in zip(shape, BOX)]
        k = [np.sqrt(sum(2 * weight * (1 - np.cos((m + 1) * wave * step))
                         for m, weight in enumerate(weights))) / step for wave, step in zip(k, h)]
    k2 = k[0][:, None, None] ** 2 + k[1][:, None] ** 2 + k[2] ** 2
    k2[0, 0, 0] = np.inf
    f = random(shape)
    with psg.Plan(shape, box=BOX, kernel=1 / k2, kernel_form="modes", **QUICK) as plan:
        assert far(plan.solve(f), psg.solve(f, box=BOX, symbol=symbol, **QUICK)) < 1e-13
        assert abs(plan.statistics()["mean"] - f.mean()) < 1e-15
        f[:] = 1
        k2[0, 0, 0] = 0.5
        plan.set_kernel(1 / k2, "modes")
        assert far(plan.solve(f, factor=3), np.full(shape, -6.0)) < 1e-14  # the mean is a mode


@pytest.mark.parametrize("shape", ((9, 8, 7), (6, 10, 12), (9, 8), (7, 6)))
def test_a_constant_tensor(shape):
    """div(A grad u), where A mixes the axes: no octant has its modes, and their spectrum has."""
    axes = len(shape)
    root = random((axes, axes))
    a = root @ root.T + np.eye(axes)
    along = (2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(shape, BOX))
    k = np.meshgrid(*along, indexing="ij")
    q = sum(a[d, e] * k[d] * k[e] for d in range(axes) for e in range(axes))
    q.flat[0] = np.inf
    modes = np.fft.fftn(random(shape))
    for axis, n in enumerate(shape):  # a highest wave is its own opposite, and has no sign of k
        modes[(slice(None),) * axis + (slice(n // 2, n // 2 + 1 - n % 2),)] = 0
    kernel = np.ascontiguousarray(1 / q[..., :shape[-1] // 2 + 1])
    f = np.fft.ifftn(modes).real.copy()
    u = psg.solve(f, box=BOX[:axes], kernel=kernel, kernel_form="spectrum", **QUICK)
    assert far(u, -np.fft.ifftn(modes / q).real) < 1e-13


def test_threads_have_their_kernels():
    f = random((8, 8, 8))
    kernels = [octant(f.shape, ("free",) * 3, seed) for seed in range(4)]
    wrong = []

    def work(kernel):
        want = convolved(f, kernel, ("free",) * 3, (1, 1, 1))
        for _ in range(20):
            if not far(psg.solve(f, bc="free", kernel=kernel, **QUICK), want) < 1e-13:
                wrong.append(1)

    threads = [threading.Thread(target=work, args=(kernel,)) for kernel in kernels]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


G = random((5, 6, 7))


@pytest.mark.parametrize("given, kind, words", (
    ({"kernel": G[1:]}, psg.ArgumentError, "7 x 6 x 4 values .*, and this grid needs 7 x 6 x 5"),
    ({"kernel": G[0]}, psg.ArgumentError, r"the shape \(6, 7\), and one of 3 axes is needed"),
    ({"kernel": G.astype("f4")}, psg.ArrayError, "kernel is float32, and float64 is needed"),
    ({"kernel": G[:, ::-1]}, psg.ArrayError, "kernel: its values do not follow one another"),
    ({"kernel": G.tolist()}, psg.ArrayError, "kernel is builtins.list, and no array"),
    ({"kernel": 3}, psg.ArrayError, "kernel is builtins.int, and no array"),
    ({"kernel": np.where(G == G[1, 2, 3], np.nan, G)}, psg.DataError, r"nan at .* = \(3,2,1\)"),
    ({"kernel": G, "kernel_form": "odd"}, psg.ArgumentError, "one of 'space', 'modes' and"),
    ({"kernel_form": "modes"}, psg.ArgumentError, "is for a kernel that is an array"),
    ({"kernel": "igf", "kernel_form": "modes"}, psg.ArgumentError, "for a kernel that is an array"),
    ({"kernel": G, "lambda_": 1.0}, psg.UnsupportedError, "kernel user is for lambda = 0"),
    ({"kernel": G, "symbol": "fd4"}, psg.UnsupportedError, "in place of the symbol"),
    ({"kernel": G, "bc": "dirichlet"}, psg.UnsupportedError, "between two walls: give its modes"),
    ({"kernel": "hokney"}, psg.ArgumentError, "did you mean .hockney.")))
def test_words(given, kind, words):
    given = {"bc": "free", **given}
    f = random((4, 5, 6))
    plans = psg._plan.process.plans
    with pytest.raises(kind, match=words):
        psg.solve(f, **given, **QUICK)
    psg.forget()
    with pytest.raises(kind, match=words):
        psg.Plan(f.shape, **given, **QUICK)
    assert psg._plan.process.plans <= plans


def test_a_plan_without_its_kernel():
    f = random((4, 5, 6))
    with pytest.raises(psg.ArgumentError, match="kernel = 'user': give the array itself"):
        psg.solve(f, kernel="user", **QUICK)
    with psg.Plan(f.shape, **QUICK) as plan, pytest.raises(psg.StateError, match="kernel = auto"):
        plan.set_kernel(G)
    with psg.Plan(f.shape, bc="free", kernel="user", **QUICK) as plan:
        with pytest.raises(psg.StateError, match="comes before a solve"):
            plan.solve(f)
        plan.set_kernel(G)
        assert far(plan.solve(f), convolved(f, G, ("free",) * 3, (1, 1, 1))) < 1e-13
        plan.submit(f)
        with pytest.raises(psg.StateError, match="in flight"):
            plan.set_kernel(G)
        plan.wait()
    with pytest.raises(psg.StateError, match="closed"):
        plan.set_kernel(G)
