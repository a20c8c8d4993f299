"""psg solve --epsilon: u is that of the stencil with epsilon, by sums over faces in numpy, in both precisions, from HDF5 and from NumPy's
files, of steps too; several
processes have the bits of one. Words for what cannot be."""

import json

import h5py
import numpy as np

from command import check, files, has_mpi, refused, run, solve

FD2 = ("--symbol", "fd2", "--gpus", "0")
SHAPE = (10, 9, 12)  # z, y, x
BOX = (1.5, 1, 2)

rng = np.random.default_rng(11)
F, F2, EPS = rng.standard_normal(SHAPE) + 0.25, rng.standard_normal(SHAPE), np.exp(4 * rng.random(SHAPE))
BAD = EPS.copy()
BAD[2, 3, 4] = -1


def divergence(u, eps):
    total = np.zeros_like(u)
    for axis in range(3):
        h = BOX[axis] / SHAPE[axis]
        flux = (np.roll(u, -1, axis) - u) / (h / 2 / eps + h / 2 / np.roll(eps, -1, axis))
        total += (flux - np.roll(flux, 1, axis)) / h
    return total


def residual(u, f, lam=0.0, factor=1.0):
    right = factor * (f - f.mean() if lam == 0 else f)
    return np.linalg.norm(right - divergence(u, EPS) + lam * u) / np.linalg.norm(right)


def read(name, dataset):
    with h5py.File(name, "r") as file:
        return file[dataset][...]


with h5py.File("in.h5", "w") as made:
    made["f"] = F
    made["eps"] = EPS
    made["bad"] = BAD
    made["huge"] = 1e150 * EPS
    made["small"] = EPS[1:]
    made["t/a"] = F
    made["t/b"] = F2
    made["f32"] = F.astype("f4")
np.save("eps.npy", EPS)
ASKED = ("--in", "in.h5:f", "--box", "2x1x1.5", *FD2)


def answers():
    said = json.loads(solve(*ASKED, "--epsilon", "in.h5:eps", "--out", "u.h5:u", "--verify", "--repeat", "2", "--json", "-").stdout)
    u = read("u.h5", "u")
    check(residual(u, F) <= 1.01e-10, residual(u, F))
    check(said["epsilon"] == "in.h5:/eps" and 10 < said["iterations"] < 100 and said["iterated_to"] <= 1e-10, said)
    check(said["verify"]["ok"] and said["verify"]["points"] == F.size and abs(said["mean_dropped"] - F.mean()) < 1e-12, said)
    text = solve(*ASKED, "--epsilon", "eps.npy", "--lambda", "7", "--factor", "-3", "--out", "u.h5:v", "--verify", "--trace", "t.json").stdout
    check(residual(read("u.h5", "v"), F, 7, -3) <= 1.01e-10, "lambda and factor")
    for words in ("equation  div(epsilon grad u) - 7 u = -3 f, fd2, f64\n", "epsilon   eps.npy\n", " of f\n", "the last iteration explain"):
        check(words in text, "no %s in %s" % (words, text))
    with open("t.json", encoding="utf-8") as file:
        names = {e["name"] for e in json.load(file)["traceEvents"] if e["ph"] == "X"}
    check({"forward_xy", "pcg_apply", "pcg_scalars"} <= names, names)
    early = json.loads(solve(*ASKED, "--epsilon", "in.h5:eps", "--tolerance", "1e-3", "--json", "-").stdout)
    check(early["iterations"] < said["iterations"] / 2 and 1e-5 < early["iterated_to"] <= 1e-3, early)
    check(len(early["residuals"]) == early["iterations"] + 1 and early["residuals"][0] == 1, early)
    check(early["residuals"][-1] == early["iterated_to"] < 1e-3 < early["residuals"][-2], early)
    before = early["residuals"][:-1]
    check(np.allclose(before, said["residuals"][:len(before)], 1e-9, 0), said)
    single = json.loads(solve(*ASKED, "--in", "in.h5:f32", "--epsilon", "in.h5:eps", "--out", "u.h5:w", "--verify", "--json", "-").stdout)
    check(single["precision"] == "f32" and 1e-8 < single["iterated_to"] <= 1e-6, single)
    w = read("u.h5", "w").astype("f8")
    check(abs(w - u).max() <= 1e-5 * abs(u).max(), abs(w - u).max())


