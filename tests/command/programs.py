"""psg bench runs the measuring programs of its studies, says of each why it did not if it did not, goes on with a
file, and believes no row that cannot be.

    programs.py PSG FOLDER [MPIRUN]      the folder that has bench_cores and bench_gpus
"""

import csv
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time

from command import PSG, check, check_interrupted, default_signals, files, refused, run
from patience import patience

FOLDER = os.path.abspath(sys.argv[2]) if os.path.isabs(sys.argv[2]) else None
check(FOLDER, "the folder of the programs has to be an absolute path")
# Open MPI's own leaks are not ours.
MPIRUN = ("--mpirun", "env ASAN_OPTIONS=detect_leaks=0 " + (sys.argv[3] if len(sys.argv) > 3 else "mpirun"))
QUICK = ("--repeat", "2", "--warm-up", "0", "--quiet")
OWN = ["command", "warm_up", "seed", "psg_version", "starpu_version", "fftw_version", "cuda_version", "mpi_version", "host",
       "cpu_model", "cores", "load", "load_average", "date"]


def study(name, *arguments, path=FOLDER, **more):
    return run("bench", "--study", name, *arguments, env={**os.environ, "PSG_BENCH_PROGRAMS": path}, **more)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def good(path):
    """The rows of what is here; a program that is not built, or has no GPU, has one that says so."""
    found = [row for row in rows(path) if row["status"] == "ok"]
    rest = [row for row in rows(path) if row["status"] != "ok"]
    check(all(row["command"] in ("bench_gpus cufft", "bench_cores fftw_mpi", "bench_cores mkl") for row in rest), rest)
    check(all(any(words in row["status"] for words in ("was not built", "no GPU", "no Intel MKL"))
              for row in rest), rest)
    return [row for row in found if "bench_gpus" not in row["command"]]


def number(row, column):
    return float(row[column])


def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


def in_order(row, name="seconds"):
    times = [number(row, name + which) for which in ("_min", "_q1", "", "_q3", "_max")]
    return 0 < times[0] and times == sorted(times)


# Peers: both of a row solved the same, in the same run.
study("peers", *QUICK, *MPIRUN, "--grid", "8,9x7x6", "--cpus", "2", "--csv", "p.csv", "--json", "p.json")
p = good("p.csv")
check(list(p[0])[:4] == ["peer", "grid", "precision", "ranks"] and list(p[0])[-len(OWN):] == OWN, list(p[0]))
with open("p.json", encoding="utf-8") as file:
    j = json.load(file)
check(j["command"] == "bench" and len(j["rows"]) == len(rows("p.csv")), j)
for r, k in zip(rows("p.csv"), j["rows"]):
    for column, value in k.items():
        same = r[column] == value if isinstance(value, str) else r[column] == "" if value is None else number(r, column) == value
        check(same and column in r, "%s: %r in JSON, %r in CSV" % (column, value, r[column]))
names = [n for n in ("fftw", "mkl", "fftw_mpi")
         if subprocess.run([os.path.join(FOLDER, "bench_cores"), n, *QUICK[:-1], "--rows", "8"],
                           stdout=subprocess.DEVNULL, check=False).returncode == 0]
if os.cpu_count() == 1:  # Open MPI has a slot for each core
    names = [n for n in names if n != "fftw_mpi"]
check([(r["peer"], r["grid"]) for r in p] == [(n, g) for n in names for g in ("8x8x8", "9x7x6")], p)
for r in p:
    n = math.prod(map(int, r["grid"].split("x")))
    check((r["ranks"], r["threads"], r["gpus"]) == (("2", "1", "0") if r["peer"] == "fftw_mpi" else ("1", "2", "0")), r)
    check(r["variant"].endswith(" threads"), r)
    check(in_order(r, "peer_seconds") and in_order(r, "psg_seconds") and number(r, "difference") < 1e-12, r)
    check(near(number(r, "ratio") * number(r, "psg_seconds"), number(r, "peer_seconds")), r)
    for who in ("peer", "psg"):
        check(near(number(r, who + "_gflops") * 1e9 * number(r, who + "_seconds"), 10 * n * math.log2(n)), r)
    check((r["repeats"], r["warm_up"], r["seed"]) == ("2", "0", "1"), r)
    check(r["command"].endswith("bench_cores %s --cpus %s %s" % (r["peer"], r["threads"], r["grid"])), r["command"])
    check(r["psg_version"] and r["host"] and int(r["cores"]) >= 1 and r["date"].startswith("20"), r)

