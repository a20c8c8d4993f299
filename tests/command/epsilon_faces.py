"""psg solve --faces-epsilon: u is that of the stencil with epsilon on faces, by sums over faces in
numpy; faces with the harmonic means of points have the u of these points; several processes have
the bits of one. Words for what cannot be."""

import json

import h5py
import numpy as np

from command import check, files, has_mpi, refused, run, solve

FD2 = ("--symbol", "fd2", "--gpus", "0")
SHAPE, BOX = (10, 9, 12), (1.5, 1, 2)  # z, y, x
AXES = (("x", 2), ("y", 1), ("z", 0))

rng = np.random.default_rng(29)
F, EPS = rng.standard_normal(SHAPE) + 0.25, np.exp(4 * rng.random(SHAPE))
MEANS = {name: 2 / (1 / EPS + 1 / np.roll(EPS, -1, axis)) for name, axis in AXES}
FACES = {name: np.exp(3 * rng.random(SHAPE)) for name, _ in AXES}
HOLES = {name: np.where(rng.random(SHAPE) < .1, 0, faces) for name, faces in FACES.items()}
HOLES["z"][[2, 6]] = 0  # no flux along z passes these: two parts of the box
for faces, name, axis in [(HOLES, *of) for of in AXES]:
    at = [4, 3, 5]  # a solid point between closed faces
    faces[name][tuple(at)] = 0
    at[axis] -= 1
    faces[name][tuple(at)] = 0


def put(file, group, faces):
    for name, values in faces.items():
        file["%s/%s" % (group, name)] = values


with h5py.File("in.h5", "w") as made:
    made["f"], made["eps"], made["f2"] = F, EPS, F[0]
    put(made, "means", MEANS)
    put(made, "faces", FACES)
    put(made, "holes", HOLES)
    put(made, "plane", {"x": FACES["x"][0], "y": FACES["y"][0]})
    made["two/x"], made["two/y"] = FACES["x"], FACES["y"]
    put(made, "small", {**FACES, "y": FACES["y"][1:]})
    made["t/a"], made["t/b"] = F, F[::-1]
with h5py.File("root.h5", "w") as made:
    for side in FACES:
        made[side] = FACES[side]
np.save("faces.npy", EPS)
ASKED = ("--in", "in.h5:f", "--box", "2x1x1.5", *FD2)


def read(name, dataset):
    with h5py.File(name, "r") as file:
        return file[dataset][...]


def divergence(u, faces, bc, nodes=False):
    """The sum over the faces of each cell. At a Neumann side they pass nothing. A lower Dirichlet
    side has the first face's number."""
    total = np.zeros_like(u)
    axes = AXES if u.ndim == 3 else (("x", 1), ("y", 0))
    for (name, axis), (low, high) in zip(axes, bc.split(",")):
        x, e = np.moveaxis(u, axis, 0), np.moveaxis(faces[name], axis, 0)
        h = BOX[axis + 3 - u.ndim] / (len(x) + (1 if nodes else 0))
        before = h if nodes else h / 2
        flux = np.zeros((len(x) + 1, *x.shape[1:]))
        flux[1:-1] = e[:-1] * np.diff(x, axis=0) / h
        if low == "P":
            flux[0] = flux[-1] = e[-1] * (x[0] - x[-1]) / h
        flux[0] = e[0] * x[0] / before if low == "D" else flux[0]
        flux[-1] = -e[-1] * x[-1] / before if high == "D" else flux[-1]
        total += np.moveaxis(np.diff(flux, axis=0) / h, 0, axis)
    return total


def left(u, right, faces, bc, lam=0.0, nodes=False):
    return np.linalg.norm(right - divergence(u, faces, bc, nodes) + lam * u) / np.linalg.norm(right)


def of_points():
    """No lower side is Dirichlet: that one has the number of the first face, and not of the
    point."""
    for bc in "PP", "NN", "PP,NN,ND":
        u = {}
        faces = {name: values.copy() for name, values in MEANS.items()}
        if bc[-1] == "D":
            faces["z"][-1] = EPS[-1]
        with h5py.File("means.h5", "w") as made:
            for name, values in faces.items():
                made[name] = values
        for option, given in (("--epsilon", "in.h5:eps"), ("--faces-epsilon", "means.h5")):
            out = "u%s.h5:%s" % (option, bc)
            solve(*ASKED, option, given, "--bc", bc, "--tolerance", "1e-13", "--out", out,
                  "--verify")
            u[option] = read(*out.split(":"))
        apart = abs(u["--epsilon"] - u["--faces-epsilon"]).max()
        check(apart <= 1e-11 * abs(u["--epsilon"]).max(), (bc, apart))


