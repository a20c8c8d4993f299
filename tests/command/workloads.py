"""psg bench --workload measures workloads as it does solves: every combination that means something is a row, once, whose kinds of task
are those of the graph. What makes no sense is refused in words."""

import csv
import re

from command import check, refused, run

QUICK = ("--repeat", "2", "--passes", "1", "--warm-up", "0", "--gpus", "0")


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def kinds(row):
    """Tasks and seconds by the name of the kind."""
    parts = [part.split(":") for part in row["kinds"].split(";")]
    return {name: (int(tasks), float(seconds)) for name, tasks, seconds in parts}


def product():
    run("bench", *QUICK, "--workload", "ep:S,blocks:40+30+20", "--tile", "18,20", "--sched", "eager,prio", "--order", "listed,longest",
        "--graph", "fused,staged", "--data", "host,resident", "--cpus", "2", "--bounds", "--csv", "w.csv")
    found = rows("w.csv")
    told = [(r["sched"], r["workload"], r["tile"], r["order"], r["barrier"], r["priority"], r["place"]) for r in found]
    wanted = {(sched, "ep:S", tile, "", "", "none", "") for sched in ("eager", "prio") for tile in ("18", "20")}
    wanted |= {(sched, "blocks:40+30+20", tile, order, "no", "none", "free")
               for sched in ("eager", "prio") for tile in ("18", "20") for order in ("listed", "longest")}
    check(len(told) == len(wanted) and set(told) == wanted, told)
    for r in found:
        check(r["status"] == "ok" and r["repeats"] == "2" and 0 <= float(r["error"]) <= float(r["tolerance"]), r)
        check((r["grid"], r["graph"], r["data"], r["points"], r["gflops"], r["segments"], r["kspace_seconds"]) == ("",) * 7, r)
        check((r["ranks"], r["nodes"], r["workers_cpu"], r["policy"]) == ("1", "1", "2", r["sched"]), r)
        check(0 < float(r["busy"]) <= float(r["busiest"]) <= 1.001 and 0 < float(r["of_bound"]) <= 1.001, r)
        chunks = 1 << (24 - int(r["tile"]))
        tasks = ({"ep_chunk": chunks, "ep_add": chunks - 1} if r["workload"] == "ep:S"
                 else {"blocks_diagonal": 3, "blocks_pair": 6, "blocks_project": 6})
        check({name: kind[0] for name, kind in kinds(r).items()} == tasks, r["kinds"])
        check(float(r["tasks_cpu"]) == sum(tasks.values()), r)
    said = run("bench", *QUICK, "--workload", "ep:S,blocks:40+30+20", "--tile", "18,20", "--sched", "eager,prio", "--order",
               "listed,longest", "--cpus", "2", "--csv", "w.csv").stdout
    check(said.count(", measured ") == len(found) and rows("w.csv") == found, said)


def one_run():
    """The seconds in tasks are those that workers were busy; of several runs each number is a median of its own."""
    run("bench", *QUICK, "--repeat", "1", "--workload", "ep:S,blocks:40+30+20", "--cpus", "2", "--csv", "one.csv")
    for r in rows("one.csv"):
        in_tasks = sum(kind[1] for kind in kinds(r).values())
        check(abs(2 * float(r["busy"]) * float(r["seconds"]) - in_tasks) <= 0.01 * in_tasks, r)


def nothing_to_compare():
    """A row whose numbers nobody knows beforehand has no error."""
    run("bench", *QUICK, "--workload", "dock:64:60", "--cpus", "2", "--csv", "unknown.csv")
    found = rows("unknown.csv")
    check([(r["status"], r["error"], r["tolerance"]) for r in found] == [("ok", "", "")], found)


def beside_grids():
    """A file may have both, and the kinds of task of a solve, too."""
    run("bench", *QUICK, "--grid", "8", "--graph", "staged", "--cpus", "1", "--effort", "estimate", "--csv", "both.csv")
    run("bench", *QUICK, "--workload", "blocks:5+6", "--barrier", "no,yes", "--place", "static", "--cpus", "1", "--csv", "both.csv")
    found = rows("both.csv")
    check([(r["grid"], r["workload"], r["barrier"], r["place"], r["tile"]) for r in found]
          == [("8x8x8", "", "", "", ""), ("", "blocks:5+6", "no", "static", "default"), ("", "blocks:5+6", "yes", "static", "default")], found)
    check({"fft_xy", "divide", "ifft_xy"} <= set(kinds(found[0])), found[0]["kinds"])


def study():
    run("bench", *QUICK, "--study", "workloads", "--workload", "blocks:5+6,blocks:7+8", "--sched", "eager,lws", "--cpus", "1", "--csv", "s.csv")
    check([(r["workload"], r["sched"], r["cpus"], r["gpus"]) for r in rows("s.csv")]
          == [(w, s, "1", "0") for s in ("eager", "lws") for w in ("blocks:5+6", "blocks:7+8")], rows("s.csv"))


def crossover():
    """A line for each tile and kind, with the time of a task on a core. Without a GPU the other column is empty, and words say why."""
    said = run("bench", *QUICK, "--study", "crossover", "--workload", "vadd:4000,transpose:90:inplace", "--tile", "30,40", "--csv", "c.csv").stdout
    found = rows("c.csv")
    check([(r["workload"], r["tile"], r["cpus"], r["gpus"], r["status"]) for r in found]
          == [(w, t, "1", "0", "ok") for w in ("vadd:4000", "transpose:90:inplace") for t in ("30", "40")], found)
    table = said.split("Microseconds of a task")[1]
    parts = {part.split(",")[0]: dict(re.findall(r"^ +(\d+) +([\d.]+) +-$", part, re.M))
             for part in re.split(r"^(?=\w)", table, flags=re.M) if ", f64" in part}
    check(set(parts) == {"vadd of vadd:4000", "a run with its copies of vadd:4000"}
          | {kind + " of transpose:90:inplace" for kind in ("transpose_swap", "transpose_alone", "a run with its copies")}, said)
    for r in found:
        for kind, (tasks, seconds) in kinds(r).items():
            shown = float(parts["%s of %s" % (kind, r["workload"])][r["tile"]])
            check(abs(shown - 1e6 * seconds / tasks) <= 0.006 + 1e-3 * shown or shown >= 100, (kind, shown, r))
    check("No GPU was measured" in said and "faster" not in said, said)


def bad():
    for arguments, says in ((("--workload", "ep:S", "--grid", "8"), ("a grid or a workload",)), (("--grid", "8,default"), ("a grid or a workload",)),
                            (("--workload", "pe:S"), ("--workload 'pe:S'", "NAME:SIZE")), (("--workload", "ep"), ("--workload 'ep'",)),
                            (("--workload", "ep:S", "--tile", "0"), ("--tile '0'",)), (("--workload", "ep:S", "--barrier", "on"), ("--barrier 'on'",)),
                            (("--workload", "blocks:" + "+".join(["10"] * 30)), ("at most 63 letters",)),
                            (("--cpus", "1"), ("nothing to measure", "--workload"))):
        refused("bench", *QUICK, *arguments, code=2, says=says)
    run("bench", *QUICK, "--workload", "ep:Q,ep:S", "--tile", "22", "--cpus", "2", "--csv", "bad.csv")
    found = rows("bad.csv")
    check("no class 'Q'" in found[0]["status"] and found[1]["status"] == "ok", found)
    refused("bench", *QUICK, "--workload", "blocks:99", "--quiet", code=1, says=("all configurations failed", "no size '99'"))


product()
one_run()
nothing_to_compare()
beside_grids()
study()
crossover()
bad()
