"""psg bench measures several processes as it does one; what becomes of one of them, or of their launcher, is in the row
that it belongs to, and nothing of them is left."""

import csv
import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

from command import FOLDER, PSG, check, check_interrupted, default_signals, nobody_here, \
    others_here, refused, run
from patience import patience

MPIRUN = sys.argv[2] if len(sys.argv) > 2 else "mpirun"
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ASAN_OPTIONS="detect_leaks=0")
for name in ("OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy"):
    os.environ.pop(name, None)
# Where launchers have their own files; none may be left there.
os.mkdir("t")
os.environ["TMPDIR"] = os.path.join(FOLDER, "t")

MANY = ("--mpirun", MPIRUN + " --oversubscribe")
TINY = ("--repeat", "1", "--passes", "1", "--warm-up", "0", "--effort", "estimate", "--gpus", "0", "--cpus", "1", *MANY)
STAGES = "fft_xy pack unpack fft_z divide ifft_z ifft_xy normalize forward_xy kspace inverse_xy".split()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def bench(*arguments, **more):
    return run("bench", *arguments, **more)


def measured(*arguments, **more):
    """The rows of a new file."""
    if os.path.exists("new.csv"):
        os.remove("new.csv")
    bench(*arguments, "--csv", "new.csv", "--quiet", **more)
    return rows("new.csv")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def number(row, column):
    return float(row[column])


def no_traces(what):
    check(nobody_here(), "%s: %s are left" % (what, others_here()))
    left = [os.path.join(folder, name) for folder, _, names in os.walk("t") for name in names]
    check(not left, "%s: files are left: %s" % (what, left))


if not json.loads(run("info", "--json", "-").stdout)["versions"]["MPI"]:
    one, two = measured("--grid", "8", "--ranks", "1,2", *TINY)
    check(one["status"] == "ok" and two["status"] == "built without MPI: psg cannot run as several processes", two)
    sys.exit()

# ------------------------------------------------------------------------------------------------------------ rows

done = bench(*TINY, "--grid", "13x12x11,8x8x2", "--precision", "f64,f32", "--ranks", "1,2,3", "--graph", "fused,staged",
             "--csv", "a.csv", "--json", "a.json")
a = rows("a.csv")
check([(r["grid"], r["precision"], r["graph"], r["ranks"]) for r in a]
      == [(g, p, v, n) for g in ("13x12x11", "8x8x2") for p in ("f64", "f32") for v in ("fused", "staged") for n in "123"],
      "rows: %s" % [list(r.values())[:6] for r in a])
for r in a:
    ranks = int(r["ranks"])
    check(r["status"] == "ok" and 0 < number(r, "error") <= number(r, "tolerance"), r)
    check(number(r, "workers_cpu") == ranks == len(r["busy_workers"].split()) and r["workers_gpu"] == "0", r)
    used = "managed" if ranks == 1 else "direct" if r["graph"] == "fused" else "mpi"
    check(r["exchange_used"] == used, r)
    check(r["mpirun"] == (MANY[1] if ranks > 1 else ""), r)
    for column in ("sent_bytes", "exchange_seconds", "exchange_busy"):
        check((number(r, column) > 0) == (used == "mpi" or (used == "direct" and column != "sent_bytes")), "%s of %s" % (column, r))
    # stages and workers are those of all processes
    stages = sum(number(r, stage + "_seconds") for stage in STAGES)
    check(abs(stages / (number(r, "busy") * ranks * number(r, "seconds")) - 1) < 1e-6, "stages %g: %s" % (stages, r))
    shares = [float(share) for share in r["busy_workers"].split()]
    check(abs(sum(shares) / ranks - number(r, "busy")) < 2e-3, r)
    check(abs(max(*shares, number(r, "exchange_busy"), 0) - number(r, "busiest")) < 2e-3, r)
    check(number(r, "exchange_busy") * number(r, "seconds") <= number(r, "exchange_seconds") * (1 + 1e-9)
          <= ranks * number(r, "exchange_busy") * number(r, "seconds") * (1 + 1e-6), r)
check([k["ranks"] for k in json.load(open("a.json"))["rows"]] == 8 * [1, 2, 3], "ranks in JSON")
check("ranks" in done.stdout.splitlines()[2].split(), done.stdout)
no_traces("rows")

# Tasks are counted in all processes, by the kind of worker that did them, as psg solve counts them.
for ranks, start in ((1, []), (2, [MPIRUN, "--oversubscribe", "-n", "2"])):
    said = subprocess.run([*start, PSG, "solve", "--problem", "modes", "--grid", "13x12x11", "--cpus", "1", "--gpus", "0",
                           "--effort", "estimate", "--segment-planes", "2", "--json", "-"], stdout=subprocess.PIPE, timeout=patience(60))
    stages = json.loads(said.stdout)["stages"]
    r, = measured(*TINY, "--grid", "13x12x11", "--segment-planes", "2", "--ranks", str(ranks))
    check(number(r, "tasks_cpu") == sum(stages[name]["tasks"] for name in stages if name != "exchange"), (r, stages))
    check(r["tasks_gpu"] == "0", r)

