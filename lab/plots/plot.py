"""Makes the figure that belongs to a CSV file of psg bench, or to a trace of psg, as PNG and SVG.

    plot.py FILE.csv [--figure NAME] [--out PREFIX] [--host HOST] [--format png|svg|pdf] [--width INCHES]
    plot.py TRACE.json [--out PREFIX] [--format png|svg|pdf] [--width INCHES]

figures:
    stages    bars of the time by stage, summed over the workers (the table of stages of the literature)
    segments  time against the planes of a segment, a curve for each grid and graph, with its best point
    scaling   speed-up over the fewest workers against their number, in one process, in several and on several nodes of a
              simulation, with the ideal line
    overlap   the stages' sum beside the real time, and the busiest worker or link in it
    hetero    time of cores, of GPUs and of both, and who did the work
    policies  time by scheduling policy over that of the fastest, with the share of the time that workers were busy
    grids     time, and time for each point, against the grid
    workloads time of a workload by scheduling policy, on cores, on GPUs and on both
    crossover time of a task on a core and on a GPU by its size, for each kind of task
and those of the studies that other programs measure, which have columns of their own:
    peers     Gflop/s of psg beside its peers
    embed     how many times as fast as cuFFT psg is, by each way into it
and of a trace (--trace TRACE.json of psg solve, run or dock):
    gantt     what each worker and link did in the latest run, and when
Without --figure it is the one that the file is named after (overlap-2core.csv), or else guessed from what varies in
it. Without --out the figure is FILE.png and FILE.svg, of a trace TRACE-gantt.png and TRACE-gantt.svg.
"""

import argparse
import math
import os
import sys

import plot_crossover
import plot_gantt
import plot_programs
import plot_workloads
from plot_style import (COLOURS, MARKERS, STAGES, WIDE, LogLocator, MaxNLocator, NullLocator, Page, bare, dark, days, gpu_name, log_ticks,
                        number, plain, plt)
from rows import fail, has, lists, read

def is_known(row):
    return plot_programs.study(row) is not None or has(row, "host")


def one_machine(rows, path, host):
    """The rows of one machine, and how many configurations failed there."""
    hosts = sorted({row["host"] for row in rows}, key=lambda name: -sum(row["host"] == name for row in rows))
    if host is not None and host not in hosts:
        fail("%s: no rows of host '%s'; there are: %s" % (path, host, ", ".join(hosts)))
    if host is None and len(hosts) > 1:
        print("plot.py: rows of %s; --host chooses another of %s" % (hosts[0], ", ".join(hosts)), file=sys.stderr)
    rows = [row for row in rows if row["host"] == (hosts[0] if host is None else host)]
    good = [row for row in rows if row["status"] == "ok"]
    if not good:
        fail("%s: all configurations failed" % path)
    return good, len(rows) - len(good)


def varying(rows):
    """The columns that tell rows apart; one that is empty in some, as of the fused graph, has to differ in others."""
    return [name for name in lists(rows[0]) if len({row[name] for row in rows} - {""}) > 1]