def walled(u, bc):
    """The sum over the faces of each cell, of which those at a Neumann side pass nothing, and half a cell is before a Dirichlet side."""
    total = np.zeros_like(u)
    for axis, (low, high) in zip((2, 1, 0), bc.split(",")):
        h = BOX[axis] / SHAPE[axis]
        x, e = np.moveaxis(u, axis, 0), np.moveaxis(EPS, axis, 0)
        flux = np.zeros((len(x) + 1, *x.shape[1:]))
        flux[1:-1] = np.diff(x, axis=0) / (h / 2 / e[1:] + h / 2 / e[:-1])
        if low == "P":
            flux[0] = flux[-1] = (x[0] - x[-1]) / (h / 2 / e[0] + h / 2 / e[-1])
        flux[0] = x[0] * e[0] / (h / 2) if low == "D" else flux[0]
        flux[-1] = -x[-1] * e[-1] / (h / 2) if high == "D" else flux[-1]
        total += np.moveaxis(np.diff(flux, axis=0) / h, 0, axis)
    return total


def walls():
    for bc in "NN,NN,NN", "DD,NN,PP", "PP,DN,ND", "PP,PP,DD":
        solve(*ASKED, "--bc", bc, "--epsilon", "in.h5:eps", "--out", "u.h5:" + bc, "--verify")
        right = F if "D" in bc else F - F.mean()
        left = np.linalg.norm(right - walled(read("u.h5", bc), bc)) / np.linalg.norm(right)
        check(left <= 1.01e-10, (bc, left))


def solids():
    """Two planes of solid points part the box in two, with a mean of f each; f is NaN in the planes."""
    with h5py.File("in.h5", "a") as made:
        eps, f = EPS.copy(), F.copy()
        eps[[0, 5]] = 0
        f[1:5] += 100
        f[[0, 5]] = np.nan
        made["solid"], made["in_fluid"], made["nothing"] = eps, f, 0 * EPS
    asked = *ASKED, "--in", "in.h5:in_fluid", "--epsilon", "in.h5:solid"
    solve(*asked, "--out", "u.h5:solid", "--verify")
    u = read("u.h5", "solid")
    check(not u[[0, 5]].any(), "u in the bodies is not 0")
    for fluid in (slice(1, 5), slice(6, None)):
        part, right = u[fluid], f[fluid] - f[fluid].mean()
        total = np.zeros_like(part)
        for axis in range(3):
            h = BOX[axis] / SHAPE[axis]
            for step in (-1, 1):
                there, beyond = np.roll(u, step, axis)[fluid], np.roll(eps, step, axis)[fluid]
                face = np.where(beyond > 0, 2 * eps[fluid] * beyond / (eps[fluid] + beyond), 0)
                total += face * (there - part) / h**2
        left = np.linalg.norm(right - total) / np.linalg.norm(right)
        check(left <= 1e-9 and abs(part.mean()) < 1e-14, (left, part.mean()))
    refused("solve", *asked, "--mean", "error", code=2,
            says=("f has the mean 100", "one of 2 regions"))
    refused("solve", *ASKED, "--epsilon", "in.h5:nothing", code=2,
            says=("epsilon is 0 everywhere between points",))


