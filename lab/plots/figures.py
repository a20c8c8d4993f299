"""The figures of the CSV files of psg bench: a function for each, from the rows to a page."""

import math

from plot_style import (COLOURS, STAGES, WIDE, LogLocator, MaxNLocator, NullLocator, Page, bare,
                        light_grid, log_ticks, name_rows, plain, plt, style_of, whisker_words,
                        whiskers)
from rows import count, each, grid_name, grouped, kind, label, number, varying, workers

TIMES = "\N{MULTIPLICATION SIGN}"


def milliseconds(row, which="seconds"):
    return 1e3 * number(row, which)


def distinct(rows, *columns):
    return list(dict.fromkeys(tuple(row[column] for column in columns) for row in rows))


def choose(rows, **values):
    return [row for row in rows if all(row[column] == value for column, value in values.items())]


def used_stages(rows):
    """The stages that took time in some row, each with its colour."""
    used = [stage for stage in STAGES if any(number(row, stage + "_seconds") > 0 for row in rows)]
    return {stage: COLOURS[at % len(COLOURS)] for at, stage in enumerate(used)}


def on_lines(page, words):
    """Words beside a panel, which a narrow page has no room for on one line."""
    return words.replace(", ", ",\n").replace("f,\nu", "f, u") if page.narrow else words


# ------------------------------------------------------------------------------------ of a solve


