"""plot.py makes the figure that it should of every result in the tree and of every study, those of programs among them, and
says in words what it cannot do.

    plot_test.py PLOT.PY RESULTS PSG
"""

import csv
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))

from patience import patience  # noqa: E402
from script import run  # noqa: E402

FIGURES = ("segments", "policies", "scaling", "overlap", "hetero", "grids", "workloads", "crossover", "peers", "embed")


def check(condition, words):
    if not condition:
        sys.exit(words)


def refused(words, *arguments):
    code, _, error = run(*arguments)
    check(code in (1, 2) and words in error and "Traceback" not in error, "%s: %s %r" % (arguments[1:], code, error))


def figure_of(plot, path, prefix, figure):
    """Make a figure; its text comes back."""
    code, out, error = run(plot, path, "--out", prefix)
    check(code == 0 and not error and out.startswith(figure + ": "), "%s: %s %r %r" % (path, code, out, error))
    with open(prefix + ".png", "rb") as file:
        check(file.read(8) == b"\x89PNG\r\n\x1a\n", "%s: no PNG" % path)
    with open(prefix + ".svg", encoding="utf-8") as file:
        text = file.read()
    for words in ("; 20", "SIMULATED" if "-simulated-" in path else " cores", "psg 0.", "StarPU 1."):
        check(words in text, "%s: the figure does not say %r" % (path, words))
    return text


# --------------------------------------------------------------------------------------- rows made up for the test


STAGES = ("fft_xy", "pack", "unpack", "fft_z", "divide", "ifft_z", "ifft_xy", "normalize", "forward_xy", "kspace", "inverse_xy", "exchange")
MADE_UP = {"grid": "64x64x64", "points": str(64 ** 3), "data": "host", "cpu_model": "CPU of the test", "gpu_model": "", "cores": "4",
           "cpu_planes": "", "cpu_rows": "", "d2d_bytes": "0", **{"%s_seconds" % stage: "0" for stage in STAGES}}


def write(path, model, changes):
    """A file with the row `model` once for each of the changes to it."""
    rows = [{**model, "exchange_busy": "0", "tasks_cpu": "12", "tasks_gpu": "0", **change} for change in changes]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(column for row in rows for column in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)


def timed(milliseconds, **columns):
    times = {"seconds" + which: str(milliseconds * factor / 1e3)
             for which, factor in (("", 1), ("_min", 0.9), ("_q1", 0.95), ("_q3", 1.1), ("_max", 1.5))}
    return {**times, **{name: str(value) for name, value in columns.items()}}


def by_workers(ranks, cpus, gpus=0):
    each = cpus + gpus
    return {"ranks": ranks, "cpus": cpus, "gpus": gpus, "workers_cpu": ranks * cpus, "workers_gpu": ranks * gpus,
            "busy_workers": " ".join(["0.900"] * (ranks * each - 1) + ["0.950"]), "busiest": 0.95}