# Processes share some workloads. The others have one row.
r = measured(*TINY, "--workload", "jacobi:40:5,ep:S,cg:S", "--ranks", "1,2")
check([(q["workload"], q["ranks"], q["workers_cpu"], q["status"]) for q in r]
      == [(w, n, n, "ok") for w, n in (("jacobi:40:5", "1"), ("ep:S", "1"), ("cg:S", "1"),
                                       ("jacobi:40:5", "2"), ("ep:S", "2"))], r)
check(all(number(q, "busy") > 0 and number(q, "error") <= number(q, "tolerance") for q in r), r)
check(r[0]["sent_bytes"] == "0" and number(r[3], "sent_bytes") > 0, r)
check("jacobi_rim:10:" in r[3]["kinds"], r)
check(all("ep_chunk:256:" in r[m]["kinds"] for m in (1, 4)), r)

# What is there is not measured again; another launcher is another measurement, of several processes.
old = content("a.csv")
bench(*TINY, "--grid", "8x8x2", "--ranks", "3,1", "--quiet", "--csv", "a.csv")
check(content("a.csv") == old, "the file was written again")
bench(*TINY, "--grid", "8x8x2", "--ranks", "4", "--quiet", "--csv", "a.csv")
bench(*TINY, "--grid", "8x8x2", "--ranks", "1,2", "--mpirun", MANY[1] + "  ", "--quiet", "--csv", "a.csv")
check([(r["ranks"], r["status"]) for r in rows("a.csv")[24:]] == [("4", "ok"), ("2", "ok")], rows("a.csv")[24:])

# Exchanges; several in flight; passes; policies that have models measured.
r = measured(*TINY, "--grid", "8", "--ranks", "2", "--exchange", "mpi,alltoall,managed", "--repeat", "3", "--passes", "2")
check([q["exchange_used"] for q in r[:2]] == ["mpi", "alltoall"] and r[0]["status"] == r[1]["status"] == "ok", r)
check("exchange managed" in r[2]["status"], r[2])
r = measured(*TINY, "--grid", "8", "--ranks", "2", "--in-flight", "1,3", "--sched", "lws,dmda", "--calibrate", "3")
check([(q["status"], q["models"]) for q in r] == 2 * [("ok", "unused")] + 2 * [("ok", "calibrated")]
      or [(q["status"], q["models"]) for q in r] == 2 * [("ok", "unused"), ("ok", "calibrated")], r)

# ---------------------------------------------------------------------------------------------------------- studies

CORES = sorted({1, *(2 ** n for n in range(12) if 2 ** n < len(os.sched_getaffinity(0)))})
for study, columns, least in (("scaling", ("ranks", "cpus"), {("1", "1")} | {(str(n), "1") for n in CORES} |
                               {("1", str(n)) for n in CORES}),
                              ("overlap", ("ranks", "cpus", "graph"),
                               {(str(n), "1", graph) for n in CORES for graph in ("fused", "staged")}),
                              ("hetero", ("ranks", "gpus"), {("1", "0")})):
    bench("--study", study, "--grid", "8", "--repeat", "1", "--passes", "1", "--warm-up", "0", "--effort", "estimate", *MANY,
          "--csv", study + ".csv", "--quiet", timeout=200)
    found = {tuple(r[column] for column in columns) for r in rows(study + ".csv")}
    check(least <= found, "%s: %s is not all of %s" % (study, found, least))
    check(all(r["status"] == "ok" for r in rows(study + ".csv")), rows(study + ".csv"))
    check(all((number(r, "tasks_gpu") > 0) == (r["gpus"] != "0") for r in rows(study + ".csv")), rows(study + ".csv"))

# --------------------------------------------------------------------------------------------- launchers that cannot


