"""With little memory every command and every workload ends by itself: with its answer, or with an exit status and words. The limit is
that on the address space of the process (`ulimit -v`): steps from what the program takes to begin, until a command gets through."""

import os
import resource
import subprocess

import h5py
import numpy as np

from command import PSG, check, default_signals
from patience import patience

MB = 1 << 20
# Beyond what `psg --version` takes.
STEPS = [float(step) for step in os.environ.get("PSG_TEST_STEPS", "1 14 30 42 50 58 66 84 110 150 200 280 400 600 900 1400 2200").split()]

PDB = "ATOM  %5d  CA  ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n"
rng = np.random.default_rng(3)
with h5py.File("in.h5", "w") as made:
    made["f"] = rng.standard_normal((96,) * 3)
    made["e"] = np.exp(0.1 * rng.standard_normal((96,) * 3))
for name, radius in (("static", 12), ("mobile", 7)):
    with open(name + ".pdb", "w", encoding="ascii") as file:
        for m, at in enumerate(rng.uniform(-radius, radius, (60, 3))):
            file.write(PDB % (m + 1, m + 1, *at))

QUICK = ("--effort", "estimate", "--quiet", "--gpus", "0")
SOLVE = ("solve", "--in", "in.h5:f", *QUICK)
COMMANDS = [
    ("--version",),
    ("info",),
    ("example", "rho.h5"),
    ("view", "in.h5:f", "--out", "f.png", "--force"),
    ("solve", "--problem", "madelung", "--grid", "96", *QUICK),
    SOLVE + ("--out", "u.h5:u", "--verify", "--force"),
    SOLVE + ("--sched", "lws", "--segment-planes", "1", "--json", "-"),
    SOLVE + ("--graph", "staged", "--precision", "f32"),
    SOLVE + ("--symbol", "fd2", "--epsilon", "in.h5:e", "--tolerance", "1e-2"),
    SOLVE + ("--bc", "DD", "--symbol", "fd2", "--gradient", "g.h5:g", "--force"),
    SOLVE + ("--trace", "t.json", "--bounds", "--force"),
    ("bench", "--grid", "32", "--repeat", "2", "--gpus", "0", "--effort", "estimate"),
    ("dock", "--static", "static.pdb", "--mobile", "mobile.pdb", "--angle", "90", "--spacing", "1", "--gpus", "0", "--quiet"),
] + [("run", workload, "--gpus", "0", "--quiet") for workload in (
    "vadd:4000000", "blocks:20+30", "cg:S", "dock:64:90", "ep:S", "ep:S:redux", "jacobi:2000:5", "pcg:64", "qr:600",
    "qr:400:givens", "transpose:3000", "transpose:3000x2000:inplace",
    "transpose:100x200x150:zxy:complex:inplace")]


def end(arguments, limit):
    """How it ends within so many bytes: the exit status, and what it says."""
    def before():
        default_signals()
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run([PSG, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                              preexec_fn=before, timeout=patience(60), check=False)
    except subprocess.TimeoutExpired:
        return None, "it did not end"
    return done.returncode, done.stderr.strip()


def least():
    """The bytes with which `psg --version` ends as it should."""
    low, high = 8 * MB, 1 << 40
    while high - low > MB // 4:
        middle = (low + high) // 2
        low, high = (low, middle) if end(("--version",), middle)[0] == 0 else (middle, high)
    return high


def climb(arguments, base):
    """@return how many steps were refused, and whether the command got through"""
    refused = 0
    for step in STEPS:
        code, words = end(arguments, base + int(step * MB))
        what = "psg %s with %.4g MB ended with %s: %s" % (" ".join(arguments), step, code, words[-600:])
        print(what, flush=True)
        if code == 0:
            return refused, True
        check(code in (1, 2) and "psg: " in words, what)
        refused += 1
    return refused, False


BASE = least()
wrong, refusals = [], 0
for command in COMMANDS:
    try:
        refused, through = climb(command, BASE)
        check(through, "psg %s: refused with every limit" % " ".join(command))
        refusals += refused
    except AssertionError as error:
        wrong.append(str(error))
check(not wrong, "\n".join(wrong))
check(refusals > len(COMMANDS), "only %d limits were too low: the test says nothing" % refusals)
