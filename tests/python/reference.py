"""Solves by NumPy's FFT and by dense matrices, which share nothing with the library."""

import numpy as np


def periodic(f, box=(1, 1, 1), lambda_=0.0, factor=1.0):
    """lap(u) - lambda u = factor f with every side periodic; box as (lz, ly, lx)."""
    k = [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(f.shape, box)]
    k2 = k[0][:, None, None] ** 2 + k[1][None, :, None] ** 2 + k[2] ** 2 + lambda_
    null = k2[0, 0, 0] == 0
    k2[0, 0, 0] = 1 if null else k2[0, 0, 0]
    u = -factor * np.fft.fftn(f) / k2
    u[0, 0, 0] = 0 if null else u[0, 0, 0]
    return np.fft.ifftn(u).real


def far(u, expected):
    """The largest error, relative to the largest number expected; NaN is infinitely far."""
    error = np.max(np.abs(np.asarray(u, dtype=float) - expected)) / np.max(np.abs(expected))
    return error if error == error else np.inf


def random(shape, dtype="f8", seed=1):
    f = np.random.default_rng(seed).standard_normal(shape)
    return (f - f.mean()).astype(dtype)


# ---------------------------------------------------------------------------------- free sides
# The integral of heat kernels over the time t = exp(TIMES). The kernel of each axis is a dense
# matrix, and spacings are exp(STEP p / 2), so that the stencil has one table for all of them.

STEP = 0.2
TIMES = STEP * np.arange(-210, 361)
WALLS = [(a, b) for a in ("dirichlet", "neumann") for b in ("dirichlet", "neumann")]
OPEN = [pair for a in ("dirichlet", "neumann") for pair in ((a, "free"), ("free", a))]


def bessel(most, times):
    """exp(-x) I_a(x), x = 2 exp(times): a mean over angles, or the series of large x."""
    count, a, x = 4096, np.arange(most + 1), 2 * np.exp(times)[:, None]
    near = np.exp(-2 * np.minimum(x, 1e4) * np.sin(np.pi * np.arange(count) / count) ** 2)
    series = term = np.ones((x.size, most + 1))
    for k in range(1, 12):
        term = term * ((2 * k - 1) ** 2 - 4.0 * a * a) / (8 * k * np.maximum(x, 1e4))
        series = series + term
    near = np.fft.rfft(near, axis=1).real[:, :most + 1] / count
    return np.where(x < 1e4, near, series / np.sqrt(2 * np.pi * x))


BEYOND = 30
BESSEL = bessel(24, STEP * np.arange(-210 - BEYOND, 361 + BEYOND))
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)  # eight times, from 0 to 1
NODES, WEIGHTS = ((NODES + 1) / 2 + np.arange(8)[:, None]).ravel() / 8, np.tile(WEIGHTS, 8) / 16