# Without cores there are the programs on GPUs, and without GPUs those on cores; each says so where it finds none.
for number_of, left in (("cpus", {"bench_gpus"}), ("gpus", {"bench_cores"})):
    # 1: what is left of it finds no GPU
    subprocess.run([PSG, "bench", "--study", "peers", *QUICK, *MPIRUN, "--grid", "8", "--" + number_of, "0", "--csv", number_of + ".csv"],
                   check=False, stderr=subprocess.DEVNULL, timeout=patience(100), env={**os.environ, "PSG_BENCH_PROGRAMS": FOLDER})
    found = {next(w for w in r["command"].split() if w.startswith("bench_"))
             for r in rows(number_of + ".csv")}
    check(found == left, "without %s: %s" % (number_of, found))

# What is in the file is not measured again, in fewer repeats it is, in its place.
old = good("p.csv")
study("peers", *QUICK, *MPIRUN, "--grid", "9x7x6,8,10", "--cpus", "2", "--csv", "p.csv")
new = good("p.csv")
check([r for r in new if r["grid"] != "10x10x10"] == old and len(new) == len(old) + len(names), new)
study("peers", *QUICK, *MPIRUN, "--repeat", "3", "--grid", "8", "--cpus", "2", "--csv", "p.csv")
again = good("p.csv")
check([(r["peer"], r["grid"]) for r in again] == [(r["peer"], r["grid"]) for r in new], again)
check([r["repeats"] for r in again] == ["3" if r["grid"] == "8x8x8" else "2" for r in again], again)

# It is said to be of then, and marked; --again measures it anew.
with open("p.csv", encoding="utf-8") as file:
    text = file.read()
with open("p.csv", "w", encoding="utf-8") as file:
    file.write(text.replace(again[0]["date"][:10], "2026-01-02"))
old = good("p.csv")
loud = QUICK[:-1]
done = study("peers", *loud, *MPIRUN, "--grid", "8", "--cpus", "2", "--csv", "p.csv")
check("p.csv: %d row" % len(names) in done.stderr and "there already, of 2026-01-02, and not measured now" in done.stderr, done.stderr)
check(done.stdout.count(" ok, measured 2026-01-02\n") == len(names) and good("p.csv") == old, done.stdout)
done = study("peers", *loud, *MPIRUN, "--grid", "8", "--cpus", "2", "--csv", "p.csv", "--again")
check("already" not in done.stderr and "measured 20" not in done.stdout, done)
anew = good("p.csv")
check([(r["peer"], r["grid"]) for r in anew] == [(r["peer"], r["grid"]) for r in old], anew)
check([r["date"].startswith("2026-01-02") for r in anew] == [r["grid"] != "8x8x8" for r in anew], anew)
# Two at once lose no row.
both = [subprocess.Popen([PSG, "bench", "--study", "peers", *QUICK, "--grid", grid, "--cpus", "1", "--gpus", "0", "--quiet",
                          "--csv", "two.csv", "--json", "two.json"], env={**os.environ, "PSG_BENCH_PROGRAMS": FOLDER})
        for grid in ("8,9,10", "11,12,13")]
check([process.wait(timeout=patience(100)) for process in both] == [0, 0], "two at once")
with open("two.json", encoding="utf-8") as file:
    two = json.load(file)["rows"]
check({r["grid"] for r in two if r["status"] == "ok"} == {r["grid"] for r in good("two.csv")} == {"%dx%dx%d" % (n, n, n) for n in range(8, 14)}
      and len(two) == len(rows("two.csv")), rows("two.csv"))

# What needs more memory than it may take says so.
study("peers", *QUICK, "--grid", "64,8", "--cpus", "1", "--memory", "0.001", "--csv", "m.csv")
m = [r for r in rows("m.csv") if r["grid"] == "64x64x64"]
check({r["status"][:6] for r in m} == {"needs "} and m[0]["peer_seconds"] == "" and m[0]["repeats"] == "0", m)
study("peers", *QUICK, "--grid", "64", "--cpus", "1", "--memory", "0.000001", "--csv", "m2.csv", code=1)

# Programs that are not there: a row each; and once they are, no such row any more.
os.mkdir("empty")
done = study("peers", *QUICK, "--grid", "8,9", "--cpus", "2", "--csv", "e.csv", path=os.path.abspath("empty"), code=1)
check("nothing was measured" in done.stderr and "bench_cores fftw" in done.stderr, done.stderr)
e = rows("e.csv")
check([r["command"] for r in e] == ["bench_cores fftw", "bench_cores mkl", "bench_cores fftw_mpi", "bench_gpus cufft"], e)
for r, needs in zip(e, ("PSG_TESTS=ON", "OpenMP", "OpenMP", "CUDA")):
    check(needs in r["status"] and "was not built" in r["status"] and r["ratio"] == "" and r["host"] and r["date"], r)
