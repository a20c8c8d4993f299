"""A process that is stopped ends the wait of the other ones, by --time-limit: they say which one it is, in one line, and
the launcher ends all of them."""

import json
import os
import signal
import subprocess
import sys
import time

from command import FOLDER, PSG, QUICK, check, default_signals, files, run
from patience import patience

MPIRUN = sys.argv[2]
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ASAN_OPTIONS="detect_leaks=0")
if not json.loads(run("info", "--json", "-").stdout)["versions"]["MPI"]:
    sys.exit()

LIMIT = 4  # seconds: on a machine with a lot to do a process gets no core for a while


def process_of(rank):
    """The number of the process that is a rank of ours; None: not yet."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % number, "rb") as file:
                environment = file.read().split(b"\0")
            if (b"OMPI_COMM_WORLD_RANK=%d" % rank in environment and os.readlink("/proc/%s/cwd" % number) == FOLDER
                    and os.readlink("/proc/%s/exe" % number) == os.path.realpath(PSG)):
                return int(number)
        except OSError:
            pass
    return None


def stopped(ranks, victim, exchange, after):
    """psg in the midst of solving, of which a process is stopped so many seconds after its outputs are there."""
    old = files()
    job = subprocess.Popen([MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), PSG, "solve", "--problem",
                            "modes", "--grid", "40", "--repeat", "10000000", "--cpus", "1", "--exchange", exchange,
                            "--time-limit", str(LIMIT), *QUICK, "--out", "phi.h5", "--json", "phi.json"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    what = "%d processes, %s, %d stopped after %g s" % (ranks, exchange, victim, after)
    until = time.monotonic() + patience(60)
    while len(files()) < len(old) + 3 or process_of(victim) is None:
        check(job.poll() is None and time.monotonic() < until, what + ": psg did not come to its work")
        time.sleep(0.01)
    time.sleep(after)
    number = process_of(victim)
    os.kill(number, signal.SIGSTOP)
    try:
        out, error = job.communicate(timeout=patience(90))
    except subprocess.TimeoutExpired:
        os.kill(number, signal.SIGKILL)
        job.kill()
        check(False, "%s: the others still wait; %s" % (what, job.communicate()))
    what += ": code %d, stdout %r, stderr %r" % (job.returncode, out, error)
    said = [line for line in error.splitlines() if line.startswith("psg: ")]
    check(job.returncode != 0, what)
    check(any("waited %d s" % LIMIT in line for line in said), what)
    if victim > 0:  # the launcher wakes process 0 to end it, which says "interrupted"
        check(len(said) == 1, what)
    if exchange == "mpi" and after > 1:
        check("process %d" % victim in error or "processes" in error, what)
    check(files() == old, "%s; files %s, before %s" % (what, sorted(files()), sorted(old)))


for case in ((2, 1, "mpi", 2), (3, 2, "mpi", 0), (3, 1, "alltoall", 2), (2, 0, "mpi", 2)):
    stopped(*case)

# Without a stopped process the limit changes nothing.
done = subprocess.run([MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "3", PSG, "solve", "--problem", "modes", "--grid",
                       "16", "--cpus", "1", "--time-limit", "60", "--repeat", "4", "--in-flight", "2", *QUICK, "--bounds",
                       "--out", "u.h5", "--trace", "u.trace"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                      timeout=patience(100))
check(done.returncode == 0 and os.path.exists("u.h5"), done)