def modes_of(n, h, kind, symbol, nodes):
    """The modes of an axis between sides that are not free, in columns, and minus eigenvalues."""
    m, i = np.arange(n), np.arange(n)
    if kind == "periodic":
        wave = 2 * np.pi * ((m + 1) // 2) / n
        modes = np.cos(np.outer(i, wave) - np.where(m % 2 == 1, 0, np.pi / 2))
        modes[:, 0] = 1
    else:
        dirichlet = kind.count("dirichlet")
        first = (kind[0] == "dirichlet") if nodes else 0.5
        wave = np.pi * (m + dirichlet / 2) / (n + (dirichlet - 1 if nodes else 0))
        modes = np.cos(np.outer(i + first, wave) - np.pi / 2 * (kind[0] == "dirichlet"))
    return modes, (wave / h) ** 2 if symbol == "spectral" else (2 / h * np.sin(wave / 2)) ** 2


def heat(n, p, symbol):
    """The heat kernel [time][distance] of a free axis; spectral: its transform over |x| < n h."""
    if symbol == "fd2":
        return BESSEL[BEYOND - p:][:TIMES.size, :n]
    length, t = n * np.exp(STEP * p / 2), np.exp(TIMES)[:, None]
    waves = np.pi * np.arange(n + 1) / length
    box = 2 * length * WEIGHTS * np.exp(-(NODES * length) ** 2 / 4 / t) / np.sqrt(4 * np.pi * t)
    modes = np.where(170 * t > length ** 2, box @ np.cos(np.outer(NODES * length, waves)),
                     np.exp(-waves ** 2 * t))
    return back(modes, n)


def back(modes, n):
    m = np.arange(n + 1)
    return modes * np.where(m % n > 0, 2, 1) @ np.cos(np.pi * np.outer(m, m[:n]) / n) / (2 * n)


def along_one(n, h, symbol, k2):
    """The Green's function of an axis that alone is free."""
    if symbol == "fd2":
        q = k2 * h * h
        decay = 1 / (1 + q / 2 + np.sqrt(q + q * q / 4))
        a = np.arange(n)
        return h * h * (-a / 2 if q == 0 else decay ** a / (1 / decay - decay))
    length, odd = n * h, np.arange(n + 1) % 2
    waves = np.pi * np.arange(n + 1) / length
    if k2 == 0:
        return back(np.append(-length ** 2 / 2, 2 * odd[1:] / waves[1:] ** 2), n)
    return back((1 - (1 - 2 * odd) * np.exp(-np.sqrt(k2) * length)) / (k2 + waves ** 2), n)


def pairs(g, kind, n):
    """[..., j, i]: of points i, and of their images in a wall."""
    j, i = np.indices((n, n))
    if kind == "free":
        return g[..., abs(j - i)]
    image = g[..., j + i + 1 if kind[1] == "free" else 2 * n - 1 - j - i]
    return g[..., abs(j - i)] + (image if "neumann" in kind else -image)


def unbounded(f, bc, p, symbol, lambda_, nodes=False):
    """u by a sum over all pairs of points. Spacings exp(STEP p / 2). At least one axis is free."""
    h = np.exp(STEP * np.array(p) / 2)
    free = [d for d in range(3) if "free" in bc[d]]
    bound = [d for d in range(3) if d not in free]
    g, k2, modes = f.transpose(bound + free), np.full([1] * len(bound), lambda_), []
    for place, d in enumerate(bound):
        own, squares = modes_of(f.shape[d], h[d], bc[d], symbol, nodes)
        g = np.moveaxis(np.tensordot(np.linalg.inv(own), g, (1, place)), 0, place)
        k2 = k2 + squares.reshape([-1 if at == place else 1 for at in range(len(bound))])
        modes.append(own)
    n = [f.shape[d] * (1 if bc[d] == "free" else 2) for d in range(3)]
    k2, t = np.where(k2 < 1e-12, 0, k2), np.exp(TIMES)
    kernels = [pairs(heat(n[d], p[d], symbol), bc[d], f.shape[d]) for d in free if len(free) > 1]
    u = np.empty_like(g)
    for at in np.ndindex(g.shape[:len(bound)]):
        if len(free) == 1:
            d = free[0]
            u[at] = -pairs(along_one(n[d], h[d], symbol, k2[at]), bc[d], f.shape[d]) @ g[at]
            continue
        hot = g[at][None]
        for place, kernel in enumerate(kernels, 1):
            last = np.einsum("tji,t...i->t...j", kernel, np.moveaxis(hot, place, -1))
            hot = np.moveaxis(last, -1, place)
        if len(free) == 2 and k2[at] == 0:  # the same of log(r) / (2 pi) at r = 1
            once = np.ones(max(n))
            whole = g[at]
            for d in free:
                whole = np.tensordot(whole, pairs(once, bc[d], f.shape[d]), (0, 1))
            same = np.exp(-1 / 4 / t) / (4 * np.pi * t) * h[free[0]] * h[free[1]]
            hot = hot - np.multiply.outer(same, whole)
        u[at] = -np.tensordot(STEP * t * np.exp(-k2[at] * t), hot, 1)
    for place, own in enumerate(modes):
        u = np.moveaxis(np.tensordot(own, u, (1, place)), 0, place)
    return u.transpose(np.argsort(bound + free))
