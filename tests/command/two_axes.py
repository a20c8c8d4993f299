"""psg with fields of two axes and of one: every pair of sides with values on them beside dense
matrices, in one process and in several, files of both kinds whose rank is the grid's, what is said
of the grid, and words for what does not fit."""

import itertools
import json

import h5py
import numpy as np

from command import MPIRUN, QUICK, check, refused, run, solve

FD2 = ("--symbol", "fd2", "--gpus", "0", *QUICK)


def write(name, **data):
    with h5py.File(name, "w") as file:
        for key, values in data.items():
            file[key] = values


def read(name, dataset):
    with h5py.File(name, "r") as file:
        return file[dataset][...]


def text_of(name):
    with open(name, encoding="ascii") as file:
        return file.read()


def holds(text, *parts):
    for part in parts:
        check(part in text, "no %r in %s" % (part, text))


def second(n, length, pair, nodes):
    """The matrix of the second difference, and what values below and above add to it."""
    cells = pair == "PP" or not nodes
    h = length / (n if cells else n - 1 + pair.count("D"))
    m = -2 * np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    add = np.zeros((2, n))
    for side, kind in enumerate(pair):
        edge, inner, outward = ((0, 1, -1), (-1, -2, 1))[side]
        if kind == "P":
            m[edge, -1 - edge] += 1
        elif kind == "D":
            m[edge, edge] -= cells
            add[side, edge] = (2 if cells else 1) / h**2
        else:
            m[edge, edge if cells else inner] += 1
            add[side, edge] = outward * (1 if cells else 2) / h
    return m / h**2, add


# ------------------------------------------------------------ every pair of sides, with values
dice = np.random.default_rng(3)
pairs = itertools.product(("PP", "NN", "DD", "ND", "DN"), repeat=2)
for (px, py), nodes in itertools.product(pairs, (False, True)):
    ny, nx = (int(n) for n in dice.integers(3, 21, 2))
    f = dice.standard_normal((ny, nx))
    (mx, ax), (my, ay) = second(nx, 2.5, px, nodes), second(ny, 1.5, py, nodes)
    right, sides = f.copy(), {}
    options = ["--points", "nodes"] if nodes and px + py != "PPPP" else []
    for side in (0, 1):
        if px != "PP":
            sides["x%d" % side] = dice.standard_normal(ny)
            right -= sides["x%d" % side][:, None] * ax[side]
        if py != "PP":
            sides["y%d" % side] = dice.standard_normal(nx)
            right -= ay[side][:, None] * sides["y%d" % side]
    m = np.kron(my, np.eye(nx)) + np.kron(np.eye(ny), mx)
    want = np.linalg.solve(m - 0.7 * np.eye(f.size), right.ravel()).reshape(f.shape)
    np.save("f.npy", f)
    write("sides.h5", **sides)
    options += ["--values", "sides.h5"] if sides else []
    solve("--in", "f.npy", "--out", "u.npy", "--force", "--box", "2.5x1.5", "--bc", px + "," + py,
          "--lambda", "0.7", *options, *FD2, "--verify")
    u = np.load("u.npy")
    if MPIRUN and (px, py) in (("DN", "ND"), ("PP", "DN"), ("NN", "DD")):
        solve("--in", "f.npy", "--out", "together.npy", "--force", "--box", "2.5x1.5", "--bc",
              px + "," + py, "--lambda", "0.7", *options, *FD2, "--verify", ranks=2)
        check((np.load("together.npy") == u).all(), (px, py, "two processes"))
    check(u.shape == f.shape, u.shape)
    check(np.abs(u - want).max() <= 1e-12 * np.abs(want).max(), (px, py, nodes, f.shape))

# ----------------------------------------------------------------------------------- files
f = dice.standard_normal((6, 9))
with h5py.File("f.h5", "w") as file:
    file["f"] = f
    file["f"].attrs["box"] = [2.0, 3.0]
    file["line"] = f[0]
said = solve("--in", "f.h5", "--out", "u.h5:u", "--bc", "DD,NN", "--points", "n,c", *FD2,
             "--gradient", "g.h5:g", "--verify", "--json", "-").stdout
got = json.loads(said)
check(got["grid"] == [9, 6] and got["box"] == [2, 3], got)
check(got["bc"] == ["DD", "NN"] and got["points"] == ["nodes", "cells"], got)
with h5py.File("u.h5", "r") as file:
    about = {key: np.asarray(value).astype("U").tolist() for key, value in file["u"].attrs.items()}
