"""An input that cannot be used is refused with words that name it, and nothing is written."""

import os
import subprocess

import h5py
import numpy as np

from command import PSG, QUICK, check, files, refused, run, solve

ones = np.ones((3, 4, 5))
with h5py.File("in.h5", "w") as file:
    file["good"] = np.random.default_rng(1).standard_normal((3, 4, 5))
    file["good"].attrs["box"] = [1.0, 2.0, 3.0]
    file["group/integers"] = np.arange(60).reshape(3, 4, 5)
    file["plane"] = np.ones((4, 5))
    file["line"] = np.ones(7)
    file["four"] = np.ones((2, 2, 2, 2))
    file["scalar"] = 1.0
    file["null"] = h5py.Empty("f8")
    file["empty"] = np.ones((3, 0, 5))
    file["complex"] = ones.astype(complex)
    file["text"] = np.full((2, 2, 2), b"abc")
    file["bool"] = ones.astype(bool)
    for name, value in (("nan", np.nan), ("inf", np.inf), ("minus_inf", -np.inf)):
        data = ones.copy()
        data[2, 1, 4] = value
        file[name] = data
    file["mean"] = ones + file["good"][...]
    file["huge"] = 1e300 * np.cos(2 * np.pi * np.arange(5) / 5) * ones
    for name, box in (("box_text", "1,1,1"), ("box_two", [1.0, 1.0]), ("box_zero", [1.0, 0.0, 1.0]),
                      ("box_negative", [1.0, 1.0, -1.0]), ("box_nan", [np.nan, 1.0, 1.0])):
        file[name] = ones
        file[name].attrs["box"] = box
with h5py.File("only.h5", "w") as file:
    file["a/plane"] = np.ones((4, 5))
    file["a/field"] = file_data = np.random.default_rng(2).standard_normal((3, 4, 5))
with h5py.File("none.h5", "w"):
    pass
with open("text.h5", "w") as file:
    file.write("not HDF5\n")
with open("in.h5", "rb") as file, open("cut.h5", "wb") as cut:
    cut.write(file.read()[:3000])
os.mkdir("folder.h5")


def bad(name, *says, code=2, options=()):
    refused("solve", "--in", name, "--out", "out.h5", *options, code=code, says=says)


bad("missing.h5", "missing.h5", "No such file")
bad("missing.h5:/x", "missing.h5", "No such file")
bad("text.h5:/x", "text.h5", "not an HDF5 file")
bad("cut.h5:/good", "cut.h5")
bad("folder.h5:/x", "folder.h5", "not a regular file")
bad("in.h5:/nope", "in.h5:/nope", "no such data set", "/good (3 x 4 x 5)", "/group/integers (3 x 4 x 5)")
bad("in.h5:/group/nope", "no such data set", "/line (7)", "/scalar (one value)", "/null (empty)")
bad("in.h5:/group", "in.h5:/group", "not a data set", "/good")
bad("in.h5", "in.h5", "say which data set", "have rank 3", "/good (3 x 4 x 5)", "/plane (4 x 5)")
bad("none.h5", "none.h5", "0 of them have rank 2 or 3", "no data sets")
bad("in.h5:", "in.h5:", "names no data set")
bad(":/good", ":/good", "names no file")
for name, rank in (("four", 4), ("scalar", 0)):
    bad("in.h5:" + name, "in.h5:/" + name, "rank %d" % rank, "3, 2 or 1", "a solve of its own" if rank else "")
bad("in.h5:null", "in.h5:/null", "empty")
bad("in.h5:empty", "in.h5:/empty", "empty", "3 x 0 x 5")
bad("in.h5:complex", "in.h5:/complex", "compound", "real and imaginary parts are two solves")
bad("in.h5:text", "in.h5:/text", "text")
bad("in.h5:bool", "in.h5:/bool", "enumeration")
for name in ("nan", "inf", "minus_inf"):
    bad("in.h5:" + name, "in.h5:/" + name, "NaN or Inf", "(4,1,2)")
    bad("in.h5:" + name, "in.h5:/" + name, "NaN or Inf", "(4,1,2)", options=("--repeat", "3", "--in-flight", "2"))
    bad("in.h5:" + name, "in.h5:/" + name, "NaN or Inf", "(4,1,2)", options=("--repeat", "3", "--in-flight", "2", "--trace", "t.json"))
    bad("in.h5:" + name, "in.h5:/" + name, "NaN or Inf", "(4,1,2)", options=("--data", "resident"))
# f and its transform are finite, and u is not
for data in ("host", "resident"):
    said = run("solve", "--in", "in.h5:huge", "--out", "out.h5", "--box", "1e5", *QUICK, "--quiet", "--data", data, code=2).stderr
    words = "f is finite, and u or its gradient is out of the range of f64: choose other units"
    check("in.h5:/huge: " + words in said and not os.path.exists("out.h5"), said)
for name in ("box_text", "box_two"):
    bad("in.h5:" + name, "in.h5:/" + name, "'box'", "three numbers")
for name, length in (("box_zero", "0"), ("box_negative", "-1"), ("box_nan", "nan")):
    bad("in.h5:" + name, "in.h5:/" + name, "'box'", length, "above 0")
