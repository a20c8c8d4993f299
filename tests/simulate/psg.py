"""The psg command where it simulates: its times are the machine's and every time the same, what needs data or several
processes is refused with words, no memory is taken for fields, and nothing is left behind."""

import csv
import json
import os
import re
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from command import check, default_signals, files, refused, run  # noqa: E402

with open(sys.argv[2], encoding="utf-8") as machine_file:
    H200 = machine_file.read()
SOLVE = ("solve", "--problem", "modes", "--grid", "512", "--gpus", "4", "--segment-planes", "128")
BENCH = ("bench", "--quiet", "--repeat", "2", "--passes", "1", "--csv")
ON_H200 = ("--machine", "h200")

os.environ.pop("PSG_MACHINE", None)
os.mkdir("tmp")
os.environ["TMPDIR"] = os.path.abspath("tmp")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def edited(name, *changes):
    """H200's file with other lines in place of some, each there once."""
    text = H200
    for old, new in changes:
        check(text.count(old) == 1, "%r is %d times in the machine's file" % (old, text.count(old)))
        text = text.replace(old, new)
    return write(name, text)


def seconds(name, *arguments, **more):
    """Of the latest row, the one that psg bench measures."""
    run(*BENCH, name, *arguments, **more)
    row = rows(name)[-1]
    check(row["status"] == "ok", row)
    return float(row["seconds"])


def without(row, *columns):
    return {name: value for name, value in row.items() if name not in columns}


def bench():
    sweep = ("--grid", "128,256", "--gpus", "1,2,4,8", "--data", "resident,host", *ON_H200)
    for name in ("a.csv", "b.csv"):
        run(*BENCH, name, *sweep)
    a, b = rows("a.csv"), rows("b.csv")
    check(len(a) == 16, a)
    for r in a:
        check((r["status"], r["host"], r["cpu_model"], r["error"], r["tolerance"]) == ("ok", "h200", "simulated", "", ""), r)
        check((r["workers_cpu"], r["workers_gpu"]) == ("0", r["gpus"]), r)
        check(0 < float(r["seconds_min"]) <= float(r["seconds"]) < 1 and 0 < float(r["busy"]) <= 1, r)
        check((float(r["h2d_bytes"]) > 0) == (r["data"] == "host"), r)
        # copies take as long as the links
        for link, rate in (("h2d", 53.17e9), ("d2h", 53.81e9), ("d2d", 850e9)):
            least = float(r[link + "_bytes"]) / rate
            check(least <= float(r[link + "_seconds"]) * (1 + 1e-6) <= 1.1 * least + 1e-3, r)
    check([without(r, "date") for r in a] == [without(r, "date") for r in b], "another time, other times: %s, %s" % (a, b))
    old = files()
    run(*BENCH, "a.csv", *sweep)
    check(files() == old, "the rows of a simulation are measured again")
    # data on the GPUs spare the copies, at least those of f: by the machine's file
    for there, here in zip(*[[r for r in a if r["data"] == which] for which in ("resident", "host")]):
        copies = 8 * float(here["points"]) / int(here["gpus"]) / 53.17e9 if int(here["segments"]) >= int(here["gpus"]) else 0
        check(float(here["seconds"]) >= float(there["seconds"]) + 0.9 * copies, "%s, %s" % (there, here))
    # a table has no error, and shows that
    table = run("bench", "--repeat", "1", "--grid", "64", "--gpus", "1", *ON_H200).stdout.splitlines()
    check(table[-1].split()[-2:] == ["-", "ok"], table)


def studies():
    gpus_alone = "".join(line for line in H200.splitlines(True) if " cpu " not in line)
    unknown = ("--machine", "./" + write("gpus.machine", gpus_alone))
    run(*BENCH, "hetero.csv", "--study", "hetero", "--grid", "64", *unknown)
    cores, gpus, *both = rows("hetero.csv")
    check([(r["cpu_share"], r["placement"]) for r in both]
          == [(share, "pinned") for share in ("0", "0.02", "0.05", "0.1", "0.25", "auto")] + [("auto", "free")], both)
    none, chosen = both[0], both[5]
    for r in (cores, *both[1:5], both[6]):
        check("not recorded how long forward_xy takes on a core" in r["status"] and r["seconds"] == "", r)
    for r in (gpus, none, chosen): # nothing is known of cores, so GPUs do all
        check((r["status"], r["tasks_cpu"], r["cpu_planes"], r["cpu_rows"]) == ("ok", "0", "0", "0"), r)
        check(float(r["tasks_gpu"]) == 3 and r["seconds"] == none["seconds"], r)
    check(gpus["cpus"] == "0", gpus)
    run(*BENCH, "segments.csv", "--study", "segments", "--grid", "64", "--gpus", "2", "--segment-planes", "16,64",
        "--bounds", *ON_H200)
    table = rows("segments.csv")
    check([(r["graph"], r["planes"], r["status"]) for r in table]
          == [(g, p, "ok") for g in ("fused", "staged") for p in ("16", "64")], table)
    for r in table:
        check(0 < float(r["bound_path_seconds"]) <= float(r["bound_seconds"]) <= float(r["seconds"]), r)
    # --gpus is for all numbers of GPUs, be they of one process or processes of one; --cpus 0 leaves cores out
    for name, lists, expected in (
            ("node", ("--gpus", "1,2"), [(g, "0", n) for g in ("256", "512") for n in "12"]),
            ("overlap", ("--gpus", "4", "--graph", "fused", "--ranks", "1"), [("512", "0", "4"), ("512", "0", "1")]),
            ("scaling", ("--gpus", "1,4", "--ranks", "1", "--large"), [(g, "0", n) for g in ("512", "1024") for n in "14"]),
            ("variants", ("--gpus", "8", "--graph", "fused"), [(g, "0", "8") for g in ("256", "512")])):
        run(*BENCH, name + ".csv", "--study", name, "--cpus", "0", *lists, *ON_H200)
        found = [(r["grid"].split("x")[0], r["cpus"], r["gpus"]) for r in rows(name + ".csv")]
        check(found == expected and all(r["status"] == "ok" for r in rows(name + ".csv")), "%s: %s" % (name, found))
    run(*BENCH, "cores.csv", "--study", "scaling", "--gpus", "0", "--cpus", "3", *unknown, code=1)
    check([(r["ranks"], r["cpus"], r["gpus"], r["grid"]) for r in rows("cores.csv")]
          == [(r, c, "0", g) for r, c in (("1", "3"), ("3", "1")) for g in ("128x128x128", "256x256x256")], rows("cores.csv"))
    run(*BENCH, "ranks.csv", "--grid", "64", "--gpus", "1", "--ranks", "1,2", *ON_H200)
    check([r["status"][-7:] for r in rows("ranks.csv")] == ["ok", "--nodes"], rows("ranks.csv"))


