"""The table after that of the rows of --study crossover: the configurations that differ in their
workers and tile alone become a line for each tile."""

import math
import sys

from words import clean


def seconds_of(row, kind):
    """Of a task of a kind, "name:tasks:seconds;..." in a row; of the run where kind is None; with
    the ends of the interval where the median is, where there is one. NaN: not known"""
    found = [math.nan]
    if row["status"] == "ok" and kind is None:
        columns = ("seconds", "seconds_low", "seconds_high")
        found = [float(row[name]) for name in columns if row[name]]
    for text in row["kinds"].split(";") if row["status"] == "ok" and kind is not None else ():
        name, _, numbers = text.partition(":")
        if name == kind:
            tasks, seconds = map(float, numbers.split(":"))
            found = [seconds / tasks]
    return found if len(found) == 3 else 3 * found[:1]


def microseconds(seconds):
    value = 1e6 * seconds
    return "%11s" % ("-" if math.isnan(value) else "%.*f" % (2 if value < 100 else 0, value))


def crossing(points):
    """From the largest tile down, as long as a GPU is faster: where there are intervals, they are
    apart. Tiles without both times do not count."""
    both = [(tile, gpu[2] < core[1]) for tile, core, gpu in points
            if not math.isnan(core[0]) and not math.isnan(gpu[0])]
    first = None
    for tile, faster in reversed(both):
        if not faster:
            break
        first = tile
    if first is not None:
        return [
            "    a GPU is faster from tile %s on%s" %
            (first, ", the smallest one" if first == both[0][0] else "")
        ]
    return ["    a GPU is not clearly faster at the largest tile"] if both else []


def series(rows, kind):
    """One kind of task by tile."""
    tiles = {}
    for row in rows:
        seconds = seconds_of(row, kind)
        if not math.isnan(seconds[0]):
            of = float(row["workers_gpu"] or 0) > 0
            tiles.setdefault(row["tile"], [[math.nan], [math.nan]])[of] = seconds
    if not tiles:
        return []
    points = [(tile, *tiles[tile])
              for tile in sorted(tiles, key=lambda tile: int(tile) if tile.isdigit() else 0)]
    lines = [
        "%s of %s, %s" %
        (kind or "a run with its copies", rows[0]["workload"], rows[0]["precision"])
    ]
    lines += [
        "    %10s%s%s" % (tile, microseconds(core[0]), microseconds(gpu[0]))
        for tile, core, gpu in points
    ]
    return lines + crossing(points)


def print_crossover(sweep, results, kinds):
    """kinds: names of all kinds of task, in their order"""
    rows, lines = [result.row for result in results if result.row is not None], []
    alike = {}
    for row in rows:
        key = tuple(row[column] for column in sweep.columns
                    if column not in ("cpus", "gpus", "cpu_share", "placement", "tile"))
        alike.setdefault(key, []).append(row)
    for group in alike.values():
        for kind in [*kinds, None]:
            lines += series(group, kind)
    if not any(float(row["workers_gpu"] or 0) > 0 for row in rows):
        lines.append("No GPU was measured: there is none, --gpus 0 leaves it out, or its rows "
                     "say why they failed.")
    head = [
        "", "Microseconds of a task, without copies, by tile:",
        "    %10s %10s %10s" % ("tile", "a core", "a GPU")
    ]
    sys.stdout.write(clean("\n".join(head + lines) + "\n", "\n"))