def answers():
    faces = ("--faces-epsilon", "in.h5:faces")
    said = json.loads(solve(*ASKED, *faces, "--out", "u.h5:u", "--verify", "--json", "-").stdout)
    check(left(read("u.h5", "u"), F - F.mean(), FACES, "PP,PP,PP") <= 1.01e-10, "periodic")
    check(said["epsilon"] == "in.h5:faces" and said["verify"]["ok"], said)
    check(said["verify"]["points"] == F.size, said)
    solve(*ASKED, "--faces-epsilon", "root.h5", "--out", "u.h5:root")
    check(np.array_equal(read("u.h5", "u"), read("u.h5", "root")), "the file itself")
    text = solve(*ASKED, *faces, "--lambda", "7", "--factor", "-3", "--out", "u.h5:v",
                 "--verify").stdout
    check(left(read("u.h5", "v"), -3 * F, FACES, "PP,PP,PP", 7) <= 1.01e-10, "lambda and factor")
    check("equation  div(epsilon grad u) - 7 u = -3 f, fd2, f64\n" in text, text)
    check("epsilon   in.h5:faces\n" in text, text)
    for bc in "NN,NN,NN", "DD,NN,PP", "PP,DN,ND", "DD,DD,DD":
        nodes = bc == "DD,DD,DD"
        points = ("--points", "nodes") if nodes else ()
        solve(*ASKED, "--bc", bc, *points, *faces, "--out", "u.h5:" + bc, "--verify")
        right = F if "D" in bc else F - F.mean()
        off = left(read("u.h5", bc), right, FACES, bc, nodes=nodes)
        check(off <= 1.01e-10, (bc, off))
    solve(*ASKED, "--in", "in.h5:f2", "--box", "2x1", "--bc", "PP,DN", "--faces-epsilon",
          "in.h5:plane", "--out", "u.h5:two", "--verify")
    plane = {"x": FACES["x"][0], "y": FACES["y"][0]}
    check(left(read("u.h5", "two"), F[0], plane, "PP,DN") <= 1.01e-10, "two axes")
    solve(*ASKED, "--in", "in.h5:t/*", *faces, "--out", "u.h5:t", "--verify")
    off = left(read("u.h5", "t/b"), F[::-1] - F.mean(), FACES, "PP,PP,PP")
    check(off <= 1.01e-10, "step b")


def closed():
    """Closed faces part the box in two, which lose their means of f. A solid point has u = 0 and f
    that is not read. With lambda its u is -f/lambda."""
    with h5py.File("in.h5", "a") as made:
        f = F.copy()
        f[3:7] += 100
        made["parts"] = f
        f = f.copy()
        f[4, 3, 5] = np.nan
        made["in_fluid"] = f
    asked = *ASKED, "--in", "in.h5:in_fluid", "--faces-epsilon", "in.h5:holes"
    solve(*asked, "--out", "u.h5:holes", "--verify")
    u, right = read("u.h5", "holes"), read("in.h5", "in_fluid")
    check(u[4, 3, 5] == 0, "u in the body is not 0")
    right[4, 3, 5] = 0
    part = np.zeros(SHAPE, bool)
    part[3:7] = True
    fluid = np.ones(SHAPE, bool)
    fluid[4, 3, 5] = False
    for region in (part & fluid, ~part & fluid):
        right[region] -= right[region].mean()
        check(abs(u[region].mean()) < 1e-13, u[region].mean())
    off = left(u, right, HOLES, "PP,PP,PP")
    check(off <= 1.01e-10, off)
    refused("solve", *asked, "--mean", "error", code=2,
            says=("f has the mean ", "one of 2 regions"))
    solve(*asked, "--in", "in.h5:parts", "--lambda", "2", "--out", "u.h5:lambda", "--verify")
    off = left(read("u.h5", "lambda"), read("in.h5", "parts"), HOLES, "PP,PP,PP", 2)
    check(off <= 1.01e-10, "lambda and closed faces")
    for name, bc in (("walls", "DD,NN,ND"), ("boxes", "NN,NN,NN")):
        solve(*asked, "--bc", bc, "--out", "u.h5:" + name, "--verify")


def tolerances():
    """What --verify finds, and its bound, follow the tolerance."""
    loose, tight = (
        json.loads(solve(*ASKED, "--faces-epsilon", "in.h5:faces", "--tolerance", tolerance,
                         "--verify", "--json", "-").stdout)["verify"]
        for tolerance in ("1e-3", "1e-12"))
    for key in "residual", "bound":
        check(tight[key] < 1e-3 * loose[key], (loose, tight))