def test_scaling(plot, folder, model):
    path = os.path.join(folder, "scaling.csv")
    write(path, model, [timed(80 / (r * c), **by_workers(r, c)) for r, c in ((1, 1), (1, 2), (1, 4), (2, 1), (4, 1))])
    text = figure_of(plot, path, path, "scaling")
    for words in ("ideal", "one process", "processes of 1 CPU core", "CPU cores of all processes", "speed-up", "Open MPI"):
        check(words in text, "scaling: no %r" % words)
    # one process alone needs none of these words; days that differ are said
    write(path, model, [timed(80 / c, date="2026-01-0%dT08:00:00Z" % (4 - c // 2), **by_workers(1, c)) for c in (1, 2, 4)])
    text = figure_of(plot, path, path, "scaling")
    check("2026-01-02 to 2026-01-04" in text, "scaling: not its days")
    check("process" not in text and "Open MPI" not in text and ">CPU cores<" in text, "scaling of one process")
    # found by what varies, whatever the file is called
    other = os.path.join(folder, "any.csv")
    write(other, model, [timed(80 / r, **by_workers(r, 1)) for r in (1, 2)])
    check("processes of 1 CPU core" in figure_of(plot, other, other, "scaling"), "ranks alone")


def test_scaling_without_one_worker(plot, folder, model):
    path = os.path.join(folder, "scaling-four.csv")
    write(path, model, [timed(80 / c, **by_workers(1, c)) for c in (4, 8, 16)])
    text = figure_of(plot, path, path, "scaling")
    check(">ideal, from 4<" in text and "speed-up over 4 workers" in text, "the ideal line does not begin where the curve does")
    write(path, model, [timed(80 / c, **by_workers(1, c), graph=graph) for c, graph in
                        ((4, "fused"), (8, "fused"), (2, "staged"), (8, "staged"))])
    text = figure_of(plot, path, path, "scaling")
    check("ideal" not in text and "speed-up over the first point of each curve" in text, "an ideal line, of which curve?")
    write(path, model, [timed(80 / n, **by_workers(1, 4), grid="%dx%dx%d" % (n, n, n)) for n in (8, 9)])
    text = figure_of(plot, path, path, "scaling")
    check("ideal" not in text and "there is no speed-up" in text, "a speed-up of one number of workers")


def test_nodes(plot, folder, model):
    path = os.path.join(folder, "scaling-nodes.csv")
    write(path, model, [timed(80 / n, **by_workers(1, 0, 4), gpu_model="GPU of the test", nodes=n, network=network)
                        for n, networks in ((1, ("",)), (2, ("25", "50")), (4, ("25", "50"))) for network in networks])
    text = figure_of(plot, path, path, "scaling")
    for words in ("network: 25 GB/s, nodes of 4 GPUs", "network: 50 GB/s, nodes of 4 GPUs", "GPUs of all nodes", ">16<",
                  "ideal, from 4", "speed-up over 4 workers"):
        check(words in text, "scaling on nodes: no %r" % words)
    check("one process" not in text, "scaling on nodes: one of them alone")


def test_formats(plot, folder, first):
    for ending, begin in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        prefix = os.path.join(folder, "format-" + ending)
        code, out, error = run(plot, first, "--out", prefix, "--format", ending, "--width", "3.4")
        check(code == 0 and not error and out == "scaling: %s.%s\n" % (prefix, ending), "--format %s: %r %r" % (ending, out, error))
        with open("%s.%s" % (prefix, ending), "rb") as file:
            content = file.read()
        check(content.startswith(begin), "no %s" % ending)
        check([name for name in os.listdir(folder) if name.startswith("format-" + ending)] == ["format-%s.%s" % (ending, ending)],
              "--format %s: other files, too" % ending)
        if ending == "svg":
            check('width="%.6gpt"' % (72 * 3.4) in content.decode(), "--width 3.4 is not the figure's")
        check(ending != "pdf" or b"CreationDate" not in content, "a PDF with a date")


def test_overlap(plot, folder, model):
    path = os.path.join(folder, "overlap-here.csv")
    stages = {"forward_xy_seconds": 0.008, "kspace_seconds": 0.004, "inverse_xy_seconds": 0.006}
    write(path, model, [timed(10, **by_workers(1, 2), **stages),
                        timed(10, **by_workers(2, 1), **stages, exchange_seconds=0.012, exchange_busy=0.6),
                        timed(10, **{**by_workers(2, 1), "busiest": 0.98}, **stages, exchange_seconds=0.018,
                              exchange_busy=0.98, graph="staged")])
    text = figure_of(plot, path, path, "overlap")
    # means of two workers, and of two processes: 18 / 2 ms, and 6 and 9 more of messages
    for words in ("sum 9 ms", "sum 15 ms", "sum 18 ms", "real 10 ms; worker 1 busy 95 %",
                  "real 10 ms; worker 0 of rank 1 busy 95 %", "real 10 ms; exchange busy 98 %", "kspace"):
        check(words in text, "overlap: no %r" % words)
    check("fft_xy" not in text and "bound" not in text, "overlap: a stage that took no time, or a bound that nobody measured")
    write(path, model, [timed(10, **by_workers(1, 2), **stages, bound_seconds=bound, bound_by="link") for bound in (0.0072, "")])
    text = figure_of(plot, path, path, "overlap")
    check("h2d" not in text and "d2d" not in text, "overlap: copies that there were none of")
    check(text.count("bound 7.2 ms, link<") == 1 and "line: the bound" in text, "overlap: the bound of the row that has one")
    write(path, model, [timed(10, **by_workers(1, 2), **stages, bound_seconds=0.0072, bound_by=by, bound_link="message")
                        for by in ("link", "path")])
    text = figure_of(plot, path, path, "overlap")
    check("bound 7.2 ms, link message<" in text and "bound 7.2 ms, path<" in text, "overlap: the link that bounds")


def test_copies(plot, folder, model):
    path = os.path.join(folder, "overlap-copies.csv")
    gpus = {**by_workers(1, 0, 2), "forward_xy_seconds": 0.001, "kspace_seconds": 0.004, "inverse_xy_seconds": 0.001}
    write(path, model, [timed(10, **gpus, h2d_seconds=0.008, d2h_seconds=0.006), timed(10, **gpus, h2d_seconds="0", d2h_seconds="0")])
    text = figure_of(plot, path, path, "overlap")
    # means of two GPUs
    for words in ("sum 10 ms", "sum 3 ms", "h2d", "d2h"):
        check(words in text, "copies: no %r" % words)
    check("d2d" not in text, "copies: between GPUs there were none")


def test_hetero(plot, folder, model):
    path = os.path.join(folder, "hetero.csv")
    gpu = {"gpu_model": "GPU of the test"}
    write(path, model, [timed(10, **by_workers(1, 4)),
                        timed(5, **by_workers(1, 0, 2), **gpu),
                        timed(4, **by_workers(1, 2, 2), **gpu, cpu_planes=16, cpu_rows=16)])
    check("2 CPU + 2 GPU, share auto" in figure_of(plot, path, path, "hetero"), "hetero: one share")
    shares = [{"cpu_share": share} for share in ("auto", "auto", "0.25")]
    # 64 planes and 64 rows, of which the cores did 16; the size of tasks, and so their number, says nothing
    write(path, model, [{**timed(10, **by_workers(1, 4)), **shares[0]},
                        {**timed(5, **by_workers(1, 0, 2), **gpu), **shares[1]},
                        {**timed(4, **by_workers(1, 2, 2), **gpu, tasks_cpu=90, tasks_gpu=9, cpu_planes=16, cpu_rows=16), **shares[2]}])
    text = figure_of(plot, path, path, "hetero")
    for words in (">4 CPU<", ">2 GPU<", "2 CPU + 2 GPU, share 0.25", "100 %", "25 %", "75 %", "share of the work", "GPU of the test"):
        check(words in text, "hetero: no %r" % words)
    # 64 planes of 64 x 64 have twice the operations of 64 rows
    write(path, model, [timed(4, **by_workers(1, 2, 2), **gpu, cpu_planes=48, cpu_rows=0)])
    text = figure_of(plot, path, path, "hetero")
    check(text.count("50 %") == 2, "hetero: planes and rows are not as much work")
    # a file without a column placement, and one with it
    for free in ({"cpu_share": "free"}, {"placement": "free"}):
        both = {**timed(4, **by_workers(1, 2, 2), **gpu, cpu_planes=8, cpu_rows=8), **free}
        write(path, model, [both])
        check("2 CPU + 2 GPU, free" in figure_of(plot, path, path, "hetero"), "hetero: %s" % free)
    write(path, model, [timed(10, **by_workers(1, 4))])
    check(">GPUs<" not in figure_of(plot, path, path, "hetero"), "hetero: a machine without GPUs")


def test_workloads(plot, folder, model):
    """A panel for each workload and cut, a mark for each set of workers; found by the column, whatever the file is called."""
    path = os.path.join(folder, "any-work.csv")
    model = {"workload": "", "tile": "", "order": "", **model}  # lists stand before the status
    rows = [timed(10 * place + 5, **by_workers(1, *workers), grid="", data="", graph="", workload=workload, order=order, tile="default",
                  sched=sched, policy=sched)
            for place, sched in enumerate(("eager", "dmdas")) for workers in ((4, 0), (0, 2), (2, 2))
            for workload, order in (("ep:S", ""), ("blocks:8", "listed"), ("blocks:8", "longest"))]
    write(path, model, rows)
    text = figure_of(plot, path, path, "workloads")
    for words in (">4 cores<", ">2 GPUs<", ">2 cores + 2 GPUs<", "ep:S", "blocks:8, listed", "blocks:8, longest", ">eager<", ">dmdas<"):
        check(words in text, "workloads: no %r" % words)
    check("dashed" not in text, "workloads: a bound")
    write(path, model, [{**row, "bound_seconds": "0.004", "bound_by": "work"} for row in rows])
    check("dashed" in figure_of(plot, path, path, "workloads"), "workloads: no bound")


def test_crossover(plot, folder, model):
    """A panel for each kind, and for the run; the GPU is faster from the tile on above which it always is."""
    path = os.path.join(folder, "crossover-any.csv")
    times = {"100": (1, 9), "1000": (10, 9), "2000": (20, 30), "5000": (50, 12), "9000": (90, 14)}  # ms of a core and of a GPU
    model = {"workload": "", "tile": "", **model}
    rows = [timed(both[gpus] / 2, **by_workers(1, 1 - gpus, gpus), grid="", data="", graph="", workload="vadd:9000", tile=tile, sched="default",
                  policy="lws", kinds="vadd:3:%g;ep_add:2:%g" % (3e-3 * both[gpus], 1e-3 * (gpus + 1)))
            for tile, both in times.items() for gpus in (0, 1)]
    write(path, model, rows)
    text = figure_of(plot, path, path, "crossover")
    for words in ("vadd:9000", ">vadd: GPU from 5000 on<", ">ep_add: core up to 9000<", ">run, with copies: GPU from 5000 on<", ">a core<", ">a GPU<", ">tile<"):
        check(words in text, "crossover: no %r" % words)
    write(path, model, [row for row in rows if row["gpus"] == "0"])
    check(">vadd: no GPU<" in figure_of(plot, path, path, "crossover"), "crossover: cores alone")


def test_own_choice(plot, folder, model):
    path = os.path.join(folder, "ranks.csv")
    # a star beside the curve, so that its time, though shorter, is not the best of those that were given
    write(path, model, [timed(10 + abs(planes - 8) if planes else 5, **by_workers(2, 1), planes=planes or 16,
                              segments=64 // (planes or 16), segment_planes=planes) for planes in (0, 1, 4, 8, 32)])
    text = figure_of(plot, path, path, "segments")
    for words in ("own choice", "best 8 planes", "shortest time", "2 processes"):
        check(words in text, "segments: no %r" % words)
    # nodes of a simulation are curves of their own; one has no network
    write(path, model, [timed(10 + planes, **by_workers(1, 2), planes=planes, segments=64 // planes, segment_planes=planes,
                              nodes=nodes, network=network)
                        for nodes, network in ((1, ""), (4, "50"), (4, "default")) for planes in (4, 8)])
    text = figure_of(plot, path, path, "segments")
    for words in ("1 node", "4 nodes, network: 50 GB/s", "4 nodes, network: default"):
        check(words in text, "segments: no %r" % words)
    write(path, model, [timed(10 + planes, **by_workers(1, 2), planes=planes, segments=64 // planes, segment_planes=planes,
                              nodes=4, network=50) for planes in (4, 8)])
    check("4 nodes, network: 50 GB/s; " in figure_of(plot, path, path, "segments"), "segments: what all rows have in common")


def test_policies(plot, folder, model):
    path = os.path.join(folder, "policies.csv")
    gpus = [{**by_workers(1, 0, count), "gpu_model": "CUDA 0.0 (GPU of the test 80 GiB 00:06.0)", "cores": 16 * count}
            for count in (1, 4)]
    write(path, model, [timed(milliseconds, **workers, policy=policy, sched=policy, busy=0.93, data="resident")
                        for policy, times in (("late", (30, 8.5)), ("soon", (20, 8))) for workers, milliseconds in zip(gpus, times)])
    text = figure_of(plot, path, path, "policies")
    for words in ("1 GPU: 1 is 20 ms", "4 GPUs: 1 is 8 ms", "16 or 64 cores, GPU of the test 80 GiB;", "f, u in GPU memory"):
        check(words in text, "policies: no %r" % words)
    check(text.index(">soon<") < text.index(">late<"), "policies: the fastest is not the first")
    # two builds of a library, which have the same policy
    three = (("lws", ""), ("mine", "lib.so:12"), ("mine", "lib.so:34"))
    write(path, model, [timed(10 + time, **gpus[0], policy=name, sched=name, busy=0.9,
                              policy_library=library) for time, (name, library) in enumerate(three)])
    text = figure_of(plot, path, path, "policies")
    for words in (">lws<", ">mine lib.so:12<", ">mine lib.so:34<"):
        check(words in text, "policies: no %r" % words)


def test_grids(plot, folder, model):
    path = os.path.join(folder, "grids-here.csv")
    write(path, model, [timed(n ** 3 / 1e6, **by_workers(1, 2), grid="%dx%dx%d" % (n, n, n), points=n ** 3, data=data, in_flight=flights)
                        for n in (32, 64, 100) for data, flights in (("host", 1), ("host", 2), ("resident", 1))])
    text = figure_of(plot, path, path, "grids")
    for words in ("f, u in main memory, 2 in flight", "100\N{SUPERSCRIPT THREE}", "time of a solve over points, ns"):
        check(words in text, "grids: no %r" % words)
    other = os.path.join(folder, "other.csv")  # by what varies
    os.rename(path, other)
    figure_of(plot, other, other, "grids")


def test_variants(plot, folder, model):
    path = os.path.join(folder, "variants.csv")
    stages = {"%s_seconds" % stage: 0.002 for stage in ("fft_xy", "divide", "ifft_xy")}
    write(path, model, [timed(10, **by_workers(1, 2), **stages, graph=graph, z=z, normalize=normalize, segments=2)
                        for graph, z, normalize in (("fused", "", ""), ("staged", "strided", "task"), ("staged", "strided", "divide"))])
    text = figure_of(plot, path, path, "stages")
    # what only the staged graph has, and always the same, tells nothing apart
    check(">staged, normalize: divide<" in text and ">fused<" in text and "strided" not in text, "variants")


def gantt(plot, folder):
    """Of two processes with two solves each; of the latest the submission begins at 9 ms, the first copy at 10, and the last task
    ends at 14."""
    path = os.path.join(folder, "trace.json")
    about = {"psg": "0.1.0", "StarPU": "1.4.10", "host": "here", "cpu_model": "processor", "cores": 4, "gpu_model": "CUDA 0.0 (GPU of the test 00:06.0)",
             "date": "2026-11-20T08:24:22Z", "grid": "24x24x24", "precision": "f64", "graph": "fused", "workers": "2 ranks", "policy": "lws"}

    def task(process, track, name, solve, begin, milliseconds):
        stage, part = name.split() if " " in name else (name, "")
        args = {"run": solve} if not part else {"run": solve, {"s": "segment", "p": "sheet"}[part[0]]: int(part[1:])}
        return {"name": stage, "cat": stage, "ph": "X", "ts": 1e3 * begin, "dur": 1e3 * milliseconds, "pid": process,
                "tid": track, "args": args}

    events = [task(0, 0, "forward_xy s0", 0, 0, 8)]
    for process in (0, 1):
        events += [task(process, 32768, "submission", 1, 9, 2)]
        events += [{"name": "thread_name", "ph": "M", "pid": process, "tid": track, "args": {"name": name}}
                   for track, name in ((0, "worker 0"), (65537, "main memory to GPU 0"))]
        events += [task(process, 65537, "f s%d" % process, 1, 10, 0.5) | {"cat": "h2d"},
                   task(process, 0, "forward_xy s%d" % process, 1, 11, 1.0000001), task(process, 0, "kspace p%d" % process, 1, 12, 2)]
        events += [{"name": "exchange", "cat": "exchange", "ph": phase, "ts": ts, "pid": process, "tid": 0, "id": 2 * process + number,
                    "args": {"run": 1}} for number in (0, 1) for phase, ts in (("b", 11000), ("e", 12000))]
        events += [{"name": "message", "cat": "message", "ph": phase, "ts": ts, "pid": where, "tid": 0, "id": process}
                   for phase, where, ts in (("s", process, 11500), ("f", 1 - process, 13000))]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events, "otherData": about}, file)
    code, out, error = run(plot, path)
    check(code == 0 and not error and out.startswith("gantt: "), "gantt: %s %r %r" % (code, out, error))
    with open(os.path.join(folder, "trace-gantt.svg"), encoding="utf-8") as file:
        text = file.read()
    for words in ("process 0, worker 0", "process 1, messages", "process 1, main memory to GPU 0", ">kspace<", ">h2d<", ">s0<", ">p1<",
                  "60 %", "the run was submitted", "segment (s), sheet (p)", "processor, 4 cores, GPU of the test; 2026-11-20", "policy lws", "24\N{SUPERSCRIPT THREE}", ", ms."):
        check(words in text, "gantt: no %r" % words)
    check(text.count(">s0<") == 2, "gantt: a solve before the latest, or not what a task and a copy are of")
    check(">submission<" in text, "gantt: no submission")
    return path, events, about


def test_gantt(plot, folder, _):
    path, events, about = gantt(plot, folder)
    for wrong, words in (("", "cannot be read"), ("[]", "no trace of psg"), ("{", "cannot be read"),
                         (json.dumps({"traceEvents": [], "otherData": about}), "cannot be shown"),
                         (json.dumps({"traceEvents": events, "otherData": {"psg": "0.1.0"}}), "cannot be shown")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(wrong)
        refused(words, plot, path)


def test_residuals(plot, folder, _):
    """Reports of two solves, one of which ends with 0, and a figure of both."""
    paths = [os.path.join(folder, name) for name in ("loose.json", "tight.json")]
    report = {"grid": [12, 10, 8], "precision": "f64", "versions": {"psg": "0.1.0"}}
    for path, residuals in zip(paths, ([1, 1e-2, 1e-4], [1, 1e-3, 1e-7, 0])):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**report, "residuals": residuals}, file)
    code, out, error = run(plot, *paths)
    check(code == 0 and not error and out.startswith("residuals: "),
          "residuals: %s %r %r" % (code, out, error))
    with open(os.path.join(folder, "loose-residuals.svg"), encoding="utf-8") as file:
        text = file.read()
    for words in (">loose: 2 iterations<", ">tight: 3 iterations<", "residual, as a share of f",
                  "psg 0.1.0; 12", "f64"):
        check(words in text, "residuals: no %r" % words)
    wrong, csv_file = (os.path.join(folder, name) for name in ("no.json", "one.csv"))
    for content, words in (({"residuals": [1]}, "no report of this version"),
                           ({**report, "residuals": []}, "no report with residuals"),
                           (report, "no report with residuals")):
        with open(wrong, "w", encoding="utf-8") as file:
            json.dump(content, file)
        refused(words, plot, wrong)
    refused("no report of psg solve with residuals", plot, paths[0], wrong)
    refused("one file, and no other", plot, csv_file, paths[0])


def test_workload(plot, folder, psg):
    """A trace of `psg run` has tasks of a workload and of a solve. Its figure leaves that of a CSV file of the same name alone."""
    trace, other = os.path.join(folder, "here.json"), os.path.join(folder, "here.png")
    with open(other, "w", encoding="utf-8") as file:
        file.write("a figure of here.csv")
    subprocess.run([psg, "run", "pcg:16:ball:3", "--gpus", "0", "--repeat", "2", "--quiet", "--trace", trace], check=True,
                   timeout=patience(100))
    code, out, error = run(plot, trace)
    check(code == 0 and not error and out.startswith("gantt: "), "a workload: %s %r %r" % (code, out, error))
    with open(os.path.join(folder, "here-gantt.svg"), encoding="utf-8") as file:
        text = file.read()
    for words in (">pcg_update<", ">forward_xy<", ">submission<", "segment (s), sheet (p), row", "pcg:16:ball:3, ", "the run was submitted"):
        check(words in text, "a workload: no %r" % words)
    with open(other, encoding="utf-8") as file:
        check(file.read() == "a figure of here.csv", "a trace's figure replaced another one")


# Rows of no machine: what a study of programs writes, for cores and a GPU.
MACHINE = {"status": "ok", "repeats": "9", "host": "none", "cpu_model": "no processor", "cores": "4", "cuda_version": "12.0",
           "date": "2026-01-02T03:04:05Z", "psg_version": "0.1", "starpu_version": "1.4", "fftw_version": "3.3"}
PEERS = [{"peer": peer, "ranks": ranks, "threads": threads, "gpus": gpus, "grid": grid, "gpu_model": "no GPU" if gpus else "", "ratio": 1.43,
          **{who + what: 1 for who in ("peer", "psg") for what in ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")}}
         for (peer, ranks, threads, gpus), grid in itertools.product(
             (("fftw", 1, 4, 0), ("fftw_mpi", 2, 2, 0), ("cufft_xt", 1, "", 2)), ("8x8x8", "9x8x7"))]


def doors(*names):
    return [{"door": door, "ranks": 2, "gpus": 1, "grid": grid, "gpu_model": "no GPU", "seconds": 1e-3}
            for door, grid in itertools.product(names, ("8x8x8", "9x8x7"))]


def test_programs(plot, folder, _):
    path = os.path.join(folder, "made-up.csv")
    for figure, made, words in (("peers", PEERS, ("2 processes of 2 threads", "2 GPUs", "cuFFT (cufftXt)", "1.43", "Gflop/s")),
                                ("embed", doors("device", "ghost", "cufft_mp"), ("cuFFTMp, 2 processes of 1 GPU", "with a ghost layer"))):
        write(path, MACHINE, [*made, {"status": "was not built"}])
        text = figure_of(plot, path, path, figure)
        for word in (*words, "no processor, 4 cores, no GPU; 2026-01-02", "CUDA 12.0", "medians of 9 rounds; 1 row without"):
            check(word in text, "%s: no %r" % (figure, word))
        refused("has not the columns", plot, path, "--figure", "stages")
    write(path, MACHINE, doors("device", "ghost"))
    refused("no row of cuFFT", plot, path)


# ---------------------------------------------------------------------------------------------------- what is wrong


def test_bad(plot, folder, first):
    with open(first, encoding="utf-8") as file:
        header, row = file.read().splitlines()[:2]
    bad = os.path.join(folder, "bad.csv")
    shorter = os.path.join(folder, "shorter.csv")
    with open(shorter, "w", encoding="utf-8") as file:
        file.write("%s\n%s\n" % (header.replace("exchange_busy", "of_another_program"), row))
    for text, words in (("", "no rows of psg bench"), ("a,b\n1,2\n", "no rows of psg bench"),
                        (header + "\n" + row.replace(",ok,", ",it failed,") + "\n", "all configurations failed"),
                        (header + "\n" + row[:len(row) // 2] + "\n", "row 1 has not as many fields"),
                        (header + "\n" + row + ",1\n", "row 1 has not as many fields"),
                        (header + "\n" + re.sub(",ok,[^,]*,", ",ok,soon,", row) + "\n", "cannot be shown")):
        with open(bad, "w", encoding="utf-8") as file:
            file.write(text)
        refused(words, plot, bad)
    for arguments, words in (((first, "--host", "nobody"), "no rows of host 'nobody'"),
                             ((shorter, "--figure", "overlap"), "no column exchange_busy"),
                             ((first, "--figure", "peers"), "has not the columns of the figure 'peers'"),
                             ((first, "--width", "1"), "from 2 to 40 inches"), ((first, "--width", "wide"), "--width"),
                             ((first, "--format", "bmp"), "--format"),
                             ((os.path.join(folder, "none.csv"),), "cannot be read"),
                             ((first, "--out", os.path.join(folder, "no", "folder")), "cannot be written")):
        refused(words, plot, *arguments)


def main(plot, results, psg):
    files = sorted(name for name in os.listdir(results) if name.endswith(".csv") and name.split("-")[0] in FIGURES)
    check(files, "no results in %s" % results)
    # of a version that had no column for the placement
    first = os.path.join(results, next(name for name in files if name.startswith("scaling-h200")))
    with open(first, newline="", encoding="utf-8") as file:
        model = {**next(csv.DictReader(file)), **MADE_UP}
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            figure_of(plot, os.path.join(results, name), os.path.join(folder, name), name.split("-")[0])
        for test in (test_scaling, test_scaling_without_one_worker, test_nodes, test_overlap, test_copies, test_hetero, test_workloads, test_crossover, test_own_choice,
                     test_policies, test_grids, test_variants, test_gantt,
                     test_residuals, test_programs):
            test(plot, folder, model)
        test_workload(plot, folder, psg)
        test_formats(plot, folder, first)
        test_bad(plot, folder, first)
    print("%d figures" % len(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
