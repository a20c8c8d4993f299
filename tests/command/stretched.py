"""psg solve --faces: u is that of fluxes through the faces, in numpy, with values on the sides, of
text, NumPy's files and data sets, of two axes too; --verify has the same residual; the .xmf has the
places of all points. Words for what cannot be."""

import json
import re

import h5py
import numpy as np

from command import check, files, refused, solve

SHAPE = (11, 6, 8)  # z, y, x
rng = np.random.default_rng(5)
F = rng.standard_normal(SHAPE)
Z = np.cumsum(np.concatenate([[0.5], 0.02 + rng.random(SHAPE[0])]))
SIDES = rng.standard_normal((2, *SHAPE[1:]))
with h5py.File("in.h5", "w") as made:
    made["f"], made["f32"], made["flat"], made["z"] = F, F.astype("f4"), F[:, 0], Z
    made["f"].attrs["box"] = made["f32"].attrs["box"] = [1.0, 1.0, Z[-1] - Z[0]]
with h5py.File("values.h5", "w") as made:
    made["z0"], made["z1"] = SIDES
np.save("z.npy", Z)
np.save("f.npy", F)
np.savetxt("z.txt", Z, fmt="%.17g")
with open("commas.txt", "w", encoding="utf-8") as text:
    text.write(", ".join("%.17g" % z for z in Z))
np.savetxt("few.txt", Z[1:], fmt="%.17g")
np.savetxt("back.txt", Z[::-1], fmt="%.17g")
np.savetxt("steep.txt", np.cumsum([0, 1e-7] + [1] * 10), fmt="%.17g")
FD2 = ("--symbol", "fd2", "--gpus", "0")


def residual(u, f, sides=None, closed=False):
    """sides: values on Dirichlet sides; None: nothing flows through. Along the other axes u is
    periodic, of length 1."""
    u = u.astype("f8")
    shape = (-1,) + (1,) * (u.ndim - 1)
    middle, width = (Z[1:] + Z[:-1]) / 2, np.diff(Z).reshape(shape)
    flux = np.zeros((u.shape[0] + 1, *u.shape[1:]))
    flux[1:-1] = np.diff(u, axis=0) / np.diff(middle).reshape(shape)
    if sides is not None:
        flux[0] = (u[0] - sides[0]) / (middle[0] - Z[0])
        flux[-1] = (sides[1] - u[-1]) / (Z[-1] - middle[-1])
    r = np.diff(flux, axis=0) / width - f
    for d in range(1, u.ndim):
        r += (np.roll(u, 1, d) - 2 * u + np.roll(u, -1, d)) * u.shape[d] ** 2
    return np.abs(r - ((r * width).mean() / width.mean() if closed else 0)).max()


def read(name):
    with h5py.File("u.h5", "r") as file:
        return file[name][...]


def answers():
    for faces in "z.txt", "commas.txt", "z.npy", "in.h5:z":
        said = json.loads(solve("--in", "in.h5:f", "--faces", "z=" + faces, "--bc", "PP,PP,DD",
                                "--values", "values.h5", *FD2, "--out", "u.h5:u", "--force",
                                "--verify", "--json", "-").stdout)
        check(residual(read("u"), F, SIDES) <= 1e-11, residual(read("u"), F, SIDES))
        check(said["verify"]["ok"] and said["verify"]["points"] == F.size, said["verify"])
        check(said["faces"] == "z=" + faces, said["faces"])
    for more in (), ("--graph", "staged"), ("--graph", "staged", "--z", "strided"):
        said = json.loads(solve("--in", "in.h5:f32", "--faces", "z=z.txt", "--bc", "PP,PP,NN", *FD2,
                                *more, "--out", "u.h5:w", "--verify", "--json", "-").stdout)
        mine = residual(read("w"), F.astype("f4"), closed=True)
        check(said["precision"] == "f32", said["precision"])
        check(abs(said["verify"]["residual"] / mine - 1) < 0.01, (said["verify"], mine))
    text = solve("--in", "f.npy", "--faces", "z=z.txt", "--bc", "PP,PP,NN", "--out", "u.h5:n",
                 "--verify", "--force", *FD2).stdout
    check("faces     z=z.txt\n" in text and "box 1 x 1 x %.10g\n" % (Z[-1] - Z[0]) in text, text)
    solve("--in", "in.h5:flat", "--faces", "y=z.txt", "--bc", "PP,NN", *FD2, "--out", "u.h5:flat",
          "--verify")
    check(residual(read("flat"), F[:, 0], closed=True) <= 1e-11, "two axes")
    with open("u.xmf", encoding="utf-8") as file:
        places = re.findall(r'<DataItem Dimensions="(\d+)"[^>]*XML">([^<]*)<', file.read())
    check([int(n) for n, _ in places] == [8, 11], places)
    along = [float(z) for z in places[1][1].split()]
    check(np.allclose(along, (Z[1:] + Z[:-1]) / 2), along)
    said = json.loads(solve("--in", "in.h5:f", "--faces", "z=z.txt", "--bc", "PP,PP,DF", *FD2, "--verify",
                            "--json", "-").stdout)
    check(said["verify"]["ok"] and said["verify"]["points"] == 10 * 6 * 8, said["verify"])
    for symbol in "spectral", "fd4":
        solve("--in", "in.h5:f", "--faces", "z=z.txt", "--bc", "PP,NN,DN", "--symbol", symbol,
              "--gpus", "0", "--verify", "--lambda", "2")


