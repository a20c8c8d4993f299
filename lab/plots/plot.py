"""Makes the figure of a CSV file of psg bench, of a trace or of reports of psg, as PNG and SVG.

    plot.py FILE.csv [--figure NAME] [--out PREFIX] [--host HOST] [--format png|svg|pdf]
            [--width INCHES]
    plot.py TRACE.json|REPORT.json... [--out PREFIX] [--format png|svg|pdf] [--width INCHES]

figures:
    stages    bars of the time by stage, summed over the workers (the table of stages of the
              literature)
    segments  time against the planes of a segment, a curve for each grid and graph, with its best
              point
    scaling   speed-up over the fewest workers against their number, in one process, in several and
              on several nodes of a simulation, with the ideal line
    overlap   the stages' sum beside the real time, and the busiest worker or link in it
    hetero    time of cores, of GPUs and of both, and who did the work
    policies  time by scheduling policy over that of the fastest, with the share of the time that
              workers were busy
    grids     time, and time for each point, against the grid
    workloads time of a workload by scheduling policy, on cores, on GPUs and on both
    crossover time of a task on a core and on a GPU by its size, for each kind of task
and those of the studies that other programs measure, which have columns of their own:
    peers     Gflop/s of psg beside its peers
    embed     how many times as fast as cuFFT psg is, by each way into it
and of a trace (--trace TRACE.json of psg solve, run or dock):
    gantt     what each worker and link did in the latest run, and when
and of reports with residuals (--json REPORT.json of psg solve with epsilon), several in one figure:
    residuals the residual after each iteration
Without --figure it is the one that the file is named after (overlap-2core.csv), or else guessed
from what varies in it. Without --out the figure is FILE.png and FILE.svg, of a trace
TRACE-gantt.png and TRACE-gantt.svg, of reports REPORT-residuals.png and .svg of the first one.
"""

import argparse
import os
import sys

import figures
import plot_gantt
import plot_residuals
from plot_style import FONTS, Page, days, gpu_name, plt
from rows import count, fail, has, kind, label, lists, read, varying

# Columns that all figures of programs need.
PROGRAM = ("ranks", "gpus", "grid", "status", "repeats", "host", "cpu_model", "gpu_model", "cores",
           "date", "psg_version", "starpu_version", "fftw_version", "cuda_version")