def machines():
    """Another machine's file is another machine."""
    managed = ("--grid", "256", "--gpus", "4", "--exchange", "managed", "--data", "resident", "--machine")
    half = edited("half.machine", ("link between 850e9 5e-6", "link between 8.5e9 5e-6"))
    check(seconds("1.csv", *managed, half) > 1.5 * seconds("2.csv", *managed, "h200"), "by a slower link")
    check(rows("1.csv")[0]["host"] == "half", rows("1.csv"))
    # a link between kernels and peers' memory: as recorded, and slower, and faster
    direct = ("--grid", "1024", "--gpus", "8", "--data", "resident", "--machine")
    took = seconds("peer.csv", *direct, "h200")
    for rate, least, most in (("324.8e9", 1, 1), ("162.4e9", 1.5, 2), ("50e9", 5, 6.5), ("5e9", 50, 65), ("650e9", 0.5, 0.9)):
        name = edited("peer.machine", ("link peer 324.8e9 ", "link peer %s " % rate))
        now = seconds("peer%s.csv" % rate, *direct, name)
        check(least <= now / took <= most, "1024^3 takes %g s with a link of %s, %g s with the machine's" % (now, rate, took))
    more = edited("more.machine", ("\ngpus 8\n", "\ngpus 16\n"))
    took = {gpus: seconds("more%s.csv" % gpus, "--grid", "1024", "--gpus", gpus, "--data", "resident", "--machine", more)
            for gpus in ("8", "16")}
    check(took["16"] < took["8"], "by more GPUs than were recorded: %s" % took)
    same = edited("same.machine")
    check(seconds("3.csv", *managed, os.path.abspath(same)) == seconds("2.csv", *managed, "h200"), "by the same file")
    # the environment names one, and the command line goes above it
    there = {**os.environ, "PSG_MACHINE": half}
    check(seconds("4.csv", *managed[:-1], env=there) == seconds("1.csv", *managed, half), "by PSG_MACHINE")
    check(seconds("5.csv", *managed, "h200", env=there) == seconds("2.csv", *managed, "h200"), "by --machine")
    times = [json.loads(run(*SOLVE, *more, "--json", "-", env=env).stdout)["seconds"]["solves"]
             for more, env in ((ON_H200, there), (("--machine=h200",), None), ((), {**there, "PSG_MACHINE": "h200"}))]
    check(times[0] == times[1] == times[2] and times[0][0] > 0, times)
    big = edited("big.machine", ("\ngpus 8\n", "\ngpus 1000\n"))
    for arguments in (SOLVE, ("bench", "--grid", "8"), ("info",)):
        refused(*arguments, "--machine", big, code=2, says=("machine h200", "was built for at most"))