shutil.copy(os.path.join(FOLDER, "bench_cores"), "empty")
study("peers", *QUICK, "--grid", "8,9", "--cpus", "1", "--csv", "e.csv", path=os.path.abspath("empty"))
check(sorted(r["command"] for r in rows("e.csv") if r["peer"] == "fftw" and r["status"] == "ok")
      == ["bench_cores fftw --cpus 1 8x8x8", "bench_cores fftw --cpus 1 9x9x9"], rows("e.csv"))
check("bench_cores fftw" not in [r["command"] for r in rows("e.csv")], rows("e.csv"))

# ------------------------------------------------------------------------------------ programs that go wrong

# A second study of the same mechanism: a process with all GPUs, and a process for each.
os.mkdir("doors")
DOORS = "door,grid,precision,ranks,gpus,status,seconds,seconds_min,seconds_q1,seconds_q3,seconds_max,repeats,ratio,gflops,difference," \
    "exchange,gpu_model"
ROW = {"name": "fftw", "grid": "8x8x8", "precision": "f64", "ranks": 1, "threads": 1, "gpus": 0,
       "status": "ok", "peer_seconds": [1e-6, 1e-6], "psg_seconds": [2e-6, 2e-6],
       "difference": 1e-16, "exchange": "auto", "segments": 1, "sheets": 1, "gpu_model": "",
       "variant": ""}


def row(**changes):
    """A line of a program."""
    return json.dumps({**ROW, **changes})


with open("doors/bench_gpus", "w", encoding="utf-8") as file:
    file.write("#!/bin/sh\nfor grid; do :; done\n" + "".join(
        "echo '%s' | sed s/8x8x8/$grid/\n" % row(
            name=door, status=status, gpus=2, psg_seconds=seconds, peer_seconds=peer,
            exchange="direct")
        for door, status, seconds, peer in (("device", "ok", [1e-6, 2e-6, 4e-6], [2e-6] * 3),
                                            ("host", "the results differ", [7e-6, 8e-6, 9e-6], []))))
os.chmod("doors/bench_gpus", 0o755)
done = study("embed", *QUICK[:-1], "--mpirun", "env", "--grid", "8", "--gpus", "1,2", "--csv", "d.csv", path=os.path.abspath("doors"))
d = rows("d.csv")
check(list(d[0]) == DOORS.split(",") + OWN, list(d[0]))
check([d[0]["seconds" + which] for which in ("", "_min", "_q1", "_q3", "_max")]
      == ["2e-06", "1e-06", "1.5e-06", "3e-06", "4e-06"], d)
check((d[0]["ratio"], d[0]["repeats"], d[1]["ratio"]) == ("1", "3", ""), d)
check([r["command"] for r in d[::2]] == ["bench_gpus embed --gpus 1 8x8x8", "bench_gpus embed --gpus 2 8x8x8",
                                        "mpirun -n 2 bench_gpus embed --gpus 1 8x8x8"], d)
check("env: " in d[-1]["status"] and {(r["door"], r["grid"]) for r in d[:-1]} == {("device", "8x8x8"), ("host", "8x8x8")}, d)
check(done.stdout.split("\n")[0].split() == ["door", "grid", "ranks", "gpus", "exchange", "ms", "ratio", "gflops", "status"], done.stdout)
check(done.stdout.count("device 8x8x8") == 2 and done.stdout.count("the results differ") == 2, done.stdout)

os.mkdir("fake")


def fake(script, grids="8", code=1, peer="fftw", options=()):
    """The rows that psg makes of a program that does as the shell script says."""
    path = os.path.join("fake", "bench_cores")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n[ $1 = %s ] || exit 77\n%s\n" % (peer, script))
    os.chmod(path, 0o755)
    if os.path.exists("fake.csv"):
        os.remove("fake.csv")
    study("peers", *QUICK, "--grid", grids, "--cpus", "1", "--csv", "fake.csv", *options, path=os.path.abspath("fake"), code=code)
    return [r for r in rows("fake.csv") if r["command"].split(" --")[0] == "bench_cores " + peer]


