"""psg solve with sides beside scipy's sine, cosine and Fourier transforms: every pair of sides on every axis, both positions of
points, odd and even lengths, and lengths of 1000 against sums in extended precision."""

import h5py
import numpy as np
import scipy.fft

from command import check, solve

PAIRS = ("PP", "NN", "DD", "ND", "DN")
# scipy's transform and its type, the half waves of mode 0, and how many intervals more than points there are.
CELLS = {"NN": (scipy.fft.dct, 2, 0, 0), "DD": (scipy.fft.dst, 2, 1, 0), "ND": (scipy.fft.dct, 4, 0.5, 0),
         "DN": (scipy.fft.dst, 4, 0.5, 0)}
NODES = {"NN": (scipy.fft.dct, 1, 0, -1), "DD": (scipy.fft.dst, 1, 1, 1), "ND": (scipy.fft.dct, 3, 0.5, 0),
         "DN": (scipy.fft.dst, 3, 0.5, 0)}
INVERSE = {scipy.fft.dct: scipy.fft.idct, scipy.fft.dst: scipy.fft.idst}


def wavenumbers(pair, nodes, n, length):
    if pair == "PP":
        return 2 * np.pi * np.fft.fftfreq(n, 1 / n) / length
    shift = (NODES if nodes else CELLS)[pair][2]
    return np.pi * (np.arange(n) + shift) / length


def along(f, axis, pair, nodes, inverse):
    if pair == "PP":
        return (np.fft.ifft if inverse else np.fft.fft)(f, axis=axis)
    transform, kind, _, _ = (NODES if nodes else CELLS)[pair]
    if inverse:
        transform = INVERSE[transform]
    return transform(f.real, kind, axis=axis) + 1j * transform(f.imag, kind, axis=axis)


def reference(f, pairs, nodes, box):
    """u of lap(u) = f; axes are x, y, z and the last ones of the array the first."""
    spectrum = f.astype(complex)
    eigenvalue = np.zeros(f.shape)
    for d in range(3):
        spectrum = along(spectrum, 2 - d, pairs[d], nodes[d], False)
        k = wavenumbers(pairs[d], nodes[d], f.shape[2 - d], box[d])
        eigenvalue -= (k ** 2).reshape([-1 if axis == 2 - d else 1 for axis in range(3)])
    zero = np.abs(eigenvalue) < 1e-9
    spectrum = np.where(zero, 0, spectrum / np.where(zero, 1, eigenvalue))
    for d in range(3):
        spectrum = along(spectrum, 2 - d, pairs[d], nodes[d], True)
    return spectrum.real


def psg(f, pairs, nodes, box, *options):
    with h5py.File("f.h5", "w") as file:
        file["f"] = f
    sides = ("--bc", ",".join(pairs), "--points", ",".join("cn"[n] for n in nodes)) if set(pairs) != {"PP"} else ()
    solve("--in", "f.h5:f", "--out", "u.h5:u", *sides, "--box", "x".join(str(length) for length in box), "--force", "--quiet", *options)
    with h5py.File("u.h5", "r") as file:
        return file["u"][()]


random = np.random.default_rng(5)
box = (1.0, 2.0, 1.5)
for c in range(len(PAIRS) ** 2):
    pairs = (PAIRS[c % 5], PAIRS[c // 5], PAIRS[(c + 2 * (c // 5)) % 5])
    nodes = tuple((c + c // 5) >> d & 1 for d in range(3))
    f = random.standard_normal(((10, 9, 8), (13, 11, 7), (5, 2, 16))[c % 3])
    want = reference(f, pairs, nodes, box)
    got = psg(f, pairs, nodes, box, *(("--graph", "staged") if c % 4 == 3 else ()))
    error = np.abs(got - want).max() / np.abs(want).max()
    check(error <= 1e-12, "%s %s: off by %g" % (pairs, nodes, error))

# Long axes: random f of a few modes, whose u is a sum in extended precision.
pi = np.longdouble("3.14159265358979323846264338327950288")
for pair in ("NN", "DD", "ND", "DN"):
    for on_nodes in (False, True):
        n = 1000
        _, _, shift, more = (NODES if on_nodes else CELLS)[pair]
        first = 0.5 if not on_nodes else 0 if pair[0] == "N" else 1
        x = (np.arange(n, dtype=np.longdouble) + np.longdouble(first)) / (n + more)
        f = np.zeros(n, np.longdouble)
        u = np.zeros(n, np.longdouble)
        for m in (0, 1, 2, 37, 501, 996, 998):
            k = pi * (m + np.longdouble(shift))
            mode = np.cos(k * x) if pair[0] == "N" else np.sin(k * x)
            weight = np.longdouble(random.standard_normal()) if k != 0 else np.longdouble(0)
            f += weight * mode
            u -= weight * mode / k ** 2 if k != 0 else 0
        for axis in range(3):
            shape = [1, 1, 1]
            shape[axis] = n
            pairs = ["PP", "PP", "PP"]
            pairs[2 - axis] = pair
            got = psg(np.asarray(f, float).reshape(shape), pairs, [on_nodes] * 3, (1.0, 1.0, 1.0)).reshape(n)
            error = float(np.abs(got - u).max() / np.abs(u).max())
            check(error <= 1e-13, "%s, nodes %s, %d points along %s: off by %g" % (pair, on_nodes, n, "zyx"[axis], error))
