"""The rows of psg bench: quartiles of given times, a wrong answer is no "ok", and new rows stand in
the order of the sweep after those of the file; what others do on the machine is the busy time of
all cores less one's own.

    rows_test.py LAB
"""

import csv
import glob
import io
import math
import os
import re
import sys

sys.path.insert(0, sys.argv[1])
from circumstances import Circumstances, Moment, busy_seconds, load_between  # noqa: E402
from groups import Result  # noqa: E402
from results import Results, interval  # noqa: E402
from sweep import Sweep  # noqa: E402


def check(condition, words):
    assert condition, words


LISTS = dict(pair.split("=") for pair in """grid= precision=f64 cpus=default gpus=default
    cpu_share=auto placement=pinned sched=default graph=fused exchange=default z=contiguous
    executor=auto segment_planes=0 sheets=0 in_flight=1 nodes=1 network=default data=host ranks=1
    workload=
    tile=default order=listed barrier=no priority=none place=free""".split())
OWN = "grid data ranks workload tile order barrier priority place".split()
COMPONENTS = ("psg", "starpu", "fftw", "cuda", "mpi")
REQUEST = {
    "lists": [{"column": c, "option": c, "standard": s, "of_solver": c not in OWN}
              for c, s in LISTS.items()],
    "workloads": [], "policies": [], "models": False, "simulates": False, "stages": ["kspace"],
    "machine": {"host": "here", "cpu_model": "fast", "cores": 4},
    "versions": {name + "_version": "1" for name in COMPONENTS}}
FACTS = {"workers_cpu": 2, "workers_gpu": 0, "policy": "lws", "gpu_model": "", "plan_seconds": 0.5}


def sample(seconds, **more):
    zeros = dict.fromkeys(
        """exchange_busy busiest tasks_cpu tasks_gpu starpu_tasks placed_tasks cpu_planes cpu_rows h2d_bytes d2h_bytes
        d2d_bytes h2d_seconds d2h_seconds d2d_seconds sent_bytes spectrum_bytes""".split(), 0.0)
    return {**zeros, "seconds": seconds, "busy": seconds / 32, "kspace_seconds": 32 - seconds,
            "busy_workers": [0, 0.5], "kinds": {}, "executor_used": "tasks", **more}


def made():
    sweep = Sweep(REQUEST)
    sweep.add({"grid": ["%dx%dx%d" % (n, n, n) for n in (3, 4, 5, 6)]})
    results = [Result(0) for _ in sweep.configs]
    for result in results:
        result.tolerance = 1e-13
    return Results(REQUEST, sweep, Circumstances(REQUEST, 2, 1)), results


def numbers(row, *columns):
    return [float(row[column]) for column in columns]


rows, results = made()
first = results[0]


def put(*samples):
    first.samples, first.facts = list(samples), FACTS
    rows.put(0, results, "unused")
    return first.row


def quartiles():
    many = [[(m * m % 97) ** 1.5 for m in range(count)] for count in range(20, 40)]
    check([*map(interval, many)] == [*map(interval, many)], "other drawings")
    row = put(*map(sample, (4, 1, 16, 2, 8)))
    check(
        row["status"] == "ok" and numbers(row, "seconds_min", "seconds_q1", "seconds", "seconds_q3",
                                          "seconds_max") == [1, 2, 4, 8, 16], row)
    check(
        numbers(row, "busy", "idle", "kspace_seconds") == [0.125, 0.875, 28] and
        row["busy_workers"] == "0.000 0.500", row)
    check(
        row["bound_seconds"] == "" and rows.is_done(row, 5, False) and
        not rows.is_done(row, 5, True), row)
    again = put(*map(sample, (4, 1, 16, 2)))  # between two
    check(
        again is row and len(rows.table.rows) == 1 and
        numbers(row, "seconds", "seconds_q1") == [3, 1.75], row)


