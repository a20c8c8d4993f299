"""Task graphs in files: psg run replay:FILE does the tasks of a tasks.rec, each after all that it
waits for and for as long as the file says, under any policy, on cores and in simulations; what
--dag FILE.rec wrote of a run, it does again, and so does StarPU's starpu_replay. Damaged files and
circles are refused with words.

    replay.py PSG TESTS/COMMAND CHOLESKY.REC.GZ STARPU [simulate]
"""

import gzip
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[2])

from command import check, files, refused, run, solve  # noqa: E402
from patience import patience  # noqa: E402

STARPU, SIMULATED = sys.argv[4], sys.argv[5:] == ["simulate"]
CHOLESKY = "cholesky.rec"
POLICIES = ("eager", "lws", "prio", "dmda", "dmdas")
HERE = ("--gpus", "0", "--cpus", "2")
ANY = ("--machine", "h200") if SIMULATED else ()

# Its times can be worked out by hand. A GPU takes a core for itself.
MACHINE = ("machine plain\ncpus %d\ngpus %d\ngpu_memory 8e9\nleast cpu 1e-9\nleast gpu 1e-9\n"
           "link to-gpu 1e12 0\nlink from-gpu 1e12 0\nlink between 1e12 0\n")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


with gzip.open(sys.argv[3], "rt", encoding="utf-8") as packed:
    write(CHOLESKY, packed.read())


def record(job, uses="", depends="", core=1.0, gpu=None, worker=0, order=None, name="task"):
    """A task of a tasks.rec. uses: "1:RW:800 2:R:16". Times in ms; no worker: it only orders
    others."""
    lines = ["Name: %s" % name, "JobId: %d" % job]
    if order or worker is not None:
        lines.append("SubmitOrder: %d" % (order or job))
    if depends:
        lines.append("DependsOn: %s" % depends)
    if worker is not None:
        lines += ["Model: m%s_%s" % (core, gpu), "Footprint: %x" % int(17 * (core or 0)),
                  "WorkerId: %d" % worker, "MemoryNode: 0",
                  "StartTime: 5.0", "EndTime: %f" % (5 + (core or 0))]
        lines.append("EstimatedTime: %s %s" % (1e3 * gpu if gpu else "inf", 1e3 * core
                                               if core else "inf"))
    if uses:
        parts = [use.split(":") for use in uses.split()]
        for field, at in (("Handles", 0), ("Modes", 1), ("Sizes", 2)):
            lines.append("%s: %s" % (field, " ".join(part[at] for part in parts)))
    return "\n".join(lines) + "\n\n"


def header(gpus=1, cpus=1):
    return "# psg: a task graph, gpus %d, cpus %d\n" % (gpus, cpus)


def replay(name, *arguments, gpus=1, cpus=2, **more):
    """@return the report, and the task graph."""
    where = ("--machine", write("m.machine", MACHINE % (cpus + gpus, gpus))) if SIMULATED else HERE
    done = run("run", "replay:" + name, *where, "--json", "r.json", "--dag", "d.json", "--bounds",
               *arguments, **more)
    return json.loads(read("r.json")), json.loads(read("d.json")), done


def edges_of(graph):
    """By the numbers of the tasks in the file: row is the number of a replayed task."""
    row = {task["id"]: task["row"] for task in graph["tasks"]}
    return {(row[edge["from"]], row[edge["to"]]): edge["bytes"] for edge in graph["edges"]}


def in_time(graph):
    """No task begins before one that it waits for has ended."""
    task = {t["id"]: t for t in graph["tasks"]}
    for edge in graph["edges"]:
        check(task[edge["to"]]["start"] >= task[edge["from"]]["end"] - 2e-6,
              "%s before %s" % (task[edge["to"]], task[edge["from"]]))