def plot_stages(rows):
    columns = varying(rows, "sched", "segment_planes") or ["graph"]
    page = Page(1, 1, 9.6, 0.8 + 0.56 * len(rows))
    axes = page.panels[0][0]
    used = used_stages(rows)
    # one panel of shares: grids differ by orders of magnitude; the times stand beside the bars
    for place, row in enumerate(rows):
        spent = {stage: milliseconds(row, stage + "_seconds") for stage in used}
        total = sum(spent.values())
        page.stack(axes, place, [(stage, 100 * spent[stage] / total, used[stage],
                                  "%.3g" % spent[stage]) for stage in used],
                   edgecolor="white", linewidth=0.8)
        axes.text(101, place, "sum %.4g ms,%sreal %.4g ms" %
                  (total, "\n" if page.narrow else " ", milliseconds(row)), va="center", fontsize=8)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([on_lines(page, label(row, columns)) for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of the time in tasks and copies, %; numbers in the bars are ms, summed "
                    "over workers and links")
    bare(axes)
    page.head_of("Time by stage", axes)
    return page


def best_point(name, best, whole):
    words = "%s: best %s" % (name or "time", count(best["planes"], "plane"))
    less = 100 * (1 - number(best, "seconds") / number(whole, "seconds"))
    if whole["segments"] == "1" and less >= 0.5:
        words += ", %.0f %% below one segment" % less
    return words


def draw_segments(axes, group, which, name):
    """A curve with its best point, and what the plan chooses by itself."""
    style = style_of(which, markersize=4)
    chosen = [row for row in group if row["segment_planes"] == "0"]
    group = sorted((row for row in group if row not in chosen),
                   key=lambda row: number(row, "planes"))
    for row in chosen:
        axes.plot(number(row, "planes"), milliseconds(row), marker="*", markersize=12,
                  linestyle="none", color=style["color"], label=None if group else name)
    if not group:
        return
    best = min(group, key=lambda row: number(row, "seconds"))
    for row in group:
        axes.errorbar(number(row, "planes"), milliseconds(row), whiskers(row), linewidth=0.8,
                      capsize=2, color=style["color"])
    axes.plot([number(row, "planes") for row in group], list(map(milliseconds, group)),
              label=best_point(name, best, group[-1]), **style)
    axes.plot(number(best, "planes"), milliseconds(best), marker="o", markersize=11, color="none",
              markeredgecolor=style["color"])


def plot_segments(rows):
    columns = varying(rows, "segment_planes")
    groups = grouped(rows, columns)
    grids = [grid for grid, in distinct(rows, "grid")]
    rest = [column for column in columns if column != "grid"]
    names = list(dict.fromkeys(label(group[0], rest) for group in groups.values()))
    page = Page(1, len(grids), max(3.6 * len(grids) + 0.6, 7.6), 3.5 + 0.17 * len(names), least=2.6)
    for grid, axes in zip(grids, page.panels[0]):
        for group in groups.values():
            if group[0]["grid"] == grid:
                name = label(group[0], rest)
                draw_segments(axes, group, names.index(name), name)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(LogLocator(base=2, numticks=20))
        plain(axes.xaxis)
        axes.set_yscale("log")
        log_ticks(axes.yaxis, 2.6)
        for words in axes.legend(frameon=False, fontsize=7.5, loc="upper left", borderaxespad=0,
                                 bbox_to_anchor=(-0.05, -0.16)).get_texts():
            words.set_text(on_lines(page, words.get_text()))
        axes.set(title=grid_name(grid), xlabel="planes in a segment")
        light_grid(axes, axis="y")
    page.panels[0][0].set_ylabel("time of a solve, ms")
    page.head("Time of a solve by the planes in a segment\nCircles: the shortest time of each "
              "curve" + "\nStars: the plan's own choice" *
              any(row["segment_planes"] == "0" for row in rows))
    return page


def all_workers(row):
    """Of all processes, or of all nodes of a simulation, of which a row has the workers of one."""
    return workers(row) * int(row["nodes"])


def is_alone(row):
    return row["ranks"] == "1" and row["nodes"] == "1"


def ways(row, rows):
    """The curves that a row is on: of one process, of processes, and of nodes that have as many
    workers each as it."""
    alike = [other for other in rows if kind(other) == kind(row)]
    if is_alone(row) and (len({each(other) for other in alike if is_alone(other)}) > 1
                          or all(map(is_alone, alike))):
        yield "one process"
    same = [other for other in alike if each(other) == each(row)]
    if row["nodes"] == "1" and any(other["ranks"] != "1" for other in same):
        yield "processes of %d %s" % (each(row), kind(row))
    if row["ranks"] == "1" and any(other["nodes"] != "1" for other in same):
        yield "nodes of %s" % count(each(row), kind(row))


def curves(rows, columns):
    """The rows of each curve, by kind of worker, way, and the columns that tell curves apart. One
    node has no network: it is the first point of the curves of all networks."""
    groups = {}
    networks = list(dict.fromkeys(row["network"] for row in rows if row["nodes"] != "1"))
    for row in rows:
        for way in ways(row, rows):
            first = way.startswith("nodes") and row["nodes"] == "1" and "network" in columns
            for network in networks if first else [row["network"]]:
                one = {**row, "network": network}
                key = (kind(row), way, *(one[column] for column in columns))
                groups.setdefault(key, []).append(row)
    return {key: sorted(group, key=all_workers) for key, group in groups.items()}


def draw_ideal(axes, groups, most):
    """The line of those curves that begin at the same number of workers; without one that begins
    there is no such line."""
    begins = {all_workers(group[0]) for group in groups
              if len(group) > 1 or all_workers(group[0]) == 1}
    if not begins:
        axes.text(0.5, 0.5, "one number of workers alone:\nthere is no speed-up", ha="center",
                  transform=axes.transAxes)
    elif len(begins) == 1:
        begin = begins.pop()
        axes.plot([begin, most], [1, most / begin], color="#999999", linestyle="--", linewidth=1,
                  label="ideal" if begin == 1 else "ideal, from %d" % begin)
        return "one worker" if begin == 1 else "%d workers" % begin
    return "the first point of each curve"


def plot_scaling(rows):
    columns = varying(rows, "cpus", "gpus", "ranks", "nodes")
    several = not all(map(is_alone, rows))
    groups = curves(rows, columns)
    one_kind = len({kind(row) for row in rows}) == 1
    page = Page(1, 2, 9.6, 3.6)
    left, right = page.panels[0]
    over = draw_ideal(left, groups.values(), max(map(all_workers, rows)))
    ends = {}
    for which, ((of, way, *_), group) in enumerate(groups.items()):
        name = label(group[-1], columns) or label(group[-1], ["grid"])
        name += ", " + way if several else ", GPU" if of == "GPU" and not one_kind else ""
        style = style_of(which, markersize=5, linestyle="-" if way == "one process" else ":")
        numbers, times = list(map(all_workers, group)), list(map(milliseconds, group))
        right.plot(numbers, times, label=name, **style)
        if len(group) > 1 or numbers[0] == 1:
            left.plot(numbers, [times[0] / time for time in times], **style)
        ends.setdefault(numbers[-1], []).append((numbers[-1], times[-1], "%.3g ms" % times[-1],
                                                 style["color"]))
    for close in ends.values():
        page.write_at_ends(right, close)
    right.set_yscale("log")
    right.margins(x=0.18 if len(set(map(all_workers, rows))) > 1 else 0.5, y=0.08)
    log_ticks(right.yaxis, 3)
    of_all = " of all nodes" if any(row["nodes"] != "1" for row in rows) else \
        " of all processes" if several else ""
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(map(all_workers, rows))))
        axes.xaxis.set_minor_locator(NullLocator())
        plain(axes.xaxis)
        axes.set_xlabel((kind(rows[0]) + "s" if one_kind else "workers (CPU cores, or GPUs)") +
                        of_all)
        light_grid(axes)
    left.set_yscale("log", base=2)  # as the other axis, or the ideal would be no line
    left.yaxis.set_major_locator(LogLocator(base=2, subs=(1, 1.5)))
    plain(left.yaxis)
    left.set_ylabel("speed-up over " + over)
    right.set_ylabel("time of a solve, ms")
    page.head_of("Speed-up and time by the number of workers", left, right)
    return page


