"""Several processes write what one does, say it once, and end together: whichever of them fails, or is killed."""

import json
import os
import signal
import subprocess
import sys
import time

import h5py
import numpy as np

from command import FOLDER, PSG, QUICK, check, default_signals, files, run, solve, \
    without_load, without_progress
from patience import patience

MPIRUN = sys.argv[2] if len(sys.argv) > 2 else ""
# (Open MPI leaves memory behind, which is of interest to AddressSanitizer, but not here.)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1")

info = json.loads(run("info", "--json", "-").stdout)
if not info["versions"]["MPI"]:
    for launcher in ({"OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_SIZE": "4"}, {"PMIX_RANK": "1"}):
        said = run("--version", code=1, env={**os.environ, **launcher})
        check(said.stderr == "psg: built without MPI: psg cannot run as several processes\n", said)
    for launcher in ({"OMPI_COMM_WORLD_SIZE": "1"}, {"PMI_SIZE": "1", "PMI_RANK": "0"}):
        run("--version", env={**os.environ, **launcher})
    sys.exit()


def words_of(text):
    """The lines of psg in what came out of mpirun, which has lines of its own."""
    return [line for line in without_progress(without_load(text)).splitlines() if line.startswith("psg: ")]


def command(ranks, *arguments, where=None, there=""):
    """psg as several processes; Python's statement `there` is done first in the process `where`."""
    program = [PSG, *arguments]
    if where is not None:
        program = [sys.executable, "-c",
                   "import os, resource, sys\n"
                   "if os.environ['OMPI_COMM_WORLD_RANK'] == '%d':\n    %s\n"
                   "os.execv(sys.argv[1], sys.argv[1:])" % (where, there)] + program
    return [MPIRUN, "--oversubscribe", "-n", str(ranks), *program]


