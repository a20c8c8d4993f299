"""From the times of tasks that were measured on one core comes the solve on two, within 15 % of
what was measured on two; and from a machine's file that was recorded on one core those of 256^3 on 2
and 16 cores.

    cores.py PSG SCALING.CSV ONE.machine MORE.CSV
"""

import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from command import check, run  # noqa: E402

with open(sys.argv[2], newline="", encoding="utf-8") as table:
    ROWS = [row for row in csv.DictReader(table) if row["executor_used"] == "team"]


def of(grid, cores):
    return next(row for row in ROWS if (row["grid"], row["cpus"]) == (grid, cores))


for grid in sorted({row["grid"] for row in ROWS}):
    one, two = of(grid, "1"), of(grid, "2")
    text = "machine one\ncpus 2\nrecorded cores 1\n"
    for stage, side, tasks, pieces in (("forward_xy", "segment", "segments", "sheets_used"),
                                       ("kspace", "sheet", "sheets_used", "segments"),
                                       ("inverse_xy", "segment", "segments", "sheets_used")):
        text += "time %s f64 cpu %s %s %d views %s 0 %g\n" % (
            stage, grid, side, int(grid.split("x")[0]) // int(one[tasks]), one[pieces],
            float(one[stage + "_seconds"]) / int(one[tasks]))
    with open("one.machine", "w", encoding="utf-8") as file:
        file.write(text)
    for row in (one, two):
        found = json.loads(run("solve", "--machine", "./one.machine", "--problem", "modes",
                               "--grid", grid, "--cpus", row["cpus"], "--json", "-", "--quiet",
                               "--segment-planes", one["planes"],
                               "--sheets", one["sheets_used"]).stdout)
        off = found["seconds"]["median"] / float(row["seconds"]) - 1
        print("%s on %s: %+.1f %%" % (grid, row["cpus"], 100 * off))
        check(abs(off) <= 0.15, "%s on %s cores is off by %g" % (grid, row["cpus"], off))

with open(sys.argv[4], newline="", encoding="utf-8") as table:
    for row in csv.DictReader(table):
        found = json.loads(run("solve", "--machine", sys.argv[3], "--problem", "modes", "--gpus", "0",
                               "--grid", row["grid"], "--cpus", row["cpus"], "--json", "-",
                               "--quiet", "--executor", "tasks").stdout)
        off = found["seconds"]["median"] / float(row["seconds"]) - 1
        print("%s on %s of 32: %+.1f %%" % (row["grid"], row["cpus"], 100 * off))
        check(abs(off) <= (0.15 if row["grid"] == "256x256x256" else 0.25),
              "%s on %s cores is off by %g" % (row["grid"], row["cpus"], off))