check(about["box"] == ["2.0", "3.0"] and about["bc"] == "DD,NN" and about["points"] == "n,c", about)
with h5py.File("g.h5", "r") as file:
    check(sorted(file["g"]) == ["x", "y"], list(file["g"]))
u_one, dy = read("u.h5", "u"), read("g.h5", "g/y")
u = u_one
check(np.abs(dy[:-1] - np.diff(u, axis=0) / 0.5).max() <= 1e-12 * np.abs(dy).max(), "du/dy")
check(not dy[-1].any(), "du/dy on the upper side")
holds(text_of("u.xmf"), '"2DCoRectMesh" Dimensions="6 9"', 'ORIGIN_DXDY"',
      ">0.25 0.20000000000000001</DataItem>", '<DataItem Dimensions="6 9"')
holds(run("view", "u.h5:u", "--at", "1,2.2").stdout, "through point (4,4,0) of 9 x 6 x 1")

solve("--in", "f.h5:line", "--out", "line.h5:u", "--box", "2", *QUICK, "--verify")
np.save("line.npy", f[0])
solve("--in", "line.npy", "--out", "uline.npy", "--box", "2", *QUICK)
u, k2 = np.load("uline.npy"), (np.pi * np.fft.fftfreq(9, 1 / 9)) ** 2
k2[0] = np.inf
check(u.shape == (9,) and (u == read("line.h5", "u")).all(), "one axis, in both kinds of files")
check(np.abs(u + np.fft.ifft(np.fft.fft(f[0]) / k2).real).max() <= 1e-14, "one axis")
holds(text_of("line.xmf"), '"2DCoRectMesh" Dimensions="1 9"', '<DataItem Dimensions="9"')

write("steps.h5", **{"s/%d" % step: (step + 1) * f for step in range(3)})
solve("--in", "steps.h5:/s/*", "--out", "usteps.h5:/u", "--batch", "2", *QUICK)
first, last = read("usteps.h5", "u/0"), read("usteps.h5", "u/2")
check(first.shape == f.shape and np.abs(3 * first - last).max() <= 1e-15, "steps of two axes")

eps = 1 + dice.random(f.shape)
write("eps.h5", eps=eps, three=eps[None])
solve("--in", "f.h5:f", "--epsilon", "eps.h5:eps", "--out", "ueps.npy", *FD2, "--verify")
ky, kx = np.meshgrid(np.arange(4) * 2 * np.pi / 3, np.arange(5) * np.pi, indexing="ij")
octant = kx**2 + ky**2
octant[0, 0] = np.inf
np.save("octant.npy", 1 / octant)
MODES = ("--kernel-form", "modes")
solve("--in", "f.h5:f", "--kernel", "octant.npy", *MODES, "--out", "ukernel.npy", *QUICK)
solve("--in", "f.h5:f", "--out", "uown.npy", *QUICK)
check(np.abs(np.load("ukernel.npy") - np.load("uown.npy")).max() <= 1e-14, "a kernel's modes")

# ------------------------------------------------------------------------ several processes
if MPIRUN:
    together = dict(ranks=3)
    got = json.loads(solve("--in", "f.h5:f", "--out", "u3.h5:u", "--bc", "DD,NN", "--points", "n,c",
                           *FD2, "--gradient", "g3.h5:g", "--verify", "--json", "-",
                           **together).stdout)
    check(got["grid"] == [9, 6] and got["bc"] == ["DD", "NN"], got)
    check((read("u3.h5", "u") == u_one).all(), "u of three processes")
    for component in "xy":
        got, want = (read(file, "g/" + component) for file in ("g3.h5", "g.h5"))
        check(np.abs(got - want).max() <= 1e-13, "the gradient of three processes")
    solve("--in", "steps.h5:/s/*", "--out", "usteps3.h5:/u", *QUICK, **together)
    check(np.abs(read("usteps3.h5", "u/2") - last).max() <= 1e-15, "steps of three processes")
    solve("--in", "f.h5:f", "--kernel", "octant.npy", *MODES, "--out", "ukernel3.npy", *QUICK,
          **together)
    check(np.abs(np.load("ukernel3.npy") - np.load("uown.npy")).max() <= 1e-14, "a kernel's modes")
    np.save("f32.npy", f.astype("f4"))  # numbers are converted
    solve("--in", "f32.npy", "--precision", "f64", "--out", "u32.npy", "--bc", "DN", *QUICK,
          **together)
    solve("--in", "f.h5:line", "--out", "line3.npy", "--box", "2", *QUICK, **together)
    check(np.abs(np.load("line3.npy") - read("line.h5", "u")).max() <= 1e-15, "one axis")
    for grid in ("5x2", "32x21"):  # with a process that has no row, too
        said = run("solve", "--problem", "modes", "--grid", grid, "--bc", "DN,PP", "--gpus", "0",
                   "--verify", **together).stdout
        holds(said, "grid      %s, box 1 x 1" % grid.replace("x", " x "))

