"""psg.solve() beside the same solve by hand with scipy.fft, in turns, with the same u.

    python3 lab/peers/beside_scipy.py [--workers N] [--repeat R] KIND SHAPE ...

KIND   periodic, dirichlet or neumann (points in cells, second differences), free (all axes, by a
       doubled grid, whose kernel is made before)
SHAPE  as 512x512 or 128x128x128
N      threads of scipy, and cores of psg; default: all cores of the process. R rounds; default: 15
"""

import argparse
import os
import statistics
import time

import numpy as np
import psg
from scipy import fft


def symbol_of(shape, waves):
    """1 over the eigenvalues of the second differences. @param waves  half waves along each axis"""
    parts = [
        (-4 * n**2 * np.sin(np.pi * w / (2 * n)) ** 2).reshape(
            [-1 if e == d else 1 for e in range(len(shape))]
        )
        for d, (n, w) in enumerate(zip(shape, waves))
    ]
    whole = sum(parts)
    return np.divide(1, whole, out=np.zeros_like(whole), where=whole != 0)


def by_hand(kind, shape, workers):
    """A function from f to u, by scipy alone."""
    half = [np.arange(n) for n in shape]
    if kind == "periodic":
        waves = [2 * np.fft.fftfreq(n, 1 / n) for n in shape[:-1]] + [
            2 * np.arange(shape[-1] // 2 + 1)
        ]
        factors = symbol_of(shape, waves)
        return lambda f: fft.irfftn(fft.rfftn(f, workers=workers) * factors, shape, workers=workers)
    if kind == "dirichlet":
        factors = symbol_of(shape, [h + 1 for h in half])
        return lambda f: fft.idstn(fft.dstn(f, workers=workers) * factors, workers=workers)
    if kind == "neumann":
        factors = symbol_of(shape, half)
        return lambda f: fft.idctn(fft.dctn(f, workers=workers) * factors, workers=workers)
    point = np.zeros(shape)
    point[(0,) * len(shape)] = 1
    kernel = psg.solve(point, bc="free", symbol="fd2")
    for d, n in enumerate(shape):  # even, of period 2 n; no pair of points is n apart
        back = np.flip(np.take(kernel, range(1, n), d), d)
        kernel = np.concatenate((kernel, np.zeros_like(np.take(kernel, [0], d)), back), d)
    factors = fft.rfftn(kernel, workers=workers)
    double, inside = [2 * n for n in shape], tuple(slice(n) for n in shape)
    return lambda f: fft.irfftn(
        fft.rfftn(f, double, workers=workers) * factors, double, workers=workers
    )[inside]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("kind", choices=("periodic", "dirichlet", "neumann", "free"))
    parser.add_argument("shape", nargs="+")
    given = parser.parse_args()
    for text in given.shape:
        shape = tuple(int(n) for n in text.split("x"))
        f = np.random.default_rng(1).standard_normal(shape)
        f -= 0 if given.kind in ("dirichlet", "free") else f.mean()
        peer = by_hand(given.kind, shape, given.workers)
        options = dict(bc=given.kind, symbol="fd2", cpus=given.workers, gpus=0)
        seconds = {"psg": [], "scipy": []}
        u, want = psg.solve(f, **options), peer(f)
        difference = abs(u - want).max() / abs(want).max()
        if not difference <= 1e-11:
            raise SystemExit("%s %s: u differs by %.1e" % (given.kind, text, difference))
        for _ in range(given.repeat):
            for name, solve in (
                ("psg", lambda: psg.solve(f, out=u, **options)),
                ("scipy", lambda: peer(f)),
            ):
                begin = time.perf_counter()
                solve()
                seconds[name].append(time.perf_counter() - begin)
        ms = {name: 1e3 * statistics.median(found) for name, found in seconds.items()}
        print(
            "%-9s %-14s psg %8.3f ms (%.3f to %.3f), scipy / psg %.2f, difference %.0e"
            % (
                given.kind,
                text,
                ms["psg"],
                1e3 * min(seconds["psg"]),
                1e3 * max(seconds["psg"]),
                ms["scipy"] / ms["psg"],
                difference,
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
