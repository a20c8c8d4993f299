"""The figure of workloads: time by scheduling policy on cores, on GPUs and on both."""

from plot_programs import count
from plot_style import Page, bare, log_ticks, number


def who(row):
    """The workers that a row had: "15 cores + 1 GPU"."""
    kinds = ((row["workers_cpu"], "core"), (row["workers_gpu"], "GPU"))
    return " + ".join(count(workers, name) for workers, name in kinds if workers != "0")


def plot(rows, style_of, label, varying):
    """A panel for each workload and cut, a line for each policy, a mark for each set of workers. The fastest policy stands above.

    The functions are plot.py's: the colour and mark of a curve, words about a row, and the columns that differ."""
    columns = [column for column in varying(rows) if column not in ("sched", "cpus", "gpus", "cpu_share")]
    cuts = list(dict.fromkeys(tuple(row[column] for column in ("workload", *columns)) for row in rows))
    workers = list(dict.fromkeys(who(row) for row in rows))
    names = {row["policy"] for row in rows}
    page = Page(1, len(cuts), max(3.4 * len(cuts) + 1.4, 7.6), 1 + 0.22 * len(names), least=2.6)
    for cut, axes in zip(cuts, page.panels[0]):
        here = [row for row in rows if tuple(row[column] for column in ("workload", *columns)) == cut]
        least = {row["policy"]: min(number(other, "seconds") for other in here if other["policy"] == row["policy"]) for row in here}
        order = sorted(least, key=least.get)
        for row in here:
            which = workers.index(who(row))
            place = order.index(row["policy"]) + 0.5 * ((which + 0.5) / len(workers) - 0.5)
            seconds = number(row, "seconds")
            axes.errorbar(seconds, place, xerr=[[seconds - number(row, "seconds_q1")], [number(row, "seconds_q3") - seconds]], capsize=2,
                          elinewidth=1, **style_of(which, markersize=4, linestyle="none"))
        bounds = {float(row["bound_seconds"]) for row in here if row.get("bound_seconds")}
        if bounds:
            axes.axvline(min(bounds), color="#999999", linestyle="--", linewidth=1)
        axes.set_yticks(range(len(order)))
        axes.set_yticklabels(order, fontsize=8)
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.set_xscale("log")
        log_ticks(axes.xaxis, 2.6)
        axes.set_title(label(here[0], ["workload", *(column for column in columns if column != "workload")]), fontsize=9)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        bare(axes)
    bound = "; dashed: the least bound" if any(row.get("bound_seconds") for row in rows) else ""
    page.panels[0][0].set_xlabel("time of a run, s (median and quartiles)" + bound)
    for which, name in enumerate(workers):
        page.panels[0][0].plot([], [], label=name, **style_of(which, markersize=4, linestyle="none"))
    page.head_of("Workloads by scheduling policy", page.panels[0][0])
    return page
