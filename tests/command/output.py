"""An output appears whole or not at all, and replaces an old one only when it is whole.

A full disk is played by the limit on the size of a file (RLIMIT_FSIZE), which needs no privilege: a write
beyond it fails with EFBIG, at the same places where one on a full disk fails with ENOSPC."""

import os
import resource
import stat
import subprocess

import h5py
import numpy as np

from command import PSG, check, default_signals, files, refused, run, solve

MODES = ("solve", "--problem", "modes", "--effort", "estimate", "--quiet")


def limited(bytes_most):
    def before():
        default_signals()
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_most, bytes_most))
    return before


def potential(name="phi.h5"):
    with h5py.File(name, "r") as file:
        return file["potential"][...]


# A fresh output: the field, its description, nothing else; and quiet is quiet.
done = run(*MODES, "--grid", "12", "--out", "phi.h5")
check(done.stdout == "" and done.stderr == "", "not quiet: %r" % (done,))
check(sorted(files()) == ["./phi.h5", "./phi.xmf"], "files: %s" % sorted(files()))
check(potential().shape == (12, 12, 12), "shape %s" % (potential().shape,))

# All that a solve can write, at once.
done = run(*MODES, "--grid", "6", "--out", "all.h5", "--json", "all.json", "--trace", "all.trace", "--dag", "all.dot")
whole = ["./all." + kind for kind in ("dot", "h5", "json", "trace", "xmf")]
check(sorted(files()) == whole + ["./phi.h5", "./phi.xmf"], "files: %s" % sorted(files()))
for name in whole:
    check(os.path.getsize(name) > 0, name)
    os.remove(name)

# Disk full in the data (64^3 doubles are 2 MiB), at their start and near their end, and in the head: the
# old file stays.
for most in (100000, 2 * 1024 * 1024 - 4096, 10):
    refused(*MODES, "--grid", "64", "--out", "phi.h5", code=1, before=limited(most),
            says=("phi.h5", "cannot be written", "File too large", "untouched"))
    refused(*MODES, "--grid", "64", "--out", "new.h5", code=1, before=limited(most),
            says=("new.h5", "cannot be written", "File too large"))
check(potential().shape == (12, 12, 12), "the old file was replaced")

# Not even the report fits. (The field, finished before, is there.)
before = files()
done = run(*MODES, "--grid", "3", "--json", "report.json", code=1, before=limited(100))
check("report.json: cannot be written: File too large" in done.stderr, done.stderr)
check(files() == before, "files: %s" % sorted(files()))

# Replaced when all goes well, through a symbolic link too; permissions stay those of the old file.
os.mkdir("elsewhere")
os.rename("phi.h5", "elsewhere/real.h5")
os.chmod("elsewhere/real.h5", 0o640)
os.symlink("elsewhere/real.h5", "phi.h5")
run(*MODES, "--grid", "7x6x5", "--out", "phi.h5", "--precision", "f32")
check(os.path.islink("phi.h5"), "the link was replaced by a file")
check(potential("elsewhere/real.h5").shape == (5, 6, 7), "not written where the link points")
check(potential().dtype == np.float32, "dtype %s" % potential().dtype)
mode = stat.S_IMODE(os.stat("elsewhere/real.h5").st_mode)
check(mode == 0o640, "the permissions became %o" % mode)
check(len(os.listdir("elsewhere")) == 1, "left behind: %s" % os.listdir("elsewhere"))

# Places where nothing can be written are found before the work: 300^3 would take long.
os.mkdir("folder.h5")
open("file", "w").close()
HUGE = (*MODES, "--grid", "300", "--repeat", "100")
for out, words in (("nowhere/phi.h5", "No such file"), ("folder.h5", "not a regular file"),
                   ("file/phi.h5", "Not a directory"), ("x" * 300 + ".h5", "name too long"),
                   ("/dev/null", "not a regular file")):
    refused(*HUGE, "--out", out, code=1, says=(out, words), timeout=10)
    refused(*HUGE, "--json", out, code=1, says=(out, words), timeout=10)
os.mkdir("other.xmf")
refused(*HUGE, "--out", "other.h5", code=1, says=("other.xmf", "not a regular file"), timeout=10)
os.chmod("folder.h5", 0o555)
os.chmod("elsewhere/real.h5", 0o440)
if not os.access("folder.h5", os.W_OK):  # root may write everywhere
    refused(*HUGE, "--out", "folder.h5/phi.h5", code=1, says=("folder.h5/phi.h5", "Permission denied"), timeout=10)
    refused(*HUGE, "--out", "phi.h5", code=1, says=("phi.h5", "Permission denied"), timeout=10)
for out, words in (("a.h5:", "names no data set"), ("a.h5:/", "names no data set"), (":/u", "names no file"),
                   ("a.h5:/u/", "names no data set"), ("a.h5:/.", "the data set '/.' cannot be made")):
    refused(*HUGE, "--out", out, code=2, says=(out.split(":")[0], words), timeout=10)

# Lines that cannot be printed are a failure.
with open("/dev/full", "w") as full:
    for arguments in (MODES[:-1] + ("--grid", "5"), ("--help",), ("info",), (*MODES, "--grid", "5", "--json", "-")):
        done = subprocess.run([PSG, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        check(done.returncode == 1 and "No space left" in done.stderr, "%s: %s" % (arguments, done))

# Without --out nothing is written.
old = files()
solve("--problem", "modes", "--grid", "9")
check(files() == old, "files: %s" % sorted(files()))
