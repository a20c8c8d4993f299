"""psg with CUDA and cuFFT that fail: exit 1 with a line of words, no output left behind; GPUs that cannot be
used are left out where none was asked for. What needs a GPU is left out where there is none."""

import json
import os
import sys

sys.path.insert(0, sys.argv[3])
FAULTS = os.path.abspath(sys.argv[2])

from command import check, files, run, solve  # noqa: E402

PROBLEM = ("--problem", "modes", "--grid", "24x20x18")
# codes of CUDA and cuFFT, and some of the words that stand for them
NO_MEMORY = (2, "out of memory")
NO_DRIVER = (35, "insufficient")
BUSY = (46, "busy")
LAUNCH = (9, "configuration")
EXEC = (6, "cuFFT")


def broken(*faults):
    """The environment of a psg in which calls fail: (call, code[, first, last])."""
    entries = ["%s:%d:%d:%d" % (*fault, *(1, 0)[len(fault) - 2:]) for fault in faults]
    return dict(os.environ, LD_PRELOAD=FAULTS, PSG_FAULTS=";".join(entries), PSG_FAULTS_REPORT="../faults-%d"
                % os.getpid())


def failed(environment):
    """Did any call fail in the psg that has just ended?"""
    with open(environment["PSG_FAULTS_REPORT"]) as file:
        count = int(file.read())
    os.remove(environment["PSG_FAULTS_REPORT"])
    return count > 0


def fails(says, *faults, options=(), code=1):
    """psg solve ends with 1, a line of psg's and no output."""
    environment = broken(*faults)
    before = files()
    done = solve(*PROBLEM, "--out", "u.h5:/u", *options, code=code, env=environment)
    lines = [line for line in done.stderr.splitlines() if line.startswith("psg: ") and "note" not in line]
    what = "%s %s: %r" % (faults, options, done.stderr)
    check(failed(environment), what + ": nothing failed")
    check(len(lines) == 1 and says in lines[0], what + ": not one line with %r" % says)
    check(files() == before, what + ": files were left")


def cores(*faults):
    """Without --gpus, the cores solve."""
    environment = broken(*faults)
    done = json.loads(solve(*PROBLEM, "--json", "-", env=environment).stdout)
    check(failed(environment), "%s: nothing failed" % (faults,))
    kinds = {worker["kind"] for worker in done["workers"]}
    check(kinds == {"cpu"}, "%s: %s" % (faults, done["workers"]))


for options in (("--gpus", "1"), ("--gpus", "1", "--cpus", "0"), ("--cpus", "0")):
    fails(NO_DRIVER[1], ("cudaGetDeviceCount", NO_DRIVER[0]), options=options)
    fails(BUSY[1], ("devices", 1), ("cudaSetDevice", BUSY[0]), options=options)
    fails(NO_MEMORY[1], ("devices", 1), ("cudaSetDevice", NO_MEMORY[0]), options=options)
fails("there are 0 here", ("cudaGetDeviceCount", 100), options=("--gpus", "1"))
cores(("cudaGetDeviceCount", NO_DRIVER[0]))
cores(("cudaGetDeviceCount", 100))
cores(("devices", 1), ("cudaSetDevice", BUSY[0]))
run("info", env=broken(("cudaGetDeviceCount", NO_DRIVER[0])))

workers = json.loads(run("info", "--json", "-").stdout)["workers"]
if any(worker["kind"] != "cpu" for worker in workers):
    for options in ((), ("--graph", "staged"), ("--repeat", "3", "--in-flight", "2")):
        fails(NO_MEMORY[1], ("cudaMalloc", NO_MEMORY[0]), options=(*options, "--gpus", "1"))
        fails("cuFFT", ("cufftMakePlanMany64", 5), options=(*options, "--gpus", "1"))
        fails(LAUNCH[1], ("launch", LAUNCH[0], 1, 1), options=(*options, "--gpus", "1"))
        fails(EXEC[1], ("cufftExecD2Z", EXEC[0], 1, 1), options=(*options, "--gpus", "1"))
        fails(EXEC[1], ("cufftExecZ2D", EXEC[0], 1, 0), options=(*options, "--gpus", "1"))
    # Memory that is missing once only costs the place of the blocks.
    environment = broken(("cudaMalloc", NO_MEMORY[0], 1, 1))
    solve(*PROBLEM, "--gpus", "1", "--verify", env=environment)
    check(failed(environment), "cudaMalloc did not fail")
else:
    print("no GPU here: failures while one is in use are left out")