def by_hand():
    """Task 3 waits for 1 by data, for 2 because the file says so, 4 for 2 through a record that is
    no task; 5 writes what 3 has read. 6 stands before 1 in the order of submission, though the file
    has it last."""
    text = (record(11, "a:W:800 b:W:16", order=2) + record(12, "c:W:8", order=3)
            + record(13, "a:R:800 b:R:16", depends="12", order=4)
            + record(90, depends="12", worker=None,
                     name="_starpu_data_acquire_cb_pre")
            + "Control: WontUse\nJobId: 91\nHandles: a\n\n"
            + record(14, "d:W:8", depends="90", order=5, core=2.0) + record(15, "a:W:800",
                    order=6) + record(16, "e:RW:32", order=1))
    report, graph, _ = replay(write("hand.rec", text))
    # in the order of submission, without what is no task: 16, 11, 12, 13, 14, 15
    check(edges_of(graph) == {(1, 3): 816, (2, 3): 1, (2, 4): 1}, edges_of(graph))
    in_time(graph)
    took = {t["row"]: t["end"] - t["start"] for t in graph["tasks"]}
    for row in range(6):
        wanted = 2e-3 if row == 4 else 1e-3
        check(wanted - 2e-6 <= took[row] and (not SIMULATED or took[row] <= wanted + 1e-6),
              "task %d took %g" % (row, took[row]))
    check(all(t["core_seconds"] == (2e-3 if t["row"] == 4 else 1e-3) and t["gpu_seconds"] is None
              for t in graph["tasks"]), graph["tasks"])
    data = {t["row"]: sorted((d["mode"], d["bytes"]) for d in t["data"]) for t in graph["tasks"]}
    check(data[3] == [("R", 1), ("R", 16), ("R", 800)] and data[5] == [("W", 800)]
          and data[0] == [("RW", 32)], data)
    check(report["tasks"]["replay"]["cores"]["tasks"] == 6, report["tasks"])
    check(SIMULATED or report["answers"] == {"ended": {"value": 6, "expected": 6,
                                                       "tolerance": 0}}, report["answers"])
    check(abs(report["bounds"]["path"] - (1e-3 + 2e-3)) < 1e-4, report["bounds"])


def parse(text):
    """The tasks, in the order of submission; independent of psg."""
    found = []
    for part in text.strip().split("\n\n"):
        fields = dict(re.match(r"(\w+): ?(.*)", line).groups() for line in part.split("\n")
                      if not line.startswith("#"))
        if "WorkerId" in fields:
            found.append(fields)
    return sorted(found, key=lambda fields: int(fields["SubmitOrder"]))


def needs_of(tasks):
    """Who reads what whom wrote, and the bytes."""
    writer, needs = {}, {}
    for number, task in enumerate(tasks):
        uses = list(zip(task["Handles"].split(), task["Modes"].split(),
                        map(int, task["Sizes"].split())))
        for handle, mode, size in uses:
            if "R" in mode and handle in writer:
                pair = (writer[handle], number)
                needs[pair] = needs.get(pair, 0) + size
        writer.update({handle: number for handle, mode, _ in uses if "W" in mode})
    return needs


def cholesky():
    """StarPU's example, 5 x 5 tiles on three GPUs: its own record of it, under five policies."""
    needs = needs_of(parse(read(CHOLESKY)))
    check(len(needs) > 40, needs)
    times = {}
    for policy in POLICIES:
        report, graph, done = replay(CHOLESKY, "--sched", policy, gpus=3, cpus=9)
        check(edges_of(graph) == needs, "other edges: %s" % (set(edges_of(graph)) ^ set(needs)))
        in_time(graph)
        check(report["policy"] == policy and "workload  replay:" in done.stdout
              and "35 tasks of 4 kinds" in done.stdout, done.stdout)
        times[policy] = report["seconds"]["median"]
        check(report["bounds"]["seconds"] <= times[policy] + 1e-9,
              "%s: %s" % (policy, report["bounds"]))
    if SIMULATED:
        check(times["dmda"] < 0.5 * times["eager"], "GPUs are 20 times as fast: %s" % times)
        check(report["tasks"]["replay"]["gpus"]["tasks"] > 20, report["tasks"])
    else:
        core = [float(t["EstimatedTime"].split()[-1]) * 1e-6 for t in parse(read(CHOLESKY))]
        for policy, seconds in times.items():
            check(seconds >= sum(core) / 2, "%s took %g s of %g" % (policy, seconds, sum(core)))