def solve():
    report = json.loads(run(*SOLVE, *ON_H200, "--trace", "t.json", "--dag", "d.dot", "--bounds", "--json", "-").stdout)
    check((report["simulated"], report["status"], report["rank_workers"]) == ("h200", 0, [4]), report)
    check(0 < report["bounds"]["path"] <= report["bounds"]["seconds"] <= report["seconds"]["solves"][0], report)
    with open("t.json", encoding="utf-8") as file:
        everything = json.load(file)["traceEvents"]
    spans = [e for e in everything if e["ph"] == "X"]
    events = [e for e in spans if e["cat"] in ("forward_xy", "kspace", "inverse_xy")]
    check((report["segments"], report["sheets"], report["exchange"]) == (4, 4, "direct"), report)
    tasks = report["segments"] * 2 + report["sheets"]
    check(len(events) == tasks and {e["tid"] for e in events} == {0, 1, 2, 3}, events)
    # as recorded where three of four blocks are on other GPUs; StarPU may add what it takes to start a kernel
    recorded = dict(re.findall(r"^time (\w+) f64 gpu 512x512x512 \w+ 128 dense 4 3 (\S+)$", H200, re.MULTILINE))
    for e in events:
        want = 1e6 * float(recorded[e["cat"]])
        check(want - 0.1 <= e["dur"] <= want + 20, "%s instead of %g us" % (e, want))
        check(0 <= e["ts"] and e["ts"] + e["dur"] <= 1e6 * report["seconds"]["solves"][0] + 0.1, e)
    # u is home when the solve has ended
    names = {e["tid"]: e["args"]["name"] for e in everything if e["ph"] == "M" and e["name"] == "thread_name"}
    check(set(names.values()) == {name % g for g in range(4) for name in ("GPU %d", "main memory to GPU %d", "GPU %d to main memory")}
          | {"submission"}, names)
    copies = sorted((e["name"], e["args"]["segment"], e["args"]["bytes"], names[e["tid"]]) for e in spans if e["cat"] in ("h2d", "d2h"))
    check(copies == sorted([("f", s, 2 ** 28, "main memory to GPU %d" % s) for s in range(4)]
                           + [("u", s, 2 ** 28, "GPU %d to main memory" % s) for s in range(4)]), copies)
    until = max(e["ts"] + e["dur"] for e in spans)
    check(abs(until - 1e6 * report["seconds"]["solves"][0]) <= 50, "a trace of %g us of %g s" % (until, report["seconds"]["solves"][0]))
    # several solves follow one another by the clock of the simulation
    run(*SOLVE, *ON_H200, "--repeat", "3", "--trace", "t.json", "--quiet")
    with open("t.json", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    ends = [(min(e["ts"] for e in those), max(e["ts"] + e["dur"] for e in those))
            for those in ([e for e in events if e["args"]["run"] == n] for n in range(3))]
    check(ends[0][0] == 0 and all(0 <= after[0] - before[1] < 100 for before, after in zip(ends, ends[1:])), ends)
    # from the submission until u is home there is something in the trace at every moment; the first solve gets memory too
    until = ends[2][0]
    for e in sorted((e for e in events if e["args"]["run"] == 2), key=lambda e: e["ts"]):
        check(e["ts"] <= until + 50, "nothing between %g and %g us" % (until, e["ts"]))
        until = max(until, e["ts"] + e["dur"])
    with open("d.dot", encoding="utf-8") as file:
        graph = file.read()
    check(graph.startswith("digraph") and graph.count("->") == 2 * report["segments"] * report["sheets"], graph)
    text = run(*SOLVE, *ON_H200).stdout
    check("machine   h200, simulated" in text and "0 CPU, 4 GPU" in text, text)
    many = json.loads(run(*SOLVE, *ON_H200, "--repeat", "5", "--in-flight", "2", "--json", "-").stdout)
    check(len(many["seconds"]["solves"]) == 5 and min(many["seconds"]["solves"]) > 0, many)


def names():
    """What a machine is called reaches no file, no XML and no terminal but as a word."""
    victims = [write(name, "kept\n") for name in ("x.platform.v4.xml", "x.bandwidth", "x.latency", "x.config")]
    for name, found in (("../../../x", "character 3 of NAME is '/'"), ("<a b='", "character 1 of NAME is '<'"),
                        ("a\x1b[2J", "character 2 of NAME is 0x1b"), ("a&amp;b", "character 2 of NAME is '&'"), ("", "machine NAME"),
                        ("n" * 64, "at most 63"), ("n" * 600, "at most 510")):
        bad = edited("named.machine", ("machine h200\n", "machine %s\n" % name))
        refused(*SOLVE, "--machine", bad, code=2, says=("named.machine:", ": expected ", found))
    for victim in victims:
        with open(victim, encoding="utf-8") as file:
            check(file.read() == "kept\n", victim)
    good = edited("named.machine", ("machine h200\n", "machine %s\n" % ("A-b_c.9" + 56 * "n")))
    check(run(*SOLVE, "--machine", good).stdout.count("simulated") == 1, "another name")


def costs(text):
    """Seconds a piece and seconds a task of submission and of gaps, in a machine's file."""
    found = [re.search("^%s (\\S+)(?: (\\S+))?$" % word, text, re.MULTILINE) for word in ("submit", "gap")]
    return [tuple(map(float, f.groups("0"))) if f else None for f in found]


def record():
    """A solve that is one task of StarPU's says nothing of what StarPU takes for each of several, but has all its tasks."""
    alone = ("--grid", "64", "--gpus", "1", "--data", "resident")
    submit, gap = costs(H200)
    took = seconds("one.csv", *alone, *ON_H200, "--record", "one.machine")
    with open("one.machine", encoding="utf-8") as file:
        text = file.read()
    lines = re.findall("^time (?:forward_xy|kspace|inverse_xy) f64 gpu 64x64x64 .*\n", H200, re.MULTILINE)
    check(len(lines) == 3 and all("\n" + line in text for line in lines), (lines, text))
    check(costs(text) == [None, None], text)
    again = seconds("again.csv", *alone, "--machine", "./one.machine")
    want = 3 * submit[0] + submit[1] + sum(gap) # f, u and the spectrum
    check(want - 1e-7 <= took - again < want + 2e-6, "%g s, and without what StarPU takes %g s" % (took, again))
    # segments that have few blocks and segments that have many
    run(*BENCH, "many.csv", *alone, *ON_H200, "--segment-planes", "2,4", "--sheets", "1,4,8", "--record", "many.machine")
    with open("many.machine", encoding="utf-8") as file:
        got_submit, got_gap = costs(file.read())
    check(all(abs(g - w) <= 0.02 * w for g, w in zip(got_gap, gap)), "gaps: %s, recorded as %s" % (gap, got_gap))
    check(abs(got_submit[0] - submit[0]) <= 0.05 * submit[0], "submission: %s, recorded as %s" % (submit, got_submit))
    check(submit[1] <= got_submit[1] <= submit[1] + 1e-6, "submission: %s, recorded as %s" % (submit, got_submit)) # and StarPU's
    # of peers that reach each other's memory, by which rate of the link they did
    run(*BENCH, "peers.csv", "--grid", "64", "--gpus", "4", "--data", "resident", *ON_H200, "--record", "peers-again.machine")
    with open("peers-again.machine", encoding="utf-8") as file:
        rate = dict(re.findall(r"^(link|recorded) peer (\S+)", file.read(), re.MULTILINE))
    check(rate["link"] == rate["recorded"] and float(rate["link"]) > 0, rate)
    # where a GPU may wait for copies, or does another solve's tasks meanwhile, what is between two tasks is no gap
    for gpus, others in (("1", ("--data", "host")), ("4", ("--data", "resident", "--exchange", "managed")),
                         ("1", ("--data", "resident", "--in-flight", "2"))):
        run(*BENCH, "others.csv", "--grid", "64", "--gpus", gpus, *ON_H200, *others, "--segment-planes", "2", "--record", "others.machine")
        with open("others.machine", encoding="utf-8") as file:
            got_submit, got_gap = costs(file.read())
        check(got_submit is not None and got_gap is None, "%s: submission %s, gap %s" % (others, got_submit, got_gap))


def spread():
    """Times that spread: as the seed draws them, and recorded again as far as they do."""
    text = "".join("time %s f64 cpu 64x64x64 %s 8 views 8 0 0.001 %s\n" % (stage, side, spread)
                   for stage, side, spread in (("forward_xy", "segment", "0.3"), ("kspace", "sheet", "0.1"), ("inverse_xy", "segment", "")))
    there = ("--grid", "64", "--cpus", "8", "--segment-planes", "8", "--sheets", "8", "--machine",
             write("spread.machine", "machine spread\ncpus 8\n" + text), "--repeat")
    took = [seconds("seed%d.csv" % n, *there, "200", *seed, "--record", "again%d.machine" % n, env={**os.environ, "PSG_SEED": "7"})
            for n, seed in enumerate(((), ("--seed", "1"), ("--seed", "7")))]
    check(took[0] == took[1] != took[2] and min(took) > 0.0035, "seeds draw %s" % took)
    for n in range(3):
        with open("again%d.machine" % n, encoding="utf-8") as file:
            lines = re.findall(r"^time (\w+) f64 cpu 64x64x64 \w+ 8 views 8 0 (\S+)(?: (\S+))?$", file.read(), re.MULTILINE)
        found = {stage: (float(mean) / 0.001, float(spread or 0)) for stage, mean, spread in lines}
        for stage, mean, spread, wide, far in (("forward_xy", 1, 0.3, 0.025, 0.02), ("kspace", 1, 0.1, 0.008, 0.007), ("inverse_xy", 1, 0, 1e-3, 0)):
            check(abs(found[stage][0] - mean) <= wide and abs(found[stage][1] - spread) <= far, "seed %d: %s" % (n, found))
    solves = [json.loads(run("solve", "--problem", "modes", *there, "3", "--json", "-", env=env).stdout)["seconds"]["solves"]
              for env in (None, {**os.environ, "PSG_SEED": "1"}, {**os.environ, "PSG_SEED": "2"})]
    check(solves[0] == solves[1] != solves[2] and len(set(solves[0])) == 3, "seeds draw %s" % solves)


def share():
    """Cores beside GPUs, on a machine of which the times of both are known."""
    tasks = "".join("time %s f64 %s 64x64x64 %s 8 dense 8 0 %g\n" % (stage, device, side, seconds)
                    for device, seconds in (("cpu", 8e-3), ("gpu", 2e-3))
                    for stage, side in (("forward_xy", "segment"), ("kspace", "sheet"), ("inverse_xy", "segment")))
    both = write("both.machine", "machine both\ncpus 8\ngpus 1\ngpu_memory 1e9\nlink to-gpu 2e9 1e-6\n"
                 "link from-gpu 2e9 1e-6\n" + tasks)
    problem = ("solve", "--machine", both, "--problem", "modes", "--grid", "60")
    for arguments, planes, workers in ((("--cpu-share", "0.25"), 15, "7 CPU, 1 GPU"), (("--cpus", "2"), 0, "2 CPU, 1 GPU"),
                                       (("--cpu-share", "1", "--cpus", "3"), 60, "3 CPU, 1 GPU"),
                                       (("--cpu-share", "0", "--cpus", "3"), 0, "0 CPU, 1 GPU"), ((), 0, "0 CPU, 1 GPU")):
        report = json.loads(run(*problem, *arguments, "--json", "-").stdout)
        got = report["cpu_planes"]
        check(report["cpu_rows"] == got == planes, report)
        text = run(*problem, *arguments).stdout
        line = "share     %d of 60 planes and %d of 60 rows on CPU cores" % (got, got)
        check((line in text) == (workers[0] != "0") and workers in text, (arguments, text))
    refused(*problem, "--cpu-share", "0.5", "--exchange", "direct", code=2, says=("exchange direct", "GPUs alone"))
    refused(*problem, "--cpu-share", "0.5", "--gpus", "0", code=2, says=("gpus = 0", "CPU cores and GPUs"))
    refused(*problem, "--cpu-share", "0.5", "--placement", "free", code=2, says=("cpu_share = 0.5", "placement free"))
    run(*BENCH, "share.csv", "--machine", both, "--grid", "60", "--gpus", "0,1", "--cpus", "2", "--cpu-share", "auto,0,0.5")
    table = rows("share.csv") # shares are of two kinds
    check([(r["gpus"], r["cpu_share"]) for r in table] == [("0", "auto"), ("1", "auto"), ("1", "0"), ("1", "0.5")], table)
    check([r["cpu_planes"] for r in table][2:4] == ["0", "30"] and table[0]["cpu_planes"] == "60", table)
    check(table[3]["workers_cpu"] == "2" and float(table[3]["tasks_cpu"]) > 0 < float(table[3]["tasks_gpu"]), table)
    # heteroprio learns in the first solve that a GPU is faster, and keeps what it learnt in a file
    free = ("--gpus", "1", "--cpus", "2", "--placement", "free", "--sched", "heteroprio", "--data", "resident")
    first, learnt = (seconds("learnt%s.csv" % n, *free, "--machine", "h200", "--grid", "512", "--warm-up", n) for n in ("0", "2"))
    check(learnt < 0.5 * first, "heteroprio takes %g s, then %g s" % (first, learnt))
    info = json.loads(run("info", "--machine", both, "--cpu-share", "0.5", "--json", "-").stdout)
    check([w["kind"] for w in info["workers"]] == ["cuda"] + 7 * ["cpu"], info["workers"])


def no_data():
    for option, *value in (("--in", "f.h5"), ("--out", "u.h5"), ("--verify",)):
        arguments = ("solve", option, *value) if option == "--in" else (*SOLVE, option, *value)
        refused(*arguments, *ON_H200, code=2, says=(option, "computes nothing"))
    refused("tune", "--grid", "16", code=2, says=("psg tune measures", "simulates"))
    refused("bench", "--study", "peers", *ON_H200, code=2, says=("--study peers", "simulates"))


def no_machine():
    names = [m["name"] for m in json.loads(run("info", "--machines", "--json", "-").stdout)["machines"]]
    solving = {"epyc-2core", "h200"}
    check(names == sorted(names) and solving <= set(names), names)
    for name in sorted(set(names) - solving):
        refused("solve", "--problem", "modes", "--grid", "64", "--machine", name, code=2, says=(name, "not recorded how long"))
    refused("solve", "--problem", "modes", "--grid", "64", "--machine", "epyc-2core", "--cpus", "3", code=2,
            says=("cpus = 3, and machine epyc-2core has 2",))
    for name in sorted(solving):
        check("simulated" in run("solve", "--problem", "modes", "--grid", "64", "--machine", name).stdout, name)
        cells = ("--bc", "NN,PP,DN")
        for sides, words in (((), False), (cells, name != "h200"), (("--bc", "ND,ND,ND"), name != "h200"), ((*cells, "--points", "nodes"), True)):
            said = run("solve", "--problem", "modes", "--grid", "64", "--machine", name, *sides).stdout
            check(("with periodic sides" in said) == words, said)
    for arguments in (SOLVE, ("bench", "--grid", "8"), ("info",)):
        for environment in (None, {**os.environ, "PSG_MACHINE": ""}):
            refused(*arguments, code=2, says=("no machine to simulate", "--machine", "PSG_MACHINE"), env=environment)
        unknown = ("h300: No such file", "there are: ", " epyc-2core", " h200")
        refused(*arguments, "--machine", "h300", code=2, says=unknown)
        refused(*arguments, code=2, says=unknown, env={**os.environ, "PSG_MACHINE": "h300"})
        refused(*arguments, "--machine", write("bad.machine", "machine bad\ncpus two\n"), code=2, says=("bad.machine:2: ",))
        refused(*arguments, "--machine", "", code=2, says=("--machine ''",))
        refused(*arguments, "--machine", code=2, says=("'--machine' needs an argument",))
    # help is for those who have none yet
    for command in ("solve", "bench", "info"):
        check("--machine" in run(command, "--help", "all", "--machine", "h300").stdout, command)


def workloads():
    """A workload runs on a machine that has the times of its tasks, and there is no answer."""
    blocks = ("run", "blocks:8", "--machine", "tesla-c1060", "--order", "longest", "--sched", "dmdas")
    said = run(*blocks, "--gpus", "3", "--cpus", "0").stdout
    seconds = float(re.search(r"^run +([\d.]+) s, the first: later ones may take less$", said, re.M).group(1))
    check("tesla-c1060, simulated" in said and "answer" not in said and 88 / 3 <= seconds <= 1.02 * 88 / 3, said)
    for arguments, words in (((*blocks, "--gpus", "3"), "blocks_diagonal takes on a core"),
                             (("run", "transpose:300:inplace", *ON_H200), "transpose_exchange takes")):
        refused(*arguments, code=2, says=("not recorded how long", words))
    refused("run", "ep:S:redux", *ON_H200, code=2, says=("StarPU's own sums", "no machine file"))
    # 5 x 3 tiles in place: exchanges of two tiles, then swaps, and tiles alone; a second is a tile
    name = write("turns.machine", "machine turns\ncpus 1\ngpus 0\n" + "".join(
        "time %s f64 cpu 100x100x1 segment 1 dense %d 0 %g\n" % (kind, tiles, tiles)
        for kind, tiles in (("transpose", 1), ("transpose_exchange", 2), ("transpose_swap", 2), ("transpose_alone", 1))))
    said = run("run", "transpose:500x300:inplace", "--tile", "100", "--machine", name).stdout
    tasks = {kind: (int(count), float(sum_of)) for kind, count, sum_of in re.findall(r"(transpose\w*): (\d+) on cores in ([\d.]+) s", said)}
    pairs = tasks["transpose_exchange"][0] + tasks["transpose_swap"][0]
    check(pairs == 15 - 5 and tasks["transpose_alone"][0] == 3 and abs(sum(t[1] for t in tasks.values()) - 23) < 0.01, said)
    said = run("run", "transpose:500x300x200:zxy", "--tile", "100", "--machine", name).stdout
    tasks = re.search(r"transpose: (\d+) on cores in ([\d.]+) s", said)
    check(tasks and tasks.groups() == ("30", "3000"), said) # of 100 times the elements
    # each list of psg bench gets to the workload: seconds as the placements and orders are known to take, of 88 s on one GPU
    run("bench", "--workload", "blocks:8", "--machine", "tesla-c1060", "--gpus", "3", "--cpus", "0", "--sched", "dmdas,dmdasd", "--tile", "4,8",
        "--order", "listed,longest", "--barrier", "yes", "--priority", "none,path", "--place", "free,static,guided", "--repeat", "1",
        "--passes", "1", "--warm-up", "0", "--calibrate", "0", "--csv", "blocks.csv")
    took = {tuple(r[c] for c in ("sched", "tile", "order", "priority", "place")): float(r["seconds"]) for r in rows("blocks.csv")}
    check(len(took) == 48, took)
    for key, wanted in ((("dmdas", "4", "listed", "none", "free"), 31.34), (("dmdas", "4", "longest", "none", "free"), 29.83),
                        (("dmdas", "4", "listed", "none", "static"), 41.90), (("dmdas", "4", "listed", "none", "guided"), 31.79),
                        (("dmdas", "8", "longest", "none", "free"), 4 * 29.83)):
        check(abs(took[key] / wanted - 1) < 1e-3, "%s: %g s" % (key, took[key]))
    check(took["dmdasd", "4", "listed", "path", "free"] > 1.2 * took["dmdasd", "4", "listed", "none", "free"], took)


def panels():
    """Cores alone factor the tiles of qr: a GPU gets updates, and a policy that knows the times of both is ahead of one that does not."""
    times = (("geqrt", "cpu", 8e-4), ("unmqr", "cpu", 5e-4), ("tsqrt", "cpu", 9e-4), ("tsmqr", "cpu", 9e-4), ("unmqr", "gpu", 7e-5),
             ("tsmqr", "gpu", 1e-4))
    name = write("tiles.machine", "machine tiles\ncpus 8\ngpus 1\ngpu_memory 8e10\nlink to-gpu 5e10 2e-6\nlink from-gpu 5e10 2e-6\n"
                 + "".join("time %s f64 %s 192x192x192 segment 1 dense 1 0 %g\n" % t for t in times))

    def took(size, *arguments):
        said = run("run", size, "--machine", name, *arguments).stdout
        check("tsqrt" in said and not re.search(r"(geqrt|tsqrt):.* on GPUs", said), said)
        return float(re.search(r"^run +([\d.]+) s, the first: later ones may take less$", said, re.M).group(1)), said

    alone, said = took("qr:384", "--cpus", "1", "--gpus", "0") # 2 x 2 tiles: two geqrt, and one task of each other kind
    check(abs(alone / 3.9e-3 - 1) < 0.02, said)
    smaller, said = took("qr:192", "--tile", "96", "--cpus", "1", "--gpus", "0") # a task has an eighth of the operations
    check(abs(smaller / (3.9e-3 / 8) - 1) < 0.1, said)
    eager = took("qr:3840", "--sched", "eager")[0]
    models, said = took("qr:3840", "--sched", "dmdas", "--priority", "path")
    check(models < 0.95 * eager and re.search(r"tsmqr: \d+ on cores in [\d.]+ s, \d+ on GPUs", said), (eager, said))
    # rotations are kinds of their own, and a file for them needs no times of reflectors
    turns = write("turning.machine", "machine turning\ncpus 8\ngpus 0\n" + "".join(
        "time givens_%s f64 cpu 192x192x192 segment 1 dense 1 0 %g\n" % t
        for t in (("factor", 1e-3), ("apply", 2e-3), ("eliminate", 3e-3), ("update", 4e-3))))
    said = run("run", "qr:384:givens", "--machine", turns, "--cpus", "1").stdout
    check(abs(float(re.search(r"^run +([\d.]+) s", said, re.M).group(1)) / 11e-3 - 1) < 0.02, said)
    refused("run", "qr:384:givens", "--machine", name, "--gpus", "0", code=2,
            says=("not recorded how long givens_factor takes on a core",))
    refused("run", "qr:384", "--machine", name, "--cpus", "0", code=2, says=("no worker for geqrt", "needs a core"))
    refused("run", "qr:384", "--precision", "f32", *ON_H200, code=2, says=("not recorded how long geqrt takes on a core",))


def crossover():
    """The study says from which tile on a GPU has the shorter tasks: here a task takes 1 ns for a number on a core, and 10 us and a tenth of
    that on a GPU. Copies make its runs longer than a core's."""
    sizes = (1000, 10000, 100000)
    times = [(who, n, 1e-9 * n if who == "cpu" else 1e-5 + 1e-10 * n) for who in ("cpu", "gpu") for n in sizes]
    name = write("sums.machine", "machine sums\ncpus 2\ngpus 1\ngpu_memory 8e9\nlink to-gpu 1e8 1e-5\nlink from-gpu 1e8 1e-5\n"
                 + "".join("time vadd f64 %s %dx1x1 segment 1 dense 3 0 %g\n" % t for t in times))
    study = ("bench", "--study", "crossover", "--workload", "vadd:200000", "--repeat", "1", "--passes", "1", "--warm-up", "1", "--machine", name)
    said = run(*study, "--tile", "1000,10000,100000").stdout
    for words in (r"^vadd of vadd:200000, f64$", r"^ +1000 +1\.00 +1\d\.\d\d$", r"^ +10000 +10\.00 +1\d\.\d\d$", r"^ +100000 +100 +20\.00$",
                  r"20\.00\n    a GPU is faster from tile 100000 on$", r"\n    a GPU is not clearly faster at the largest tile$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))
    check("No GPU was measured" not in said, said)
    check("from tile 100000 on, the smallest one" in run(*study, "--tile", "100000").stdout, "one tile")


def links():
    """psg info tells the links of the file, and the exchange that follows."""
    text = ("machine pair\ncpus 4\ngpus 2\ngpu_memory 8e9\nlink to-gpu 3e9 2e-6\nlink from-gpu 5e9 3e-6\n"
            "link between 11e9 7e-6\n")
    for name, peer in ((write("peers.machine", text + "link peer 9e9 0\n"), True), (write("pair.machine", text), False)):
        info = json.loads(run("info", "--machine", name, "--json", "-").stdout)
        check(len(info["workers"]) == 2, info)
        told = {(r["from"], r["to"]): r for r in info["routes"]}
        check(len(info["routes"]) == len(told) == 6, info["routes"])
        for (start, end), r in told.items():
            rate, latency = (3e9, 2e-6) if start < 0 else (5e9, 3e-6) if end < 0 else (11e9, 7e-6)
            check(abs(r["rate"] / rate - 1) < 1e-5 and abs(r["latency_seconds"] / latency - 1) < 1e-5, r)
            check(r["peer"] == (peer and start >= 0 and end >= 0), r)
        said = run("info", "--machine", name).stdout
        check(("direct: every GPU" if peer else "managed: not every GPU") in said and said.count(" GB/s") == 6, said)
        check("direct: there is one GPU" in run("info", "--machine", name, "--gpus", "1").stdout, "of one GPU")
        alone = json.loads(run("info", "--machine", name, "--gpus", "0", "--json", "-").stdout)
        check(alone["routes"] == [] and len(alone["workers"]) == 4, alone)


def grid_memory():
    """psg info --grid says of a machine that is not here where a grid finds room, and makes segments smaller for that."""
    def told(grid, gpus, machine="h200"):
        said = run("info", "--machine", machine, "--gpus", gpus, "--cpus", "0", "--grid", grid, "--json", "-").stdout
        return json.loads(said)["grid"]
    check(told("512", "1")["segments"] == 2 and told("512", "4")["segments"] == 4, "the default cut")
    for gpus in ("1", "4"):
        found = told("1024", gpus)
        check(found["spectrum_on_gpus"] and found["arrays_on_gpus"] == 2 and found["exchange"] == "direct", found)
        memory = float(re.search(r"^gpu_memory (\S+)$", H200, re.MULTILINE).group(1))
        held = found["spectrum_bytes"] / int(gpus)  # rows that kspace returns have a second place
        check(memory - 2 * held <= found["gpu_bytes_free"] <= memory - held, "%s of %g" % (found, memory))
    found = told("2048", "1")  # on a real one 53 segments, and room for one
    check(found["arrays_on_gpus"] == 1 and 45 <= found["segments"] <= 60 and 80e9 < found["gpu_bytes_free"] < 82e9, found)
    line = re.search(r"^gpu_memory .*$", H200, re.MULTILINE).group()
    for memory, on_gpus, arrays in (10e9, True, 2), (2.6e9, True, 1), (1.8e9, True, 0), (1e9, False, 0):
        found = told("512", "1", edited("small.machine", (line, "gpu_memory %g" % memory)))
        check((found["spectrum_on_gpus"], found["arrays_on_gpus"]) == (on_gpus, arrays), "%g: %s" % (memory, found))
        check(found["segments"] > 2 or memory > 3e9, "%g: %s" % (memory, found))
    said = run("info", "--machine", "h200", "--grid", "512", "--gpus", "1").stdout
    check("in the memory of GPUs" in said and "room for both f and u" in said and "main memory" not in said.split("Grid")[1], said)


def one_time():
    """The time that is told of a solve is the one that its bound is compared with, from where its data are."""
    for arguments in ((), ("--repeat", "3"), ("--repeat", "3", "--in-flight", "2"), ("--gpus", "0", "--cpus", "16")):
        report = json.loads(run(*SOLVE, *ON_H200, *arguments, "--bounds", "--json", "-").stdout)
        last, bounds = report["seconds"]["solves"][-1], report["bounds"]
        check(bounds["solve"] == last and bounds["of_solve"] == bounds["seconds"] / last <= 1, report)
        # the copies of u home are in the time of the graph, too
        check("--in-flight" in arguments or 0.99 * last <= report["seconds"]["graph"] <= last, report)
        copied = {link: bounds["links"][link]["bytes"] for link in ("h2d", "d2h")}
        check(copied == dict.fromkeys(copied, 0 if "16" in arguments else 8 * 512 ** 3), report)
    said = run(*SOLVE, *ON_H200, "--bounds").stdout
    solve, compared = re.search(r"^solve +(\S+) s, the first: later ones may take less$", said, re.MULTILINE), re.search(r"of the last solve's (\S+) s$", said, re.MULTILINE)
    check(solve and compared and solve.group(1) == compared.group(1), said)


def resident():
    """psg solve takes the time that psg bench does for data that stay on the GPUs, and copies nothing."""
    grid = ("--grid", "512", "--gpus", "4", "--data", "resident")
    report = json.loads(run("solve", "--problem", "modes", *grid, "--repeat", "3", "--bounds", *ON_H200, "--json", "-").stdout)
    check(report["data"] == "resident" and report["bytes"]["h2d"] == report["bytes"]["d2h"] == 0, report)
    check(report["bounds"]["links"]["h2d"]["bytes"] == report["bounds"]["links"]["d2h"]["bytes"] == 0, report["bounds"])
    check(report["bounds"]["solve"] == report["seconds"]["solves"][-1], report)
    told = seconds("resident.csv", *grid, *ON_H200)
    check(abs(report["seconds"]["median"] - told) <= 0.01 * told, "%s, and psg bench has %g" % (report["seconds"], told))
    host = json.loads(run("solve", "--problem", "modes", *grid[:-1], "host", *ON_H200, "--json", "-").stdout)
    check(host["seconds"]["median"] > 2 * told, host["seconds"])


def nodes():
    """Alike nodes, of which one is reported: what it sends, over a network that the file or the command line describes."""
    slow = ("solve", "--problem", "modes", "--grid", "256", "--gpus", "4", "--nodes", "4", "--bounds", *ON_H200)
    report = json.loads(run(*slow, "--network", "2", "--trace", "t.json", "--dag", "d.dot", "--json", "-").stdout)
    check((report["nodes"], report["network"], report["ranks"], report["exchange"]) == (4, 2e9, 1, "mpi"), report)
    sent = 16 * 129 * 2 * 64 * 192 # its planes of the others' rows, and the other way round
    took, link = report["seconds"]["graph"], report["bounds"]["links"]["message"]
    check(report["bytes"]["sent"] == link["bytes"] == sent and abs(link["seconds"] - sent / 2e9) < 1e-9, report)
    check(report["bounds"]["by"] == "link" and 0.8 < report["bounds"]["of_solve"] <= 1, report["bounds"])
    check(sent / 2e9 <= took < 1.25 * sent / 2e9, "%g s, %g by the network" % (took, sent / 2e9))
    with open("t.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check(sum(e["ph"] == "b" for e in events) == report["stages"]["exchange"]["tasks"] > 0, events)
    check({e["args"]["to"] for e in events if e["ph"] == "b"} == {1, 2, 3} and {e["pid"] for e in events} == {0}, events)
    check(sum(e["args"]["bytes"] for e in events if e["ph"] == "b") == sent, "messages of other sizes")
    said = run(*slow, "--network", "2").stdout
    check("by link message" in said and "nodes     4 alike" in said, said)
    check("by link" in run(*slow, "--network", "4000").stdout and "nodes" not in run(*SOLVE, *ON_H200).stdout, "one node")
    # a list of both; one node has no network, and is one row
    sweep = ("--grid", "256", "--gpus", "4", "--nodes", "1,2,4", "--network", "2,100", "--data", "resident", "--bounds")
    run(*BENCH, "nodes.csv", *sweep, *ON_H200)
    table = rows("nodes.csv")
    check([(r["nodes"], r["network"], r["bound_link"]) for r in table]
          == [("1", "", "d2d"), ("2", "2", "message"), ("2", "100", "message"), ("4", "2", "message"), ("4", "100", "h2d")], table)
    check(all(r["status"] == "ok" and r["ranks"] == "1" for r in table), table)
    check(float(table[1]["seconds"]) > float(table[2]["seconds"]) > float(table[0]["seconds"]), table)
    check(float(table[3]["sent_bytes"]) == sent and 0.8 < float(table[3]["exchange_busy"]) <= 1, table[3])
    old = files()
    run(*BENCH, "nodes.csv", *sweep, *ON_H200)
    check(files() == old, "the rows of nodes are measured again")
    # the machine's file may describe the network
    fast = edited("fast.machine", ("\nsubmit ", "\nlink network 2e9 0\nsubmit "))
    here = json.loads(run(*slow, "--machine", fast, "--json", "-").stdout)
    check((here["network"], here["seconds"]["graph"]) == (None, took), here)
    over = json.loads(run(*slow, "--machine", fast, "--network", "100", "--json", "-").stdout)
    check(over["seconds"]["graph"] < 0.5 * took, over)
    told = json.loads(run("info", "--machine", fast, "--gpus", "2", "--json", "-").stdout)["routes"]
    check([(r["from"], r["rate"]) for r in told if r["to"] == -2] == [(-1, 2e9)] and len(told) == 7, told)
    said = run("info", "--machine", fast, "--gpus", "2", "--nodes", "2", "--network", "3").stdout
    check("memory  -> network     3.0 GB/s" in said and "exchange: mpi: there are several nodes" in said, said)
    check("of GPUs' memory" not in said, said)
    aware = edited("aware.machine", ("\nsubmit ", "\nlink network 2e9 0\ncuda_aware yes\nsubmit "))
    check("of GPUs' memory" in run("info", "--machine", aware, "--gpus", "2").stdout, "CUDA-aware")
    for arguments, says in ((("--nodes", "0"), ("--nodes '0'", "a whole number from 1")), (("--nodes", "two"), ("--nodes 'two'",)),
                            (("--network", "0"), ("--network '0'", "above 0, in GB/s")), (("--network", "-3"), ("--network '-3'",)),
                            (("--network", "inf"), ("--network 'inf'",)), (("--nodes", "257", "--network", "1"), ("nodes = 257", "256 planes")),
                            ((), ("machine h200 has no link network", "--network"))):
        refused(*slow, *arguments, code=2, says=says)
    for name, why in (("direct", "is not simulated"), ("managed", "is within one process")):
        refused(*slow, "--network", "1", "--exchange", name, code=2, says=("exchange " + name, why))
    refused("bench", "--grid", "8", "--nodes", "0", *ON_H200, code=2, says=("--nodes '0'",))
    run(*BENCH, "none.csv", "--grid", "64", "--nodes", "2", *ON_H200, code=1)
    check("no link network" in rows("none.csv")[0]["status"], rows("none.csv"))


def planning():
    """psg info says what a solve takes on several nodes: the numbers of docs/simulation.md, and what psg bench simulates."""
    def plan(grid, nodes, network, gpus="8"):
        told = run("info", "--grid", grid, "--gpus", gpus, "--cpus", "0", "--nodes", nodes, "--network", network, "--json", "-", *ON_H200)
        return json.loads(told.stdout)["grid"]["planning"]

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "simulation.md"), encoding="utf-8") as page:
        text = page.read()
    table = {row[0]: row[1:] for row in re.findall(r"^\| (\d+) \| \d+ \| ([0-9.]+) \| ([0-9.]+) \|$", text, re.M)}
    check(set(table) == {"1", "2", "8", "32", "128"}, table)
    for nodes, network, column in (("1", "50", 0), ("2", "50", 0), ("2", "400", 1), ("8", "50", 0)):
        p, page = plan("1024", nodes, network), 1e-3 * float(table[nodes][column])
        check(abs(p["seconds"] / page - 1) <= 0.02, "%s nodes, %s GB/s: %g s, and the page has %g" % (nodes, network, p["seconds"], page))
        check(abs(p["one_node_seconds"] / 6.3e-3 - 1) <= 0.01 and 0 < p["bound_seconds"] <= p["seconds"], p)
        if nodes != "1":
            n = int(nodes)
            sent = 16 * 513 * 2 * (1024 // n) * (1024 - 1024 // n)
            check((p["planes"], p["rows"], p["exchange"], p["sent_bytes"]) == (1024 // n, 1024 // n, "mpi", sent), p)
            check(abs(p["network_seconds"] * 1e9 * float(network) / sent - 1) < 1e-9 and p["network_seconds"] <= p["seconds"], p)
    there = seconds("planned.csv", "--grid", "512", "--gpus", "8", "--cpus", "0", "--nodes", "2", "--network", "25", "--data", "resident", *ON_H200)
    check(abs(plan("512", "2", "25")["seconds"] / there - 1) <= 0.04, "psg bench has %g" % there)
    # the page: from about 100, 280 and 770 processes on, at 25 GB/s and 5 microseconds
    for grid, pencils in (("512", 104), ("1024", 280), ("2048", 770)):
        p = plan(grid, "32", "25", "2")
        check(abs(p["pencils_from"] / pencils - 1) <= 0.02, p)
    said = run("info", "--grid", "1024", "--gpus", "8", "--nodes", "2", "--network", "50", *ON_H200).stdout
    check(all(words in said for words in ("ms, simulated", "by link", "one node     6.278 ms", "2 nodes      up to 512 planes", "slabs", "exchange mpi",
                                          "4.303 GB from each node", "86.07 ms at 50 GB/s", "pencils")), said)
    for arguments, says in ((("--network", "50"), ("--network goes with --nodes",)), (("--nodes", "2"), ("machine h200 has no link network", "--network")),
                            (("--nodes", "65", "--network", "1"), ("nodes = 65", "64 planes")), (("--nodes", "x", "--network", "1"), ("--nodes 'x'",)),
                            (("--nodes", "2", "--network", "0"), ("--network '0'",))):
        refused("info", "--grid", "64", *arguments, *ON_H200, code=2, says=says)


def no_memory():
    """A field of 8 GiB is more than this process may have; SimGrid takes some for stacks. Four GPUs' links copy f and u."""
    def little():
        default_signals()
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))

    took = seconds("large.csv", "--grid", "1024", "--gpus", "4", *ON_H200, before=little)
    check(took > 8 * 1024 ** 3 / 4 / 53.17e9, "1024^3 in %g s" % took)
    check(seconds("large.csv", "--grid", "1024", "--gpus", "4", "--data", "resident", *ON_H200) < took / 2, rows("large.csv"))
    run("solve", "--problem", "madelung", "--grid", "1024", *ON_H200, "--quiet", before=little)


for part in (bench, studies, machines, names, solve, record, spread, share, no_data, no_machine, workloads, panels, crossover, links, grid_memory, one_time, resident, nodes, planning, no_memory):
    part()
    check(os.listdir("tmp") == [], "%s left %s" % (part.__name__, os.listdir("tmp")))
