"""The rows of the CSV files of psg bench, for the scripts that show them."""

import csv
import itertools
import os
import sys

LISTS = ("grid", "precision", "cpus", "gpus", "cpu_share", "sched", "graph", "exchange", "z", "normalize", "segment_planes",
         "sheets", "data", "in_flight", "effort", "ranks", "nodes", "network")


def fail(words):
    sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), words))


def has(row, *columns):
    """Is it a row of a sweep, with these columns beside those of the lists?"""
    return all(column in row for column in (*LISTS, "seconds", "status", *columns))


def lists(row):
    """The columns that say what was measured: those of every file, and what stands beside them before the status."""
    first = itertools.takewhile(lambda name: name not in ("status", "seconds"), row)
    return [*LISTS, *(name for name in first if name not in LISTS)]


def read(path, is_known):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        fail("%s: cannot be read: %s" % (path, why))
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            fail("%s: row %d has not as many fields as there are columns" % (path, number))
    if not rows or not is_known(rows[0]):
        fail("%s: no rows of psg bench" % path)
    return rows