def round_trips():
    """A solve, and the run of what was written of it: the same tasks and edges, whatever the cut.
    """
    for planes, sheets, graph in ((8, 2, "fused"), (3, 11, "fused"), (12, 3, "staged"),
                                  (4, 16, "staged")):
        more = ("--machine", "h200", "--gpus", "2", "--data", "resident", "--repeat",
                "2") if SIMULATED else ("--gpus", "0")
        name = "s%d.rec" % sheets
        wanted = []
        for path in (name, "s.json"):
            solve("--problem", "modes", "--grid", "24x22x24", "--segment-planes", str(planes),
                  "--sheets", str(sheets), "--graph", graph,
                  "--dag", path, "--quiet", "--force", *more)
        wanted = json.loads(read("s.json"))
        tasks = parse(read(name))
        check(len(tasks) == len(wanted["tasks"]), "%d tasks" % len(tasks))
        needs = needs_of(tasks)
        check(sorted(needs.values()) == sorted(edge["bytes"] for edge in wanted["edges"]),
              "%d edges of %d" % (len(needs), len(wanted["edges"])))
        said = ["%d" % (1 + before) for before, after in sorted(needs) if after == len(tasks) - 1]
        check(sorted(tasks[-1]["DependsOn"].split()) == sorted(said), (tasks[-1], said))
        # where tasks take microseconds on a core, only the graph is of interest
        _, again, _ = replay(name, gpus=2)
        check(edges_of(again) == needs, "other edges after %s" % name)
        starpu_replays(name, max(len(task["Handles"].split()) for task in tasks))


