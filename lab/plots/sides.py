"""Prints the lines `sides` of a machine file from what psg solve --json told of solves on that machine.

    sides.py REPORT.json...

Each report is of a solve on cores alone or on GPUs alone. A line says how many times as long a task takes on a grid with
these sides as on the periodic grid of the same extents, precision and cut. So for each report with other sides there is
one of the periodic grid. Of several reports of one solve the median counts.
"""

import collections
import json
import os
import statistics
import sys

DEVICES = {"cpu": "cpu", "cuda": "gpu"}
PERIODIC = ("PP", "PP", "PP")


def fail(words):
    sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), words))


def words_of(report):
    """The sides along each axis, as machine files name them: DN stands for its mirror image ND, too."""
    points = {"cells": "", "nodes": "-nodes"}
    return tuple("PP" if bc == "PP" else ("DN" if bc == "ND" else bc) + points[at]
                 for bc, at in zip(report["bc"], report["points"]))


def read(path):
    """What was solved, its sides, and the seconds of a task by stage."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        device, *others = {DEVICES[worker["kind"]] for worker in report["workers"]}
        if others:
            fail("%s: a solve on cores and GPUs" % path)
        what = (device, report["precision"], "%dx%dx%d" % tuple(report["grid"]),
                *(report[name] for name in ("graph", "exchange", "z_layout", "segments", "sheets")), len(report["workers"]))
        seconds = {stage: of["seconds"] / of["tasks"] for stage, of in report["stages"].items() if stage != "exchange"}
        return what, words_of(report), seconds
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as why:
        return fail("%s: no report of psg solve --json: %r" % (path, why))


def main(paths):
    times = collections.defaultdict(lambda: collections.defaultdict(list))  # by what and sides, then by stage
    for path in paths:
        what, sides, seconds = read(path)
        for stage, one in seconds.items():
            times[what, sides][stage].append(one)
    for what, sides in times:
        if sides == PERIODIC:
            continue
        if (what, PERIODIC) not in times:
            fail("no report of a periodic grid: %s" % " ".join(str(one) for one in what))
        for stage, seconds in times[what, sides].items():
            base = statistics.median(times[what, PERIODIC][stage])
            print("sides %s %s %s %s %s %.4g" % (stage, what[1], what[0], what[2], ",".join(sides),
                                               statistics.median(seconds) / base))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        fail("usage: sides.py REPORT.json...")
    main(sys.argv[1:])
