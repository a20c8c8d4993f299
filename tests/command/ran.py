"""What psg says of who ran a solve is what ran: a scheduling policy that counts the tasks given to
it has the number that the report has, and where it placed none, no policy is named."""

import json
import os
import re
import sys

from command import QUICK, check, has_mpi, run

COUNTING, GPUS = sys.argv[3], int(sys.argv[4])
SOLVES = 4
os.environ.pop("STARPU_SCHED", None)
ON_CORES = ("--gpus", "0", "--cpus", "2")
SOLVE = ("solve", "--problem", "modes", "--grid", "24", *QUICK)
LINE = (r"^executor  (\w+): (\d+) tasks? of StarPU's in a (?:solve|run)"
        r"(?:, (all|none|\d+) placed by (?:a policy|policy (\S+)))?$")
COUNTED = {"STARPU_SCHED_LIB": COUNTING, "STARPU_SCHED": "counting", "PSG_TEST_COUNTS": "counts",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


EAGER = {"STARPU_SCHED": "eager"}


def ran(*arguments, ranks=0, env=None, command=SOLVE):
    """Executor, tasks, placed tasks and policy, of which the report and the line say the same."""
    more = {"env": {**os.environ, **env}} if env else {}
    done = run(*command, "--repeat", str(SOLVES), *arguments, "--json", "ran.json", ranks=ranks,
               **more)
    with open("ran.json", encoding="utf-8") as file:
        report = json.load(file)
    os.remove("ran.json")
    found = re.search(LINE, done.stdout, re.M)
    check(found, done.stdout)
    executor, tasks, placed, policy = found.groups()
    placed = {"all": tasks, "none": "0", None: "0"}.get(placed, placed)
    said = (executor, int(tasks), int(placed), policy)
    names = ("executor", "starpu_tasks", "placed_tasks", "policy")
    check(said == tuple(report[name] for name in names), (said, report))
    return said


def noted(words, *arguments, env=EAGER):
    """There is a note about what decided nothing."""
    done = run(*SOLVE, *arguments, env={**os.environ, **env})
    check("note: " + words in done.stderr, done.stderr)


def counted(what, *arguments, **more):
    """The same under the counting policy, whose count is that of the report."""
    said = ran(*arguments, env=COUNTED, **more)
    with open("counts", encoding="utf-8") as file:
        count = sum(map(int, file))
    os.remove("counts")
    check(said[0] == "tasks" and said[1] > 0, (what, said))
    check(count == SOLVES * said[2], "%s: %r, and the policy was given %d tasks in %d runs"
          % (what, said, count, SOLVES))
    check(said[3] == ("counting" if said[2] else None), (what, said))
    return said


# Cores: a team without a named policy; tasks with one, by an option or by STARPU_SCHED.
check(ran(*ON_CORES) == ("team", 0, 0, None), "the default")
named = ran(*ON_CORES, "--sched", "eager")
check(named[0] == "tasks" and named[1] >= named[2] > 0 and named[3] == "eager", named)
check(ran(*ON_CORES, env=EAGER) == named, "by the environment, and by an option: %r" % (named,))
check(ran(*ON_CORES, "--executor", "team", env=EAGER) == ("team", 0, 0, None),
      "a team in spite of the environment")
noted("policy eager placed no task: a team", *ON_CORES, "--executor", "team")
noted("policy eager placed no task: a team", *ON_CORES, "--executor", "team", "--sched", "eager",
      env={})
said = counted("cores", *ON_CORES)
check(said[1:3] == named[1:3], (said, named))
counted("cores, staged", *ON_CORES, "--graph", "staged")
counted("cores, in flight", *ON_CORES, "--in-flight", "2")
counted("a workload", *ON_CORES, command=("run", "ep:S"))

# Processes: tasks anyway. What moves data between them is no policy's to place.
ON_CORE = ("--gpus", "0", "--cpus", "1")
if has_mpi():
    for exchange in "direct", "mpi", "alltoall":
        said = counted(exchange, *ON_CORE, "--exchange", exchange, ranks=2)
        check(said[2] > 0, (exchange, said))
    CUT = ("--exchange", "mpi", "--segment-planes", "5", "--sheets", "9")
    said = counted("a cut", *ON_CORE, *CUT, ranks=2)
    check(said[1] > said[2] > 0, said)

there = json.loads(run("info", "--json", "-").stdout)["workers"]
if sum(worker["kind"] == "cuda" for worker in there) < GPUS:
    print("skipped: fewer than %d GPUs among %r" % (GPUS, there))
    sys.exit(77)
# GPUs: each task has its worker, unless the placement is free.
for gpus in range(1, GPUS + 1):
    # One GPU would have all of so few points.
    CUT = ("--segment-planes", "12", "--sheets", "2") if gpus > 1 else ()
    ON_GPUS = ("--gpus", str(gpus), "--cpus", "0", *CUT)
    said = ran(*ON_GPUS, "--data", "resident")
    check(said[2:] == (0, None) and said[0] == ("chain" if gpus == 1 else "tasks"), said)
    said = counted("%d GPUs" % gpus, *ON_GPUS, "--data", "resident")
    check(said[2] == 0, said)
    counted("%d GPUs, f and u in main memory" % gpus, *ON_GPUS)
