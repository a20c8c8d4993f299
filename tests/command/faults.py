"""Each allocation of psg solve fails in turn, and each call on its files: psg ends with words and a code that is not 0,
every output is the old one or a new one that is whole, and nothing else is left.

    faults.py PSG FAIL_NTH FAIL_IO MPIRUN RANKS memory|io STEP     one in STEP of them, and of several ranks each in turn
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from command import FOLDER, PSG, check, default_signals
from patience import patience

FAIL_NTH, FAIL_IO, MPIRUN, RANKS, WHAT, STEP = sys.argv[2:8]
RANKS, STEP = int(RANKS), int(STEP)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

DATA = os.path.join(os.path.realpath(FOLDER), "data")
COUNT = os.path.join(os.path.realpath(FOLDER), "count")
os.mkdir(DATA)
f = np.random.default_rng(3).standard_normal((6, 7, 8))


def put_field(values):
    with h5py.File("data/rho.h5", "w") as file:
        file["f"] = values
        file["f"].attrs["box"] = [1.0, 2.0, 3.0]


OUTPUTS = ("u.h5", "u.xmf", "u.json", "u.trace", "u.dot")
COMMAND = [PSG, "solve", "--in", "data/rho.h5", "--effort", "estimate", "--cpus", "1", "--verify", "--bounds",
           "--repeat", "3", "--in-flight", "2", "--out", "data/u.h5", "--json", "data/u.json", "--trace", "data/u.trace",
           "--dag", "data/u.dot"]
# FFTW's wisdom and the like are kept in a folder that psg can do without.
QUIET = {"XDG_CACHE_HOME": os.path.join(FOLDER, "cache")}


def psg(preloaded="", rank=0, **variables):
    """The command, with what is to fail in one of its processes."""
    environment = {**os.environ, **QUIET, "LD_PRELOAD": preloaded, "PSG_FAIL_SAYS": "1"}
    environment.update({name: str(value) for name, value in variables.items()})
    command = COMMAND
    if RANKS > 1:
        environment.pop("LD_PRELOAD")
        environment["PSG_FAIL_RANK"] = str(rank)
        command = [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), "env", "LD_PRELOAD=" + preloaded,
                   *COMMAND]
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True, preexec_fn=default_signals, timeout=patience(100), env=environment)
    except subprocess.TimeoutExpired as late:
        raise AssertionError("psg hangs: %s, rank %d: %s" % (variables, rank, late.stderr)) from late


def content(name):
    with open(os.path.join("data", name), "rb") as file:
        return file.read()


def whole(name):
    """Is a new output complete?"""
    if name == "u.h5":
        with h5py.File("data/u.h5", "r") as file:
            others = "old" not in os.listdir() or np.array_equal(file["other"][...], f)
            return np.array_equal(file["potential"][...], u) and "psg_version" in file["potential"].attrs and others
    if name == "u.json":
        return "versions" in json.loads(content(name))  # also of a solve that could not be verified
    if name == "u.trace":
        return len(json.loads(content(name))["traceEvents"]) == events
    return content(name).endswith(b"</Xdmf>\n" if name == "u.xmf" else b"}\n")


# What is there already is of another field.
put_field(f)
done = psg()
check(done.returncode == 0, done)
with h5py.File("data/u.h5", "r") as file:
    u = file["potential"][...]
events = len(json.loads(content("u.trace"))["traceEvents"])
check(u.shape == f.shape and all(whole(name) for name in OUTPUTS), "the outputs of a good run")
put_field(2 * f)
done = psg()
check(done.returncode == 0, done)
with h5py.File("data/u.h5", "a") as file:
    file["other"] = f
OLD = {name: content(name) for name in OUTPUTS}
put_field(f)
shutil.copytree("data", "old")


def restore():
    shutil.rmtree("data")
    shutil.copytree("old", "data")
    if os.path.exists(COUNT):
        os.remove(COUNT)


def look_at(done, what):
    """After something has failed: HDF5 tries to open a file twice, and psg does without a cache."""
    said = [line for line in done.stderr.splitlines() if line.startswith("psg: ") and ": note: " not in line]
    what = "%s: ended with %d, said %r" % (what, done.returncode, done.stderr)
    check(done.returncode in (0, 1, 2), what)
    check(bool(said) == (done.returncode != 0), what + ": without words of psg's, or with too many")
    check(set(os.listdir("data")) == set(OUTPUTS) | {"rho.h5"}, "%s, and left %s" % (what, os.listdir("data")))
    for name in OUTPUTS:
        old = content(name) == OLD[name]
        check(whole(name) if not old else done.returncode or name == "u.xmf", "%s: %s is %s" % (what, name, "old" if old else "damaged"))
    return done.returncode == 0


def counted(rank, library, **variables):
    restore()
    done = psg(library, rank, **variables)
    check(done.returncode == 0, "counting: %s" % done)
    with open(COUNT, encoding="ascii") as file:
        return sum(int(line) for line in file)


start, sites, tried, harmless = time.monotonic(), 0, 0, 0
for rank in range(RANKS):
    if WHAT == "memory":
        most = counted(rank, FAIL_NTH, PSG_FAIL_NTH=1 << 30, PSG_FAIL_COUNT=COUNT)
        check(most > 100, "%d allocations" % most)
        for number in range(1 + rank + most % STEP, most + 1, STEP):
            restore()
            done = psg(FAIL_NTH, rank, PSG_FAIL_NTH=number)
            if "fails: " in done.stderr:  # a process whose threads are faster or slower may make fewer
                tried += 1
                harmless += look_at(done, "allocation %d of rank %d" % (number, rank))
    else:
        most = counted(rank, FAIL_IO, PSG_FAIL_IO_UNDER=DATA, PSG_FAIL_IO_COUNT=COUNT)
        check(most > 20 or rank > 0, "%d calls on files" % most)
        for number in range(1 + most % STEP, most + 1, STEP):
            restore()
            why = errno.EIO if number % 2 else errno.ENOSPC
            done = psg(FAIL_IO, rank, PSG_FAIL_IO_UNDER=DATA, PSG_FAIL_IO_NTH=number, PSG_FAIL_IO_ERRNO=why)
            if "fails: " in done.stderr:
                tried += 1
                harmless += look_at(done, "call %d on a file, of rank %d" % (number, rank))
    sites += most
check(tried > 0, "nothing failed")
check(tried > 2 * harmless, "%d of %d that failed did no harm" % (harmless, tried))
print("%d of %d places, %d without harm, in %.0f s" % (tried, sites, harmless, time.monotonic() - start))
