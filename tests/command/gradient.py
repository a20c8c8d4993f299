"""psg solve --gradient: data sets x, y and z have the differences of u, and with the symbol spectral its derivatives, by one process
and several; words for what cannot be."""

import json
import os

import h5py
import numpy as np

from command import FOLDER, check, files, has_mpi, run, solve

FD2 = ("--symbol", "fd2", "--gpus", "0")


def read(name, *datasets):
    with h5py.File(name, "r") as file:
        return [file[dataset][...] for dataset in datasets]


def check_gradient(u, gradient, what):
    """Of a box 1 x 2 x 3: x walled, y periodic, z closed at the top."""
    n = u.shape
    beyond = (np.concatenate((u[1:], u[-1:])), np.roll(u, -1, 1), np.concatenate((u[:, :, 1:], -u[:, :, -1:]), 2))
    for d in range(3):
        want = (beyond[d] - u) * n[d] / (3, 2, 1)[d]
        check(abs(gradient[2 - d] - want).max() <= 1e-12 * abs(want).max(), (what, "zyx"[d]))


def check_modes(u, gradient, what):
    """Of a box 1 x 2 x 3, by numpy's transforms. The highest mode of an even extent has no derivative."""
    for d in range(3):
        n = u.shape[d]
        k = 2j * np.pi * np.fft.fftfreq(n, (3, 2, 1)[d] / n) * (np.arange(n) != n / 2)
        want = np.fft.ifft(np.fft.fft(u, axis=d) * k.reshape([-1 if axis == d else 1 for axis in range(3)]), axis=d).real
        check(abs(gradient[2 - d] - want).max() <= 1e-12 * abs(want).max(), (what, "zyx"[d]))


rng = np.random.default_rng(5)
with h5py.File("f.h5", "w") as file:
    file["f"] = rng.standard_normal((7, 6, 5))
ASKED = ("--in", "f.h5:f", "--box", "1x2x3", "--bc", "DD,PP,NN", *FD2)
said = json.loads(solve(*ASKED, "--out", "u.h5:u", "--gradient", "du.h5", "--repeat", "3", "--json", "-").stdout)
check(said["gradient"] == "du.h5:/gradient" and said["written"] == "u.h5:/u", said)
[u] = read("u.h5", "u")
check_gradient(u, read("du.h5", "gradient/x", "gradient/y", "gradient/z"), "one process")
with h5py.File("du.h5", "a") as file:
    check(list(file["gradient/x"].attrs["box"]) == [1, 2, 3] and file["gradient/z"].attrs["bc"] in ("DD,PP,NN", b"DD,PP,NN"), file)
    file["other"] = 1.0

# Another group of a file that is there; --gradient alone; several processes.
check("gradient  du.h5:/e/field\n" in solve(*ASKED, "--gradient", "du.h5:e/field").stdout, "what is printed")
check_gradient(u, read("du.h5", "e/field/x", "e/field/y", "e/field/z"), "another group")
check(read("du.h5", "other")[0] == 1 and read("du.h5", "gradient/x")[0].shape == (7, 6, 5), "what was there")
if has_mpi():
    for ranks, exchange in ((2, "mpi"), (3, "alltoall"), (5, "mpi")):
        solve(*ASKED, "--cpus", "1", "--exchange", exchange, "--gradient", "du.h5", ranks=ranks)
        check_gradient(u, read("du.h5", "gradient/x", "gradient/y", "gradient/z"), (ranks, exchange))
trace = json.loads(solve(*ASKED, "--gradient", "du.h5", "--graph", "staged", "--trace", "t.json").stdout and open("t.json").read())
names = [event["name"].split()[0] for event in trace["traceEvents"] if event.get("ph") == "X"]
check(names.count("gradient") == names.count("fft_xy") > 0, names)
os.remove("t.json")

# The symbol spectral, which is the default.
RING = ("--in", "f.h5:f", "--box", "1x2x3", "--gpus", "0", "--gradient", "du.h5")
solve(*RING, "--out", "u.h5:ring", "--verify")
[u] = read("u.h5", "ring")
check_modes(u, read("du.h5", "gradient/x", "gradient/y", "gradient/z"), "one process")
if has_mpi():
    solve(*RING, "--cpus", "1", ranks=3)
    check_modes(u, read("du.h5", "gradient/x", "gradient/y", "gradient/z"), "three processes")
for graph in "fused", "staged":
    solve(*RING, "--graph", graph, "--trace", "t.json", "--dag", "d.dot", "--repeat", "2")
    names = [event["name"].split()[0] for event in json.load(open("t.json"))["traceEvents"] if event.get("ph") == "X"]
    forward = names.count("forward_xy" if graph == "fused" else "fft_xy")
    # The fused graph's tasks of u make two of the components, and on cores kspace makes what the third needs.
    check(names.count("gradient_xy") == (1 if graph == "fused" else 3) * forward > 0, names)
    check((names.count("gradient_z") > 0) == (graph == "staged"), names)
    for task in (("inverse_xy s0 +2", "gradient_xy s0 d2") if graph == "fused" else ("gradient_xy s0 d1",)):
        check(task in open("d.dot").read(), ("the tasks of --dag", task))
os.remove("t.json")
os.remove("d.dot")
there = files()

for arguments, words in (((*ASKED[:-4], "--gradient", "g.h5"), "--gradient needs --symbol fd2, or spectral with axes that are periodic or free"),
                         ((*ASKED[:4], "--symbol", "fd6", "--gradient", "g.h5"), "--gradient needs --symbol fd2"),
                         (("--gradient", "g.npy"), "NumPy's files have one array"),
                         (("--gradient", "u.h5", "--out", "u.h5"), "--out and --gradient name the same file, u.h5"),
                         (("--gradient", "g.h5", "--trace", "g.h5"), "g.h5"), (("--gradient", "g.h5", "--json", "g.h5"), "g.h5"),
                         (("--gradient", "g.h5:/x/*"), "give the name of a group"),
                         (("--gradient", "g.h5", "--in-flight", "2"), "--in-flight is not for --gradient"),
                         (("--gradient", "g.h5", "--data", "resident"), "--data resident is not for --gradient"),
                         (("--gradient", "du.h5:other"), "other")):
    done = run("solve", *(() if arguments[0] == "--in" else ASKED), *arguments, code=2)
    check(words in done.stderr, (arguments, done.stderr))
check(files() == there, (sorted(files()), sorted(there), FOLDER))
