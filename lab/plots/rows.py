"""The rows of the CSV files of psg bench, for the scripts that show them, and words about rows."""

import csv
import itertools
import os
import sys

LISTS = ("grid", "precision", "cpus", "gpus", "cpu_share", "placement", "sched", "graph",
         "exchange", "z", "segment_planes", "sheets", "data", "in_flight", "effort",
         "ranks", "nodes", "network")


def fail(words):
    sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), words))


def has(row, *columns):
    """Is it a row of a sweep, with these columns beside those of the lists?"""
    return all(column in row for column in (*LISTS, "seconds", "status", *columns))


def lists(row):
    """The columns that say what was measured: those of every file, and what stands beside them
    before the status."""
    first = itertools.takewhile(lambda name: name not in ("status", "seconds"), row)
    return [*LISTS, *(name for name in first if name not in LISTS)]


def placed(row):
    """In files without a column placement cpu_share is free where a policy placed the tasks."""
    share = row["cpu_share"]
    row.setdefault("placement", {"": "", "free": "free"}.get(share, "pinned"))
    row["cpu_share"] = "auto" if share == "free" else share


def tell_builds(rows):
    """A policy that rows have from several builds of a library is another one in each."""
    builds = {}
    for row in rows:
        builds.setdefault(row.get("sched"), set()).add(row.get("policy_library"))
    for row in rows:
        if len(builds[row.get("sched")]) > 1:
            library = " " + row["policy_library"]
            row.update(sched=row["sched"] + library, policy=row["policy"] + library)


def read(path, is_known):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        fail("%s: cannot be read: %s" % (path, why))
    for at, row in enumerate(rows, 1):
        if None in row or None in row.values():
            fail("%s: row %d has not as many fields as there are columns" % (path, at))
        if "cpu_share" in row:
            placed(row)
    if not rows or not is_known(rows[0]):
        absent = [name for name in (*LISTS, "status", "seconds") if rows and name not in rows[0]]
        fail("%s: no rows of psg bench%s" % (path, ", or of another version: there is no column %s"
                                            % absent[0] if absent else ""))
    tell_builds(rows)
    for row in rows:
        if row.get("policy") == "" and row["status"] == "ok":
            row["policy"] = "no policy decides"
    return rows


# ------------------------------------------------------------------------------------ several rows


def varying(rows, *but):
    """The columns that tell rows apart; one that is empty in some, as of the fused graph, has to
    differ in others."""
    return [name for name in lists(rows[0])
            if name not in but and len({row[name] for row in rows} - {""}) > 1]


def grouped(rows, columns):
    """The rows that are the same in the columns, together."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


# --------------------------------------------------------------------------------------- about one


def number(row, column):
    return float(row[column])


def workers(row):
    return int(row["workers_gpu"]) or int(row["workers_cpu"])


def kind(row):
    return "GPU" if int(row["workers_gpu"]) else "CPU core"


def each(row):
    """Workers of a process."""
    return workers(row) // int(row["ranks"])


def grid_name(grid):
    n = grid.split("x")
    cube = n[0] + "\N{SUPERSCRIPT THREE}"
    return cube if len(set(n)) == 1 else grid.replace("x", "\N{MULTIPLICATION SIGN}")


def count(number_of, what):
    ending = "" if str(number_of) == "1" else "es" if what.endswith("s") else "s"
    return "%s %s%s" % (number_of, what, ending)


COUNTED = {"cpus": "CPU", "gpus": "GPU", "ranks": "process", "nodes": "node"}
FORMS = {"in_flight": "{in_flight} in flight", "normalize": "normalize: {normalize}",
         "tile": "tile {tile}", "barrier": "barrier {barrier}", "place": "place {place}",
         "cpu_share": "share {cpu_share}", "placement": "{placement} placement",
         "segment_planes": "{planes} planes"}


def word(row, column):
    value = row[column]
    if column == "grid":
        return grid_name(value)
    if column in COUNTED:
        return count(value, COUNTED[column])
    if column == "network":
        return "network: " + (value if value == "default" else value + " GB/s")
    if column == "sheets":
        return count(row["sheets_used"], "sheet")
    if column == "data":
        on_gpu = value == "resident" and kind(row) == "GPU"
        return "f, u in %s memory" % ("GPU" if on_gpu else "main")
    return FORMS[column].format(**row) if column in FORMS else value


def label(row, columns):
    """What tells a row from the others, in a few words."""
    return ", ".join(word(row, column) for column in columns if row[column])