def several():
    cases = (("in.h5:f", "in.h5:faces", "--gradient", "d%d.h5"),
             ("in.h5:f", "in.h5:faces", "--bc", "DN,PP,NN"),
             ("in.h5:in_fluid", "in.h5:holes"),
             ("in.h5:in_fluid", "in.h5:holes", "--bc", "NN,NN,NN"),
             ("in.h5:parts", "in.h5:holes", "--lambda", "3", "--precision", "f32"))
    for case, (f, eps, *given) in enumerate(cases):
        said = {}
        for ranks in (0, 3, 11 if case == 2 else 4):
            asked = [word % ranks if "%" in word else word for word in given]
            out = ("--out", "r%d.h5:c%d" % (ranks, case), "--force", "--json", "-")
            done = solve(*ASKED[2:], "--in", f, "--faces-epsilon", eps, *asked, "--cpus", "1", *out,
                         "--verify", ranks=ranks)
            said[ranks] = json.loads(done.stdout)
            verified = said[ranks]["verify"]
            check(verified["ok"] and verified["points"] == F.size, said[ranks])
            for key in ("iterations", "iterated_to", "residuals", "mean_dropped"):
                check(said[ranks].get(key) == said[0].get(key), (case, ranks, key, said))
            one, all_of_them = (read("r%d.h5" % m, "c%d" % case) for m in (0, ranks))
            check(np.array_equal(one, all_of_them), (case, ranks))
    for given, says in (("nan-z", "in.h5:/nan-z/z: epsilon is nan at (i,j,k) = (4,3,9)"),
                        ("two", "in.h5:/two/z: no such data set"),
                        ("small", "in.h5:/small/y: has 12 x 9 x 9 points, and f has 12 x 9 x 10")):
        old = files()
        done = run("solve", *ASKED, "--faces-epsilon", "in.h5:" + given, "--cpus", "1", "--out",
                   "no.h5", code=2, ranks=3)
        lines = [line for line in done.stderr.splitlines() if line.startswith("psg: ")]
        lines = [line for line in lines if "note: " not in line]
        check(len(lines) == 1 and says in lines[0] and files() == old, (says, done.stderr))


def bad():
    with h5py.File("in.h5", "a") as made:
        for name, axis in AXES:
            for word, value in (("nan", np.nan), ("below", -2)):
                values = FACES[name].copy()
                values[9, 3, 4] = value
                put(made, "%s-%s" % (word, name), {**FACES, name: values})
    words = "where nothing passes, or finite and above 0"
    place = "in.h5:/%s-%s/%s: epsilon is %s at (i,j,k) = (4,3,9)"
    cases = [("in.h5:%s-%s" % (word, name), (place % (word, name, name, number), words))
             for name, _ in AXES for word, number in (("nan", "nan"), ("below", "-2"))]
    cases += (("in.h5:two", ("in.h5:/two/z: no such data set", "/two/y (10 x 9 x 12)")),
              ("in.h5:none", ("in.h5:/none/x: no such data set",)),
              ("in.h5:eps", ("in.h5:/eps/x: no such data set",)),
              ("in.h5:small", ("in.h5:/small/y: has 12 x 9 x 9 points, and f has 12 x 9 x 10",)),
              ("none.h5", ("none.h5",)), ("in.h5:t/*", ("name of a group",)),
              ("faces.npy", ("NumPy's files have one array, and epsilon on faces has three",)))
    old = files()
    for given, says in cases:
        refused("solve", *ASKED, "--faces-epsilon", given, code=2, says=says)
    faces = (*ASKED, "--faces-epsilon", "in.h5:faces")
    for given, says in ((("--epsilon", "in.h5:eps"), "--faces-epsilon: a solve has one of them"),
                        (("--symbol", "fd6"), "--symbol fd2"), (("--bc", "PP,FF,PP"), "free sides"),
                        (("--data", "resident"), "--data resident"),
                        (("--in", "in.h5:t/*", "--batch", "2"), "--batch and --faces-epsilon"),
                        (("--out", "in.h5:faces/z", "--force"), "not write over what it reads"),
                        (("--iterations", "4"), "after 4 iterations the residual is")):
        refused("solve", *faces, *given, code=2, says=(says,))
    refused("solve", "--problem", "modes", "--grid", "8", *faces[2:], code=2, says=("is for --in",))
    check(files() == old, "files were left behind")


of_points()
answers()
closed()
tolerances()
bad()
if has_mpi():
    several()