echo = "echo '%s'"
less = dict(ROW)
del less["ranks"]
for script, count, words in (
        ("exit 0", 1, "wrote no row"),
        ("echo a,b,c", 1, "is not of this psg: its line is no row: '\"a,b,c\"'"),
        (echo % row(more=1), 1, "is not of this psg"),
        (echo % json.dumps(less), 1, "is not of this psg"),
        (echo % row() + "; echo hello", 1, "is no row: '\"hello\"'"),
        (echo % row(segments="fast"), 1, "a row with segments 'fast'"),
        (echo % row(peer_seconds=[-1]), 1, "a row with peer_seconds '[-1]'"),
        (echo % row(psg_seconds=[1e-6, None]), 1, "a row with psg_seconds '[1e-06, None]'"),
        (echo % row(psg_seconds=[1e-6, math.nan]), 1, "a row with psg_seconds '[1e-06, nan]'"),
        (echo % row(psg_seconds=[]), 1, "a row with psg_seconds '[]'"),
        (echo % row(status=""), 1, "a row with status ''"),
        ("echo oh dear >&2; echo 'bench_cores fftw: the reason' >&2; echo bye >&2; exit 3", 1,
         "ended with status 3: bench_cores fftw: the reason"),
        ("echo the only line >&2; exit 1", 1, "ended with status 1: the only line"),
        ("kill -SEGV $$", 1, "crashed: signal 11")):
    made = fake(script)
    check(len(made) == count and words in made[-1]["status"] and made[-1]["peer_seconds"] == "", (script, made))
    check(made[-1]["command"] == "bench_cores fftw --cpus 1 8x8x8", made)
# Whole rows before the end count; a half one does not; the study goes on with the next grid.
made = fake("echo '%s'; printf '{\"grid'; kill -ABRT $$" % row(), grids="8,9", code=0)
check([r["status"][:7] for r in made] == ["ok", "crashed"] * 2 and made[0]["peer_seconds"] == "1e-06", made)
check([r["command"] for r in made] == ["bench_cores fftw --cpus 1 8x8x8"] * 2 + ["bench_cores fftw --cpus 1 9x9x9"] * 2, made)
# One that says that there is nothing to measure is not asked again, for the other grids.
made = fake("echo asked >> asked; echo 'bench_cores fftw: no GPU' >&2; exit 77", grids="8,9")
check([(r["command"], "no GPU" in r["status"]) for r in made] == [("bench_cores fftw", True)], made)
with open("asked", encoding="utf-8") as file:
    check(file.read() == "asked\n", "it was asked again")
# One that is silent for too long is ended.
started = time.monotonic()
made = fake("sleep 1000", options=("--patience", "1"))
check("no row came for 1 s" in made[0]["status"] and time.monotonic() - started < patience(20), made)
# It gets what it needs to know.
fake("echo \"$*\" > asked; exit 1", options=("--repeat", "7", "--warm-up", "4", "--seed", "5", "--memory", "2.5"))
with open("asked", encoding="utf-8") as file:
    asked = file.read()
check(asked == "fftw --rows --repeat 7 --warm-up 4 --seed 5 --memory 2.5 --cpus 1 8x8x8\n", asked)
# Several processes are started by what --mpirun says.
made = fake("exit 1", peer="fftw_mpi", options=("--cpus", "4", "--mpirun", "echo 'a  b'"))
check([r["command"] for r in made] == [] and len(rows("fake.csv")) == 5, rows("fake.csv"))
mpi = [r for r in rows("fake.csv") if "mpirun" in r["command"]]
check([r["command"] for r in mpi] == ["mpirun -n 2 bench_cores fftw_mpi --cpus 2 8x8x8",
                                     "mpirun -n 4 bench_cores fftw_mpi --cpus 1 8x8x8"], mpi)
check(all("its line is no row: '\"a  b -n " in r["status"] for r in mpi), mpi)
fake("exit 1", peer="fftw_mpi", options=("--cpus", "2", "--mpirun", "no-such-launcher"))
mpi = [r for r in rows("fake.csv") if "mpirun" in r["command"]]
check(len(mpi) == 1 and "no-such-launcher: No such file" in mpi[0]["status"], mpi)

# SIGINT keeps what is done, and ends the program.
with open("fake/bench_cores", "w", encoding="utf-8") as file:
    file.write("#!/bin/sh\n[ -e second ] && { echo $$ > running; exec sleep 1000; }\n: > second\necho '%s'\n" % row())
