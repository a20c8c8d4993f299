"""Time of a solve between processes against the planes of a segment: the U of the segmented method.

    mpi_segments.py PSG [--ranks 2] [--grid 128,256] [--planes 1,2,4,8,16,32,64] [--pencils N]
        [--exchange mpi] [--graph fused] [--cpus 1] [--runs 5] [--solves 9] [--mpirun "mpirun"]
        [--csv FILE] [--plot FILE]

PSG is the command. Each number of planes, and the plan's own choice, is run several times, in random order,
and what they took is pooled, without each run's first two solves. --plot needs matplotlib; the ending of FILE
(.png, .svg) says what is drawn.
"""

import argparse
import datetime
import json
import os
import random
import shlex
import statistics
import subprocess
import sys

WARM_UP = 2


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("psg")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--grid", type=numbers, default=[128, 256], help="cubes of so many points a side")
    parser.add_argument("--planes", type=numbers, default=[1, 2, 4, 8, 16, 32, 64, 128])
    parser.add_argument("--pencils", type=int)
    parser.add_argument("--exchange", default="mpi")
    parser.add_argument("--graph", default="fused")
    parser.add_argument("--cpus", type=int, default=1, help="of each process")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--solves", type=int, default=9, help="of each run, after two to warm up")
    parser.add_argument("--mpirun", type=shlex.split, default=["mpirun"])
    parser.add_argument("--csv")
    parser.add_argument("--plot")
    return parser.parse_args()


def machine():
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{datetime.date.today()}, {model}, {os.cpu_count()} cores"


def run(options, grid, planes):
    """The report of one run. @param planes  0 for the plan's own choice"""
    command = [*options.mpirun, "-n", str(options.ranks), options.psg, "solve", "--problem", "modes"]
    command += ["--grid", str(grid), "--cpus", str(options.cpus), "--gpus", "0", "--graph", options.graph]
    command += ["--exchange", options.exchange, "--repeat", str(options.solves + WARM_UP), "--quiet", "--json", "-"]
    if planes:
        command += ["--segment-planes", str(planes)]
    if options.pencils:
        command += ["--pencils", str(options.pencils)]
    environment = {"OMPI_MCA_mpi_yield_when_idle": "1", **os.environ}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def measure(options):
    """A list of rows, by grid and planes."""
    cases = [
        (grid, planes)
        for grid in options.grid
        for planes in [0, *options.planes]
        if planes <= -(-grid // options.ranks)  # those of a process
    ]
    reports = {case: [] for case in cases}
    order = cases * options.runs
    random.shuffle(order)
    for n, case in enumerate(order):
        reports[case].append(run(options, *case))
        if sys.stderr.isatty():
            print(f"\r{n + 1} of {len(order)} runs", end="", file=sys.stderr, flush=True)
    return [row(options, case, reports[case]) for case in cases]


def row(options, case, reports):
    grid, planes = case
    seconds = [second for report in reports for second in report["seconds"]["solves"][WARM_UP:]]
    quarters = statistics.quantiles(seconds, n=4) if len(seconds) > 1 else [seconds[0]] * 3
    values = {
        "grid": grid,
        "ranks": options.ranks,
        "cpus": options.cpus,
        "exchange": reports[0]["exchange"],
        "graph": options.graph,
        "choice": "given" if planes else "default",
        "segment_planes": reports[0]["segment_planes"],
        "segments": reports[0]["segments"],
        "pencils": reports[0]["pencils"],
        "solves": len(seconds),
        "median_ms": 1e3 * statistics.median(seconds),
        "least_ms": 1e3 * min(seconds),
        "quarter_ms": 1e3 * quarters[0],
        "three_quarters_ms": 1e3 * quarters[2],
    }
    for stage in reports[0]["stages"]:
        of_runs = [report["stages"][stage] for report in reports]
        values[f"{stage}_tasks"] = of_runs[0]["tasks"]
        values[f"{stage}_ms"] = 1e3 * statistics.median(one["seconds"] for one in of_runs)
    return values


def text(value):
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def write_csv(rows, file):
    keys = list(dict.fromkeys(key for one in rows for key in one))
    print(f"# {machine()}", file=file)
    print(",".join(keys), file=file)
    for one in rows:
        print(",".join(text(one.get(key, "")) for key in keys), file=file)


def draw(options, rows, path):
    import matplotlib  # only who draws needs it

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(options.grid), figsize=(5.5 * len(options.grid), 4.2), squeeze=False)
    for grid, place in zip(options.grid, axes[0]):
        here = [one for one in rows if one["grid"] == grid]
        given = sorted((one for one in here if one["choice"] == "given"), key=lambda one: one["segment_planes"])
        chosen = [one for one in here if one["choice"] == "default"]
        planes = [one["segment_planes"] for one in given]
        place.fill_between(
            planes,
            [one["quarter_ms"] for one in given],
            [one["three_quarters_ms"] for one in given],
            alpha=0.2,
            linewidth=0,
        )
        place.plot(planes, [one["median_ms"] for one in given], "o-", label="median, quarters")
        place.plot(planes, [one["least_ms"] for one in given], ":", label="least")
        for one in chosen:
            place.plot(one["segment_planes"], one["median_ms"], "r*", markersize=14, label="the plan's own choice")
        place.set_xscale("log", base=2)
        place.set_xticks(planes, [str(p) for p in planes])
        place.set_ylim(bottom=0)
        place.set_xlabel("planes of a segment")
        place.set_ylabel("time of a solve, ms")
        place.set_title(f"{grid}^3, {options.ranks} processes of {options.cpus}, {options.exchange}")
        place.legend()
    figure.suptitle(machine(), fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main():
    options = arguments()
    rows = measure(options)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            write_csv(rows, file)
    else:
        write_csv(rows, sys.stdout)
    if options.plot:
        try:
            draw(options, rows, options.plot)
        except ImportError as error:
            sys.exit(f"{options.plot}: nothing is drawn: {error}")


main()
