"""psg solve --kernel FILE: u is that of a convolution by numpy's FFTs, from HDF5 and from NumPy's
files, in both precisions, of steps, and by several processes. Multipliers of the modes are the
symbol that they are. Words for what cannot be."""

import json
import os

import h5py
import numpy as np

from command import MPIRUN, check, files, refused, solve

SHAPE, BOX = (10, 8, 12), (1.5, 1, 2)  # z, y, x
rng = np.random.default_rng(12)
F, F2 = rng.standard_normal(SHAPE), rng.standard_normal(SHAPE)
G = rng.standard_normal([n + 1 for n in SHAPE])
k = [2 * np.pi * np.arange(n // 2 + 1) / length for n, length in zip(SHAPE, BOX)]
K2 = k[0][:, None, None] ** 2 + k[1][:, None] ** 2 + k[2] ** 2
T = np.divide(1, K2, where=K2 > 0, out=np.zeros_like(K2))
BAD = G.copy()
BAD[3, 2, 1] = np.nan


def convolved(f, factor=1.0):
    kernel = G
    for axis, n in enumerate(SHAPE):
        kernel = np.take(kernel, np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n)), axis)
    u = np.fft.irfftn(np.fft.rfftn(kernel) * np.fft.rfftn(f, kernel.shape), kernel.shape)
    return -factor * np.prod(BOX) / f.size * u[tuple(slice(n) for n in SHAPE)]


def near(what, got, want, tolerance=1e-13):
    off = abs(got - want).max()
    check(off <= tolerance * abs(want).max(), "%s: off by %g" % (what, off))


def read(name, dataset):
    with h5py.File(name, "r") as file:
        return file[dataset][...]


DATA = {"f": F, "t/a": F, "t/b": F2, "f32": F.astype("f4"), "g": G, "g32": G.astype("f4"),
        "modes": T, "bad": BAD, "small": G[1:], "large": 1e100 * G}
with h5py.File("in.h5", "w") as made:
    for name, data in DATA.items():
        made[name] = data
np.save("g.npy", G)
SIDES = ("--box", "2x1x1.5", "--bc", "FF", "--gpus", "0")
ASKED = ("--in", "in.h5:f", *SIDES)

done = solve(*ASKED, "--kernel", "in.h5:g", "--factor", "-3", "--out", "u.h5:u", "--json", "u.json")
near("from HDF5", read("u.h5", "u"), convolved(F, -3))
check("kernel    in.h5:/g\n" in done.stdout, done.stdout)
with open("u.json", encoding="utf-8") as file:
    said = json.load(file)
check(said["kernel"] == "in.h5:/g" and said["options"]["kernel"] == "user", said)
solve(*ASKED, "--kernel", "g.npy", "--kernel-form", "space", "--out", "v.npy")
near("NumPy's", np.load("v.npy"), convolved(F))
solve(*ASKED, "--kernel", "in.h5:g32", "--out", "v.npy", "--force")
near("f32 numbers", np.load("v.npy"), convolved(F), 1e-6)
solve("--in", "in.h5:f32", *SIDES, "--kernel", "in.h5:g", "--out", "u.h5:single")
near("a solve in f32", read("u.h5", "single"), convolved(F), 1e-5)
solve("--in", "in.h5:t/*", *SIDES, "--kernel", "in.h5:g", "--out", "u.h5:t")
near("step b", read("u.h5", "t/b"), convolved(F2))
periodic = ("--in", "in.h5:f", "--box", "2x1x1.5", "--gpus", "0")
modes = ("--kernel", "in.h5:modes", "--kernel-form", "modes")
solve(*periodic, *modes, "--out", "w.npy", "--gradient", "d.h5")
solve(*periodic, "--out", "plain.npy", "--gradient", "e.h5")
near("the symbol's modes", np.load("w.npy"), np.load("plain.npy"))
near("their gradient", read("d.h5", "gradient/y"), read("e.h5", "gradient/y"))
waves = np.fft.rfftn(F)
S = rng.random(waves.shape)
S[:, :, 0] = S[:, :, -1] = 1
with h5py.File("s.h5", "w") as made:
    made["s"] = S
solve(*periodic, "--kernel", "s.h5", "--kernel-form", "spectrum", "--out", "w.npy", "--force")
near("a spectrum", np.load("w.npy"), -np.fft.irfftn(S * waves, SHAPE))
if MPIRUN:
    solve(*ASKED, "--kernel", "g.npy", "--out", "m.npy", "--cpus", "1", ranks=3)
    near("three processes", np.load("m.npy"), convolved(F))

old = files()
for given, says in ((("in.h5:bad",), ("in.h5:/bad: the kernel is nan at (i,j,k) = (1,2,3)",)),
                    (("in.h5:small",), ("in.h5:/small: the kernel has 13 x 9 x 10 values",
                                        "needs 13 x 9 x 11")),
                    (("in.h5",), ("say which data set",)),
                    (("in.h5:none",), ("in.h5", "none")),
                    (("none.h5:g",), ("--kernel 'none.h5:g'", "there is no file none.h5")),
                    (("hokney",), ("--kernel 'hokney'", "auto, igf, hockney")),
                    (("",), ("--kernel ''", "auto, igf, hockney")),
                    (("in.h5:t/*",), ("one data set",)),
                    (("in.h5:g", "--kernel-form", "mode"), ("--kernel-form 'mode'", "spectrum")),
                    (("igf", "--kernel-form", "modes"), ("--kernel-form is for --kernel FILE",)),
                    (("in.h5:g", "--lambda", "2"), ("kernel user is for lambda = 0",)),
                    (("in.h5:g", "--symbol", "fd4"), ("in place of the symbol",)),
                    (("in.h5:g", "--bc", "PP", "--verify"), ("--verify is not for --kernel FILE",)),
                    (("in.h5:large", "--precision", "f32"), ("in.h5:/large: the largest mode",
                                                             "range of the precision")),
                    (("in.h5:g", "--out", "in.h5:g"), ("the same data set",))):
    refused("solve", *ASKED, "--kernel", *given, code=2, says=says)
with open("options", "w", encoding="utf-8") as file:
    file.write("kernel = user\n")
refused("solve", *ASKED, "--options", "options", code=2, says=("give --kernel FILE",))
os.remove("options")
check(files() == old, "files were left behind")