process = subprocess.Popen([PSG, "bench", "--study", "peers", "--repeat", "2", "--grid", "8,9", "--cpus", "1", "--csv", "i.csv"],
                           env={**os.environ, "PSG_BENCH_PROGRAMS": os.path.abspath("fake")}, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
until = time.monotonic() + patience(60)
while not os.path.exists("running") or not open("running", encoding="utf-8").read():
    check(process.poll() is None and time.monotonic() < until, "the second grid is not measured")
    time.sleep(0.01)
process.send_signal(signal.SIGINT)
out, error = process.communicate(timeout=patience(20))
check_interrupted(process, out, error)
check([r["status"] for r in rows("i.csv")] == ["ok"] and rows("i.csv")[0]["grid"] == "8x8x8", rows("i.csv"))
pid = int(open("running", encoding="utf-8").read())
until = time.monotonic() + patience(2)
while os.path.exists("/proc/%d" % pid) and time.monotonic() < until:
    time.sleep(0.01)
check(not os.path.exists("/proc/%d" % pid), "the program still runs")
check(not [name for name in files() if "i.csv" in name and name != "./i.csv"], files())

# ------------------------------------------------------------------------------------ bad input


def bad(*arguments, says, code=2):
    refused("bench", "--study", *arguments, code=code, says=says)


bad("frob", says=("--study 'frob'", "node", "variants", "hetero", "peers, embed"))
bad("peer", says=("did you mean 'peers'?",))
for option, value in (("sched", "lws"), ("graph", "staged"), ("precision", "f32"), ("sheets", "2"), ("exchange", "mpi")):
    bad("peers", "--" + option, value, says=("--%s means nothing to --study peers" % option,))
bad("peers", "--grid", "8,x", says=("--grid 'x'",))
bad("peers", "--cpus", "0", "--gpus", "0", says=("--study peers", "nothing is left", "without cores and GPUs"))
bad("embed", "--gpus", "0", says=("--study embed", "nothing is left", "without cores and GPUs"))
bad("embed", "--memory", "1", says=("--memory means nothing to --study embed",))
bad("peers", "--mpirun", "'", says=("--mpirun ''", "a command"))
bad("peers", "--csv", "no/such/folder.csv", code=1, says=("no/such/folder.csv", "cannot be written"))
with open("t.csv", "w", encoding="utf-8") as file:
    file.write("peer,element_bytes\nfftw,4\n")
bad("peers", "--csv", "t.csv", says=("t.csv: ", "its column 2 is 'element_bytes' instead of 'grid'", "left as it is"))
bad("peers", "--csv", "t.csv", "--json", "./t.csv", says=("same file",))


# The programs by themselves: a wrong command line is refused before anything is looked for.
def wrong(program, *arguments, says):
    done = subprocess.run([os.path.join(FOLDER, program), *arguments], capture_output=True, text=True, timeout=patience(60), check=False)
    check(done.returncode in (2, 77) and not done.stdout, (program, arguments, done))
    check(says in done.stderr if done.returncode == 2 else " was not built: it needs " in done.stderr, (program, arguments, done))


for program, peers in (("bench_cores", ("fftw", "mkl", "fftw_mpi", "many", "free", "stretched", "hypre", "fft", "tasks", "workload", "workload_mpi")),
                       ("bench_gpus", ("cufft", "embed", "fft", "many", "workload", "free", "stretched", "exchange", "copy",
                                       "transpose"))):
    if not os.path.exists(os.path.join(FOLDER, program)):
        continue
    for arguments in ((), ("frob",), ("--repeat", "2", "8")):
        wrong(program, *arguments, says="usage: %s %s ..." % (program, "|".join(peers)))
    for peer in peers:
        wrong(program, peer, "--frob", "8", says="usage: %s %s [--repeat N]" % (program, peer))
        wrong(program, peer, *(["8"] if peer == "copy" else []), says="usage: %s %s [" % (program, peer))  # this one has no operands
        wrong(program, peer, "--repeat", "0", "8", says="%s %s: --repeat: '0' cannot be" % (program, peer))
    wrong(program, "fft", "--count", "4,0", "8", says="'4,0' is no list of whole numbers")
    wrong(program, "fft", "8", "9", says="lengths are one list")
    if program == "bench_gpus":
        wrong(program, "transpose", "8", "8y", says="'8y' is no matrix")
        wrong(program, "copy", "--rows", says="--rows: there are none")
        wrong(program, "exchange", "--gpus", "1", "8", says="--gpus 1: between 2 and 16")
        wrong(program, "exchange", "--gpus", "17", "8", says="--gpus 17: between 2 and 16")
        wrong(program, "exchange", "--rows", "8", says="--rows: there are none")
        wrong(program, "exchange", "8", "8y", says="'8y' is no grid")