def grouped(rows, columns):
    """The rows that are the same in the columns, together."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def style_of(which, **more):
    """The colour and the mark of a curve."""
    return {"color": COLOURS[which % len(COLOURS)], "marker": MARKERS[which % len(MARKERS)], **more}


def light_grid(axes, **which):
    axes.grid(color="#dddddd", linewidth=0.6, **which)
    axes.set_axisbelow(True)
    bare(axes)


def guess(rows, path):
    """The figure that fits a file."""
    columns = varying(rows)
    name = os.path.basename(path).split("-")[0].split(".")[0]
    if name in FIGURES:
        return name
    if rows[0].get("workload"):
        return "workloads"
    if "sched" in columns:
        return "policies"
    if "segment_planes" in columns and len({row["segments"] for row in rows}) > 1:
        return "segments"
    if all(row["graph"] == "staged" and row["segments"] == "1" for row in rows):
        return "stages"
    if "cpus" in columns or "gpus" in columns or "ranks" in columns:
        return "scaling"
    return "grids" if len({row["grid"] for row in rows}) > 2 else "stages"


def label(row, columns):
    """What tells a row from the others, in a few words."""
    words = []
    for column in columns:
        value = row[column]
        if not value:
            continue
        if column == "grid":
            value = plot_programs.grid_name(value)
        elif column in ("cpus", "gpus", "ranks", "nodes"):
            names = {"cpus": "CPU", "gpus": "GPU", "ranks": "process", "nodes": "node"}
            value = plot_programs.count(value, names[column])
        elif column == "network" and value:
            value = "network: " + (value if value == "default" else value + " GB/s")
        elif column == "sheets":
            value = plot_programs.count(row["sheets_used"], "sheet")
        elif column == "in_flight":
            value += " in flight"
        elif column == "data":
            value = "f, u in %s memory" % ("GPU" if value == "resident" and kind(row) == "GPU" else "main")
        elif column == "normalize" and value:
            value = "normalize: " + value
        elif column in ("tile", "barrier", "place"):
            value = "%s %s" % (column, value)
        elif column == "cpu_share":
            value = "share %s" % value
        elif column == "segment_planes":
            value = "%s planes" % row["planes"]
        if value:
            words.append(value)
    return ", ".join(words)


def whiskers(row):
    """Distances of the quartiles from the median, in ms."""
    return [[1e3 * (number(row, "seconds") - number(row, "seconds_q1"))],
            [1e3 * (number(row, "seconds_q3") - number(row, "seconds"))]]


def workers(row):
    return int(row["workers_gpu"]) or int(row["workers_cpu"])


def kind(row):
    return "GPU" if int(row["workers_gpu"]) else "CPU core"


def each(row):
    """Workers of a process."""
    return workers(row) // int(row["ranks"])


def stage_seconds(row):
    return {stage: number(row, stage + "_seconds") for stage in STAGES}


def who(row):
    """The workers that a row asked for."""
    kinds = [(row[column], name) for column, name in (("cpus", "CPU"), ("gpus", "GPU")) if row[column] != "0"]
    share = ", share %s" % row["cpu_share"] if len(kinds) > 1 else ""
    return " + ".join("%s %s" % kind for kind in kinds) + share


def on_lines(page, words):
    """Words beside a panel, which a narrow page has no room for on one line."""
    return words.replace(", ", ",\n").replace("f,\nu", "f, u") if page.narrow else words


# ------------------------------------------------------------------------------------------------ figures


def plot_stages(rows):
    columns = [c for c in varying(rows) if c not in ("sched", "segment_planes")] or ["graph"]
    page = Page(1, 1, 9.6, 0.8 + 0.56 * len(rows))
    axes = page.panels[0][0]
    used = [stage for stage in STAGES if any(number(row, stage + "_seconds") > 0 for row in rows)]
    # one panel of shares: grids differ by orders of magnitude; the times stand beside the bars
    for place, row in enumerate(rows):
        left = 0
        total = sum(number(row, stage + "_seconds") for stage in used)
        for index, stage in enumerate(used):
            seconds = number(row, stage + "_seconds")
            share, colour = 100 * seconds / total, COLOURS[index % len(COLOURS)]
            bar = axes.barh(place, share, left=left, color=colour, edgecolor="white", linewidth=0.8,
                            label=stage if place == 0 else None)
            page.write_in_bar(axes, left + share / 2, place, "%.3g" % (1e3 * seconds), 8, bar[0],
                              color="white" if dark(colour) else "black")
            left += share
        axes.text(101, place, "sum %.4g ms,%sreal %.4g ms" % (1e3 * total, "\n" if page.narrow else " ", 1e3 * number(row, "seconds")),
                  va="center", fontsize=8)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([on_lines(page, label(row, columns)) for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the time in tasks and copies, %; numbers in the bars are ms, summed over workers and links")
    bare(axes)
    page.head_of("Time by stage", axes)
    return page


def best_point(name, best, whole):
    words = "%s: best %s" % (name or "time", plot_programs.count(best["planes"], "plane"))
    less = 100 * (1 - number(best, "seconds") / number(whole, "seconds"))
    if whole["segments"] == "1" and less >= 0.5:
        words += ", %.0f %% less time than one segment" % less
    return words


def plot_segments(rows):
    columns = [column for column in varying(rows) if column != "segment_planes"]
    groups = grouped(rows, columns)
    grids = list(dict.fromkeys(row["grid"] for row in rows))
    rest = [column for column in columns if column != "grid"]
    names = list(dict.fromkeys(label(group[0], rest) for group in groups.values()))
    page = Page(1, len(grids), max(3.6 * len(grids) + 0.6, 7.6), 3.5 + 0.17 * len(names), least=2.6)
    for grid, axes in zip(grids, page.panels[0]):
        for group in groups.values():
            if group[0]["grid"] != grid:
                continue
            which = names.index(label(group[0], rest))
            chosen = [row for row in group if row["segment_planes"] == "0"]
            group = sorted((row for row in group if row not in chosen), key=lambda row: number(row, "planes"))
            for row in chosen:
                axes.plot(number(row, "planes"), 1e3 * number(row, "seconds"), marker="*", markersize=12, linestyle="none",
                          color=COLOURS[which % len(COLOURS)], label=None if group else names[which])
            if not group:
                continue
            best = min(group, key=lambda row: number(row, "seconds"))
            for row in group:
                axes.errorbar(number(row, "planes"), 1e3 * number(row, "seconds"), whiskers(row), linewidth=0.8,
                              capsize=2, color=COLOURS[which % len(COLOURS)])
            axes.plot([number(row, "planes") for row in group], [1e3 * number(row, "seconds") for row in group],
                      color=COLOURS[which % len(COLOURS)], marker=MARKERS[which % len(MARKERS)], markersize=4,
                      label=best_point(names[which], best, group[-1]))
            axes.plot(number(best, "planes"), 1e3 * number(best, "seconds"), marker="o", markersize=11, color="none",
                      markeredgecolor=COLOURS[which % len(COLOURS)])
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(LogLocator(base=2, numticks=20))
        plain(axes.xaxis)
        axes.set_yscale("log")
        log_ticks(axes.yaxis, 2.6)
        axes.legend(frameon=False, fontsize=7.5, loc="upper left", bbox_to_anchor=(-0.05, -0.16), borderaxespad=0)
        axes.set_title(label({"grid": grid}, ["grid"]))
        axes.set_xlabel("planes in a segment")
        light_grid(axes, axis="y")
    page.panels[0][0].set_ylabel("time of a solve, ms")
    page.head("Time of a solve by the planes in a segment\nCircles: the shortest time of each curve%s"
              % ("\nStars: the plan's own choice" if any(row["segment_planes"] == "0" for row in rows) else ""))
    return page


def all_workers(row):
    """Of all processes, or of all nodes of a simulation, of which a row has the workers of one."""
    return workers(row) * int(row["nodes"])


def is_alone(row):
    return row["ranks"] == "1" and row["nodes"] == "1"


def ways(row, rows):
    """The curves that a row is on: of one process, of processes, and of nodes that have as many workers each as it."""
    alike = [other for other in rows if kind(other) == kind(row)]
    if is_alone(row) and (len({each(other) for other in alike if is_alone(other)}) > 1 or all(map(is_alone, alike))):
        yield "one process"
    same = [other for other in alike if each(other) == each(row)]
    if row["nodes"] == "1" and any(other["ranks"] != "1" for other in same):
        yield "processes of %d %s" % (each(row), kind(row))
    if row["ranks"] == "1" and any(other["nodes"] != "1" for other in same):
        yield "nodes of %s" % plot_programs.count(each(row), kind(row))


def curves(rows, columns):
    """The rows of each curve, by kind of worker, way, and the columns that tell curves apart. One node has no network: it is the
    first point of the curves of all networks."""
    groups = {}
    networks = list(dict.fromkeys(row["network"] for row in rows if row["nodes"] != "1"))
    for row in rows:
        for way in ways(row, rows):
            first = way.startswith("nodes") and row["nodes"] == "1" and "network" in columns
            for network in networks if first else [row["network"]]:
                key = (kind(row), way, *(network if column == "network" else row[column] for column in columns))
                groups.setdefault(key, []).append(row)
    return {key: sorted(group, key=all_workers) for key, group in groups.items()}


def draw_ideal(axes, groups, most):
    """The line of those curves that begin at the same number of workers; without one that begins there is no such line."""
    begins = {all_workers(group[0]) for group in groups if len(group) > 1 or all_workers(group[0]) == 1}
    if not begins:
        axes.text(0.5, 0.5, "one number of workers alone:\nthere is no speed-up", ha="center", transform=axes.transAxes)
    elif len(begins) == 1:
        begin = begins.pop()
        axes.plot([begin, most], [1, most / begin], color="#999999", linestyle="--", linewidth=1,
                  label="ideal" if begin == 1 else "ideal, from %d" % begin)
        return "one worker" if begin == 1 else "%d workers" % begin
    return "the first point of each curve"


def plot_scaling(rows):
    columns = [column for column in varying(rows) if column not in ("cpus", "gpus", "ranks", "nodes")]
    several = not all(map(is_alone, rows))
    groups = curves(rows, columns)
    one_kind = len({kind(row) for row in rows}) == 1
    page = Page(1, 2, 9.6, 3.6)
    left, right = page.panels[0]
    over = draw_ideal(left, groups.values(), max(map(all_workers, rows)))
    ends = {}
    for which, (key, group) in enumerate(groups.items()):
        name = "%s%s%s" % (label(group[-1], columns) or label(group[-1], ["grid"]), ", " + key[1] if several else "",
                           ", GPU" if kind(group[0]) == "GPU" and not several and not one_kind else "")
        style = style_of(which, markersize=5, linestyle="-" if key[1] == "one process" else ":")
        numbers = list(map(all_workers, group))
        right.plot(numbers, [1e3 * number(row, "seconds") for row in group], label=name, **style)
        if len(group) > 1 or numbers[0] == 1:
            left.plot(numbers, [number(group[0], "seconds") / number(row, "seconds") for row in group], **style)
        milliseconds = 1e3 * number(group[-1], "seconds")
        ends.setdefault(numbers[-1], []).append((numbers[-1], milliseconds, "%.3g ms" % milliseconds, style["color"]))
    for close in ends.values():
        page.write_at_ends(right, close)
    right.set_yscale("log")
    right.margins(x=0.18 if len(set(map(all_workers, rows))) > 1 else 0.5, y=0.08)
    log_ticks(right.yaxis, 3)
    of_all = " of all nodes" if any(row["nodes"] != "1" for row in rows) else " of all processes" if several else ""
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(map(all_workers, rows))))
        axes.xaxis.set_minor_locator(NullLocator())
        plain(axes.xaxis)
        axes.set_xlabel(("%ss" % kind(rows[0]) if one_kind else "workers (CPU cores, or GPUs)") + of_all)
        axes.grid(color="#dddddd", linewidth=0.6)
        bare(axes)
    left.set_yscale("log", base=2)  # as the other axis, or the ideal would be no line
    left.yaxis.set_major_locator(LogLocator(base=2, subs=(1, 1.5)))
    plain(left.yaxis)
    left.set_ylabel("speed-up over " + over)
    right.set_ylabel("time of a solve, ms")
    page.head_of("Speed-up and time by the number of workers", left, right)
    return page


def plot_policies(rows):
    columns = [column for column in varying(rows) if column != "sched"]
    groups = grouped(rows, columns)
    fastest = {key: min(number(row, "seconds") for row in group) for key, group in groups.items()}
    over = {}  # by policy: its times over the fastest of each group, so that grids of all sizes fit on one axis
    for key, group in groups.items():
        for row in group:
            over.setdefault(row["policy"], []).append(number(row, "seconds") / fastest[key])
    names = sorted(over, key=lambda name: sum(over[name]) / len(over[name]))
    page = Page(1, 2, 9.6, 0.7 + (0.17 + 0.05 * len(groups)) * len(names), sharey=True, gridspec_kw={"width_ratios": [3, 2]})
    left, right = page.panels[0]
    for which, (key, group) in enumerate(groups.items()):
        style = style_of(which, markersize=4, linestyle="none")
        for row in group:
            place = names.index(row["policy"]) + 0.6 * ((which + 0.5) / len(groups) - 0.5)
            left.errorbar(number(row, "seconds") / fastest[key], place, capsize=2, elinewidth=1,
                          xerr=[[side / (1e3 * fastest[key]) for side in sides] for sides in whiskers(row)], **style)
            right.plot(100 * number(row, "busy"), place, **style)
        left.plot([], [], label="%s: 1 is %.4g ms" % (label(group[0], columns) or "all", 1e3 * fastest[key]), **style)
    left.set_yticks(range(len(names)))
    left.set_yticklabels(names, fontsize=8)
    left.set_ylim(len(names) - 0.5, -0.5)
    left.set_xscale("log")  # of ratios: half and twice are as far from 1
    log_ticks(left.xaxis, 3.6)
    left.set_xlabel("time of a solve over that of the fastest policy (median and quartiles)")
    right.set_xlim(10 * (min(100 * number(row, "busy") for row in rows) // 10), 100)
    right.xaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    right.set_xlabel("workers busy in tasks, % of the time (mean)")
    for axes in (left, right):
        light_grid(axes)
    page.head_of("Scheduling policies", left)
    return page


def plot_grids(rows):
    columns = [column for column in varying(rows) if column != "grid"]
    groups = grouped(rows, columns)
    page = Page(1, 2, 9.6, 3.6)
    left, right = page.panels[0]
    for which, group in enumerate(groups.values()):
        group = sorted(group, key=lambda row: number(row, "points"))
        points = [number(row, "points") for row in group]
        style = style_of(which, markersize=5, linewidth=1.2)
        for axes, scales in ((left, [1e3] * len(group)), (right, [1e9 / n for n in points])):
            spread = [[scale * side[0] / 1e3 for scale, side in zip(scales, sides)]
                      for sides in zip(*(whiskers(row) for row in group))]
            axes.errorbar(points, [scale * number(row, "seconds") for scale, row in zip(scales, group)], spread, capsize=2,
                          elinewidth=0.8, label=label(group[0], columns) or label(group[0], ["graph"]), **style)
    names = {number(row, "points"): label(row, ["grid"]) for row in rows}
    for axes, words in ((left, "time of a solve, ms (median and quartiles)"), (right, "time of a solve over points, ns")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(list(names))
        axes.set_xticklabels(list(names.values()))
        axes.xaxis.set_minor_locator(NullLocator())
        log_ticks(axes.yaxis, 3)
        axes.set_xlabel("grid")
        axes.set_ylabel(words)
        light_grid(axes)
    page.head_of("Time by the grid", left)
    return page


def busiest(row):
    """What was busy for the largest share of the time, and that share."""
    shares = [float(share) for share in row["busy_workers"].split()]
    if number(row, "exchange_busy") > max(shares):
        return "exchange", number(row, "exchange_busy")
    which = max(range(len(shares)), key=shares.__getitem__)
    name = "the only worker" if len(shares) == 1 else "worker %d" % (which % each(row))
    return name + (" of rank %d" % (which // each(row)) if int(row["ranks"]) > 1 else ""), number(row, "busiest")


def plot_overlap(rows):
    columns = [c for c in varying(rows) if c not in ("sched", "grid")] or ["graph"]
    grids = list(dict.fromkeys(row["grid"] for row in rows))
    used = [stage for stage in STAGES if any(stage_seconds(row)[stage] > 0 for row in rows)]
    # a narrow page has the words of a row above and below its bars instead of beside them
    line, pitch = (0.8, 2.2) if Page.width is not None and Page.width < WIDE else (0.62, 1)
    page = Page(len(grids), 1, 9.6, 0.5 + line * len(rows) + 0.5 * len(grids),
                gridspec_kw={"height_ratios": [sum(row["grid"] == grid for row in rows) for grid in grids]})
    for grid, axes in zip(grids, page.panels[:, 0]):
        here = [row for row in rows if row["grid"] == grid]
        widest = 0
        for order, row in enumerate(here):
            place = pitch * order
            # what one worker, and the exchange of one process, would take one after the other
            left = 0
            for stage in used:
                share = int(row["ranks"]) if stage == "exchange" else workers(row)
                milliseconds = 1e3 * stage_seconds(row)[stage] / share
                colour = COLOURS[used.index(stage) % len(COLOURS)]
                axes.barh(place - 0.2, milliseconds, 0.36, left=left, color=colour, edgecolor="white", linewidth=0.6)
                left += milliseconds
            name, share = busiest(row)
            real = 1e3 * number(row, "seconds")
            axes.barh(place + 0.2, real, 0.36, color="#dddddd")
            axes.barh(place + 0.2, share * real, 0.36, color="none", edgecolor="#555555", hatch="////", linewidth=0.6)
            axes.text(left, place - 0.2, " sum %.4g ms" % left, va="center", fontsize=8)
            words = " real %.4g ms; %s busy %.0f %%" % (real, name, 100 * share)
            if row.get("bound_seconds"):
                least = 1e3 * number(row, "bound_seconds")
                axes.plot([least, least], [place, place + 0.4], color="#D55E00", linewidth=1.6)
                link = row.get("bound_link") if row["bound_by"] == "link" else ""
                words += "; bound %.3g ms, %s" % (least, " ".join(filter(None, (row["bound_by"], link))))
            if page.narrow:
                axes.text(0, place + 0.42, words[1:].replace("; ", ";\n", 1), va="top", fontsize=7)
                axes.text(0, place - 0.42, label(row, columns), va="bottom", fontsize=8)
            else:
                axes.text(real, place + 0.2, words, va="center", fontsize=8)
            widest = max(widest, left, real)
        axes.set_yticks([pitch * order for order in range(len(here))])
        axes.set_yticklabels([""] * len(here) if page.narrow else [label(row, columns) for row in here])
        axes.set_ylim(pitch * len(here) - pitch / 2, -pitch / 2)
        axes.set_xlim(0, 1.9 * widest)
        axes.set_title(label({"grid": grid}, ["grid"]), loc="right", fontsize=9)
        bare(axes)
    page.panels[-1][0].set_xlabel("time, ms. Coloured: the stages one after the other, means of the workers and processes; grey: the real "
                                  "time; hatched: the part of it in which the busiest was busy%s"
                                  % ("; line: the bound" if any(row.get("bound_seconds") for row in rows) else ""))
    page.head("Overlap: the stages' sum beside the real time",
              [plt.Rectangle((0, 0), 1, 1, color=COLOURS[n % len(COLOURS)]) for n in range(len(used))], used)
    return page


def work_of_cores(row):
    """The part of the floating-point operations that CPU cores did: those in x and y go by planes, those along z by rows."""
    if not int(row["workers_gpu"]) or not int(row["workers_cpu"]):
        return 0 if int(row["workers_gpu"]) else 1
    nx, ny, nz = map(int, row["grid"].split("x"))
    in_planes, along_z = math.log2(nx * ny), math.log2(nz)
    done = in_planes * number(row, "cpu_planes") / nz + along_z * number(row, "cpu_rows") / ny
    return done / max(in_planes + along_z, 1)


def plot_hetero(rows):
    columns = [c for c in varying(rows) if c not in ("cpus", "gpus", "cpu_share", "sched")]
    page = Page(1, 2, 9.6, 1.1 + 0.36 * len(rows), sharey=True)
    left, right = page.panels[0]
    shares = [100 * work_of_cores(row) for row in rows]
    parts = [part for part in (("CPU cores", shares, "#0072B2"), ("GPUs", [100 - share for share in shares], "#009E73")) if any(part[1])]
    for place, row in enumerate(rows):
        left.barh(place, 1e3 * number(row, "seconds"), 0.6, xerr=whiskers(row), capsize=2, color="#bbbbbb")
        left.text(1e3 * number(row, "seconds_q3"), place, "  %.4g" % (1e3 * number(row, "seconds")), va="center", fontsize=8)
        before = 0
        for name, all_shares, colour in parts:
            share = all_shares[place]
            bar = right.barh(place, share, 0.6, left=before, color=colour, label=name if place == 0 else None)
            page.write_in_bar(right, before + share / 2, place, "%.0f %%" % share, 8, bar[0], color="white" if dark(colour) else "black")
            before += share
    left.set_yticks(range(len(rows)))
    left.set_yticklabels([on_lines(page, ", ".join(filter(None, (label(row, columns), who(row))))) for row in rows])
    left.set_ylim(len(rows) - 0.5, -0.5)
    left.margins(x=0.2)
    left.set_xlabel("time of a solve, ms (median and quartiles)")
    right.set_xlim(0, 100)
    right.set_xlabel("share of the work (floating-point operations), %")
    for axes in (left, right):
        bare(axes)
    page.head_of("Cores, GPUs, and both: time, and who did the work", right)
    return page


FIGURES = {"stages": plot_stages, "segments": plot_segments, "scaling": plot_scaling, "overlap": plot_overlap,
           "hetero": plot_hetero, "policies": plot_policies, "grids": plot_grids,
           "workloads": lambda rows: plot_workloads.plot(rows, style_of, label, varying),
           "crossover": lambda rows: plot_crossover.plot(rows, style_of), **plot_programs.FIGURES}


def caption(rows, failed):
    """Where, when and with what: two lines."""
    first = rows[0]
    said = ("grid", "precision", "graph", "sched", *(("gpus", "data") if kind(first) == "GPU" else ()))
    same = [label(first, [c]) for c in said if len({row[c] for row in rows}) == 1]
    if any(row["ranks"] != "1" for row in rows):
        same = [words + " a process" if words.endswith(("GPU", "GPUs")) else words for words in same]
    if "ranks" not in varying(rows) and first["ranks"] != "1":
        same.append(label(first, ["ranks"]))
    several = [row for row in rows if row["nodes"] != "1"]
    same += [label(several[0], [c]) for c in ("nodes", "network") if several and c not in varying(rows)]
    if all(row["segments"] == "1" for row in rows):
        same.append("one segment")
    repeats = sorted({int(row["repeats"]) for row in rows})
    gpu = next((row["gpu_model"] for row in rows if row["gpu_model"]), "")
    machine = "%s, %s%s" % (first["cpu_model"] or "unknown processor", plot_programs.cores(rows), ", " + gpu_name(gpu) if gpu else "")
    if first["cpu_model"].startswith("simulated"):
        machine = "SIMULATED machine %s" % first["host"]
    mpi = ", " + first["mpi_version"] if any(row["ranks"] != "1" for row in rows) else ""
    words = ["%s; %s" % (machine, days(rows)),
             "psg %s, StarPU %s, FFTW %s%s; %s; medians of %s round%s%s"
             % (first["psg_version"], first["starpu_version"], first["fftw_version"], mpi,
                ", ".join("policy " + s if s == "default" else s for s in same if s) or "as said",
                "-".join(map(str, dict.fromkeys((repeats[0], repeats[-1])))), "" if repeats[-1] == 1 else "s",
                "; %d configurations failed" % failed if failed else "")]
    return "\n".join(words)


def draw(arguments):
    """The figure of a CSV file, its name, and what stands below it."""
    rows, failed = one_machine(read(arguments.file, is_known), arguments.file, arguments.host)
    study = plot_programs.study(rows[0])
    name = arguments.figure or study or guess(rows, arguments.file)
    if (name in plot_programs.FIGURES or study) and name != study:
        fail("%s: has not the columns of the figure '%s'" % (arguments.file, name))
    try:
        return FIGURES[name](rows), name, (plot_programs.caption if study else caption)(rows, failed)
    except KeyError as missing:
        fail("%s: no column %s, which the figure %s needs" % (arguments.file, missing.args[0], name))
    except ValueError as wrong:
        fail("%s: cannot be shown: %s" % (arguments.file, wrong))


def draw_trace(path):
    trace = plot_gantt.read(path)
    try:
        return plot_gantt.plot(trace), "gantt", plot_gantt.caption(trace)
    except (KeyError, TypeError, ValueError) as wrong:
        fail("%s: cannot be shown, no trace of this version of psg: %r" % (path, wrong))


# The same rows make the same file.
WITHOUT_DATE = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def inches(text):
    width = float(text)
    if not 2 <= width <= 40:
        raise argparse.ArgumentTypeError("from 2 to 40 inches, not %s" % text)
    return width


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.csv|TRACE.json")
    parser.add_argument("--figure", choices=sorted(FIGURES))
    parser.add_argument("--out", metavar="PREFIX")
    parser.add_argument("--host", help="of which machine, if the file has several")
    parser.add_argument("--format", choices=("png", "svg", "pdf"), help="one file of this kind; default: PNG and SVG")
    parser.add_argument("--width", type=inches, metavar="INCHES", help="of the figure: 3.4 for a column of a paper, 7 for a page; "
                        "default: what the figure needs")
    arguments = parser.parse_args()
    Page.width = arguments.width
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "psg", "pdf.fonttype": 42})
    of_trace = arguments.file.endswith(".json")
    page, name, below = draw_trace(arguments.file) if of_trace else draw(arguments)
    page.compose(below)
    prefix = arguments.out or os.path.splitext(arguments.file)[0] + ("-gantt" if of_trace else "")  # h200.csv may be beside h200.json
    paths = [prefix + "." + ending for ending in ([arguments.format] if arguments.format else ["png", "svg"])]
    for path in paths:
        try:
            page.figure.savefig(path, dpi=150 if arguments.width is None else 300, metadata=WITHOUT_DATE[path[-3:]])
        except OSError as why:
            fail("%s: cannot be written: %s" % (path, why.strerror))
    print("%s: %s" % (name, ", ".join(paths)))


if __name__ == "__main__":
    main()