def plot_policies(rows):
    columns = varying(rows, "sched")
    groups = grouped(rows, columns)
    over = {}  # by policy: times over the fastest of each group: grids of all sizes fit on one axis
    fastest = {key: min(map(milliseconds, group)) for key, group in groups.items()}
    for key, group in groups.items():
        for row in group:
            over.setdefault(row["policy"], []).append(milliseconds(row) / fastest[key])
    names = sorted(over, key=lambda name: sum(over[name]) / len(over[name]))
    page = Page(1, 2, 9.6, 0.7 + (0.17 + 0.05 * len(groups)) * len(names), sharey=True,
                gridspec_kw={"width_ratios": [3, 2]})
    left, right = page.panels[0]
    for which, (key, group) in enumerate(groups.items()):
        style = style_of(which, markersize=4, linestyle="none")
        for row in group:
            place = names.index(row["policy"]) + 0.6 * ((which + 0.5) / len(groups) - 0.5)
            left.errorbar(milliseconds(row) / fastest[key], place, capsize=2, elinewidth=1,
                          xerr=whiskers(row, 1e3 / fastest[key]), **style)
            right.plot(100 * number(row, "busy"), place, **style)
        left.plot([], [], label="%s: 1 is %.4g ms" % (label(group[0], columns) or "all",
                                                      fastest[key]), **style)
    name_rows(left, names, fontsize=8)
    left.set_xscale("log")  # of ratios: half and twice are as far from 1
    log_ticks(left.xaxis, 3.6)
    left.set_xlabel("time of a solve over that of the fastest policy (%s)" % whisker_words(rows[0]))
    right.set_xlim(10 * (min(100 * number(row, "busy") for row in rows) // 10), 100)
    right.xaxis.set_major_locator(MaxNLocator(5, steps=(1, 2, 5, 10)))
    right.set_xlabel("workers busy in tasks, % of the time (mean)")
    for axes in (left, right):
        light_grid(axes)
    page.head_of("Scheduling policies", left)
    return page


def plot_grids(rows):
    columns = varying(rows, "grid")
    page = Page(1, 2, 9.6, 3.6)
    left, right = page.panels[0]
    for which, group in enumerate(grouped(rows, columns).values()):
        group = sorted(group, key=lambda row: number(row, "points"))
        points = [number(row, "points") for row in group]
        style = style_of(which, markersize=5, linewidth=1.2)
        for axes, scales in ((left, [1e3] * len(group)), (right, [1e9 / n for n in points])):
            spread = [[side[0] for side in sides]
                      for sides in zip(*map(whiskers, group, scales))]
            axes.errorbar(points,
                          [scale * number(row, "seconds") for scale, row in zip(scales, group)],
                          spread, capsize=2, elinewidth=0.8,
                          label=label(group[0], columns) or label(group[0], ["graph"]), **style)
    names = {number(row, "points"): grid_name(row["grid"]) for row in rows}
    for axes, words in ((left, "time of a solve, ms (%s)" % whisker_words(rows[0])),
                        (right, "time of a solve over points, ns")):
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
    of_rank = " of rank %d" % (which // each(row)) if int(row["ranks"]) > 1 else ""
    return name + of_rank, number(row, "busiest")


def draw_overlap(page, axes, place, row, name, used):
    """What one worker, and the exchange of one process, would take one after the other, above the
    real time. How far the bars reach comes back."""
    parts = [(None, milliseconds(row, stage + "_seconds") /
              (int(row["ranks"]) if stage == "exchange" else workers(row)), colour, None)
             for stage, colour in used.items()]
    end = page.stack(axes, place - 0.2, parts, 0.36, edgecolor="white", linewidth=0.6)
    busy, share = busiest(row)
    real = milliseconds(row)
    axes.barh(place + 0.2, real, 0.36, color="#dddddd")
    axes.barh(place + 0.2, share * real, 0.36, color="none", edgecolor="#555555", hatch="////",
              linewidth=0.6)
    axes.text(end, place - 0.2, " sum %.4g ms" % end, va="center", fontsize=8)
    words = " real %.4g ms; %s busy %.0f %%" % (real, busy, 100 * share)
    if row.get("bound_seconds"):
        least = milliseconds(row, "bound_seconds")
        axes.plot([least, least], [place, place + 0.4], color="#D55E00", linewidth=1.6)
        link = row.get("bound_link") if row["bound_by"] == "link" else ""
        words += "; bound %.3g ms, %s" % (least, " ".join(filter(None, (row["bound_by"], link))))
    if page.narrow:
        axes.text(0, place + 0.42, words[1:].replace("; ", ";\n", 1), va="top", fontsize=7)
        axes.text(0, place - 0.42, name, va="bottom", fontsize=8)
    else:
        axes.text(real, place + 0.2, words, va="center", fontsize=8)
    return max(end, real)


def plot_overlap(rows):
    columns = varying(rows, "sched", "grid") or ["graph"]
    grids = [grid for grid, in distinct(rows, "grid")]
    used = used_stages(rows)
    # a narrow page has the words of a row above and below its bars instead of beside them
    line, pitch = (0.8, 2.2) if Page.width is not None and Page.width < WIDE else (0.62, 1)
    page = Page(len(grids), 1, 9.6, 0.5 + line * len(rows) + 0.5 * len(grids),
                gridspec_kw={"height_ratios": [len(choose(rows, grid=grid)) for grid in grids]})
    for grid, axes in zip(grids, page.panels[:, 0]):
        here = choose(rows, grid=grid)
        names = [label(row, columns) for row in here]
        places = [pitch * order for order in range(len(here))]
        widest = max(draw_overlap(page, axes, *one, used) for one in zip(places, here, names))
        axes.set_yticks(places)
        axes.set_yticklabels([""] * len(here) if page.narrow else names)
        axes.set_ylim(pitch * len(here) - pitch / 2, -pitch / 2)
        axes.set_xlim(0, 1.9 * widest)
        axes.set_title(grid_name(grid), loc="right", fontsize=9)
        bare(axes)
    bound = "; line: the bound" if any(row.get("bound_seconds") for row in rows) else ""
    page.panels[-1][0].set_xlabel(
        "time, ms. Coloured: the stages one after the other, means of the workers and processes; "
        "grey: the real time; hatched: the part of it in which the busiest was busy" + bound)
    page.head("Overlap: the stages' sum beside the real time",
              [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in used.values()], used)
    return page


def who(row):
    """The workers that a row asked for."""
    kinds = [(row[column], name) for column, name in (("cpus", "CPU"), ("gpus", "GPU"))
             if row[column] != "0"]
    free = row["placement"] == "free"
    share = ", free" if free else ", share %s" % row["cpu_share"] if len(kinds) > 1 else ""
    return " + ".join("%s %s" % of for of in kinds) + share


def work_of_cores(row):
    """The part of the floating-point operations that CPU cores did: those in x and y go by planes,
    those along z by rows."""
    if not int(row["workers_gpu"]) or not int(row["workers_cpu"]):
        return 0 if int(row["workers_gpu"]) else 1
    nx, ny, nz = map(int, row["grid"].split("x"))
    in_planes, along_z = math.log2(nx * ny), math.log2(nz)
    done = in_planes * number(row, "cpu_planes") / nz + along_z * number(row, "cpu_rows") / ny
    return done / max(in_planes + along_z, 1)


def plot_hetero(rows):
    columns = varying(rows, "cpus", "gpus", "cpu_share", "placement", "sched")
    page = Page(1, 2, 9.6, 1.1 + 0.36 * len(rows), sharey=True)
    left, right = page.panels[0]
    shares = [100 * work_of_cores(row) for row in rows]
    parts = [part for part in (("CPU cores", shares, "#0072B2"),
                               ("GPUs", [100 - share for share in shares], "#009E73"))
             if any(part[1])]
    for place, row in enumerate(rows):
        left.barh(place, milliseconds(row), 0.6, xerr=whiskers(row), capsize=2, color="#bbbbbb")
        left.text(milliseconds(row, "seconds_q3"), place, "  %.4g" % milliseconds(row), va="center",
                  fontsize=8)
        page.stack(right, place, [(name, of[place], colour, "%.0f %%" % of[place])
                                  for name, of, colour in parts], 0.6)
    name_rows(left, [on_lines(page, ", ".join(filter(None, (label(row, columns), who(row)))))
                     for row in rows])
    left.margins(x=0.2)
    left.set_xlabel("time of a solve, ms (%s)" % whisker_words(rows[0]))
    right.set_xlim(0, 100)
    right.set_xlabel("share of the work (floating-point operations), %")
    for axes in (left, right):
        bare(axes)
    page.head_of("Cores, GPUs, and both: time, and who did the work", right)
    return page


# ----------------------------------------------------------------------------------- of workloads


def who_had(row):
    """The workers that a row had: "15 cores + 1 GPU"."""
    kinds = ((row["workers_cpu"], "core"), (row["workers_gpu"], "GPU"))
    return " + ".join(count(number_of, name) for number_of, name in kinds if number_of != "0")


def plot_workloads(rows):
    """A panel for each workload and cut, a line for each policy, a mark for each set of workers.
    The fastest policy stands above."""
    columns = ["workload", *varying(rows, "workload", "sched", "cpus", "gpus", "cpu_share",
                                    "placement")]
    cuts = grouped(rows, columns)
    of_workers = list(dict.fromkeys(map(who_had, rows)))
    marks = {name: style_of(which, markersize=4, linestyle="none")
             for which, name in enumerate(of_workers)}
    names = {row["policy"] for row in rows}
    page = Page(1, len(cuts), max(3.4 * len(cuts) + 1.4, 7.6), 1 + 0.22 * len(names), least=2.6)
    for here, axes in zip(cuts.values(), page.panels[0]):
        least = {policy: min(number(row, "seconds") for row in choose(here, policy=policy))
                 for policy, in distinct(here, "policy")}
        order = sorted(least, key=least.get)
        for row in here:
            which = of_workers.index(who_had(row))
            place = order.index(row["policy"]) + 0.5 * ((which + 0.5) / len(of_workers) - 0.5)
            axes.errorbar(number(row, "seconds"), place, xerr=whiskers(row, 1), capsize=2,
                          elinewidth=1, **marks[who_had(row)])
        bounds = {float(row["bound_seconds"]) for row in here if row.get("bound_seconds")}
        if bounds:
            axes.axvline(min(bounds), color="#999999", linestyle="--", linewidth=1)
        name_rows(axes, order, fontsize=8)
        axes.set_xscale("log")
        log_ticks(axes.xaxis, 2.6)
        axes.set_title(label(here[0], columns), fontsize=9)
        light_grid(axes)
    first = page.panels[0][0]
    bound = "; dashed: the least bound" if any(row.get("bound_seconds") for row in rows) else ""
    first.set_xlabel("time of a run, s (%s)" % whisker_words(rows[0]) + bound)
    for name, style in marks.items():
        first.plot([], [], label=name, **style)
    page.head_of("Workloads by scheduling policy", first)
    return page


def task_seconds(rows):
    """By workload, precision and kind, and of the run with its copies: seconds of a task by tile,
    on a core and on a GPU, with the ends of the interval, which tasks do not have."""
    found = {}
    for row in rows:
        kinds = [part.split(":") for part in row["kinds"].split(";")]
        times = {name: 3 * [float(seconds) / int(tasks)] for name, tasks, seconds in kinds}
        run = number(row, "seconds")
        low, high = (side[0] for side in whiskers(row, 1))
        for of, seconds in {**times, "run": [run, run - low, run + high]}.items():
            both = found.setdefault((row["workload"], row["precision"], of), ({}, {}))
            both[row["workers_gpu"] != "0"][int(row["tile"])] = seconds
    return found


def crossing(core, gpu):
    """The smallest tile from which on a GPU is faster, of those that have both times; and the words
    for it."""
    tiles = sorted(set(core) & set(gpu))
    slower = [tile for tile in tiles if not gpu[tile][2] < core[tile][1]]
    faster = [tile for tile in tiles if tile > max(slower, default=0)]
    if not tiles:
        return None, "no GPU" if core else "no core"
    return (faster[0], "GPU from %d on" % faster[0]) if faster else (None,
                                                                     "core up to %d" % tiles[-1])


def plot_crossover(rows):
    """A panel for each kind, tiles along x. A dashed line is where the GPU begins to be faster."""
    found = task_seconds(rows)
    columns = min(3, len(found))
    lines = -(-len(found) // columns)
    page = Page(lines, columns, 3.4 * columns, 2.6 * lines, least=2.6)
    panels = list(page.panels.ravel())
    for axes in panels[len(found):]:
        axes.remove()
    several = len({row["precision"] for row in rows}) > 1
    for ((workload, precision, of), both), axes in zip(found.items(), panels):
        for which, (times, name) in enumerate(zip(both, ("a core", "a GPU"))):
            tiles = sorted(times)
            middle, low, high = ([1e6 * times[tile][m] for tile in tiles] for m in range(3))
            ends = [[m - end for m, end in zip(middle, low)],
                    [end - m for m, end in zip(middle, high)]]
            axes.errorbar(tiles, middle, ends, label=name, capsize=2, elinewidth=0.8,
                          **style_of(which, markersize=4, linewidth=1.2))
        at, words = crossing(*both)
        if at is not None:
            axes.axvline(at, color="#999999", linestyle="--", linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        plain(axes.xaxis)
        log_ticks(axes.yaxis, 2)
        axes.set_title("%s%s\n%s: %s" % (workload, ", " + precision if several else "",
                                         "run, with copies" if of == "run" else of, words),
                       fontsize=8)
        light_grid(axes)
    panels[0].set_xlabel("tile")
    panels[0].set_ylabel("time of a task, microseconds")
    page.head_of("Tasks on a core and on a GPU by their size", panels[0])
    return page


# ------------------------------------------------------------------------------------- of programs

PEERS = {"fftw": "FFTW", "fftw_mpi": "FFTW-MPI", "cufft": "cuFFT", "cufft_xt": "cuFFT (cufftXt)",
         "cufft_mp": "cuFFTMp"}
DOORS = {"device": "arrays on GPUs", "in_place": "in place", "ghost": "with a ghost layer",
         "stream": "on a stream", "slabs": "StarPU handles", "host": "main memory"}


def used_by(ranks, number_of, what):
    """"2 processes of 1 GPU"."""
    used = count(number_of, what)
    return used if ranks == "1" else "%s of %s" % (count(ranks, "process"), used)


def name_grids(axes, grids):
    axes.set_xticks(range(len(grids)))
    axes.set_xticklabels(list(map(grid_name, grids)))
    bare(axes)


def draw_rate(axes, x, row, of, **more):
    """A bar with the quartiles of the time, as of the rate. How far it reaches comes back."""
    median, low, high = (number(row, of + "_seconds" + which) for which in ("", "_q1", "_q3"))
    height = number(row, of + "_gflops")
    spread = [[height - height * median / high], [height * median / low - height]]
    axes.bar(x, height, yerr=spread, capsize=2, width=0.38, error_kw={"elinewidth": 0.8}, **more)
    return height + spread[1][0]


def plot_peers(rows):
    by_way = grouped(rows, ("peer", "ranks", "threads", "gpus"))
    page = Page(1, len(by_way), max(3.2 * len(by_way) + 0.8, 5), 3.6)
    for ((peer, ranks, threads, gpus), here), axes in zip(by_way.items(), page.panels[0]):
        for place, row in enumerate(here):
            top = max(draw_rate(axes, place - 0.2, row, "peer", color="#999999", label="the peer"),
                      draw_rate(axes, place + 0.2, row, "psg", color=COLOURS[0], label="psg"))
            axes.text(place, 1.02 * top, TIMES + "%.2f" % number(row, "ratio"), ha="center",
                      va="bottom", fontsize=8)
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
        used = used_by(ranks, gpus, "GPU") if gpus != "0" else used_by(ranks, threads, "thread")
        axes.set_title("%s, %s" % (PEERS.get(peer, peer), used), fontsize=9)
        name_grids(axes, [row["grid"] for row in here])
    page.panels[0][0].set_ylabel("Gflop/s (5 n log2 n, two transforms)")
    page.head_of("A solve by psg and by its peers\nThe number is the peer's time over psg's",
                 *page.panels[0])
    return page


def plot_embed(rows):
    """Panels of those runs that have a peer: how many times as fast as the peer psg is by each of
    its doors."""
    of_peers = {(row["ranks"], row["gpus"], row["grid"]): row for row in rows
                if row["door"] in PEERS}
    if not of_peers:
        raise ValueError("no row of cuFFT, cufftXt or cuFFTMp")
    runs = list(dict.fromkeys(key[:2] for key in of_peers))
    page = Page(1, len(runs), max(3.4 * len(runs) + 0.8, 5), 3.6, sharey=True)
    for run, axes in zip(runs, page.panels[0]):
        grids = [key[2] for key in of_peers if key[:2] == run]
        for place, grid in enumerate(grids):
            peer = of_peers[(*run, grid)]
            here = {row["door"]: row for row in choose(rows, ranks=run[0], gpus=run[1], grid=grid)}
            for order, (door, name) in enumerate(DOORS.items()):
                if door in here:
                    axes.bar(place + 0.13 * (order - 2.5),
                             number(peer, "seconds") / number(here[door], "seconds"), width=0.12,
                             color=COLOURS[order], label=name)
        axes.axhline(1, color="#555555", linewidth=0.8, linestyle="--")
        axes.set_title("%s, %s" % (PEERS[of_peers[(*run, grids[0])]["door"]],
                                   used_by(*run, "GPU")), fontsize=9)
        name_grids(axes, grids)
    page.panels[0][0].set_ylabel("the peer's time over psg's")
    page.head_of("A solve of another program's f, by each way into psg, beside the peer that a "
                 "panel names", *page.panels[0])
    return page