def launcher(name, text):
    with open(name, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(name, stat.S_IRWXU)
    return os.path.join(".", name)


def states(command, ranks="1,2"):
    found = [r["status"] for r in measured("--grid", "8", "--ranks", ranks, *TINY, "--mpirun", command)]
    check(found[0] == "ok", found)
    return found[1:]


check(states("no-such-mpirun -x") == ["did not start: no-such-mpirun: No such file or directory"], states("no-such-mpirun"))
check(states("./t") == ["did not start: ./t: Permission denied"], states("./t"))
check(states("true") == ["nothing was heard of its processes"], states("true"))
check(states("false") == ["ended while starting, with status 1"], states("false"))
said = states(launcher("says", "echo; echo ------; echo 'no room'; echo 'at all'; echo; echo 'Read more.'; exit 3"))
check(said == ["did not start: no room at all"], said)
# one that starts a single process, alone: it would solve everything
said = states(launcher("single", 'shift 2; OMPI_COMM_WORLD_SIZE=2 exec "$@"'))
check(said[0].startswith("did not start: ") and "the launcher is not that" in said[0], said)
# lines of others, and records that are none, do no harm
noise = ("echo hello; echo 'psg-record zz'; echo psg-record 0100000000000000ffffff0000000000; echo 'psg-record %s'; "
         % ("ff" * 4000) + "printf 'no end'; echo; exec %s --oversubscribe \"$@\"" % MPIRUN)
check(states(launcher("noisy", noise)) == ["ok"], states("./noisy"))
if subprocess.run([MPIRUN, "--version"], stdout=subprocess.PIPE, text=True).stdout.startswith("mpirun (Open MPI) 4"):
    said = states(MPIRUN, "1,%d" % (2 * os.cpu_count() + 1))
    check(said[0].startswith("did not start: There are not enough slots available in the system"), said)
no_traces("launchers")

for text in ("", "'", "a 'b", "a; b", "$(a)"):
    refused("bench", "--grid", "8", "--mpirun", text, code=2, says=("--mpirun '%s'" % text, "a command"))
refused("bench", "--grid", "8", "--ranks", "0", code=2, says=("--ranks '0'", "a whole number from 1"))

# ------------------------------------------------------------------------------------------------- ended from outside


def process_of(rank):
    """The process that is a rank; None: mpirun."""
    for number in others_here():
        try:
            with open("/proc/%d/environ" % number, "rb") as file:
                environment = file.read().split(b"\0")
            program = os.path.basename(os.readlink("/proc/%d/exe" % number))
        except OSError:
            continue
        if rank is None and program in (os.path.basename(os.path.realpath(MPIRUN)), "orterun", "prterun"):
            return number
        if rank is not None and b"OMPI_COMM_WORLD_RANK=%d" % rank in environment:
            return number
    return 0


def send(rank, kind):
    """Signal a process, which may be between its start and its first words."""
    until = time.monotonic() + patience(20)
    while not process_of(rank) and time.monotonic() < until:
        time.sleep(0.02)
    check(process_of(rank), "rank %s is not there" % rank)
    os.kill(process_of(rank), kind)


def solves(rank):
    """Has the process solved for a while? Its worker, a thread that StarPU calls after its core, sleeps while there are no
    tasks, and is there before the process makes its plans and its fields."""
    number = process_of(rank)
    try:
        for thread in os.listdir("/proc/%d/task" % number):
            with open("/proc/%d/task/%s/stat" % (number, thread)) as file:
                name, numbers = file.read().split("(", 1)[1].rsplit(")", 1)
            if name.startswith("CPU"):
                return sum(map(int, numbers.split()[11:13])) >= 0.2 * os.sysconf("SC_CLK_TCK")
    except OSError:  # it is not there yet
        pass
    return False


slowest = 0.0  # from the start of psg bench until both processes solve


def start(*arguments):
    """psg bench in the midst of solving by two processes."""
    global slowest
    if os.path.exists("e.csv"):
        os.remove("e.csv")
    began = time.monotonic()
    process = subprocess.Popen([PSG, "bench", *TINY, "--grid", "8,120", "--ranks", "2", "--repeat", "300", "--csv", "e.csv",
                                *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=default_signals)
    while not (solves(0) and solves(1)):
        check(process.poll() is None and time.monotonic() < began + patience(100), "the processes of psg bench do not solve")
        time.sleep(0.01)
    slowest = max(slowest, time.monotonic() - began)
    return process


def ended(process, what, more=0):
    out, error = process.communicate(timeout=patience(100) + more)
    no_traces(what)
    return process.returncode, out, error


# It costs the configuration that was in work; the other one is measured. (What Open MPI's mpirun leaves on the disk when
# it is killed itself is not ours.)
for victim, kind in ((0, signal.SIGKILL), (1, signal.SIGKILL), (1, signal.SIGABRT), (None, signal.SIGKILL)):
    what = "signal %d to %s" % (kind, "mpirun" if victim is None else "rank %d" % victim)
    job = start()
    send(victim, kind)
    if victim is None:
        job.communicate(timeout=patience(60))
        check(nobody_here(), "%s: %s are left" % (what, others_here()))
        shutil.rmtree("t")
        os.mkdir("t")
    else:
        ended(job, what)
    found = [r["status"] for r in rows("e.csv")]
    check(found.count("ok") == 1 and any("while solving" in text and "signal %d" % kind in text for text in found),
          "%s: %s" % (what, found))
# One that stands still is given up, after some times what it took to start on the machine as it is now.
seconds = math.ceil(max(patience(2), 4 * slowest))
job = start("--patience", str(seconds))
send(1, signal.SIGSTOP)
ended(job, "SIGSTOP", 2 * seconds)
check(sorted(r["status"] for r in rows("e.csv")) == ["ok", "was still solving after %d s without a sign" % seconds], rows("e.csv"))
# What ends psg bench ends all of them.
for kind in (signal.SIGINT, signal.SIGTERM):
    job = start()
    job.send_signal(kind)
    _, out, error = ended(job, "signal %d to psg bench" % kind)
    check_interrupted(job, out, error, kind)
job = start()
job.kill()
job.communicate(timeout=patience(20))
check(nobody_here(), "psg bench was killed, and %s are left" % others_here())
