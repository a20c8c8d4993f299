"""Running psg in an empty folder, and looking at what it said and left behind."""

import atexit
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from patience import patience

if len(sys.argv) < 2:
    sys.exit("usage: %s PSG" % sys.argv[0])
PSG = os.path.abspath(sys.argv[1])
MPIRUN = sys.argv[2] if len(sys.argv) > 2 else ""  # of tests that start several processes; "": there is none
OF_MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_mpi_yield_when_idle": "1", "ASAN_OPTIONS": "detect_leaks=0"}

# Everything happens in a folder of its own in the build tree.
FOLDER = tempfile.mkdtemp(prefix="command-", dir=os.getcwd())
atexit.register(shutil.rmtree, FOLDER, True)
os.chdir(FOLDER)

# StarPU's watchdog makes every program take a second more; here, run() has a timeout of its own.
os.environ.pop("STARPU_WATCHDOG_TIMEOUT", None)

# FFTW's search is of no interest here.
QUICK = ("--effort", "estimate")


def default_signals():
    """A test may run where SIGINT is ignored (a job in the background); psg respects that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def check(condition, words):
    if not condition:
        raise AssertionError(words)


def run(*arguments, code=0, before=default_signals, timeout=100, ranks=0, **more):
    """Run psg, by mpirun as so many `ranks`, for at most `timeout` seconds of an idle machine; its exit code must be
    `code`, if that is not None. What it says comes back as text."""
    start = [MPIRUN, "--oversubscribe", "-n", str(ranks)] if ranks else []
    if ranks:
        more.setdefault("env", {**os.environ, **OF_MPIRUN})
    done = subprocess.run([*start, PSG, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, preexec_fn=before, timeout=patience(timeout),
                          **more)
    done.stderr = without_progress(done.stderr)
    check(code is None or done.returncode == code,
          "psg %s ended with %d instead of %s\nstdout: %s\nstderr: %s"
          % (" ".join(arguments), done.returncode, code, done.stdout, done.stderr))
    return done


def wait_until_caught(process, number):
    """The program looks out for this signal, which would end it without a word before; or it has ended."""
    until = time.monotonic() + patience(30)
    while process.poll() is None:
        with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
            caught = [line.split()[1] for line in file if line.startswith("SigCgt:")]
        if int(caught[0], 16) >> (number - 1) & 1:
            return
        check(time.monotonic() < until, "psg does not look out for signal %d" % number)
        time.sleep(0.01)


def without_progress(said):
    """Without the lines that say every 15 seconds how far psg is: a loaded machine has more of them than an idle one."""
    return re.sub(r"^psg: [^\r\n]*, \d+ s(, about \d+ s left)?\n", "", said, flags=re.MULTILINE)


def in_log(*arguments):
    """What psg says on a stderr that is no terminal, when it is stopped in its midst for longer than the 15 seconds between
    lines of progress."""
    process = subprocess.Popen([PSG, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=default_signals)
    time.sleep(2)
    process.send_signal(signal.SIGSTOP)
    time.sleep(16)
    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=patience(200))[1]
    check(process.returncode == 0, "%s ended with %d: %s" % (arguments, process.returncode, said))
    return said


def without_load(said):
    """But for what others do on this machine at the time of the test, which is said after the solves."""
    return re.sub(r"psg: note: others kept [^\r\n]*\r?\n", "", said)


def check_interrupted(process, out, error, number=signal.SIGINT):
    """The signal ended psg, which says so, and nothing else but how far it was."""
    said = (process.returncode, out, without_progress(error))
    check(said == (128 + number, "", "psg: interrupted\n"), said)


def has_mpi():
    return MPIRUN and json.loads(run("info", "--json", "-").stdout)["versions"]["MPI"]


def solve(*arguments, **more):
    return run("solve", *arguments, *QUICK, **more)


def files():
    """Every file here, hidden ones too, with a digest of what is in it."""
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.join(folder, name)
            if stat.S_ISFIFO(os.lstat(path).st_mode):  # reading it would wait for ever
                found[path] = "FIFO"
                continue
            with open(path, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


def nobody_here():
    """Does no other process work in this folder, after three seconds of an idle machine at most?"""
    until = time.monotonic() + patience(3)
    while others_here():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def others_here():
    """The numbers of all other processes in this folder: what psg has started is here too."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink("/proc/%s/cwd" % number) == FOLDER and int(number) != os.getpid():
                found.append(int(number))
        except OSError:  # it has ended, or is not ours
            pass
    return found


def refused(*arguments, code, says, before=default_signals, **more):
    """psg must end with `code`, say each of `says` on stderr in one line that starts with `psg: `, print
    nothing on stdout, and leave every file as it was."""
    old = files()
    done = run(*arguments, code=code, before=before, **more)
    errors = [line for line in done.stderr.splitlines() if not line.startswith("psg: note: ")]
    what = "psg %s said %r" % (" ".join(arguments), done.stderr)
    check(len(errors) == 1 and errors[0].startswith("psg: "), what + ": not one line of psg's")
    for words in says:
        check(words in errors[0], "%s, without %r" % (what, words))
    check(done.stdout == "", "%s, and on stdout %r" % (what, done.stdout))
    check(files() == old, "%s, and changed files: %s, before %s" % (what, files(), old))
    return done
