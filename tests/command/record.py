"""psg bench --record: a file of this machine that a psg that simulates can read (runtime/machine.h has its grammar), with
every kind of task that was measured, whole or not there at all; --data resident; --machine and --nodes are for a psg that simulates."""

import csv
import json
import os
import re
import resource

from command import check, default_signals, files, refused, run

STAGES = {"fused": "forward_xy kspace inverse_xy".split(),
          "staged": "fft_xy pack unpack fft_z divide ifft_z ifft_xy normalize".split()}
SHEET = {"kspace", "fft_z", "divide", "ifft_z"}  # about a sheet, the others about a segment
BOTH = {"pack", "unpack"}  # about either
TIME = re.compile(r"time (\w+) (f64|f32) (cpu|gpu) (\d+)x(\d+)x(\d+) (segment|sheet) (\d+) (views|dense) (\d+) (\d+) (\S+)(?: (\S+))?")
QUICK = ("--gpus", "0", "--effort", "estimate", "--quiet")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def recorded(path):
    """What a file says of the machine, and its times, each line by the grammar."""
    facts, times = {}, []
    with open(path, encoding="utf-8") as file:
        text = file.read()
    check(text.endswith("\n"), "the last line of %s does not end" % path)
    for number, line in enumerate(text.splitlines()):
        word, rest = line.split(" ", 1)
        time = TIME.fullmatch(line)
        if word == "time":
            check(time, "no time: %s" % line)
            stage, precision, side, *n = time.groups()[:6]
            of, count, layout, pieces, remote, seconds, spread = time.groups()[6:]
            check(spread is None or 0.01 <= float(spread) <= 10, "a spread of %s" % spread)
            times.append({"stage": stage, "precision": precision, "side": side, "grid": tuple(map(int, n)), "of": of,
                          "count": int(count), "layout": layout, "pieces": int(pieces), "remote": int(remote),
                          "spread": spread is not None, "seconds": float(seconds)})
        else:
            known = "machine about cpus gpus gpu_memory link submit memory recorded".split()
            check(word in known and word not in facts, line)
            check((word == "machine") == (number == 0) and not times, "out of its place: %s" % line)
            facts[word] = rest
    return facts, times


