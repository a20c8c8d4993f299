"""psg solve with Dirichlet and Neumann sides: right answers on both positions of points, by one process and several; what
files and reports say of the sides; and words for what cannot be."""

import json
import re

import h5py
import numpy as np

from command import MPIRUN, check, run, solve

MADELUNG = 1.747564594633182


def report(*arguments):
    return json.loads(solve(*arguments, "--gpus", "0", "--json", "-").stdout)


def bad(*arguments, says, code=2):
    done = run("solve", *arguments, code=code)
    for words in says:
        check(words in done.stderr, "%s: no '%s' in: %s" % (arguments, words, done.stderr))
    return done.stderr


# Modes, whose values are known, and the residual by stencils and sums that know mirror images.
for grid, bc in (("13x10x12", "DD,NN,DN"), ("8x9x1", "ND,PP,DD"), ("1x7x9", "DN,DD,NN"), ("16x5x6", "PP,NN,NN"), ("9", "NN"),
                 ("2x1x2", "DD")):
    for points in ("cells", "nodes", "c,n,c"):
        for more, options in enumerate(((), ("--lambda", "2", "--box", "1x2x1.5"),
                                        ("--precision", "f32", "--graph", "staged"))):
            for symbol in ("spectral", "fd2", ("fd4", "fd6", "fd8")[(more + len(grid) + len(points)) % 3]):
                what = (grid, bc, symbol, points, options)
                got = report("--problem", "modes", "--grid", grid, "--bc", bc, "--symbol", symbol, "--points", points, "--verify",
                             *options)
                tolerance = 1e-5 if "f32" in options else 1e-13
                check(got["modes"]["error"] <= tolerance, "%s: error %g" % (what, got["modes"]["error"]))
                check(got["verify"]["ok"] is True, "%s: %s" % (what, got["verify"]))
# Charges along a free z, for which the answer is known: closed for a stencil, a sum for spectral.
for grid, bc in (("16", "PP,PP,FF"), ("9x7x5", "PP,NN,DF"), ("7x1x12", "ND,PP,FD"),
                 ("1x8x30", "NN,NN,NF"), ("6x5x33", "DD,PP,FN"), ("1", "PP,PP,FF")):
    for symbol in ("spectral", "fd2"):
        for options in ((), ("--lambda", "2", "--box", "1x2x1.5"),
                        ("--precision", "f32", "--factor", "-3")):
            what = ("--grid", grid, "--bc", bc, "--symbol", symbol, *options)
            error = report("--problem", "modes", *what)["modes"]["error"]
            check(error <= (1e-5 if "f32" in options else 1e-13), "%s: error %g" % (what, error))
got = report("--problem", "modes", "--grid", "8x9x10", "--bc", "DD,PP,ND", "--points", "n,c,c")
check(got["bc"] == ["DD", "PP", "ND"] and got["points"] == ["nodes", "cells", "cells"], got)
got = report("--problem", "modes", "--grid", "8")
check(got["bc"] == ["PP", "PP", "PP"], got)
said = solve("--problem", "modes", "--grid", "8", "--bc", "DD,PP,ND", "--points", "n,c,c", "--gpus", "0").stdout
check("sides     DD along x (nodes), PP along y, ND along z (cells)\n" in said, said)

# A charge in a conducting cube has the crystal of rock salt for its images.
for options in ((), ("--points", "nodes"), ("--box", "3", "--graph", "staged")):
    got = report("--problem", "cavity", "--grid", "48x47x50", "--verify", *options)
    check(abs(got["madelung"]["constant"] - MADELUNG) <= 1e-10 and got["verify"]["ok"] is True, got)
off = [abs(report("--problem", "cavity", "--grid", n, "--symbol", symbol)["madelung"]["difference"])
       for symbol in ("fd2", "fd4", "fd6", "fd8") for n in ("32", "64")]
check(abs(off[0] / off[1] - 4) <= 0.3, "fd2: off by %s" % off)
check(abs(off[2] / off[3] - 16) <= 2, "fd4: off by %s" % off)
check(abs(off[4] / off[5] - 64) <= 16, "fd6: off by %s" % off)
check(abs(off[6] / off[7] - 256) <= 100, "fd8: off by %s" % off)

# What a field in a file and the files beside it say.
n = (7, 6, 5)
rng = np.random.default_rng(3)
f = rng.standard_normal(n)
with h5py.File("rho.h5", "w") as file:
    file["f"] = f
    file["flat"] = [[[1.0], [2.0]], [[3.0], [4.0]]]
solve("--in", "rho.h5:f", "--out", "phi.h5:/u", "--box", "1x2x3", "--bc", "DD,NN,DN", "--points", "c,n,n", "--symbol", "fd2",
      "--gpus", "0", "--verify")
xmf = open("phi.xmf", encoding="ascii").read()
numbers = [[float(word) for word in re.search(r'Name="%s".*?>([^<]*)<' % name, xmf, re.S).group(1).split()]
           for name in ("Origin", "Spacing")]
check(np.allclose(numbers, [[3 / 7, 0, 0.1], [3 / 7, 2 / 5, 1 / 5]], rtol=1e-15), xmf)
with h5py.File("phi.h5", "r") as file:
    u = file["u"][...]
    attributes = dict(file["u"].attrs)
