"""psg solve --values and --problem lid: what holds on Dirichlet and Neumann sides is in u, by one process and several, and
--verify knows it; and words for values that cannot be."""

import json

import h5py
import numpy as np

from command import MPIRUN, check, run, solve

FD2 = ("--symbol", "fd2", "--gpus", "0")


def bad(*arguments, says, code=2):
    done = run("solve", *arguments, code=code)
    for words in says:
        check(words in done.stderr, "%s: no '%s' in: %s" % (arguments, words, done.stderr))


def write(name, **data):
    with h5py.File(name, "w") as file:
        for key, values in data.items():
            file[key] = values


def read(name):
    with h5py.File(name, "r") as file:
        return file["u"][...]


# One side of a cube has u = 1, and the others 0.
for options in (("--grid", "15"), ("--grid", "16"), ("--grid", "9", "--points", "nodes"), ("--grid", "12", "--precision", "f32"),
                ("--grid", "11", "--graph", "staged", "--box", "3", "--symbol", "fd2"), ("--grid", "1")):
    got = json.loads(solve("--problem", "lid", *options, "--gpus", "0", "--verify", "--json", "-").stdout)
    check(abs(got["lid"]["middle"] - 1 / 6) <= (1e-6 if "f32" in options else 1e-14), (options, got["lid"]))
    check(got["verify"]["ok"] is True and got["bc"] == ["DD", "DD", "DD"], (options, got))
got = json.loads(solve("--problem", "lid", "--grid", "64x65x66", "--gpus", "0", "--json", "-").stdout)
check(abs(got["lid"]["middle"] - 1 / 6) <= 1e-2, got)
said = solve("--problem", "lid", "--grid", "15", "--gpus", "0").stdout
check("middle    0.166666666667; known 1/6" in said, said)

# Values that differ from point to point; the 7-point stencil by hand. z is closed by derivatives, y is periodic.
n = (7, 6, 5)
rng = np.random.default_rng(3)
f = rng.standard_normal(n)
x0, x1 = rng.standard_normal((2, 7, 6))
z0, z1 = rng.standard_normal((2, 6, 5))
write("f.h5", f=f, f32=f.astype("f4"))
write("walls.h5", x0=x0, x1=x1, z0=z0, z1=z1)
write("walls32.h5", **{name: side.astype("f4") for name, side in (("x0", x0), ("x1", x1), ("z0", z0), ("z1", z1))})
SIDES = ("--in", "f.h5:f", "--box", "1x2x3", "--bc", "DD,PP,NN", "--points", "c,c,n", *FD2)
done = solve(*SIDES, "--values", "walls.h5", "--out", "u.h5:u", "--verify")
check("values    walls.h5\n" in done.stdout, done.stdout)
got = json.loads(solve(*SIDES, "--values", "walls.h5", "--json", "-").stdout)
check(got["values"] == "walls.h5", got)
u = read("u.h5")
h = (3 / 6, 2 / 6, 1 / 5)
x = np.concatenate((2 * x0[:, :, None] - u[:, :, :1], u, 2 * x1[:, :, None] - u[:, :, -1:]), axis=2)
y = np.concatenate((u[:, -1:, :], u, u[:, :1, :]), axis=1)
z = np.concatenate((u[1:2] - 2 * h[0] * z0, u, u[-2:-1] + 2 * h[0] * z1), axis=0)
lap = np.diff(x, 2, axis=2) / h[2]**2 + np.diff(y, 2, axis=1) / h[1]**2 + np.diff(z, 2, axis=0) / h[0]**2
check(np.abs(lap - f).max() <= 1e-11, np.abs(lap - f).max())
for options in (("--lambda", "2", "--factor", "-3"), ("--graph", "staged"), ("--segment-planes", "2", "--repeat", "3"),
                ("--repeat", "4", "--in-flight", "2")):
    solve(*SIDES, "--values", "walls.h5", "--verify", *options)
solve("--in", "f.h5:f32", *SIDES[2:], "--values", "walls32.h5", "--verify")

# --verify is no friend of a solve without the values, nor of one with others.
for wrong in ("x0", "x1", "z0", "z1"):
    with h5py.File("walls.h5", "r") as file:
        write("one.h5", **{name: file[name][...] for name in file if name != wrong})
    solve(*SIDES, "--values", "one.h5", "--out", "other.h5:u", "--verify")
    check(np.abs(read("other.h5") - u).max() > 1e-2, "side %s has no effect" % wrong)