def starpu_replays(name, pieces):
    """A starpu_replay that psg's build did not mend takes 8 pieces of data a task."""
    program = os.path.join(STARPU, "bin", "starpu_replay")
    settings = os.path.join(STARPU, "psg-settings")
    mended = os.path.exists(settings) and int(re.search(r"changes=(\d+)",
                                                        read(settings)).group(1)) >= 4
    if not SIMULATED or not os.path.exists(program) or (pieces > 8 and not mended):
        return
    for policy in POLICIES[:1] + POLICIES[3:]:
        done = subprocess.run([program, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=patience(60), check=False,
                              env={**os.environ,
                                   "STARPU_PERF_MODEL_DIR": os.path.abspath(name + ".models"),
                                   "STARPU_HOSTNAME": "psg",
                                   "STARPU_SCHED": policy, "STARPU_SILENT": "1"})
        took = re.search(r"^([\d.e+-]+) ms", done.stdout, re.M)
        check(done.returncode == 0 and took and float(took.group(1)) > 0,
              "%s with %s: %s" % (name, policy, done))
        check("forcing execution" not in done.stderr, done.stderr)


def areas():
    """The best division of the work among cores and GPUs, against the best of many."""
    def least(tasks, cores, gpus):
        """Tasks (core, GPU) in ms, None: not there. Those that gain most go to the GPUs; any share
        of all is tried."""
        order = sorted(tasks, key=lambda t: -(t[0] or 1e9) / (t[1] or 1e9))
        best = 1e9
        for step in range(20 * len(order) + 1):
            share = step / 20
            load = [0.0, 0.0]
            for number, (core, gpu) in enumerate(order):
                part = min(max(share - number, 0), 1)
                part = 1 if core is None else 0 if gpu is None else part
                load = [load[0] + (1 - part) * (core or 0), load[1] + part * (gpu or 0)]
            best = min(best, max(load[0] / cores, load[1] / gpus))
        return best

    for tasks in ([(4, 1)] * 10, [(4, 1)] * 3 + [(1, 2)] * 5, [(6, None)] * 4 + [(3, 1)] * 4,
                  [(None, 2)] * 4 + [(1, 4)] * 3,
                  [(5, 1), (5, 4), (2, 1), (9, 1)] * 3):
        text = header() + "".join(record(1 + m, "%x:W:1" % (m + 1), core=core, gpu=gpu, worker=1
                                         if core else 0)
                                  for m, (core, gpu) in enumerate(tasks))
        wanted = least(tasks, 2, 2)
        for policy in POLICIES:
            report, _, _ = replay(write("area.rec", text), "--sched", policy, gpus=2)
            work = 1e3 * report["bounds"]["work"]
            check(0.93 * wanted <= work <= wanted * 1.0001,
                  "%s: %g ms, and %g by hand" % (tasks, work, wanted))
            check(work <= 1e3 * report["seconds"]["median"] + 1e-6, report)
    report, _, _ = replay(write("area.rec",
                                header() + "".join(record(1 + m, "%x:W:1" % (m + 1), core=4, gpu=1,
                                                          worker=1) for m in range(10))))
    check(abs(report["bounds"]["work"] - 1e-2 / 1.5) < 1e-9, report["bounds"])


def no_worker():
    text = header() + record(1, "1:W:8", core=None, gpu=1.0)
    said = run("run", "replay:" + write("gpu.rec", text), "--gpus", "0",
               *(("--machine", write("m.machine", MACHINE % (2, 1))) if SIMULATED else ()), code=2)
    check("it is not known how long mNone_1.0 takes on a core" in said.stderr, said)


def damaged():
    good = record(1, "a:W:8") + record(2, "a:R:8", depends="1")
    second = 1 + record(1, "a:W:8").count("\n")  # line of the second record
    old = files()
    for text, *says in (("", "has no task"),
                        (good[:-1], "was cut short", "line %d" % second, "empty line"),
                        (good[:-30], "was cut short"), (good[:8], "was cut short"),
                        (good[:-12] + "\n\n", "Handles", "Modes", "Sizes"),
                        ("hello\n\n", "line 1", "'hello'", "FIELD: VALUE"),
                        ("\x7fELF\x02\x01\n\n", "line 1"),
                        (good.replace("JobId: 2\n", ""), "line %d" % second, "no JobId"),
                        (good.replace("JobId: 2", "JobId: two"), "JobId: 'two'", "no number"),
                        (good.replace("JobId: 2", "JobId: 1"), "lines 1 and %d" % second,
                         "one JobId, 1"),
                        (good.replace("DependsOn: 1", "DependsOn: 7"), "job 2", "depends on job 7",
                         "not there"),
                        (good.replace("Modes: R", "Modes: Q"), "Modes: 'Q'", "R, W, RW"),
                        (good.replace("Sizes: 8", "Sizes: -8", 1), "Sizes: '-8'"),
                        (good.replace("Modes: R\n", ""), "1 Handles, 0 Modes and 1 Sizes"),
                        (good.replace("StartTime: 5", "StartTime: -5"), "StartTime: '-5"),
                        (good.replace("Sizes: 8", "Sizes: 8 8", 1),
                         "1 Handles, 1 Modes and 2 Sizes"),
                        (good.replace("EndTime: 6.0", "EndTime: 4.0"), "ends at 4",
                         "before it starts at 5"),
                        (re.sub("(EstimatedTime|StartTime|EndTime).*\n", "", good), "line 1",
                         "no time"),
                        (good.replace("inf", "soon"), "EstimatedTime: 'soon'"),
                        (record(1, depends="1"), "in a circle", "job 1 waits for job 1"),
                        (record(1, depends="2") + record(2, depends="3") + record(3, depends="1"),
                         "in a circle", "job 1 waits for job 2"),
                        (record(1, "a:RW:8", depends="2") + record(2, "a:RW:8"), "in a circle",
                         "job 1 waits for job 2"),
                        (record(1, depends="5") + record(5, depends="1", worker=None),
                         "in a circle", "job 1 waits for job 1")):
        write("bad.rec", text)
        refused("run", "replay:bad.rec", *HERE, *ANY, code=2, says=("bad.rec", *says))
    os.remove("bad.rec")
    check(files() == old, "files were left behind")
    for given, says in (("replay", "the size is a file"),
                        ("replay:none.rec", "none.rec: No such file"), ("replay:.", ".")):
        refused("run", given, *HERE, *ANY, code=2, says=(says,))
    refused("run", "replay:" + CHOLESKY, "--tile", "3", *HERE, *ANY, code=2,
            says=("tile: replay has none",))


def kept():
    """Files that psg did not write stay; those that it wrote are replaced."""
    for name in ("k.rec", "k.json"):
        write(name, "mine\n")
        refused("run", "replay:" + CHOLESKY, *HERE, "--dag", name, code=2,
                says=(name, "is not a task graph of psg"))


by_hand()
cholesky()
round_trips()
if SIMULATED:
    areas()
no_worker()
damaged()
if not SIMULATED:
    kept()
