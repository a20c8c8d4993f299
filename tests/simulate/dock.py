"""Workload dock on two fast GPUs and four slow ones: a policy that knows the speeds comes within 3 % of the ideal in the four runs of
a thesis, one that does not is slower, and one that gives each GPU as many batches takes what the thesis measured for even shares."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))

from command import check, run  # noqa: E402

# Size, rotations a batch, rotations, seconds on the two fast GPUs, how many times as long a slow one takes, seconds of even shares.
RUNS = (("dock:128:15", 8, 4656, 104.8, 2.02, 70.5), ("dock:256:15", 2, 4656, 515.0, 2.98, 512.3),
        ("dock:128:10", 8, 15840, 360.9, 1.72, 207.0), ("dock:256:10", 2, 15840, 1778.4, 2.56, 1519.4))
with open(sys.argv[2], encoding="ascii") as recorded:
    MACHINE = recorded.read()


def took(size, tile, rotations, two, slower, policy):
    """The recorded machine, with the speed and the time of a rotation of this run."""
    text = re.sub(r"^(speed gpu \d) .*", r"\g<1> %.6g" % (1 / slower), MACHINE, flags=re.M)
    text = re.sub(r"^(time dock_correlate \S+ gpu %s\S* .*) \S+$" % size.split(":")[1], r"\g<1> %.6g" % (2 * two / rotations), text, flags=re.M)
    with open("unequal.machine", "w", encoding="ascii") as file:
        file.write(text)
    said = run("run", size, "--tile", str(tile), "--machine", "./unequal.machine", "--cpus", "0", "--sched", policy).stdout
    check(re.search(r"dock_correlate: %d on GPUs" % -(-rotations // tile), said), said)
    return float(re.search(r"^run +([\d.]+) s, the first: later ones may take less$", said, re.M).group(1))


for size, tile, rotations, two, slower, even in RUNS:
    ideal = 2 * two / (2 + 4 / slower)
    seconds = took(size, tile, rotations, two, slower, "dmdas")
    check(ideal <= seconds <= 1.03 * ideal, "%s: %g s, and the ideal is %g" % (size, seconds, ideal))
    if size == RUNS[0][0]:
        eager, shared = (took(size, tile, rotations, two, slower, policy) for policy in ("eager", "lws"))
        check(seconds < eager < even and abs(shared / even - 1) < 0.01, "%s: %g, eager %g, lws %g s" % (size, seconds, eager, shared))
