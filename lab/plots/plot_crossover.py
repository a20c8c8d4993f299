"""The figure of the study crossover: the time of a task on a core and on a GPU by its size, for each kind."""

from plot_style import Page, bare, log_ticks, number, plain

WORKERS = ("a core", "a GPU")


def seconds_of_kinds(row):
    """Seconds of a task by its kind, and of the run with its copies."""
    times = {name: float(seconds) / int(tasks) for name, tasks, seconds in (part.split(":") for part in row["kinds"].split(";"))}
    times["run"] = number(row, "seconds")
    return times


def curves(rows):
    """By workload, precision and kind: seconds by tile, on a core and on a GPU."""
    found = {}
    for row in rows:
        for kind, seconds in seconds_of_kinds(row).items():
            both = found.setdefault((row["workload"], row["precision"], kind), ({}, {}))
            both[row["workers_gpu"] != "0"][int(row["tile"])] = seconds
    return found


def crossing(core, gpu):
    """The smallest tile from which on a GPU is faster, of those that have both times; and the words for it."""
    tiles = sorted(set(core) & set(gpu))
    slower = [tile for tile in tiles if not gpu[tile] < core[tile]]
    faster = [tile for tile in tiles if tile > max(slower, default=0)]
    if not tiles:
        return None, "no GPU" if core else "no core"
    return (faster[0], "GPU from %d on" % faster[0]) if faster else (None, "core up to %d" % tiles[-1])


def plot(rows, style_of):
    """A panel for each kind, tiles along x. A dashed line is where the GPU begins to be faster. style_of is plot.py's."""
    found = curves(rows)
    columns = min(3, len(found))
    page = Page(-(-len(found) // columns), columns, 3.4 * columns, 2.6 * -(-len(found) // columns), least=2.6)
    panels = list(page.panels.ravel())
    for axes in panels[len(found):]:
        axes.remove()
    precisions = {row["precision"] for row in rows}
    for ((workload, precision, kind), both), axes in zip(found.items(), panels):
        for which, times in enumerate(both):
            tiles = sorted(times)
            axes.plot(tiles, [1e6 * times[tile] for tile in tiles], label=WORKERS[which], **style_of(which, markersize=4, linewidth=1.2))
        at, words = crossing(*both)
        if at is not None:
            axes.axvline(at, color="#999999", linestyle="--", linewidth=1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        plain(axes.xaxis)
        log_ticks(axes.yaxis, 2)
        name = "run, with copies" if kind == "run" else kind
        axes.set_title("%s%s\n%s: %s" % (workload, ", " + precision if len(precisions) > 1 else "", name, words), fontsize=8)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        bare(axes)
    panels[0].set_xlabel("tile")
    panels[0].set_ylabel("time of a task, microseconds")
    page.head_of("Tasks on a core and on a GPU by their size", panels[0])
    return page
