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
        # how long copies take nobody says
        check(all(r[link + "_seconds"] == ("" if float(r[link + "_bytes"]) > 0 else "0") for link in ("h2d", "d2h", "d2d")), r)
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
    check([r["cpu_share"] for r in both] == ["0", "0.02", "0.05", "0.1", "0.25", "auto", "free"], both)
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
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    check((report["segments"], report["pencils"], report["exchange"]) == (4, 4, "direct"), report)
    tasks = report["segments"] * 2 + report["pencils"]
    check(len(events) == tasks and {e["tid"] for e in events} == {0, 1, 2, 3}, events)
    # as recorded where three of four blocks are on other GPUs; StarPU may add what it takes to start a kernel
    recorded = dict(re.findall(r"^time (\w+) f64 gpu 512x512x512 \w+ 128 dense 4 3 (\S+)$", H200, re.MULTILINE))
    for e in events:
        want = 1e6 * float(recorded[e["cat"]])
        check(want - 0.1 <= e["dur"] <= want + 20, "%s instead of %g us" % (e, want))
        check(0 <= e["ts"] and e["ts"] + e["dur"] <= 1e6 * report["seconds"]["solves"][0] + 0.1, e)
    with open("d.dot", encoding="utf-8") as file:
        graph = file.read()
    check(graph.startswith("digraph") and graph.count("->") == 2 * report["segments"] * report["pencils"], graph)
    text = run(*SOLVE, *ON_H200).stdout
    check("machine   h200, simulated" in text and "0 CPU, 4 GPU" in text, text)
    many = json.loads(run(*SOLVE, *ON_H200, "--repeat", "5", "--in-flight", "2", "--json", "-").stdout)
    check(len(many["seconds"]["solves"]) == 5 and min(many["seconds"]["solves"]) > 0, many)


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
    for line in ("forward_xy f64 gpu 64x64x64 segment 64 views 1 0 1.6e-05", "kspace f64 gpu 64x64x64 pencil 64 views 1 0 4.224e-06",
                 "inverse_xy f64 gpu 64x64x64 segment 64 views 1 0 5.824e-06"):
        check("\ntime " + line + "\n" in text, (line, text))
    check(costs(text) == [None, None], text)
    again = seconds("again.csv", *alone, "--machine", "./one.machine")
    want = 3 * submit[0] + submit[1] + sum(gap) # f, u and the spectrum
    check(want - 1e-7 <= took - again < want + 2e-6, "%g s, and without what StarPU takes %g s" % (took, again))
    # segments that have few blocks and segments that have many
    run(*BENCH, "many.csv", *alone, *ON_H200, "--segment-planes", "2,4", "--pencils", "1,4,8", "--record", "many.machine")
    with open("many.machine", encoding="utf-8") as file:
        got_submit, got_gap = costs(file.read())
    check(all(abs(g - w) <= 0.02 * w for g, w in zip(got_gap, gap)), "gaps: %s, recorded as %s" % (gap, got_gap))
    check(abs(got_submit[0] - submit[0]) <= 0.05 * submit[0], "submission: %s, recorded as %s" % (submit, got_submit))
    check(submit[1] <= got_submit[1] <= submit[1] + 1e-6, "submission: %s, recorded as %s" % (submit, got_submit)) # and StarPU's
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
                   for stage, side, spread in (("forward_xy", "segment", "0.3"), ("kspace", "pencil", "0.1"), ("inverse_xy", "segment", "")))
    there = ("--grid", "64", "--cpus", "8", "--segment-planes", "8", "--pencils", "8", "--machine",
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
                    for stage, side in (("forward_xy", "segment"), ("kspace", "pencil"), ("inverse_xy", "segment")))
    both = write("both.machine", "machine both\ncpus 8\ngpus 1\ngpu_memory 1e9\nlink to-gpu 2e9 1e-6\n"
                 "link from-gpu 2e9 1e-6\n" + tasks)
    problem = ("solve", "--machine", both, "--problem", "modes", "--grid", "60")
    for arguments, planes, workers in ((("--cpu-share", "0.25"), 15, "7 CPU, 1 GPU"), (("--cpus", "2"), None, "2 CPU, 1 GPU"),
                                       (("--cpu-share", "1", "--cpus", "3"), 60, "3 CPU, 1 GPU"),
                                       (("--cpu-share", "0", "--cpus", "3"), 0, "0 CPU, 1 GPU"), ((), 0, "0 CPU, 1 GPU")):
        report = json.loads(run(*problem, *arguments, "--json", "-").stdout)
        got = report["cpu_planes"]
        check(report["cpu_rows"] == got and (got == planes if planes is not None else 0 < got < 60), report)
        text = run(*problem, *arguments).stdout
        line = "share     %d of 60 planes and %d of 60 rows on CPU cores" % (got, got)
        check((line in text) == (workers[0] != "0") and workers in text, (arguments, text))
    refused(*problem, "--cpu-share", "0.5", "--exchange", "direct", code=2, says=("exchange direct", "GPUs alone"))
    refused(*problem, "--cpu-share", "0.5", "--gpus", "0", code=2, says=("gpus = 0", "CPU cores and GPUs"))
    refused(*problem, "--cpu-share", "free", "--cpus", "0", code=2, says=("cpus = 0", "CPU cores and GPUs"))
    run(*BENCH, "share.csv", "--machine", both, "--grid", "60", "--gpus", "0,1", "--cpus", "2", "--cpu-share", "auto,0,0.5,free")
    table = rows("share.csv") # shares are of two kinds
    check([(r["gpus"], r["cpu_share"]) for r in table] == [("0", "auto"), ("1", "auto"), ("1", "0"), ("1", "0.5"), ("1", "free")],
          table)
    check([r["cpu_planes"] for r in table][2:4] == ["0", "30"] and table[0]["cpu_planes"] == "60", table)
    check(table[3]["workers_cpu"] == "2" and float(table[3]["tasks_cpu"]) > 0 < float(table[3]["tasks_gpu"]), table)
    # heteroprio learns in the first solve that a GPU is faster, and keeps what it learnt in a file
    free = ("--gpus", "1", "--cpus", "2", "--cpu-share", "free", "--sched", "heteroprio", "--data", "resident")
    first, learnt = (seconds("learnt%s.csv" % n, *free, "--machine", "h200", "--grid", "512", "--warm-up", n) for n in ("0", "2"))
    check(learnt < 0.5 * first, "heteroprio takes %g s, then %g s" % (first, learnt))
    info = json.loads(run("info", "--machine", both, "--cpu-share", "0.5", "--json", "-").stdout)
    check([w["kind"] for w in info["workers"]] == ["cuda"] + 7 * ["cpu"], info["workers"])


