"""psg run and psg dock as several processes: the counts and poses of one process, one report with
what each process did, one trace, and one line of words where something is wrong or a process is
stopped."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[2])

from command import FOLDER, PSG, check, default_signals, files, run, without_load  # noqa: E402
from patience import patience  # noqa: E402

MPIRUN = sys.argv[3]
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  ASAN_OPTIONS="detect_leaks=0")
ONE = ("--gpus", "0", "--cpus", "1")


def launched(ranks, *arguments):
    return [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), PSG, *arguments]


def run_ranks(ranks, *arguments, code=0):
    done = subprocess.run(launched(ranks, *arguments), stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, preexec_fn=default_signals, timeout=patience(90))
    check(done.returncode == code, "%d ranks, psg %s: %s" % (ranks, " ".join(arguments), done))
    return done


def refused_ranks(ranks, *arguments, says):
    old = files()
    done = run_ranks(ranks, *arguments, *ONE, code=2)
    lines = [line for line in without_load(done.stderr).splitlines() if line.startswith("psg: ")]
    check(len(lines) == 1 and all(words in lines[0] for words in says) and done.stdout == "", done)
    check(files() == old, "files were left behind")


def report_of(ranks, *arguments):
    return json.loads(run_ranks(ranks, *arguments, *ONE, "--json", "-").stdout)


def tasks(share):
    return {name: kind["cores"]["tasks"] for name, kind in share["tasks"].items()}


def counts():
    """Sums, too, have the bits of one process. Messages are seen in the trace of all."""
    alone = json.loads(run("run", "ep:S", "--tile", "20", *ONE, "--json", "-").stdout)
    check(alone["ranks"] == len(alone["shares"]) == 1, alone)
    check(tasks(alone["shares"][0]) == tasks(alone), alone)
    for ranks in (1, 2, 3):
        report = report_of(ranks, "run", "ep:S", "--tile", "20", "--trace", "t.json", "--bounds")
        check(report["answers"] == alone["answers"], report["answers"])
        check(report["ranks"] == len(report["shares"]) == ranks, report)
        check(tasks(report) == tasks(alone), report)
        check([tasks(share)["ep_chunk"] for share in report["shares"]]
              == [16 * (r + 1) // ranks - 16 * r // ranks for r in range(ranks)], report["shares"])
        sent = sum(share["sent"] for share in report["shares"])
        check(sent == {1: 0, 2: 96, 3: 5 * 96}[ranks], report["shares"])
        check(report["bounds"]["seconds"] > 0 and report["starpu_tasks"] == 31, report)
        with open("t.json", encoding="utf-8") as file:
            trace = json.load(file)["traceEvents"]
        spans = [e for e in trace if e["ph"] == "X" and e["cat"] != "submission"]
        check(len(spans) == 31, "%d tasks in the trace" % len(spans))
    said = run_ranks(2, "run", "ep:S", "--tile", "22", *ONE).stdout
    for words in (r"^workers   2 ranks, 1 CPU, 0 GPU each", r"^tasks     ep_chunk: 4 on cores",
                  r"^rank 0    ep_chunk 2, ep_add 2 in [\d.e-]+ s; sent 0 bytes$",
                  r"^rank 1    ep_chunk 2, ep_add 1 in [\d.e-]+ s; sent 96 bytes$",
                  r"^          count_0   6140517; known 6140517, difference 0\.0e\+00$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))


def poses():
    """A list of poses is written once, and is that of one process."""
    with open("few.pdb", "w", encoding="ascii") as file:
        for m in range(9):
            file.write("ATOM  %5d  CA  GLY A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n"
                       % (m + 1, m + 1, 2.1 * (m % 3), 1.9 * (m // 3), (m * m) % 5))
    few = ("dock", "--static", "few.pdb", "--mobile", "few.pdb", "--angle", "60", "--spacing", "1",
           "--poses", "7", "--tile", "10")
    run(*few, *ONE, "--out", "one.csv")
    for ranks in (1, 2, 3):
        said = run_ranks(ranks, *few, *ONE, "--out", "many.csv", "--force").stdout
        check(said.count("poses     rank") == 1, said)
        check(said.count("dock_static ") == (ranks if ranks > 1 else 0), said)
        with open("one.csv") as one, open("many.csv") as many:
            check(one.read() == many.read(), "%d ranks have other poses" % ranks)
    refused_ranks(2, *few, "--angle", "7", says=("angle = 7 degrees",))
    gone = ("dock", "--static", "few.pdb", "--mobile", "gone.pdb")
    refused_ranks(2, *gone, says=("gone.pdb: No such file",))


def bad():
    refused_ranks(2, "run", "cg:S", says=("cg is for one process, and there are 2",))
    refused_ranks(3, "run", "ep:S", "--tile", "23",
                  says=("more processes (3) than chunks (2)", "fewer"))
    refused_ranks(3, "run", "dock:64:180", "--tile", "4",
                  says=("more processes (3) than batches of rotations (1)",))
    refused_ranks(3, "run", "jacobi:4", says=("1 x 3 blocks", "2 x 2 points inside"))
    refused_ranks(2, "run", "jacobi:40:async:sync",
                  says=("jacobi:40:async:sync: the size is", "STEPS from 1"))
    refused_ranks(2, "run", "ep:Q", says=("no class 'Q'",))


def crowded():
    """Each process checks the whole square: two need 6 N^2 numbers, for which there is no memory,
    though each alone would find its 3 N^2. Without these words the limit of addresses ends both
    before they fill the memory."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2 ** 32, before[1]))
    refused_ranks(2, "run", "jacobi:%d" % math.isqrt(memory // 8 // 5),
                  says=("GB of memory, and there are",))
    resource.setrlimit(resource.RLIMIT_AS, before)


def process_of(rank):
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % number, "rb") as file:
                environment = file.read().split(b"\0")
            if (b"OMPI_COMM_WORLD_RANK=%d" % rank in environment
                    and os.readlink("/proc/%s/cwd" % number) == FOLDER
                    and os.readlink("/proc/%s/exe" % number) == os.path.realpath(PSG)):
                return int(number)
        except OSError:
            pass
    return None


def stopped(ranks, victim, *arguments):
    """A process that is stopped ends the wait of the others, and the launcher ends all of them."""
    old = files()
    job = subprocess.Popen(launched(ranks, *arguments, *ONE, "--repeat", "1000000", "--time-limit",
                                    "4", "--json", "s.json"), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    until = time.monotonic() + patience(60)
    while len(files()) < len(old) + 1 or process_of(victim) is None:
        check(job.poll() is None and time.monotonic() < until, "psg did not come to its work")
        time.sleep(0.01)
    time.sleep(4)
    number = process_of(victim)
    os.kill(number, signal.SIGSTOP)
    try:
        out, error = job.communicate(timeout=patience(90))
    except subprocess.TimeoutExpired:
        os.kill(number, signal.SIGKILL)
        job.kill()
        check(False, "the others still wait: %s" % (job.communicate(),))
    what = "code %d, stdout %r, stderr %r" % (job.returncode, out, error)
    check(job.returncode != 0 and "waited 4 s" in error, what)
    check(files() == old, "%s; files %s, before %s" % (what, sorted(files()), sorted(old)))


counts()
poses()
bad()
crowded()
stopped(3, 2, "run", "ep:S")
stopped(2, 1, "run", "jacobi:200:1000:sync:strided")
