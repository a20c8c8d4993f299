"""psg solve --faces: u is that of fluxes through the faces, in numpy, with values on the sides, of
text, NumPy's files and data sets, of two axes too; --verify has the same residual; the .xmf has the
places of all points. epsilon goes with it. Words for what cannot be."""

import json
import re

import h5py
import numpy as np

from command import check, files, has_mpi, refused, solve

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
                        ("PP,PP,RR", ("--robin", "z=nan,2"), "expected z=K0,K1"),
                        ("PP,PP,RR", ("--robin", "z=0x10,2"), "expected z=K0,K1"),
                        ("PP,PP,RR", ("--robin", "z=-1,2"), "a finite number from 0 on"),
                        ("PP,PP,ND", ("--robin", "z=1,0"), "side along z is no Robin side"),
                        ("RR,PP,PP", ("--robin", "z=0,0"), "x has a Robin side, and z alone")):
        refused("solve", *given, bc, *k, code=2, says=(says,))
    refused("solve", "--problem", "modes", "--grid", "8", "--bc", "RR", "--robin", "z=1,1", code=2,
            says=("--faces and --robin are for --in",))
    check(files() == old, "files were left behind")


def flux_left(u, f, eps, sides=None):
    """What the fluxes leave of f, over f, where a cell counts as it is wide; less its mean without
    sides. eps: at points, with one region of fluid; or of the faces above the points."""
    wide = np.diff(Z)[:, None, None]
    solid = eps == 0 if len(eps) != 3 else np.zeros(SHAPE, bool)
    flow = np.zeros((SHAPE[0] + 1, *SHAPE[1:]))
    total = np.zeros(SHAPE)
    with np.errstate(divide="ignore"):
        if len(eps) == 3:
            flow[1:-1] = eps[0][:-1] * np.diff(u, axis=0) / ((wide[1:] + wide[:-1]) / 2)
            ends = eps[0][0], eps[0][-1]
        else:
            flow[1:-1] = np.diff(u, axis=0) / (wide[1:] / 2 / eps[1:] + wide[:-1] / 2 / eps[:-1])
            ends = eps[0], eps[-1]
        for d in 1, 2:
            n = SHAPE[d]
            face = eps[d] if len(eps) == 3 else 2 / (1 / eps + 1 / np.roll(eps, -1, d))
            out = face * (np.roll(u, -1, d) - u) * n
            total += (out - np.roll(out, 1, d)) * n
    if sides is not None:
        flow[0] = ends[0] * (u[0] - sides[0]) / (wide[0] / 2)
        flow[-1] = ends[1] * (sides[1] - u[-1]) / (wide[-1] / 2)
    total += np.diff(flow, axis=0) / wide
    count = np.broadcast_to(wide, SHAPE) * ~solid
    right = f - ((f * count).sum() / count.sum() if sides is None else 0)
    whole = right.copy()  # with what flows in, where u is 0
    for end, k in enumerate((0, -1) if sides is not None else ()):
        whole[k] -= ends[end] * sides[end] / (wide[k] / 2) / wide[k]
    check((u[solid] == 0).all(), "u in the body")
    return np.sqrt((((total - right) ** 2) * count).sum() / ((whole ** 2) * count).sum())


def epsilon():
    """At points with a body, and on faces; a gradient; processes have the bits of one."""
    eps, faces = np.exp(4 * rng.random(SHAPE)), np.exp(3 * rng.random((3, *SHAPE)))
    body = eps.copy()
    body[4:7, 1:4, 2:6] = 0
    with h5py.File("in.h5", "a") as made:
        made["eps"], made["body"], made["body32"] = eps, body, body.astype("f4")
        for name, values in zip("zyx", faces):
            made["faces/" + name] = values
    for case, (given, bc, of, sides, precision) in enumerate((
            (("--epsilon", "in.h5:eps", "--values", "values.h5"), "DD", eps, SIDES, "f64"),
            (("--epsilon", "in.h5:body"), "NN", body, None, "f64"),
            (("--epsilon", "in.h5:body32", "--in", "in.h5:f32"), "NN", body, None, "f32"),
            (("--faces-epsilon", "in.h5:faces", "--gradient", "e.h5"), "NN", faces, None, "f64"))):
        asked = ("--in", "in.h5:f", "--faces", "z=z.txt", "--bc", "PP,PP," + bc, *FD2, *given)
        for ranks in (0, 3) if has_mpi() else (0,):
            said = json.loads(solve(*asked, "--out", "e%d.h5:u%d" % (ranks, case), "--force",
                                    "--verify", "--json", "-", ranks=ranks).stdout)
            check(said["verify"]["ok"] and said["precision"] == precision, said)
            with h5py.File("e%d.h5" % ranks, "r") as file:
                u = file["u%d" % case][...]
            first = u if ranks == 0 else first
            check(np.array_equal(u, first), (case, ranks))
            left = flux_left(u.astype("f8"), F, of, sides)
            check(left <= (1.01e-10 if precision == "f64" else 1e-3), (case, left))
    with h5py.File("e.h5", "r") as file:
        along = np.diff(u, axis=0) / np.diff((Z[1:] + Z[:-1]) / 2)[:, None, None]
        check(np.allclose(file["gradient/z"][:-1], along, atol=1e-12), "the gradient")
    refused("solve", "--in", "in.h5:f", "--faces", "z=z.txt", "--bc", "PP,PP,RD", "--robin",
            "z=1,0", *FD2, "--epsilon", "in.h5:eps", code=2, says=("and z has another",))


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
epsilon()
bad()