# a wrong attribute does not matter to those who say what they want
for name in ("box_text", "box_nan"):
    solve("--in", "in.h5:" + name, "--box", "1x1x2", "--verify")

# Lengths in the order of the array, where x comes first.
words = "with --box 5x4x3 it is 1 along all axes: the box has the order x, y, z"
check(words in solve("--in", "in.h5:good", "--box", "3x4x5").stderr, "no word about the order of the box")
for box in ("5x4x3", "1x2x3", "1"):
    check("order" not in solve("--in", "in.h5:good", "--box", box).stderr, box)

# A mean: dropped and said, or refused; with lambda it has a solution.
bad("in.h5:mean", "in.h5:/mean", "mean", options=("--mean", "error"))
said = solve("--in", "in.h5:mean", "--verify").stdout
check("of f was dropped" in said, "the dropped mean is not told: %s" % said)
with h5py.File("in.h5", "r") as file:
    mean = np.mean(file["mean"][...])
line = [line for line in said.splitlines() if line.startswith("mean ")][0]
check(abs(float(line.split()[1]) - mean) <= 1e-9, "%s, but the mean is %r" % (line, mean))
said = solve("--in", "in.h5:mean", "--verify", "--lambda", "1", "--mean", "error").stdout
check("dropped" not in said, "a mean is dropped with lambda: %s" % said)

# The only field of a file needs no name.
with h5py.File("only.h5", "r") as file:
    check(file["a/field"].shape == file_data.shape, "the test's own file")
check("only.h5:/a/field" in solve("--in", "only.h5").stdout, "the only field was not found")

# A file's name may have a colon in it.
os.link("only.h5", "on:ly.h5")
check("on:ly.h5:/a/field" in solve("--in", "on:ly.h5").stdout, "a colon in a file's name")
check("on:ly.h5:/a/field" in solve("--in", "on:ly.h5:a/field").stdout, "a colon in a file's name")

# Not readable (root may read everything).
os.chmod("only.h5", 0)
if not os.access("only.h5", os.R_OK):
    bad("only.h5:/a/field", "only.h5", "Permission denied")
os.chmod("only.h5", 0o644)

# What is read is not written over, by whatever names it goes.
os.symlink("in.h5", "link.h5")
for out in ("in.h5:good", "./in.h5:/good", "link.h5:/good", "in.h5:good/u", "in.h5://good",
            "../%s/in.h5:good" % os.path.basename(os.getcwd())):
    for force in ((), ("--force",)):
        refused("solve", "--in", "in.h5:good", "--out", out, *force, code=2,
                says=("in.h5:/good and", "same data set", "give --out another name"))
        refused("solve", "--in", "in.h5:good", "--gradient", out, *force, code=2, says=("give --gradient another name",))
refused("solve", "--in", "in.h5:good", "--out", "o.h5", "--json", "in.h5", code=2, says=("--json", "in.h5"))
refused("solve", "--in", "in.h5:good", "--out", "o.h5", "--json", "o.h5", code=2, says=("--json", "o.h5"))
refused("solve", "--in", "in.h5:good", "--out", "o.h5", "--json", "o.xmf", code=2, says=("--json", "o.xmf"))
os.rename("only.h5", "only.xmf")
refused("solve", "--in", "only.xmf", "--out", "only.h5", code=2, says=("only.xmf", "--in and the .xmf beside --out"))

# Larger than the grid: clamped, and said.
old = files()
done = run("solve", "--in", "in.h5:good", "--segment-planes", "100", "--sheets", "77", "--verify", "--verbose")
for words in ("--segment-planes 100: the grid has 3 planes", "--sheets 77: the grid has 4 rows"):
    check(words in done.stderr, "%r does not say %r" % (done.stderr, words))
check("1 segment of up to 3 planes, 4 sheets" in done.stdout, done.stdout)
check("\ngraph " not in run("solve", "--in", "in.h5:good").stdout, "words of the task graph without --verbose")
check(files() == old, "files appeared: %s" % files())

# A filter that is not here is named, and a file that another program writes.
with h5py.File("filter.h5", "w") as file:
    file.create_dataset("lzf", data=np.ones((8, 8, 8)), compression="lzf")
    file["f"] = np.ones((8, 8, 8))
    file.create_dataset("x0", data=np.ones((8, 8)), compression="lzf")
if subprocess.run([PSG, "solve", "--in", "filter.h5:lzf", *QUICK], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
    for name, more in (("lzf", ()), ("x0", ("--bc", "DD", "--symbol", "fd2", "--values", "filter.h5"))):
        refused("solve", "--in", "filter.h5:" + ("lzf" if not more else "f"), *more, *QUICK, code=1,
                says=("filter.h5:/" + name, "the filter 'lzf' (HDF5's number 32000)", "HDF5_PLUGIN_PATH"))
with h5py.File("filter.h5", "r+"):
    refused("solve", "--in", "filter.h5:f", *QUICK, code=2, says=("filter.h5: another program has it open for writing",))
    for force in ((), ("--force",)):
        refused("solve", "--problem", "modes", "--grid", "6", *QUICK, "--out", "filter.h5:/u", *force, code=2,
                says=("filter.h5: another program has it open for writing",))
os.remove("filter.h5")
