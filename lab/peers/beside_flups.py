"""psg beside FLUPS, the Fourier-based solver for unbounded axes, on one core: every pair of sides.

    mpirun -n 1 python3 lab/peers/beside_flups.py LIBRARY [--n N] [--repeat R]

LIBRARY  libflups_nb.so, of FLUPS with FLUPS_ALIGNMENT 16, https://github.com/vortexlab-uclouvain/flups
N        points along each axis; default: 32. R rounds; default: 1

A line has all mixtures with so many axes that are free at one end or at both. `error`: the largest
one over the largest u, of a smooth u that is known: waves, Gaussians, and beside a wall their
images. FLUPS has its kernel HEJ_0 on three free axes and CHAT_2 else. `stencil`: how far u of both
are apart where f is random, psg with fd2 and FLUPS with LGF_2, which it has for one free axis and
for three. `ratio`: the median of FLUPS / psg, times of smooth solves in turns.
"""

import argparse
import ctypes
import itertools
import statistics
import time

import numpy as np
import psg
from mpi4py import MPI

SIDES = {"dirichlet": 1, "neumann": 0, "periodic": 3, "free": 4}
KERNELS = {"CHAT_2": 0, "LGF_2": 1, "HEJ_0": 7}
AXES = [
    ("periodic", "periodic"),
    *itertools.product(("dirichlet", "neumann"), repeat=2),
    ("free", "free"),
    *((w, "free") for w in ("dirichlet", "neumann")),
    *(("free", w) for w in ("dirichlet", "neumann")),
]


class Flups:
    """A plan of FLUPS for an n x n x n grid of cells in the unit box."""

    def __init__(self, library, n, sides, kernel):
        self.library, self.n = library, n
        for name in ("flups_topo_new", "flups_init", "flups_malloc"):
            getattr(library, name).restype = ctypes.c_void_p
        library.flups_topo_get_memsize.restype = ctypes.c_size_t
        three, real = ctypes.c_int * 3, ctypes.c_double * 3
        # MPI_Comm of Open MPI is a pointer.
        comm = ctypes.c_void_p.from_address(MPI._addressof(MPI.COMM_WORLD))
        self.topology = ctypes.c_void_p(
            library.flups_topo_new(
                0, 1, three(n, n, n), three(1, 1, 1), ctypes.c_bool(False), None, 16, comm
            )
        )
        self.sides = [ctypes.c_int(SIDES[s]) for axis in reversed(sides) for s in axis]
        pointers = (ctypes.c_void_p * 6)(*(ctypes.addressof(s) for s in self.sides))
        self.plan = ctypes.c_void_p(
            library.flups_init(
                self.topology, pointers, real(1 / n, 1 / n, 1 / n), real(1, 1, 1), 0, three(1, 1, 1)
            )
        )
        library.flups_set_greenType(self.plan, KERNELS[kernel])
        library.flups_setup(self.plan, ctypes.c_bool(False))
        size = library.flups_topo_get_memsize(self.topology)
        self.memory = [
            ctypes.c_void_p(library.flups_malloc(ctypes.c_size_t(8 * size))) for _ in "fu"
        ]
        self.field = [
            np.ctypeslib.as_array((ctypes.c_double * size).from_address(m.value))
            for m in self.memory
        ]

    def solve(self, f):
        self.field[0][:] = 0
        self.field[0][: f.size] = f.ravel()
        begin = time.perf_counter()
        self.library.flups_solve(self.plan, self.memory[1], self.memory[0], 0)
        self.seconds = time.perf_counter() - begin
        return self.field[1][: f.size].reshape(f.shape).copy()

    def end(self):
        self.library.flups_cleanup(self.plan)
        self.library.flups_topo_free(self.topology)
        for memory in self.memory:
            self.library.flups_free(memory)


def along(sides, x):
    """A function that the sides allow, and its second derivative."""
    wave = {"periodic": 2, ("dirichlet", "neumann"): 0.5, ("neumann", "dirichlet"): 0.5}
    if "free" not in sides:
        k = np.pi * wave.get(sides, wave.get(sides[0], 1))
        value = (
            np.sin(k * x + 0.3)
            if sides[0] == "periodic"
            else np.sin(k * x) if sides[0] == "dirichlet" else np.cos(k * x)
        )
        return value, -k * k * value
    wall = {"dirichlet": -1, "neumann": 1, "free": 0}
    s, total = 0.05, [0, 0]
    center = 0.45 if sides == ("free", "free") else 0.3 if sides[1] == "free" else 0.7
    images = ((1, center), (wall[sides[0]], -center), (wall[sides[1]], 2 - center))
    for sign, at in images:
        g = sign * np.exp(-((x - at) ** 2) / (2 * s * s))
        total[0] = total[0] + g
        total[1] = total[1] + g * (((x - at) / s) ** 2 - 1) / (s * s)
    return total


def problem(sides, n):
    """f and u of a grid of cells in the unit box."""
    x = (np.arange(n) + 0.5) / n
    z, y, x = (along(axis, x) for axis in sides)
    product = lambda a, b, c: a[:, None, None] * b[:, None] * c  # noqa: E731
    return (
        product(z[1], y[0], x[0]) + product(z[0], y[1], x[0]) + product(z[0], y[0], x[1]),
        product(z[0], y[0], x[0]),
    )


def far(u, want):
    return abs(u - want).max() / abs(want).max()


def compare(library, f, sides, kernel, symbol, repeat):
    """u of each, and FLUPS' time over psg's, in turns."""
    peer = Flups(library, len(f), sides, kernel)
    seconds = [], []
    with psg.Plan(f.shape, bc=sides, symbol=symbol, cpus=1, gpus=0) as plan:
        u, v = plan.solve(f), peer.solve(f)
        for _ in range(repeat):
            begin = time.perf_counter()
            plan.solve(f, out=u)
            seconds[1].append(time.perf_counter() - begin)
            peer.solve(f)
            seconds[0].append(peer.seconds)
    peer.end()
    ratio = statistics.median(seconds[0]) / statistics.median(seconds[1]) if repeat else np.nan
    return u, v, ratio


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library")
    parser.add_argument("--n", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=1)
    given = parser.parse_args()
    library = ctypes.CDLL(given.library)
    noise = np.random.default_rng(1).standard_normal((given.n,) * 3)
    print("free axes  mixtures  psg error  FLUPS error  stencil  ratio")
    for count in (1, 2, 3):
        lines = []
        for sides in itertools.product(AXES, repeat=3):
            if sum("free" in axis for axis in sides) != count:
                continue
            f, want = problem(sides, given.n)
            kernel = "HEJ_0" if count == 3 else "CHAT_2"
            u, v, ratio = compare(library, f, sides, kernel, "spectral", given.repeat)
            apart = far(*compare(library, noise, sides, "LGF_2", "fd2", 0)[:2]) if count != 2 else 0
            if not apart <= 1e-12:
                raise SystemExit("%s: u on the lattice differs by %.1e" % (sides, apart))
            lines.append((far(u, want), far(v, want), apart, ratio))
        psg_error, error, apart, _ = np.max(lines, axis=0)
        print(
            "%9d  %8d  %9.1e  %11.1e  %7s  %5.2f"
            % (
                count,
                len(lines),
                psg_error,
                error,
                "%.0e" % apart if count != 2 else "",
                statistics.median(line[3] for line in lines),
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