def run_ranks(ranks, *arguments, code=0, **more):
    done = subprocess.run(command(ranks, *arguments, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, preexec_fn=default_signals, timeout=patience(60))
    check(done.returncode == code, "%d ranks, psg %s: ended with %d instead of %d\nstdout: %s\nstderr: %s"
          % (ranks, " ".join(arguments), done.returncode, code, done.stdout, done.stderr))
    return done


def solve_ranks(ranks, *arguments, **more):
    return run_ranks(ranks, "solve", *arguments, *QUICK, **more)


def refused_ranks(ranks, *arguments, code, says, **more):
    """As command.refused(): one line, nothing on stdout, nothing left behind."""
    old = files()
    done = run_ranks(ranks, *arguments, *QUICK, code=code, **more)
    lines = [line for line in words_of(done.stderr) if not line.startswith("psg: note: ")]
    what = "%d ranks, psg %s said %r" % (ranks, " ".join(arguments), done.stderr)
    check(len(lines) == 1, what + ": not one line of psg's")
    for words in says:
        check(words in lines[0], "%s, without %r" % (what, words))
    check(done.stdout == "", "%s, and on stdout %r" % (what, done.stdout))
    check(files() == old, "%s, and changed files: %s, before %s" % (what, sorted(files()), sorted(old)))


def content(name, dataset="potential"):
    with h5py.File(name, "r") as file:
        return file[dataset][...], {key: file[dataset].attrs[key] for key in file[dataset].attrs}


def same_file(ranks, *arguments, exchange="mpi"):
    """The field of `ranks` processes is that of one, and so are its attributes and its .xmf."""
    alone = solve(*arguments, "--out", "one.h5")
    more = ("--exchange", exchange) if ranks > 1 else ()
    done = solve_ranks(ranks, *arguments, *more, "--out", "many.h5", "--verify", "--json", "many.json")
    (u, attributes), (v, others) = content("one.h5"), content("many.h5")
    what = "%d ranks, %s: " % (ranks, " ".join(arguments))
    check(words_of(done.stderr) == words_of(alone.stderr), what + "said %r" % done.stderr)
    check(u.dtype == v.dtype and u.shape == v.shape, what + "%s %s" % (v.dtype, v.shape))
    largest = np.max(np.abs(u))
    error = np.max(np.abs(u - v)) / largest
    check(largest > 0 and error <= (1e-14 if u.dtype == np.float64 else 1e-6), what + "off by %g" % error)
    check(sorted(attributes) == sorted(others), what + "attributes %s" % others)
    for name, value in attributes.items():
        near = np.allclose(value, others[name], 1e-14, 1e-16) if isinstance(value, (float, np.ndarray)) \
            else value == others[name]
        check(near, what + "attribute %s is %r, not %r" % (name, others[name], value))
    with open("one.xmf") as one, open("many.xmf") as many:
        check(one.read().replace("one.h5", "many.h5") == many.read(), what + "the descriptions differ")
    with open("many.json") as file:
        return json.load(file), done.stdout


# ------------------------------------------------------------------------------------ the same as of one process

SHAPE = (5, 7, 9)  # nz, ny, nx: of 7 processes two have no planes
f = np.random.default_rng(4).standard_normal((13, 10, 11)) + 2
with h5py.File("rho.h5", "w") as file:
    file["small"] = np.random.default_rng(3).standard_normal(SHAPE)
    file["f"] = f
    file["f"].attrs["box"] = [1.0, 2.0, 3.0]
    file["eps"] = np.exp(f)
SMALL = ("--in", "rho.h5:small", "--box", "3x2x1")
for ranks in (1, 2, 3, 4, 7):
    report, lines = same_file(ranks, *SMALL)
    check(report["ranks"] == ranks and report["verify"]["ok"], report)
    check(report["verify"]["points"] == 5 * 7 * 9, report["verify"])
    check("residual " in lines and lines.count("solve ") == 1, lines)
    same_file(ranks, *SMALL, "--symbol", "fd2", "--precision", "f32")
same_file(3, "--in", "rho.h5:f", "--graph", "staged", "--repeat", "3", "--in-flight", "2")
same_file(2, "--in", "rho.h5:f", "--lambda", "2", "--symbol", "fd2", exchange="alltoall")
same_file(4, "--problem", "modes", "--grid", "9x8x6")
same_file(3, "--problem", "modes", "--grid", "9x8x6", exchange="direct")

# ------------------------------------------------------------------------------------------------------- the report

report, lines = same_file(3, "--in", "rho.h5:f", "--repeat", "2")
check("workers   3 ranks, " in lines and " CPU, " in lines and " GPU each\n" in lines and "executor  tasks: " in lines, lines)
check("\nranks     " in lines and "of f was dropped" in lines, lines)
check(report["exchange"] == "mpi" and len(report["rank_workers"]) == 3, report)
check([worker["rank"] for worker in report["workers"]] == sorted(
    rank for rank in range(3) for _ in range(report["rank_workers"][rank])), report["workers"])
check(report["imbalance"] >= 1 and report["bytes"]["sent"] > 0, report)
check(report["bytes"]["field"] == 8 * f.size and report["bytes"]["spectrum"] >= 8 * f.size, report["bytes"])
check(abs(report["mean_dropped"] - np.mean(f)) <= 1e-12, report["mean_dropped"])
check(report["verify"]["max_f"] == np.max(np.abs(f)) and report["verify"]["points"] == f.size, report["verify"])
check("exchange" in report["stages"] and report["stages"]["forward_xy"]["tasks"] >= 3, report["stages"])
for stage in report["stages"].values():
    check(0 < stage["rank_mean"] <= stage["rank_max"] <= stage["seconds"] * (1 + 1e-9), stage)
    check(abs(3 * stage["rank_mean"] - stage["seconds"]) <= 1e-9 * stage["seconds"], stage)
done = solve_ranks(2, "--problem", "madelung", "--grid", "64", "--json", "-", "--sheets", "99")
report = json.loads(done.stdout)
check(abs(report["madelung"]["difference"]) < 1e-11 and report["ranks"] == 2, report["madelung"])
check(len(report["notes"]) == len(words_of(done.stderr)) == 1, done.stderr)
done = solve_ranks(2, "--problem", "modes", "--grid", "16", "--quiet", "--sheets", "99")
check(done.stdout == "" and done.stderr == "", "--quiet: %s" % done)
WIRE = ("--problem", "modes", "--grid", "16", "--verify", "--wire", "f40")
done = solve_ranks(2, *WIRE, "--exchange", "mpi")
check("with 40 of the 64 bits of a number" in done.stdout and "tolerance 7e-09" in done.stdout, "--wire: %s" % done)
check("--wire has no effect" in solve_ranks(2, *WIRE, "--exchange", "direct").stderr, "--wire in shared memory")
check("--wire has no effect" in solve(*WIRE).stderr, "--wire in one process")
report = json.loads(run_ranks(3, "info", "--json", "-").stdout)
check(report["ranks"] == 3 and len(report["rank_workers"]) == 3 and min(report["rank_workers"]) >= 1, report)
text = run_ranks(2, "info").stdout
check("\n  rank 1  cpu " in text and text.count("Cache folder") == 1 and "CUDA-aware" in text, text)
workers = json.loads(run_ranks(2, "info", "--cpus", "1", "--gpus", "0", "--json", "-").stdout)["workers"]
processors = [worker["processor"] for worker in workers]
check(set(processors) <= os.sched_getaffinity(0) and len(processors) == 2, "no processors of this machine: %s" % workers)
if sum(worker["kind"] == "cpu" for worker in json.loads(run("info", "--gpus", "0", "--json", "-").stdout)["workers"]) > 1:
    check(processors[0] != processors[1], "two processes have the same core: %s" % workers)
check(" 0  CPU 0, runs on processor " in text, text)
check(run_ranks(2, "solve", "--help").stdout == run("solve", "--help").stdout, "--help of two")

# ----------------------------------------------------------------------------------------------- refused, once

MODES = ("solve", "--problem", "modes", "--grid", "9x8x7")
refused_ranks(3, "solve", "--grdi", "5", code=2, says=("unknown option", "'--grid'"))
refused_ranks(2, "solve", code=2, says=("nothing to solve",))
refused_ranks(2, *MODES, "--exchange", "managed", code=2, says=("exchange managed",))
refused_ranks(2, *MODES, "--exchange", "alltoall", "--wire", "f48", code=2, says=("wire f48", "exchange mpi"))
refused_ranks(1, *MODES, "--exchange", "mpi", code=2, says=("--exchange mpi", "mpirun"))
refused_ranks(3, "solve", "--in", "nowhere.h5", "--out", "phi.h5", code=2, says=("nowhere.h5: No such file",))
refused_ranks(3, *MODES, "--out", "nowhere/phi.h5", code=1, says=("nowhere/phi.h5", "No such file"))
refused_ranks(2, *MODES, "--out", "phi.h5:/.", code=2, says=("the data set '/.' cannot be made",))
refused_ranks(2, "solve", "--problem", "modes", "--grid", "60000", code=1, says=("out of memory", "PiB"))
bad = f.copy()
bad[11, 3, 4] = np.nan
with h5py.File("bad.h5", "w") as file:
    file["f"] = bad
refused_ranks(3, "solve", "--in", "bad.h5", "--out", "phi.h5", code=2, says=("bad.h5:/f", "NaN", "(4,3,11)"))
refused_ranks(3, "solve", "--in", "rho.h5:f", "--out", "phi.h5", "--mean", "error", code=2, says=("mean",))

# A launcher that is not this MPI's: every process would take itself for the only one.
said = run("--version", code=1, env={**os.environ, "PMI_SIZE": "2", "PMI_RANK": "0"})
check(said.stdout == "" and words_of(said.stderr)[0].startswith("psg: the launcher is not that of"), said)

# What only one process sees.
os.mkdir("elsewhere")
with h5py.File("elsewhere/rho.h5", "w") as file:
    file["f"] = np.ones((3, 3, 3))
refused_ranks(3, "solve", "--in", "rho.h5:f", "--out", "phi.h5", where=2, there="os.chdir('/')", code=2,
              says=("psg: rank 2: --in: rho.h5: No such file",))
refused_ranks(3, "solve", "--in", "rho.h5:f", "--out", "phi.h5", where=1, there="os.chdir('elsewhere')", code=2,
              says=("psg: rank 1: rho.h5:/f: has other points",))
with h5py.File("elsewhere/rho.h5", "w") as file:
    file["f"], file["eps"] = f, np.ones((3, 3, 3))
EPS = ("--epsilon", "rho.h5:eps", "--symbol", "fd2")
refused_ranks(3, "solve", "--in", "rho.h5:f", *EPS, where=1, there="os.chdir('elsewhere')", code=2,
              says=("psg: rank 1: --epsilon: rho.h5:/eps: has 3 x 3 x 3 points, and f has 11 x 10 x 13",))
refused_ranks(2, *MODES, where=1, there="sys.argv.append('--verify')", code=2, says=("rank 1", "command line"))

# A full disk, of all and of one. (MPI's own files of shared memory are below the limit.)
LARGE = ("solve", "--problem", "modes", "--grid", "128x128x80", "--out", "many.h5", "--quiet")
LIMIT = "resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20))"
for ranks in (1, 3):
    refused_ranks(ranks, *LARGE, where=0, there=LIMIT, code=1, says=("psg: many.h5: cannot be written", "untouched"))
refused_ranks(3, *LARGE, where=2, there=LIMIT, code=1,
              says=("psg: rank 2: many.h5: cannot be written", "left on the disk"))

# --------------------------------------------------------------------------------------------------- ended, together


def process_of(rank):
    """The number of the process that is a rank of ours."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % number, "rb") as file:
                environment = file.read().split(b"\0")
            if (b"OMPI_COMM_WORLD_RANK=%d" % rank in environment and os.readlink("/proc/%s/cwd" % number) == FOLDER
                    and os.readlink("/proc/%s/exe" % number) == os.path.realpath(PSG)):
                return int(number)
        except OSError:
            pass
    raise AssertionError("rank %d is nowhere" % rank)


def start(ranks):
    """psg in the midst of solving, with all its temporary files."""
    process = subprocess.Popen(command(ranks, "solve", "--problem", "modes", "--grid", "40", "--repeat", "1000000",
                                       *QUICK, "--out", "phi.h5", "--json", "phi.json"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    until = time.monotonic() + patience(30)
    while len(files()) < len(old) + 3:
        check(process.poll() is None and time.monotonic() < until, "psg did not come to its work")
        time.sleep(0.01)
    time.sleep(2)
    check(process.poll() is None, "psg ended before the signal")
    return process


def ended(process, what):
    out, error = process.communicate(timeout=patience(30))
    what = "%s: code %d, stdout %r, stderr %r" % (what, process.returncode, out, error)
    check(process.returncode != 0, what)
    check(files() == old, "%s; files %s, before %s" % (what, sorted(files()), sorted(old)))
    check(len(words_of(error)) <= 1, what)
    return error, what


old = files()
for victim in (0, 1, 2):
    job = start(3)
    os.kill(process_of(victim), signal.SIGKILL)
    error, what = ended(job, "SIGKILL to rank %d" % victim)
    check("process rank %d " % victim in error and "signal 9" in error, what)
job = start(3)
os.kill(process_of(1), signal.SIGTERM)
ended(job, "SIGTERM to rank 1")
job = start(2)
job.send_signal(signal.SIGTERM)
error, what = ended(job, "SIGTERM to mpirun")
check(words_of(error) == ["psg: interrupted"], what)