PEERS = ("peer", "threads", "ratio", *(of + what for of in ("peer", "psg") for what in
                                       ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")))
# name: what draws it, and the columns that its files have beside PROGRAM; None: those of a sweep
FIGURES = {
    "stages": (figures.plot_stages, None),
    "segments": (figures.plot_segments, None),
    "scaling": (figures.plot_scaling, None),
    "overlap": (figures.plot_overlap, None),
    "hetero": (figures.plot_hetero, None),
    "policies": (figures.plot_policies, None),
    "grids": (figures.plot_grids, None),
    "workloads": (figures.plot_workloads, None),
    "crossover": (figures.plot_crossover, None),
    "peers": (figures.plot_peers, PEERS),
    "embed": (figures.plot_embed, ("door", "seconds")),
}


def study(row):
    """The study of programs that a row is of; None: none of these."""
    return next((name for name, (_, own) in FIGURES.items() if own is not None and
                 all(column in row for column in PROGRAM + own)), None)


def is_known(row):
    return study(row) is not None or has(row, "host")


def one_machine(rows, path, host):
    """The rows of one machine, and how many configurations failed there."""
    hosts = sorted({row["host"] for row in rows},
                   key=lambda name: -sum(row["host"] == name for row in rows))
    if host is not None and host not in hosts:
        fail("%s: no rows of host '%s'; there are: %s" % (path, host, ", ".join(hosts)))
    if host is None and len(hosts) > 1:
        print("plot.py: rows of %s; --host chooses another of %s" % (hosts[0], ", ".join(hosts)),
              file=sys.stderr)
    rows = [row for row in rows if row["host"] == (hosts[0] if host is None else host)]
    good = [row for row in rows if row["status"] == "ok"]
    if not good:
        fail("%s: all configurations failed" % path)
    return good, len(rows) - len(good)


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


# ----------------------------------------------------------------------------------------- caption


def machine(rows):
    """A study of 1 and of several GPUs may be of machines that differ in their cores."""
    first = rows[0]
    if first["cpu_model"].startswith("simulated"):
        return "SIMULATED machine %s" % first["host"]
    cores = " or ".join(sorted({row["cores"] for row in rows}, key=int)) + " cores"
    gpu = next((gpu_name(row["gpu_model"]) for row in rows if row["gpu_model"]), "")
    return ", ".join(filter(None, (first["cpu_model"] or "unknown processor", cores, gpu)))


def medians(rows):
    repeats = sorted({int(row["repeats"]) for row in rows})
    return "medians of %s round%s" % ("-".join(map(str, dict.fromkeys((repeats[0], repeats[-1])))),
                                      "" if repeats[-1] == 1 else "s")


def in_common(rows):
    """What all rows have, in words."""
    first = rows[0]
    said = ("grid", "precision", "graph", "sched", *(("gpus", "data") if kind(first) == "GPU"
                                                     else ()))
    same = [label(first, [column]) for column in said if len({row[column] for row in rows}) == 1]
    if any(row["ranks"] != "1" for row in rows):
        same = [words + " a process" if words.endswith(("GPU", "GPUs")) else words
                for words in same]
    if "ranks" not in varying(rows) and first["ranks"] != "1":
        same.append(label(first, ["ranks"]))
    several = [row for row in rows if row["nodes"] != "1"]
    same += [label(several[0], [column]) for column in ("nodes", "network")
             if several and column not in varying(rows)]
    if all(row["segments"] == "1" for row in rows):
        same.append("one segment")
    return ", ".join("policy " + words if words == "default" else words
                     for words in same if words) or "as said"


def caption(rows, failed, of_programs):
    """Where, when and with what: two lines."""
    first = rows[0]
    versions = [(name, first[name.lower() + "_version"]) for name in ("psg", "StarPU", "FFTW")]
    if of_programs:
        cuda = (row["cuda_version"] for row in rows if row["gpu_model"])
        versions.append(("CUDA", next(cuda, "")))
        left_out = "%s without a result" % count(failed, "row")
    else:
        left_out = "%d configurations failed" % failed
    words = [", ".join("%s %s" % version for version in versions if version[1])]
    if not of_programs:
        words[0] += ", " + first["mpi_version"] if any(row["ranks"] != "1" for row in rows) else ""
        words.append(in_common(rows))
    words += [medians(rows), left_out] if failed else [medians(rows)]
    return "%s; %s\n%s" % (machine(rows), days(rows), "; ".join(words))


def draw(arguments):
    """The figure of a CSV file, its name, and what stands below it."""
    rows, failed = one_machine(read(arguments.file, is_known), arguments.file, arguments.host)
    of = study(rows[0])
    name = arguments.figure or of or guess(rows, arguments.file)
    if (FIGURES[name][1] is not None or of) and name != of:
        fail("%s: has not the columns of the figure '%s'" % (arguments.file, name))
    try:
        return FIGURES[name][0](rows), name, caption(rows, failed, of is not None)
    except KeyError as missing:
        fail("%s: no column %s, which the figure %s needs" %
             (arguments.file, missing.args[0], name))
    except ValueError as wrong:
        fail("%s: cannot be shown: %s" % (arguments.file, wrong))


def draw_json(paths):
    """Of a trace, or of reports with residuals, with its name and what stands below it."""
    of_reports = plot_residuals.is_report(paths[0])
    of, name, what = ((plot_residuals, "residuals", "report") if of_reports else
                      (plot_gantt, "gantt", "trace"))
    read_ones = [of.read(path) for path in paths]
    try:
        return of.plot(*read_ones), name, of.caption(*read_ones)
    except (KeyError, TypeError, ValueError) as wrong:
        fail("%s: cannot be shown, no %s of this version of psg: %r" % (paths[0], what, wrong))


# The same rows make the same file.
WITHOUT_DATE = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def inches(text):
    width = float(text)
    if not 2 <= width <= 40:
        raise argparse.ArgumentTypeError("from 2 to 40 inches, not %s" % text)
    return width


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.csv|TRACE.json|REPORT.json")
    parser.add_argument("more", metavar="REPORT.json", nargs="*", help="other curves of the figure")
    parser.add_argument("--figure", choices=sorted(FIGURES))
    parser.add_argument("--out", metavar="PREFIX")
    parser.add_argument("--host", help="of which machine, if the file has several")
    parser.add_argument("--format", choices=("png", "svg", "pdf"),
                        help="one file of this kind; default: PNG and SVG")
    parser.add_argument("--width", type=inches, metavar="INCHES",
                        help="of the figure: 3.4 for a column of a paper, 7 for a page; default: "
                        "what the figure needs")
    arguments = parser.parse_args()
    Page.width = arguments.width
    plt.rcParams.update(FONTS)
    of_json = arguments.file.endswith(".json")
    if arguments.more and not plot_residuals.is_report(arguments.file):
        fail("%s: one file, and no other: reports with residuals alone are drawn together" %
             arguments.file)
    page, name, below = (draw_json([arguments.file, *arguments.more]) if of_json else
                         draw(arguments))
    page.compose(below)
    # h200.csv may be beside h200.json
    prefix = arguments.out or os.path.splitext(arguments.file)[0] + ("-" + name if of_json else "")
    endings = [arguments.format] if arguments.format else ["png", "svg"]
    paths = [prefix + "." + ending for ending in endings]
    for path in paths:
        try:
            page.figure.savefig(path, dpi=150 if arguments.width is None else 300,
                                metadata=WITHOUT_DATE[path[-3:]])
        except OSError as why:
            fail("%s: cannot be written: %s" % (path, why.strerror))
    print("%s: %s" % (name, ", ".join(paths)))


if __name__ == "__main__":
    main()
