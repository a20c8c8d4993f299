"""What is not psg's is not lost without a word: a file with other content keeps it, and a file of another kind
is refused unless --force is given. Links, left-over files and odd names of outputs."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from command import PSG, QUICK, check, default_signals, files, refused, run, solve
from patience import patience

MODES = ("solve", "--problem", "modes", "--grid", "6", *QUICK, "--quiet")
MPIRUN = (sys.argv[2], "--oversubscribe", "-n", "3") if len(sys.argv) > 2 and sys.argv[2] else None


def names(path):
    found = []
    with h5py.File(path, "r") as file:
        file.visit(found.append)
    return sorted(found)


def field(path, name):
    with h5py.File(path, "r") as file:
        return file[name][...]


def foreign(path):
    with h5py.File(path, "w", userblock_size=512) as file:
        file["density"] = np.arange(24.0).reshape(2, 3, 4)
        file["density"].attrs["unit"] = "g"
        file["group/table"] = [1, 2, 3]
        file["group"].attrs["note"] = "kept"
        file["soft"] = h5py.SoftLink("/density")
        file["out"] = h5py.ExternalLink("other.h5", "/")
    with open(path, "r+b") as file:
        file.write(b"user block")


def check_kept(path, more):
    """All of a foreign file, and `more`."""
    check(names(path) == sorted(["density", "group", "group/table"] + more), "%s has %s" % (path, names(path)))
    with h5py.File(path, "r") as file:
        check(np.array_equal(file["soft"], np.arange(24.0).reshape(2, 3, 4)), "the density has changed")
        check(file["density"].attrs["unit"] == "g" and file["group"].attrs["note"] == "kept", "attributes")
        check(list(file["group/table"]) == [1, 2, 3], "the table has changed")
        check(file.get("out", getlink=True).filename == "other.h5", "the link has changed")
    with open(path, "rb") as file:
        check(file.read(10) == b"user block", "the user block has changed")


def limited(bytes_most):
    def before():
        default_signals()
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_most, bytes_most))
    return before


# -------------------------------------------------------------- a field beside the one that it is solved from

def beside_input(*launcher):
    """u and its gradient go into the files that f, epsilon and the values are read from, and all of these stay."""
    f = np.random.default_rng(1).standard_normal((4, 5, 6))
    tables = {"density": f, "eps": np.exp(0.1 * f), "steps/0": f, "steps/1": 2 * f, "z1": np.ones((5, 6))}
    with h5py.File("both.h5", "w") as file:
        for name, table in tables.items():
            file[name] = table
    done = [("--in", "both.h5:density", "--out", "both.h5:/u/potential"),
            ("--in", "both.h5:density", "--out", "./both.h5:/u/potential"),  # replaces that of psg
            ("--in", "both.h5:density", "--gradient", "both.h5:/g"),
            ("--in", "both.h5:/steps/*", "--out", "both.h5:/phi"),
            ("--in", "both.h5:density", "--bc", "DD", "--symbol", "fd2", "--values", "both.h5", "--out", "both.h5:/sides")]
    if not launcher:
        done.append(("--in", "both.h5:density", "--epsilon", "both.h5:eps", "--symbol", "fd2", "--out", "both.h5:/e"))
    for arguments in done:
        words = subprocess.run([*launcher, PSG, "solve", *arguments, *QUICK, "--quiet"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, timeout=patience(100))
        check(words.returncode == 0, (arguments, words.stdout))
    for name, table in tables.items():
        check(np.array_equal(field("both.h5", name), table), "%s has changed" % name)
    run("solve", "--in", "both.h5:density", "--out", "apart.h5", *QUICK, "--quiet")
    u = field("apart.h5", "potential")
    for name, times in (("u/potential", 1), ("phi/0", 1), ("phi/1", 2)):
        check(np.max(np.abs(field("both.h5", name) - times * u)) <= 1e-12 * np.max(np.abs(u)), name)
    there = {"density", "eps", "g/x", "g/y", "g/z", "phi/0", "phi/1", "sides", "steps/0", "steps/1", "u/potential", "z1"}
    check(set(names("both.h5")) - {"e", "g", "phi", "steps", "u"} == there, names("both.h5"))
    for name in os.listdir("."):
        os.remove(name)


beside_input()
if MPIRUN is not None:
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
    beside_input(*MPIRUN)

# ---------------------------------------------------------------------- a field among other content

run(*MODES, "--out", "alone.h5")
u = field("alone.h5", "potential")
foreign("data.h5")
run(*MODES, "--out", "data.h5")
check_kept("data.h5", ["potential"])
run(*MODES, "--out", "data.h5:/group/u")
check_kept("data.h5", ["potential", "group/u"])
check(np.array_equal(field("data.h5", "potential"), u), "/potential")
check(np.array_equal(field("data.h5", "group/u"), u), "/group/u")
size = os.path.getsize("data.h5")
run("solve", "--problem", "modes", "--grid", "5x4x3", *QUICK, "--quiet", "--out", "data.h5:/group/u")
check_kept("data.h5", ["potential", "group/u"])
check(field("data.h5", "group/u").shape == (3, 4, 5), "not replaced")
check(os.path.getsize("data.h5") <= size + 4096, "the room of the old field is lost")

# Fields of psg stay beside each other; one that is alone is made anew.
run(*MODES, "--out", "alone.h5:/second/one")
check(names("alone.h5") == ["potential", "second", "second/one"], str(names("alone.h5")))
run(*MODES, "--out", "fresh.h5:/a/b")
inode = os.stat("fresh.h5").st_ino
run(*MODES, "--out", "fresh.h5:/a/b")
check(names("fresh.h5") == ["a", "a/b"] and os.stat("fresh.h5").st_ino != inode, str(names("fresh.h5")))

# What is there under the field's name and is not psg's is refused.
with h5py.File("other.h5", "w") as file:
    file["kept"] = 1
for name, says in (("density", ("density", "not a field that psg wrote", "--force")),
                   ("group", ("group", "is a group")), ("soft", ("soft", "--force")), ("density/u", ("cannot be made",)),
                   ("out/u", ("cannot be made",)), ("out/kept", ("cannot be made",))):
    refused(*MODES, "--out", "data.h5:/" + name, code=2, says=("data.h5",) + says)
refused(*MODES, "--out", "data.h5:/group", "--force", code=2, says=("is a group",))
shutil.copy("data.h5", "copy.h5")
run(*MODES, "--out", "copy.h5:/density", "--force")
check(field("copy.h5", "density").shape == (6, 6, 6), "not replaced")
check(names("copy.h5") == names("data.h5"), str(names("copy.h5")))

# No room for what is there already, or for the field beside it.
for most in (1000, os.path.getsize("data.h5") + 1000):
    refused("solve", "--problem", "modes", "--grid", "32", *QUICK, "--quiet", "--out", "data.h5:/large", code=1,
            before=limited(most), says=("data.h5", "File too large"))

# A file that another program has open for writing is not copied.
with h5py.File("data.h5", "r+") as held:
    held.flush()
    before = os.stat("data.h5").st_ino
    done = run(*MODES, "--out", "data.h5:/busy", code=2)
    check("data.h5" in done.stderr and os.stat("data.h5").st_ino == before, done.stderr)

# What was added while psg solved is in the file that takes its place.
process = subprocess.Popen([PSG, "solve", "--problem", "modes", "--grid", "64", *QUICK, "--repeat", "300", "--quiet",
                            "--out", "data.h5:/late"], preexec_fn=default_signals)
added = False
while not added:
    time.sleep(0.01)
    check(process.poll() is None, "psg ended before the file could be changed")
    if [name for name in files() if ".data.h5.psg-" in name and os.path.getsize(name) >= os.path.getsize("data.h5")]:
        process.send_signal(signal.SIGSTOP)
        try:
            with h5py.File("data.h5", "r+") as file:
                file["meanwhile"] = 1
                added = True
        except OSError:  # psg is still reading it
            pass
        process.send_signal(signal.SIGCONT)
check(process.wait(timeout=patience(200)) == 0, "psg failed")
check_kept("data.h5", ["potential", "group/u", "meanwhile", "late"])

# Several processes.
if MPIRUN:
    foreign("ranks.h5")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "ASAN_OPTIONS": "detect_leaks=0"}
    for code, more in ((0, ("--out", "ranks.h5:/group/u")), (0, ("--out", "ranks.h5:/group/u", "--lambda", "1")),
                       (2, ("--out", "ranks.h5:/density"))):
        done = subprocess.run([*MPIRUN, PSG, *MODES, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env=environment, timeout=patience(100))
        check(done.returncode == code and ("--force" in done.stderr) == (code == 2), "%s: %s" % (more, done))
        check_kept("ranks.h5", ["group/u"])
        with h5py.File("ranks.h5", "r") as file:
            check(file["group/u"].attrs["lambda"] == ("--lambda" in more or code == 2), "not replaced")

# ------------------------------------------------------------------------------- files of other kinds

TEXT = "somebody's\n"
for option, path in (("--out", "text.h5"), ("--json", "text.json"), ("--trace", "text.trace"), ("--dag", "text.dot")):
    for content in (TEXT, "{\n", "{\n  \"other\": 1\n}\n", "digraph other {\n}\n"):
        with open(path, "w") as file:
            file.write(content)
        refused(*MODES, option, path, code=2, says=(path, "is there already", "--force"))
    run(*MODES, option, path, "--force")
    run(*MODES, option, path)
    open(path, "w").close()  # nothing is lost
    run(*MODES, option, path)
with open("beside.xmf", "w") as file:
    file.write("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n")
refused(*MODES, "--out", "beside.h5", code=2, says=("beside.xmf", "is there already", "--force"))
run(*MODES, "--out", "beside.h5", "--force")
run(*MODES, "--out", "beside.h5")
BENCH = ("bench", "--grid", "6", "--effort", "estimate", "--repeat", "1", "--passes", "1", "--warm-up", "0", "--gpus", "0",
         "--quiet")
for option, path in (("--csv", "text.csv"), ("--json", "text.rows"), ("--record", "text.machine")):
    with open(path, "w") as file:
        file.write(TEXT)
    refused(*BENCH, option, path, code=2, says=(path, "--force"), timeout=60)
    run(*BENCH, option, path, "--force")
    check(TEXT not in open(path).read(), "%s is as it was" % path)
    if option != "--csv":  # whose rows would be there
        run(*BENCH, option, path)
with open("text.info", "w") as file:
    file.write(TEXT)
check("--force" in run("info", "--json", "text.info", code=2).stderr, "no word of --force")
run("info", "--json", "text.info", "--force")
run("info", "--json", "text.info")
refused("tune", "--grid", "6", "--json", "data.h5", code=2, says=("data.h5", "--force"))

# ------------------------------------------------------------------------------------- odd names

for option in ("--out", "--trace", "--dag"):
    refused(*MODES, option, "-", code=2, says=("stdout", "--json"))
for odd in ("a\001.h5", "a\033[2J.h5", "a.h5:/u\n", "a\u009b1m.h5"):
    refused(*MODES, "--out", odd, code=2, says=("--out", "XML"))
refused(*MODES, "--out", os.fsdecode(b"a\xff.h5"), code=2, says=("--out", "XML"))
run(*MODES, "--out", "h\u00e9 & <b>.h5:/\u03c6")
check(names("h\u00e9 & <b>.h5") == ["\u03c6"], "a name in UTF-8")

# Where a link points to nothing, the file that it names is made.
os.mkdir("there")
os.symlink("there/new.h5", "dangling.h5")
os.symlink("dangling.h5", "twice.h5")
run(*MODES, "--out", "twice.h5")
check(os.path.islink("twice.h5") and os.path.islink("dangling.h5"), "a link was replaced by a file")
check(names("there/new.h5") == ["potential"], "not made where the link points")
os.symlink("nowhere/new.json", "lost.json")
done = run(*MODES, "--json", "lost.json", code=1)
check("No such file" in done.stderr and os.path.islink("lost.json"), done.stderr)
os.remove("lost.json")

# What a killed run has left goes with the next one in the same folder; what may be of a living one stays.
process = subprocess.Popen([PSG, "solve", "--problem", "modes", "--grid", "96", *QUICK, "--repeat", "100000", "--quiet",
                            "--out", "killed.h5"], preexec_fn=default_signals)
until = time.monotonic() + patience(60)
while not [name for name in files() if ".psg-" in name] and time.monotonic() < until:
    time.sleep(0.01)
live = [name for name in files() if ".psg-" in name]
run(*MODES, "--out", "meantime.h5")
check(all(os.path.exists(name) for name in live), "files of a living run were removed")
process.send_signal(signal.SIGKILL)
process.wait()
left = [name for name in files() if ".psg-" in name]
check(len(left) == 2, "left: %s" % left)
strange = re.sub(r"-[0-9a-f]+-(\d+-\d+)$", r"-0-\1", left[0])  # of another space of process numbers
for name in (strange, left[0] + "x", "./killed.psg-"):
    open(name, "w").close()
run(*MODES, "--out", "meantime.h5")
check(not any(os.path.exists(name) for name in left), "left: %s" % left)
for name in (strange, left[0] + "x", "./killed.psg-"):
    check(os.path.exists(name), "%s was removed" % name)