def values():
    """A capacitor with two dielectrics: D is the same in both, and u is linear in each. So it is with
    a flux through a Neumann side. --verify knows both, and boxes that are closed."""
    n, inner, outer, volts = SHAPE[0], 1.0, 4.0, 5.0
    eps = np.full(SHAPE, inner)
    eps[n // 2:] = outer
    z = (np.arange(n) + .5)[:, None, None] * BOX[0] / n
    middle = BOX[0] / 2
    depth = np.minimum(z, middle) / inner + np.maximum(z - middle, 0) / outer
    whole = middle / inner + middle / outer
    with h5py.File("in.h5", "a") as made:
        made["two"], made["zero"], made["falls"] = eps, np.zeros(SHAPE), np.full(SHAPE, 2.0)
        for name in "xyz":  # above each point; along z the harmonic mean, and the upper plate's own
            made["two-faces/" + name] = eps
        made["two-faces/z"][n // 2 - 1] = 2 / (1 / inner + 1 / outer)
    with h5py.File("plates.h5", "w") as made:
        made["z1"] = np.full(SHAPE[1:], volts)
    with h5py.File("flux.h5", "w") as made:
        made["z1"] = np.full(SHAPE[1:], volts)
    with h5py.File("closed.h5", "w") as made:  # what flows in is f's: outer z1 = 2 of the length
        made["z1"] = np.full(SHAPE[1:], 2 * BOX[0] / outer)
    with h5py.File("walls.h5", "w") as made:
        for side, shape in (("x0", (0, 1)), ("x1", (0, 1)), ("y0", (0, 2)), ("y1", (0, 2))):
            made[side] = rng.standard_normal([SHAPE[axis] for axis in shape])
    given = *ASKED, "--in", "in.h5:zero"
    for option, data in ("--epsilon", "in.h5:two"), ("--faces-epsilon", "in.h5:two-faces"):
        solve(*given, option, data, "--bc", "PP,PP,DD", "--values", "plates.h5", "--verify",
              "--out", "v.h5:plates" + option)
        off = abs(read("v.h5", "plates" + option) - volts * depth / whole).max()
        check(off <= 1e-8, ("plates", option, off))
        solve(*given, option, data, "--bc", "PP,PP,DN", "--values", "flux.h5", "--verify",
              "--out", "v.h5:flux" + option)
        off = abs(read("v.h5", "flux" + option) - outer * volts * depth).max()
        check(off <= 1e-8, ("flux", option, off))
        solve(*given, "--in", "in.h5:falls", option, data, "--bc", "PP,PP,NN", "--verify",
              "--values", "closed.h5", "--out", "v.h5:closed" + option)
        solve(*given, "--in", "in.h5:falls", option, data, "--bc", "DN,ND,PP", "--lambda", "3",
              "--factor", "-2", "--verify", "--values", "walls.h5", "--out", "v.h5:walls" + option)


def steps():
    solve(*ASKED, "--in", "in.h5:t/*", "--epsilon", "in.h5:eps", "--out", "s.h5:s", "--verify")
    for name, f in (("a", F), ("b", F2)):
        check(residual(read("s.h5", "s/" + name), f) <= 1.01e-10, "step " + name)


def guess():
    """From its own answer a solve takes no iteration, each time that it is repeated."""
    asked = *ASKED, "--epsilon", "in.h5:eps"
    solve(*asked, "--out", "g.h5:u")
    done = solve(*asked, "--guess", "g.h5:u", "--repeat", "2", "--out", "g.h5:again", "--verify")
    check("iterated  0 times" in done.stdout, done.stdout)
    u, again = read("g.h5", "u"), read("g.h5", "again")
    check(abs(again - u).max() <= 1e-14 * abs(u).max(), "the answer is no longer the guess")
    done = solve(*asked, "--guess", "in.h5:f", "--out", "g.h5:far", "--verify")
    check("iterated  0 times" not in done.stdout, done.stdout)
    check(residual(read("g.h5", "far"), F) <= 1.01e-10, "from a guess that is far")
    with h5py.File("in.h5", "a") as made:
        made["nan"] = np.where(np.arange(F.size).reshape(F.shape) == 1, np.nan, F)
    for given, says in ((("in.h5:nan",), ("the guess in u is nan at (i,j,k) = (1,0,0)",)),
                        (("in.h5:small",), ("12 x 9 x 9", "12 x 9 x 10")),
                        (("none.h5:u",), ("--guess: none.h5: ",))):
        refused("solve", *asked, "--guess", *given, code=2, says=says)
    refused("solve", *ASKED, "--guess", "g.h5:u", code=2, says=("--guess are for --epsilon",))


def several():
    """Processes with planes and without have the u of one, its gradient and its iterations, and
    --verify sees all points."""
    with h5py.File("in.h5", "a") as made:
        eps, f = EPS.copy(), F.copy()
        for plane, wall in enumerate((0, 8, 0, 8)):  # a channel that winds through all processes
            eps[:, 2 * plane + 1] = 0
            eps[wall:wall + 2, 2 * plane + 1] = 1
        eps[rng.random(SHAPE) < .2] = 0
        f[eps == 0] = np.nan
        made["cut"], made["in_cut"] = eps, f
    np.save("f.npy", F)
    cut = ("--in", "in.h5:in_cut", "--epsilon", "in.h5:cut")
    cases = (("--in", "in.h5:f", "--epsilon", "in.h5:eps", "--gradient", "d%d.h5"),
             ("--in", "f.npy", "--epsilon", "eps.npy", "--bc", "DN,PP,NN", "--guess", "in.h5:t/b"),
             (*cut, "--bc", "NN,NN,NN"), (*cut, "--lambda", "3", "--precision", "f32"),
             ("--in", "in.h5:t/*", "--epsilon", "eps.npy", "--guess", "f.npy"))
    for case, given in enumerate(cases):
        said = {}
        for ranks in (0, 2 + case % 2, 11 if case == 2 else 4):
            asked = [word % ranks if "%" in word else word for word in given]
            out = ("--out", "r%d.h5:c%d" % (ranks, case), "--force", "--json", "-")
            done = solve(*ASKED[2:], *asked, "--cpus", "1", *out, "--verify", ranks=ranks)
            said[ranks] = json.loads(done.stdout)
            for one in said[ranks].get("steps") or [said[ranks]]:
                check(one["verify"]["ok"] and one["verify"]["points"] == F.size, said[ranks])
            for key in ("iterations", "iterated_to", "residuals", "mean_dropped"):
                check(said[ranks].get(key) == said[0].get(key), (case, ranks, key, said))
            for data in ("/a", "/b") if "t/*" in given[1] else ("",):
                same_bits("r%d.h5", ranks, "c%d%s" % (case, data))
            for d in "xyz" if "--gradient" in given else "":
                same_bits("d%d.h5", ranks, "gradient/" + d)
    several_refused()


def same_bits(name, ranks, dataset):
    check(np.array_equal(read(name % 0, dataset), read(name % ranks, dataset)), (ranks, dataset))


def several_refused():
    with h5py.File("in.h5", "a") as made:
        for k in (0, 4, 9):  # in the planes of one of three processes
            made["bad%d" % k], made["nan%d" % k] = EPS.copy(), F.copy()
            made["bad%d" % k][k, 3, 4] = made["nan%d" % k][k, 3, 4] = np.nan
    for k in (0, 4, 9):
        at = "at (i,j,k) = (4,3,%d)" % k
        nan = "in.h5:nan%d" % k
        for given, says in ((("in.h5:bad%d" % k,), "in.h5:/bad%d: epsilon is nan " % k),
                            (("in.h5:eps", "--in", nan), "f is NaN or Inf "),
                            (("in.h5:eps", "--guess", nan), "the guess in u is nan ")):
            refused_by_all(3, *ASKED, "--epsilon", *given, says=says + at)
    eps = (*ASKED, "--epsilon", "in.h5:eps")
    refused_by_all(3, *ASKED, "--epsilon", "in.h5:small",
                   says="in.h5:/small: has 12 x 9 x 9 points, and f has 12 x 9 x 10")
    refused_by_all(3, *eps, "--guess", "in.h5:small", says="and f has 12 x 9 x 10")
    refused_by_all(3, *eps, "--iterations", "4", says="after 4 iterations the residual is")
    refused_by_all(2, *ASKED, "--in", "in.h5:in_cut", "--epsilon", "in.h5:cut", "--mean", "error",
                   says="regions: more than")


def refused_by_all(ranks, *given, says):
    """One line of psg's, and its exit code; mpirun has lines of its own."""
    old = files()
    done = run("solve", *given, "--cpus", "1", "--out", "no.h5", code=2, ranks=ranks)
    lines = [line for line in done.stderr.splitlines() if line.startswith("psg: ")]
    lines = [line for line in lines if not line.startswith("psg: note: ")]
    check(len(lines) == 1 and says in lines[0], (says, done.stderr))
    check(files() == old, "files were left behind")


def bad():
    old = files()
    eps = ("--epsilon", "in.h5:eps")
    for given, says in (((*ASKED, "--epsilon", "in.h5:bad"), ("epsilon is -1 at (i,j,k) = (4,3,2)", "finite and above 0", "in.h5:/bad")),
                        ((*ASKED, "--epsilon", "in.h5:small"), ("12 x 9 x 9", "12 x 9 x 10")),
                        ((*ASKED, "--epsilon", "none.h5:eps"), ("--epsilon: none.h5: ",)),
                        ((*ASKED, "--epsilon", "in.h5:t/*"), ("one data set",)),
                        ((*ASKED, *eps, "--iterations", "4"), ("after 4 iterations the residual is", "1e-10")),
                        ((*ASKED, *eps, "--iterations", "0"), ("--iterations '0'",)),
                        ((*ASKED, *eps, "--tolerance", "2"), ("tolerance = 2", "below 1")),
                        ((*ASKED, *eps, "--tolerance", "-1"), ("tolerance = -1", "above 0")),
                        ((*ASKED, "--tolerance", "1e-3"), ("are for --epsilon",)), ((*ASKED, "--iterations", "9"), ("are for --epsilon",)),
                        ((*ASKED, *eps, "--symbol", "fd6"), ("--symbol fd2",)), ((*ASKED, *eps, "--bc", "PP,FF,PP"), ("free sides",)),
                        ((*ASKED, *eps, "--data", "resident"), ("--data resident",)),
                        (("--problem", "modes", "--grid", "8", *FD2, *eps), ("is for --in",))):
        refused("solve", *given, code=2, says=says)
    check(files() == old, "files were left behind")


answers()
walls()
solids()
values()
steps()
guess()
if has_mpi():
    several()
bad()
refused("solve", "--in", "in.h5:f", "--epsilon", "in.h5:huge", *FD2, code=2,
        says=("in.h5:/f with --epsilon in.h5:/huge: epsilon is ", "u is the same with epsilon, lambda and factor divided by one number"))