# ---------------------------------------------------------------------------- what is said
PROBLEM = ("solve", "--problem", "modes")
said = run(*PROBLEM, "--grid", "32x21", "--bc", "DN,PP", "--gpus", "0", "--verify").stdout
holds(said, "grid      32 x 21, box 1 x 1\n", "sides     DN along x (cells), PP along y\n",
      "lengths   21 points along y: 22 are faster to transform")
check("along z" not in said, said)
said = run("info", "--grid", "512x97", "--gpus", "0").stdout
holds(said, "Grid 512 x 97, f64:", "97 points along y: 98 are faster")
check("along z" not in said, said)
got = json.loads(run("info", "--grid", "512x97", "--bc", "FF,PP", "--json", "-").stdout)["grid"]
check(got["points"] == [512, 97] and got["good_lengths"] == [512, 98], got)
run(*PROBLEM, "--grid", "40x30", "--trace", "t.json", "--gpus", "0")
holds(text_of("t.json"), '"40x30"')
run("example", "e.h5", "--grid", "12x10", "--kind", "random")
check(read("e.h5", "density").shape == (10, 12), "an example")


# ------------------------------------------------------------------------- what is refused
def bad(*arguments, says, field="f.h5:f"):
    refused("solve", "--in", field, *arguments, *QUICK, code=2, says=says)


def bad_problem(*arguments, says):
    refused(*PROBLEM, *arguments, code=2, says=says)


RANKS = "but a field has rank 3, 2 or 1: [nz][ny][nx], [ny][nx] or [nx]"
np.save("four.npy", np.zeros((2, 3, 4, 5)))
np.save("none.npy", np.float64(1))
write("four.h5", four=np.zeros((2, 3, 4, 5)), a=f, b=f)
bad(field="four.npy", says=["has rank 4, " + RANKS])
bad(field="none.npy", says=["has rank 0, " + RANKS])
bad(field="four.h5:four", says=["has rank 4", "each field of several is a solve of its own"])
bad(field="four.h5", says=["2 of them have rank 2", "/a (6 x 9)"])
bad("--box", "1x2x3", says=["--box is of 3 axes, and the grid has 2"])
bad("--bc", "DD,DD,DD", says=["--bc is of 3 axes, and the grid has 2"])
bad("--bc", "DD", "--points", "c,c,c", says=["--points is of 3 axes, and the grid has 2"])
bad_problem("--grid", "8", "--box", "1x2", says=["--box is of 2 axes, and the grid has 3"])
bad_problem("--grid", "8x8x8x8", says=["--grid '8x8x8x8': expected N, NXxNYxNZ or NXxNY"])
refused("solve", "--problem", "lid", "--grid", "8x8", code=2, says=["modes is there for two axes"])
bad("--epsilon", "eps.h5:three", *FD2, says=["has 9 x 6 x 1 points, and f has 9 x 6"])
bad("--kernel", "f.h5:f", *MODES, says=["9 x 6 x 1 values along x, y", "this grid needs 5 x 4 x 1"])
write("flat.h5", y0=np.zeros((1, 9)))
bad("--bc", "PP,DD", "--values", "flat.h5", *FD2,
    says=["flat.h5:/y0: its shape is 1 x 9; of this grid it is [nx], 9"])
write("z.h5", z0=np.zeros(9))
bad("--bc", "PP,DD", "--values", "z.h5", *FD2, says=["--bc makes z periodic"])
with h5py.File("f.h5", "a") as file:
    file["f"].attrs["box"] = [1.0, 2.0, 3.0]
    file["mixed/0"], file["mixed/1"] = f, f[None]
bad(says=["its attribute 'box' is not two numbers lx, ly"])
bad(field="f.h5:/mixed/*", says=["mixed/1: its shape is 1 x 6 x 9, and that of", "is 6 x 9"])
refused("view", "u.h5:u", "--at", "1,2,3", "--out", "v.png", code=2, says=["the field has 2"])
refused("example", "c.h5", "--grid", "8x8", code=2, says=["--kind charges is of three axes"])