# A closed box: the derivatives have to fit f.
write("closed.h5", x0=np.full((7, 6), 0.5), x1=np.full((7, 6), 2.5))
CLOSED = ("--in", "zero.h5:f", "--bc", "NN", *FD2, "--values", "closed.h5")
write("zero.h5", f=np.zeros(n), two=np.full(n, 2.0))
got = json.loads(solve(*CLOSED, "--verify", "--json", "-").stdout)
check(abs(got["mean_dropped"] + 2) <= 1e-14 and got["verify"]["ok"] is True, got)
bad(*CLOSED, "--mean", "error", says=("f and the derivatives on the sides have the mean -2",))
solve("--in", "zero.h5:two", *CLOSED[2:], "--mean", "error", "--verify")
got = json.loads(solve(*CLOSED, "--lambda", "3", "--verify", "--json", "-").stdout)
check(got["verify"]["ok"] is True, got)

# The same by several processes, some of which have few planes or none.
if MPIRUN:
    for ranks in (2, 3, 5, 8):
        done = solve(*SIDES, "--values", "walls.h5", "--out", "ranks.h5:u", "--verify", ranks=ranks)
        check("residual" in done.stdout, done)
        check(np.abs(read("ranks.h5") - u).max() <= 1e-13 * np.abs(u).max(), "%d processes: another u" % ranks)
    done = solve("--problem", "lid", "--grid", "9", "--gpus", "0", "--verify", ranks=3)
    check("middle    0.166666666667" in done.stdout, done)

# Words for what cannot be.
write("shape.h5", x0=x0.T)
write("rank.h5", z1=np.zeros(n))
write("whole.h5", z1=np.zeros((6, 5), dtype="i4"))
write("nothing.h5", potential=f)
write("nan.h5", z1=np.full((6, 5), np.nan))
write("more.h5", x0=x0, X1=x1)
with h5py.File("group.h5", "w") as file:
    file.create_group("x0")
bad(*SIDES, "--values", "absent.h5", says=("absent.h5: No such file",))
bad(*SIDES, "--values", "shape.h5", says=("shape.h5:/x0", "6 x 7", "[nz][ny], 7 x 6"))
bad(*SIDES, "--values", "rank.h5", says=("rank.h5:/z1", "7 x 6 x 5", "[ny][nx], 6 x 5"))
bad(*SIDES, "--values", "walls32.h5", says=("walls32.h5:/x0: holds f32 numbers, and the solve is in f64",))
bad(*SIDES, "--values", "whole.h5", says=("whole.h5:/z1: holds no real numbers",))
bad(*SIDES, "--values", "nothing.h5", says=("nothing.h5: has no values", "x0 x1 y0 y1 z0 z1"))
bad(*SIDES, "--values", "nan.h5", says=("f.h5:/f with --values nan.h5: the value nan on side z1 at point (0, 0) is not finite",))
bad(*SIDES, "--values", "group.h5", says=("group.h5:/x0: not a data set",))
check("'X1' is no side" in solve(*SIDES, "--values", "more.h5").stderr, "X1 is a side")
bad("--in", "f.h5:f", *FD2, "--bc", "PP,DD,DD", "--values", "walls.h5", says=("walls.h5:/x0", "--bc makes x periodic"))
for symbol in ("spectral", "fd6"):
    bad("--in", "f.h5:f", "--bc", "DD,PP,NN", "--symbol", symbol, "--gpus", "0",
        "--values", "walls.h5", says=("only the symbol fd2",))
bad(*SIDES, "--values", "walls.h5", "--out", "walls.h5:/x0", "--force", says=("walls.h5:/x0 and walls.h5:/x0 are the same data set",))
bad(*SIDES, "--values", "walls.h5", "--dag", "walls.h5", says=("--dag and --values name the same file, walls.h5",))
bad(*SIDES, "--values", "walls.h5", "--data", "resident", says=("--data resident is not for values",))
bad("--problem", "modes", "--grid", "8", "--values", "walls.h5", says=("--values is for --in",))
bad("--problem", "lid", "--grid", "8", "--bc", "DD", says=("all its sides are Dirichlet",))
bad("--problem", "lid", "--grid", "8", "--symbol", "fd8", says=("--problem lid needs --symbol fd2",))
bad("--problem", "lid", "--grid", "8", "--box", "1x1x2", says=("--problem lid needs a cube",))
bad("--problem", "lid", "--grid", "8", "--lambda", "1", says=("--lambda is not for --problem lid",))