def parts(total, size):
    """Lengths of the parts, and how many there are of each, of planes in parts of `size`."""
    lengths = [size] * (total // size) + [total % size] * (total % size > 0)
    return {length: lengths.count(length) for length in lengths}


def rows_of_sheets(total, sheets):
    """The same of rows, divided as evenly as they can be."""
    lengths = [total // sheets + (p < total % sheets) for p in range(sheets)]
    return {length: lengths.count(length) for length in lengths}


def check_row(r, times):
    """The times of a row's tasks: all there are of that row, and as many seconds as it can have."""
    _, ny, nz = grid = tuple(map(int, r["grid"].split("x")))
    segments, sheets = int(r["segments"]), int(r["sheets_used"])
    planes, lines = parts(nz, int(r["planes"])), rows_of_sheets(ny, sheets)
    check(sum(planes.values()) == segments, "%d segments of %s" % (segments, planes))
    summed = 0
    for stage in STAGES[r["graph"]]:
        mine = [t for t in times if t["stage"] == stage and t["grid"] == grid and t["precision"] == r["precision"]]
        for of in ("segment", "sheet"):
            there = stage in BOTH or (of == "sheet") == (stage in SHEET)
            tasks, pieces = (planes, sheets) if of == "segment" else (lines, segments)
            some = [t for t in mine if t["of"] == of]
            check(sorted(t["count"] for t in some) == (sorted(tasks) if there else []),
                  "%s of %s, %s: %s" % (stage, of, r["grid"], some))
            for t in some:
                check((t["side"], t["pieces"], t["remote"]) == ("cpu", pieces, 0), "%s instead of %d pieces" % (t, pieces))
                check(0 < t["seconds"] < 1, t)
                summed += t["seconds"] * tasks[t["count"]]
    # The file has means, and the row medians: a task that was interrupted shows in the means alone. So the sum may be far
    # above the medians, and not above what the workers have time for in the longest solve.
    median = sum(float(r[stage + "_seconds"]) for stage in STAGES[r["graph"]])
    longest = float(r["workers_cpu"]) * float(r["seconds_max"])
    check(median / 4 < summed < longest, "tasks of %g s, their medians %g s, a solve %g s: %s" % (summed, median, longest, r))


def whole_file():
    run("bench", "--grid", "64,24x20x18", "--graph", "fused,staged", "--precision", "f64,f32", "--cpus", "2",
        "--segment-planes", "7", "--sheets", "3", "--repeat", "5", *QUICK, "--record", "m.machine", "--csv", "m.csv")
    check(sorted(files()) == ["./m.csv", "./m.machine"], "files: %s" % sorted(files()))
    facts, times = recorded("m.machine")
    info = json.loads(run("info", "--gpus", "0", "--json", "-").stdout)
    table = rows("m.csv")
    check(facts["machine"] == re.sub(r"[^\w.-]", "-", table[0]["host"], flags=re.ASCII), facts)
    check(table[0]["cpu_model"] in facts["about"] and "StarPU " + info["versions"]["StarPU"] in facts["about"], facts)
    check((facts["cpus"], facts["gpus"]) == (str(len(info["workers"])), "0"), "%s: %s" % (facts, info["workers"]))
    submit = [float(cost) for cost in facts["submit"].split()]
    check(1 <= len(submit) <= 2 and min(submit) >= 0 and 1e-8 < sum(submit) < 1e-3, "to submit a task: %s" % facts["submit"])
    one, every = map(float, facts["memory"].split())
    check(1e8 < one <= every < 1e13 and facts["recorded"] == "cores 2", facts)
    check("gpu_memory" not in facts and "link" not in facts, "links of no GPU: %s" % facts)
    check(len({tuple(t.items())[:-2] for t in times}) == len(times), "a kind of task is there twice")
    check(any(t["spread"] for t in times), "all tasks of a kind take the same")
    check({t["layout"] for t in times} == {"views"}, "blocks of a core are views of their segment")
    for r in table:
        check(r["status"] == "ok", r)
        check_row(r, times)
    check({(t["stage"], t["precision"], t["grid"]) for t in times}
          == {(s, p, g) for s in STAGES["fused"] + STAGES["staged"] for p in ("f64", "f32")
              for g in ((64, 64, 64), (24, 20, 18))}, "stages, precisions and grids of the file")


def small_disk():
    default_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def whole_or_not_at_all():
    eight = ("--grid", "8", "--repeat", "1", "--passes", "1", "--warm-up", "0", *QUICK)
    old = content("m.machine")
    # all configurations fail, or there is nothing to measure: the file stays
    failed = run("bench", *eight, "--gpus", "4096", "--record", "m.machine", code=1)
    check("all configurations failed" in failed.stderr and len(failed.stderr.splitlines()) == 1, failed.stderr)
    check(content("m.machine") == old, "a machine without times took the place of a file")
    run("bench", *eight, "--csv", "n.csv")
    refused("bench", *eight, "--csv", "n.csv", "--record", "m.machine", code=1, says=("m.machine: not written", "measured now"))
    # what failed is not there, the rest is
    run("bench", *eight, "--gpus", "0,4096", "--record", "part.machine")
    check({t["grid"] for t in recorded("part.machine")[1]} == {(8, 8, 8)}, "part.machine")
    # of one task nobody knows how far they spread
    check(len(recorded("part.machine")[1]) == 3 and not any(t["spread"] for t in recorded("part.machine")[1]), "part.machine")
    # another recording takes its place
    run("bench", *eight, "--grid", "9", "--record", "part.machine")
    check({t["grid"] for t in recorded("part.machine")[1]} == {(9, 9, 9)}, "part.machine, written again")
    # where it cannot be written in the end, the old one stays, and the numbers are shown all the same
    there = files()
    full = run("bench", *eight[:-1], "--grid", "8,10", "--graph", "staged", "--segment-planes", "3", "--sheets", "3",
               "--record", "m.machine", code=1, before=small_disk)
    check("m.machine: cannot be written: File too large" in full.stderr and full.stdout.count(" ok\n") == 2, full)
    check(files() == there, "%s, before %s" % (sorted(files()), sorted(there)))
    # where runs have different numbers of cores, nobody knows how many were in each other's way
    run("bench", *eight, "--cpus", "1,2", "--record", "flights.machine")
    check("recorded" not in recorded("flights.machine")[0], "flights.machine")
    # of solves that overlap, the tasks of each take their own time
    run("bench", *eight, "--in-flight", "3", "--record", "flights.machine")
    check(len(recorded("flights.machine")[1]) == 3, recorded("flights.machine"))


def workloads():
    """Every kind of a workload's tasks, with the extents of its data: tiles of 20 in 50 x 30."""
    run("bench", "--workload", "transpose:50x30,blocks:9+7", "--tile", "20", "--repeat", "2",
        *QUICK, "--cpus", "1", "--record", "w.machine")
    times = recorded("w.machine")[1]
    shapes = {t["grid"] for t in times if t["stage"] == "transpose"}
    check(shapes == {(20, 20, 1), (10, 20, 1), (20, 10, 1), (10, 10, 1)}, shapes)
    kinds = {"transpose", "blocks_diagonal", "blocks_pair", "blocks_project"}
    check({t["stage"] for t in times} == kinds, times)
    check({(t["of"], t["side"]) for t in times} == {("segment", "cpu")}, times)


def bad_places():
    os.mkdir("folder")
    # before anything is measured: a solve of this grid would not be over in time
    long = ("bench", "--grid", "400", "--repeat", "1000", *QUICK)
    refused(*long, "--record", "no/such/folder", code=1, says=("no/such/folder: cannot be written",), timeout=10)
    refused(*long, "--record", "folder", code=1, says=("folder: not a regular file",), timeout=10)
    for text, words in (("", "--record ''"), ("-", "--record is not for stdout")):
        refused(*long, "--record", text, code=2, says=(words,), timeout=10)
    for option in ("--csv", "--json"):
        refused(*long, option, "same", "--record", "./same", code=2, says=(option + " and --record", "the same file"), timeout=10)
    refused("bench", "--study", "peers", "--record", "x.machine", code=2, says=("--record", "--study peers"), timeout=10)
    refused(*long[:3], "--record", code=2, says=("'--record' needs an argument",), timeout=10)


def data():
    run("bench", "--grid", "16,9x8x7", "--data", "resident,host,default", "--graph", "fused,staged", "--cpus", "2",
        "--in-flight", "1,2", "--precision", "f64,f32", "--repeat", "2", *QUICK, "--csv", "data.csv")
    table = rows("data.csv")
    # host is the default, and not measured twice
    check(sorted(r["data"] for r in table) == 16 * ["host"] + 16 * ["resident"], [r["data"] for r in table])
    for r in table:
        check(r["status"] == "ok" and 0 < float(r["error"]) <= float(r["tolerance"]), "wrong: %s" % r)
    old = content("data.csv")
    run("bench", "--grid", "16", "--data", "resident", "--cpus", "2", "--repeat", "2", *QUICK, "--csv", "data.csv")
    check(content("data.csv") == old, "resident rows are measured again")
    for text in ("resident,", "frob", "Host", "host,frob"):
        refused("bench", "--grid", "8", "--data", text, code=2, says=("--data '", "one of host, resident"))


def machine():
    for arguments in (("bench", "--grid", "8"), ("bench", "--study", "node"), ("bench", "--study", "peers"),
                      ("solve", "--problem", "modes", "--grid", "8"), ("info",)):
        for name in ("h200", "m.machine"):
            refused(*arguments, "--machine", name, code=2, says=("--machine '%s'" % name, "computes", "./quickstart.sh simulate"))
        for option, value in (("--nodes", "1"), ("--nodes", "2"), ("--network", "50")):
            if arguments != ("info",) or option == "--nodes":
                refused(*arguments, option, value, code=2, says=(option, "computes", "./quickstart.sh simulate"))
    refused("info", "--network", "50", code=2, says="--network goes with --nodes")
    # what the environment says is for those that simulate
    run("solve", "--problem", "modes", "--grid", "8", "--gpus", "0", "--quiet", env={**os.environ, "PSG_MACHINE": "h200"})


whole_file()
whole_or_not_at_all()
workloads()
bad_places()
data()
machine()