def robin():
    """K of both sides; the other side Neumann; --verify has the stencil."""
    for faces in (), ("--faces", "z=z.txt"):
        for bc, k in ("RR", "0.5,3"), ("RN", "2,0"), ("DR", "0,1e3"), ("RR", "0,0"):
            text = solve("--in", "in.h5:f", *faces, "--bc", "PP,PP," + bc, "--robin", "z=" + k,
                         "--values", "values.h5", *FD2, "--verify", "--out", "r.h5:u", "--force",
                         "--gradient", "g.h5").stdout
            check("%s along z (cells), K " % bc in text, text)
    said = json.loads(solve("--in", "in.h5:f", "--bc", "PP,PP,RR", "--robin", "z=0.5,3", *FD2,
                            "--out", "r.h5:u", "--force", "--verify", "--json", "-").stdout)
    check(said["bc"][2] == "RR" and said["robin"] == [[0, 0], [0, 0], [0.5, 3]], said)
    with h5py.File("r.h5", "r") as file:
        u, h = file["u"][...], (Z[-1] - Z[0]) / SHAPE[0]
        check(list(file["u"].attrs["robin"]) == [0.5, 3], dict(file["u"].attrs))
    flux = np.concatenate([0.5 / (1 + 0.25 * h) * u[:1], np.diff(u, axis=0) / h,
                           -3 / (1 + 1.5 * h) * u[-1:]])
    r = np.diff(flux, axis=0) / h - F
    for d in 1, 2:
        r += (np.roll(u, 1, d) - 2 * u + np.roll(u, -1, d)) * u.shape[d] ** 2
    check(np.abs(r).max() <= 1e-11, np.abs(r).max())
    solve("--in", "in.h5:flat", "--bc", "PP,RN", "--robin", "y=1,0", *FD2, "--verify", "--out",
          "r.h5:flat")
    with h5py.File("r.h5", "r") as file:
        check(list(file["flat"].attrs["robin"]) == [1, 0], dict(file["flat"].attrs))
    old = files()
    given = ("--in", "in.h5:f", *FD2, "--bc")
    for bc, k, says in (("PP,PP,RR", (), "--robin z=K0,K1 says what K is"),
                        ("PP,PP,RR", ("--robin", "z=1"), "expected z=K0,K1"),
                        ("PP,PP,RR", ("--robin", "x=1,2"), "expected z=K0,K1"),
                        ("PP,PP,RR", ("--robin", "z=1,2,3"), "expected z=K0,K1"),
                        ("PP,PP,RR", ("--robin", "z=nan,2"), "a finite number from 0 on"),
                        ("PP,PP,RR", ("--robin", "z=-1,2"), "a finite number from 0 on"),
                        ("PP,PP,ND", ("--robin", "z=1,0"), "side along z is no Robin side"),
                        ("RR,PP,PP", ("--robin", "z=0,0"), "x has a Robin side, and z alone")):
        refused("solve", *given, bc, *k, code=2, says=(says,))
    refused("solve", "--problem", "modes", "--grid", "8", "--bc", "RR", "--robin", "z=1,1", code=2,
            says=("--faces and --robin are for --in",))
    check(files() == old, "files were left behind")


def bad():
    old = files()
    given = ("--in", "in.h5:f", *FD2, "--faces")
    for faces, says in (("z", "expected z=FILE"), ("w=z.txt", "expected z=FILE"),
                        ("z=", "expected z=FILE"), ("z=none", "none: cannot be read"),
                        ("z=few.txt", "few.txt has 11 numbers, and 11 cells along z have 12 faces"),
                        ("z=back.txt", "each face is above the one before"),
                        ("x=few.txt", "8 cells along x have 9 faces"),
                        ("z=steep.txt", "long along z, and its faces are from 0 to")):
        refused("solve", *given, faces, code=2, says=(says,))
    refused("solve", *given, "z=z.txt", "--points", "nodes", "--bc", "DD", code=2,
            says=("not on nodes",))
    refused("solve", "--problem", "modes", "--grid", "8", "--faces", "z=z.txt", code=2,
            says=("--faces and --robin are for --in",))
    check(files() == old, "files were left behind")
    said = solve("--in", "f.npy", "--faces", "z=steep.txt", *FD2)
    check("from 1e-07 to 1 long, more than 1e6 to 1" in said.stderr, said.stderr)


answers()
robin()
bad()