def drawn_below(count, k):
    """The share of drawings of `count` samples whose median is at most the k-th smallest one: half
    of those drawn and one more are among the k smallest, each with the share k / count."""
    share = k / count
    return sum(math.comb(count, m) * share ** m * (1 - share) ** (count - m)
               for m in range((count + 1) // 2, count + 1))


def intervals():
    """The interval of the median has the order statistics that all possible drawings say; every
    sample stays in the row."""
    for count in (3, 5, 9, 15, 25):
        seconds = [1 + m * m for m in range(count)]
        low, high = interval(seconds[::-1])
        for found, wanted in ((low, 0.025), (high, 0.975)):
            k = next(k for k in range(1, count + 1) if drawn_below(count, k) >= wanted)
            # some drawings stand for all: their share is right within 0.8 %
            near = {next(k for k in range(1, count + 1) if drawn_below(count, k) >= share)
                    for share in (wanted - 0.008, wanted, wanted + 0.008)}
            check(any(abs(found - seconds[n - 1]) < 1e-9 for n in near),
                  (count, found, seconds[k - 1]))
    check(interval([1.0] * 7) == (1, 1) and all(map(math.isnan, interval([1.0, 2.0]))),
          "few samples")
    row = put(*map(sample, (4, 1, 16, 2, 8)))
    check(row["samples"] == "4 1 16 2 8" and numbers(row, "seconds_low", "seconds_high") == [1, 16],
          row)
    row = put(sample(4))
    check((row["samples"], row["seconds_low"], row["seconds_high"]) == ("4", "", ""), row)


def faster():
    """A row is slower than the fastest where the intervals say so, and else perhaps as fast. Rows
    of other problems are not compared."""
    sweep = Sweep(REQUEST)
    sweep.add({"grid": ["8x8x8", "9x9x9"], "graph": ["fused", "staged"],
               "z": ["contiguous", "strided"]})
    sets = {"8x8x8": [(1.0, 1.1, 1.2), (1.1, 1.15, 1.3), (2.0, 2.1, 2.2), (5.0, 6.0)],
            "9x9x9": [(7.0, 7.1, 7.2), (3.0, 3.1, 3.2), (8.0, 8.1, 8.2), (9.0, 9.1, 9.2)]}
    several = [Result(0) for _ in sweep.configs]
    table = Results(REQUEST, sweep, Circumstances(REQUEST, 2, 1))
    for at, (config, result) in enumerate(zip(sweep.configs, several)):
        result.tolerance, result.facts = 1e-13, FACTS
        result.samples = [sample(s) for s in sets[config["grid"]].pop(0)]
        table.put(at, several, "unused")
    lines = table.compared(several, ["grid", "graph", "z"])
    check(len(lines) == 3 and lines[0] == "", lines)
    check(re.match(r"8x8x8, fastest: fused; perhaps as fast: staged \w+$", lines[1]), lines)
    check(re.match(r"9x9x9, fastest: staged \w+; all others are slower$", lines[2]), lines)


def who_decided():
    """The table and the verdict say where no policy placed a task, and how psg cuts the grid by
    itself. A policy that STARPU_SCHED names is that of "default", once."""
    os.environ["STARPU_SCHED"] = "eager"
    sweep = Sweep(REQUEST)
    sweep.add({"grid": ["8x8x8"], "sched": ["lws", "eager", "default"],
               "segment_planes": ["0", "4"]})
    del os.environ["STARPU_SCHED"]
    check([c["sched"] for c in sweep.configs] == ["lws", "lws", "eager", "eager"], sweep.configs)
    several = [Result(0) for _ in sweep.configs]
    table = Results(REQUEST, sweep, Circumstances(REQUEST, 2, 1))
    for at, result in enumerate(several):
        result.tolerance, result.facts = 1e-13, {**FACTS, "policy": None}
        ran = {"executor_used": "tasks", "placed_tasks": 7.0} if at % 2 else {
            "executor_used": "team"}
        result.samples = [sample(at + s, **ran) for s in (1.0, 1.1, 1.2)]
        table.put(at, several, "unused")
    check([r["policy"] for r in table.table.rows] == [""] * 4, table.table.rows)
    lines = table.compared(several, ["grid", "sched", "segment_planes"])
    check(lines[1] == "8x8x8, fastest: lws auto (no policy decided); all others are slower", lines)
    out, sys.stdout = sys.stdout, io.StringIO()
    table.print(several)
    out, sys.stdout = sys.stdout, out
    found = [line.split() for line in out.getvalue().split("\n")[2:7]]
    check(found[0][-3:] == ["ran", "placed", "status"] and
          [line[:3] + line[-3:] for line in found[1:3]] == [
              ["8x8x8", "lws", "auto", "team", "0", "ok"],
              ["8x8x8", "lws", "4", "tasks", "7", "ok"]], found)


def bounds():
    """The bound of a row is the largest of the medians, whichever was the largest in each round."""
    def bounded(path, work, lp, link=0.0):
        return sample(20,
                      bound_path_seconds=path,
                      bound_work_seconds=work,
                      bound_memory_seconds=0.0,
                      bound_link_seconds=0.0,
                      bound_links={"h2d": link, "d2h": 0.0},
                      bound_lp_seconds=lp,
                      of_bound=path / 16)

    row = put(bounded(1, 3, 0.5), bounded(2, 4, 0.25), bounded(9, 3, 0.125))
    each = ["bound_%s_seconds" % name for name in ("path", "work", "memory", "lp")]
    check(numbers(row, *each, "bound_seconds", "of_bound") == [2, 3, 0, 0.25, 3, 0.125], row)
    check((row["bound_by"], row["bound_link"]) == ("work", "") and rows.is_done(row, 3, True), row)
    row = put(bounded(1, 3, 0.5), bounded(2, 4, 0, 2.0), bounded(9, 3, 0.125, 1.0))
    check((row["bound_lp_seconds"], row["bound_link"]) == ("", "h2d"),
          "a linear program of some rounds only: %s" % row)


def recorded():
    """No row of the recorded files took less time than one of its bounds."""
    bounded = 0
    for path in glob.glob(os.path.join(sys.argv[1], "results", "*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                for name in ("bound_%s" % name for name
                             in ("seconds",
                                 *("%s_seconds" % b for b in ("path", "work", "memory", "link")))):
                    if row.get(name) and row["status"] == "ok":
                        bounded += 1
                        check(float(row[name]) <= float(row["seconds"]),
                              "%s: %s of %s" % (path, name, row))
    check(bounded >= 1000, "%d bounds in the recorded files" % bounded)


def links():
    """Seconds of copies: the median; empty where not known in some round, and 0 where nothing was
    copied."""
    seconds = (0.5, 0.125, 0.25, 1, 0.0625)
    copies = [sample(1, h2d_bytes=2.0 ** 20, h2d_seconds=s, d2h_seconds=None) for s in seconds]
    row = put(*copies)
    check(
        numbers(row, "h2d_bytes", "h2d_seconds") == [2 ** 20, 0.25] and
        (row["d2h_seconds"], row["d2d_seconds"]) == ("", "0"), row)
    for s in range(5):
        row = put(*copies[:s], sample(1, h2d_seconds=None), *copies[s + 1:])
        check(row["h2d_seconds"] == "", row)


def wrong_answers():
    for error in (0.25, math.nan, math.inf):
        first.error = error
        row = put(sample(1))
        check("the result is wrong" in row["status"] and not rows.is_done(row, 1, False),
              "error %g: %s" % (error, row))


def order():
    """Rows of this run come in any order beside one of the file."""
    rows, results = made()
    rows.table.rows.append(rows.table.new())
    for index in (2, 0, 3, 1):
        results[index].samples = [sample(1)]
        rows.put(index, results, "unused")
    found = [row["grid"] for row in rows.table.rows]
    check(found == ["", "3x3x3", "4x4x4", "5x5x5", "6x6x6"], found)
    check(
        all(rows.find(config) is result.row for config, result in zip(rows.sweep.configs, results)),
        "a row is not found")


def loads():
    text = "cpu  100 200 400 800000 1600000 3200 6400 12800 1000000 2000000\ncpu0 1 2 3\n"
    check(
        busy_seconds(text, 100) == 231, "waiting and idle are not busy, guests are in user already")
    check(
        busy_seconds("cpu  1 2 3 4\n", 100) == busy_seconds("intr 1 2 3\n", 100) == 0,
        "a system that tells less")
    before = Moment(1000, 10, 50)
    check(abs(load_between(before, Moment(1012, 16, 54)) - 1.5) < 1e-12, "cores of others")
    check(load_between(before, Moment(1012, 30, 54)) == 0, "less than nothing: ticks are coarse")
    for after in (Moment(1012, 16, 50.4), Moment(0, 16, 54)):
        check(math.isnan(load_between(before, after)), "of a moment, or not known then")


quartiles()
intervals()
faster()
who_decided()
bounds()
recorded()
links()
wrong_answers()
order()
loads()
