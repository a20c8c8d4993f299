"""psg measure takes configurations as lines of JSON, runs them in turns, and writes every round of
each; a wrong line is refused before anything is measured, and what fails is a line that says why.

    measure.py PSG [MPIRUN]
"""

import json
import os
import subprocess
import sys

from command import PSG, check, default_signals
from patience import patience

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
MPIRUN = sys.argv[2:] and [sys.argv[2], "--oversubscribe", "-n", "2"]
SMALL = {"cpus": 1, "gpus": 0, "effort": "estimate"}


def measure(text, *arguments, code=0, before=()):
    """The lines of each configuration, in their order, and the last words on stderr."""
    done = subprocess.run([*before, PSG, "measure", *arguments],
                          input=text,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE,
                          text=True,
                          timeout=patience(100),
                          preexec_fn=default_signals,
                          check=False)
    check(done.returncode == code, done)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def lines(*configurations):
    return "".join(json.dumps(c) + "\n" if c else "\n" for c in configurations)


def ended(told, config):
    (line,) = [line for line in told if line["config"] == config and "doing" not in line]
    return line


# Two take turns, and after the empty line another one alone; all rounds are there, and the answers
# are right.
told, _ = measure(
    lines({"grid": "9x8x7", **SMALL}, {"grid": 12, "graph": "staged", "data": "resident", **SMALL},
          None, {"grid": "12", "precision": "f32", "in_flight": 2, **SMALL}), "--repeat", "5",
    "--warm-up", "1")
solving = [line["config"] for line in told if line.get("doing") == "solving"]
check([sorted(solving[at:at + 2]) for at in range(0, 12, 2)] == 6 * [[0, 1]] and
      solving[12:] == 6 * [2], solving)
for config, tolerance in enumerate((1e-13, 1e-13, 1e-5)):
    line = ended(told, config)
    check(len(line["samples"]) == 5 and 0 < line["error"] <= line["tolerance"] == tolerance, line)
    check(
        all(0 < s["seconds"] and 0 < s["busy"] <= s["busiest"] and len(s["busy_workers"]) == 1
            for s in line["samples"]), line)
    check((line["facts"]["workers_cpu"], line["facts"]["workers_gpu"]) == (1, 0) and
          line["facts"]["plan_seconds"] > 0, line)
    last = line["samples"][-1]
    check(line["facts"]["policy"] == (None if last["placed_tasks"] == 0 else "lws"), line)
    check("events" not in line and "of_bound" not in line["samples"][0], line)

# Bounds and events; a workload; rounds that only warm up.
(line, ), _ = [[
    ended(measure(lines({"grid": "8", **SMALL}), "--repeat", "2", "--bounds", "--events")[0], 0)
], None]
check(
    all(0 < s["of_bound"] <= 1 and max(s["bound_path_seconds"], s["bound_work_seconds"]) > 0
        for s in line["samples"]), line)
check([[task[0] for task in e["tasks"]]
       for e in line["events"]] == 2 * [["forward_xy", "kspace", "inverse_xy"]], line["events"])
line = ended(
    measure(lines({"workload": "blocks:5+6", "cpus": 1, "gpus": 0}), "--repeat", "1")[0], 0)
check(
    line["samples"][0]["kinds"] and line["samples"][0]["fft_xy_seconds"] is None and
    line["error"] <= line["tolerance"], line)
line = ended(measure(lines({"grid": 8, **SMALL}), "--unmeasured", "--warm-up", "2")[0], 0)
check(line["samples"] == [] and "error" not in line, line)
told, _ = measure(lines({"grid": 64, **SMALL}), "--repeat", "100000", "--seconds", "1")
check(1 <= len(ended(told, 0)["samples"]) < 100000, "as many rounds as there is time for")

# Energy: of all GPUs, over some seconds of solves: here each of two GPUs has used 1 J in that time.
GPUS = ("env", "LD_LIBRARY_PATH=%s:%s" % (os.environ["PSG_TEST_NVML"],
                                          os.environ.get("LD_LIBRARY_PATH", "")))
for what in {"grid": 64, "in_flight": 2, **SMALL}, {"workload": "blocks:5+6", "cpus": 1, "gpus": 0}:
    line = ended(measure(lines(what), "--repeat", "3", "--energy", before=GPUS)[0], 0)
    solves = line["joules_solves"]
    check(solves > 2 and abs(line["joules"] * solves - 2) < 1e-9, line)
    check(solves % what.get("in_flight", 1) == 0, line)
    check(line["error"] <= line["tolerance"] and len(line["samples"]) == 3, line)
    check("joules" not in ended(measure(lines(what), "--repeat", "1", before=GPUS)[0], 0), what)
line = ended(measure(lines({"grid": 8, **SMALL}), "--repeat", "1", "--energy")[0], 0)
check(line["joules"] is None or line["joules"] >= 0, line)  # there may be a real NVML

# What fails says why, and the others go on.
told, _ = measure(lines({"grid": 8, **SMALL}, {"grid": 8, **SMALL, "exchange": "alltoall"}),
                  "--repeat", "1")
check(
    "exchange alltoall is between processes" in ended(told, 1)["failed"] and
    len(ended(told, 0)["samples"]) == 1, told)
for text, words in (("", "no configurations"), ("[]", "line 1: not an object"),
                    ("{", "line 1: not an object"),
                    (lines({"grid": 8},
                           {"grid": 8.5}), "line 2: 'grid': expected a text or a whole number"),
                    (lines({"grid": "8,9"}), "--grid '8,9'"), (lines({"grid": 8, "frob": 1}),
                                                               "line 1: unknown member 'frob'"),
                    (lines({"grid": 8, "graph": "frob"}),
                     "--graph 'frob'"), (lines({"cpus": 1}), "a grid or a workload"),
                    (lines({"grid": 8, "workload": "ep:S"}), "a grid or a workload")):
    told, said = measure(text, code=2)
    check(told == [] and said.startswith("psg: ") and words in said and len(said.splitlines()) == 1,
          (text, told, said))

# Two processes have the work of both in each round.
if MPIRUN and json.loads(
        subprocess.run([PSG, "info", "--json", "-"], stdout=subprocess.PIPE,
                       check=True).stdout)["versions"]["MPI"]:
    told, _ = measure(lines({"grid": 8, **SMALL}, {"grid": 9, **SMALL, "graph": "staged"}),
                      "--repeat",
                      "3",
                      before=MPIRUN)
    for config in (0, 1):
        line = ended(told, config)
        check(
            len(line["samples"]) == 3 and line["facts"]["workers_cpu"] == 2 and
            line["error"] <= line["tolerance"], line)
        check(all(len(s["busy_workers"]) == 2 for s in line["samples"]), line)