def no_data():
    for option, *value in (("--in", "f.h5"), ("--out", "u.h5"), ("--verify",)):
        arguments = ("solve", option, *value) if option == "--in" else (*SOLVE, option, *value)
        refused(*arguments, *ON_H200, code=2, says=(option, "computes nothing"))
    refused("tune", "--grid", "16", code=2, says=("psg tune measures", "simulates"))
    refused("bench", "--study", "transposes", *ON_H200, code=2, says=("--study transposes", "simulates"))


def no_machine():
    for arguments in (SOLVE, ("bench", "--grid", "8"), ("info",)):
        for environment in (None, {**os.environ, "PSG_MACHINE": ""}):
            refused(*arguments, code=2, says=("no machine to simulate", "--machine", "PSG_MACHINE"), env=environment)
        refused(*arguments, "--machine", "h300", code=2, says=("h300: No such file",))
        refused(*arguments, code=2, says=("h300: No such file",), env={**os.environ, "PSG_MACHINE": "h300"})
        refused(*arguments, "--machine", write("bad.machine", "machine bad\ncpus two\n"), code=2, says=("bad.machine:2: ",))
        refused(*arguments, "--machine", "", code=2, says=("--machine ''",))
        refused(*arguments, "--machine", code=2, says=("'--machine' needs an argument",))
    # help is for those who have none yet
    for command in ("solve", "bench", "info"):
        check("--machine" in run(command, "--help", "--machine", "h300").stdout, command)


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
    # files from before there were nodes are about one
    with open("old.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [name for name in table[0] if name not in ("nodes", "network", "bound_link")], extrasaction="ignore")
        writer.writeheader()
        writer.writerow(table[0])
    old = files()
    run(*BENCH, "old.csv", *sweep[:4], *sweep[8:], *ON_H200)
    check(files() == old, "the row of one node is measured again")
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
    for name in ("direct", "managed"):
        refused(*slow, "--network", "1", "--exchange", name, code=2, says=("exchange " + name,))
    refused("bench", "--grid", "8", "--nodes", "0", *ON_H200, code=2, says=("--nodes '0'",))
    run(*BENCH, "none.csv", "--grid", "64", "--nodes", "2", *ON_H200, code=1)
    check("no link network" in rows("none.csv")[0]["status"], rows("none.csv"))


def no_memory():
    """A field of 8 GiB is more than this process may have; SimGrid takes some for stacks."""
    def little():
        default_signals()
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))

    # f and u are copied by way of four GPUs' links
    took = seconds("large.csv", "--grid", "1024", "--gpus", "4", *ON_H200, before=little)
    check(took > 8 * 1024 ** 3 / 4 / 53.17e9, "1024^3 in %g s" % took)
    check(seconds("large.csv", "--grid", "1024", "--gpus", "4", "--data", "resident", *ON_H200) < took / 2, rows("large.csv"))
    run("solve", "--problem", "madelung", "--grid", "1024", *ON_H200, "--quiet", before=little)


for part in (bench, studies, machines, solve, record, spread, share, no_data, no_machine, links, nodes, no_memory):
    part()
    check(os.listdir("tmp") == [], "%s left %s" % (part.__name__, os.listdir("tmp")))