check((attributes["bc"], attributes["points"]) == (b"DD,NN,DN", b"c,n,n"), attributes)
# the 7-point stencil by hand: x beyond both sides changes its sign, y is mirrored in its end points, z is 0 below and
# mirrored in its last point
x = np.concatenate((-u[:, :, :1], u, -u[:, :, -1:]), axis=2)
y = np.concatenate((u[:, 1:2, :], u, u[:, -2:-1, :]), axis=1)
z = np.concatenate((0 * u[:1], u, u[-2:-1]), axis=0)
lap = (np.diff(x, 2, axis=2) / 0.2**2 + np.diff(y, 2, axis=1) / 0.4**2 + np.diff(z, 2, axis=0) / (3 / 7)**2)
check(np.abs(lap - f).max() <= 1e-13 * np.abs(f).max() * 100, np.abs(lap - f).max())
solve("--in", "rho.h5:f", "--out", "periodic.h5:/u", "--gpus", "0")
with h5py.File("periodic.h5", "r") as file:
    check("bc" not in file["u"].attrs, "a periodic field has sides")

# A box that is closed: the mean is dropped with half the weight of points on sides, or an error.
weights = np.ones(n)
weights[0] *= 0.5
weights[-1] *= 0.5
got = report("--in", "rho.h5:f", "--bc", "PP,PP,NN", "--points", "nodes", "--verify")
check(abs(got["mean_dropped"] - (weights * f).sum() / weights.sum()) <= 1e-15 and got["verify"]["ok"] is True, got)
said = solve("--in", "rho.h5:f", "--bc", "NN", "--gpus", "0").stdout
check("of f was dropped: a box without a Dirichlet side has no solution for it" in said, said)
bad("--in", "rho.h5:flat", "--bc", "FF", "--symbol", "fd2", "--verify", "--gpus", "0", code=1,
    says=("nothing is verified: all points are next to a free side",))
for symbol in ("fd4", "fd6", "fd8"):
    bad("--in", "rho.h5:f", "--bc", "PP,PP,DF", "--symbol", symbol, "--verify", "--gpus", "0",
        says=("symbol %s has no free sides: spectral and fd2 have them" % symbol,))
bad("--in", "rho.h5:f", "--bc", "FF", "--verify", says=("--verify needs --symbol fd2",))
bad("--problem", "lid", "--grid", "8", "--bc", "FF", says=("--bc is not for --problem lid",))
said = solve("--in", "rho.h5:f", "--bc", "NN,NN,ND", "--gpus", "0").stdout
check("dropped" not in said, said)
bad("--in", "rho.h5:f", "--bc", "NN", "--mean", "error", "--gpus", "0", says=("f has the mean", "a closed box"))

# The same by several processes, some of which have few planes or none.
if MPIRUN:
    for kernel, error in (("igf", "1.99e-02"), ("hockney", "1.76e-02")):
        said = solve("--problem", "isolated", "--grid", "24", "--kernel", kernel, "--gpus", "0",
                     ranks=3).stdout
        check("error     %s" % error in said, said)
    for ranks in (2, 3, 5):
        for symbol in ("spectral", "fd2", "fd4", "fd8"):
            for grid in ("9x8x7", "5x6x3"):
                said = solve("--problem", "modes", "--grid", grid, "--bc", "DN,NN,ND", "--points", "n,n,c",
                             "--symbol", symbol, "--verify", "--gpus", "0", ranks=ranks).stdout
                check("residual" in said and "error" in said, said)

# Words for what cannot be.
MODES = ("--problem", "modes", "--grid", "8")
for value in ("", "P", "PPP", "PP,DD,", "PP,DD,NN,", "DX,NN,PP", "XX", "PP DD NN"):
    check("did you mean" not in bad(*MODES, "--bc", value, says=("--bc '%s'" % value, "two letters of P, D, N")), value)
for value, meant in (("dd", "DD"), ("pp,dn,NN", "PP,DN,NN"), ("PPxDDxNN", "PP,DD,NN")):
    bad(*MODES, "--bc", value, says=("did you mean --bc %s?" % meant,))
for value, meant in (("node", "nodes"), ("cels", "cells"), ("C,N,C", "c,n,c"), ("Nodes", "nodes")):
    bad(*MODES, "--bc", "DD", "--points", value, says=("did you mean --points %s?" % meant,))
for value in ("", "x", "c,n,c,n", "c;n;c", "corners"):
    bad(*MODES, "--bc", "DD", "--points", value, says=("--points '%s'" % value, "cells, nodes, or c or n"))
bad(*MODES, "--points", "nodes", says=("--points is for axes with Dirichlet or Neumann sides",))
bad(*MODES, "--bc", "PN,DD,DD", "--gpus", "0", says=("the lower side along x is periodic and the other one is not",))
bad(*MODES, "--bc", "DD,DD,DP", "--gpus", "0", says=("the upper side along z is periodic",))
bad("--problem", "modes", "--grid", "8x1x8", "--bc", "NN", "--points", "nodes", "--gpus", "0", says=("ny = 1", "two at least"))
bad("--problem", "madelung", "--grid", "8", "--bc", "DD", says=("a crystal is periodic",))
bad("--problem", "cavity", "--grid", "8", "--bc", "DD", says=("all its sides are Dirichlet",))
bad("--problem", "cavity", "--grid", "8", "--lattice", "zns", says=("--lattice is for --problem madelung",))
