"""A long run says what it is doing and how far it is: on a terminal by one line that changes, and where stderr is no
terminal by a line every 15 seconds. None is shown with --quiet, or in a run that is over at once."""

import os
import pty
import re
import signal
import subprocess
import time

import numpy as np

from command import PSG, check, default_signals, in_log, without_load
from patience import patience

SOLVE = ("solve", "--problem", "modes", "--effort", "estimate")


def on_terminal(*arguments, command=SOLVE, pause=None):
    """What psg writes on a terminal that is its stderr. After `pause` seconds it is stopped for a while."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PSG, *command, *arguments],
                               stdout=subprocess.DEVNULL, stderr=theirs, preexec_fn=default_signals)
    os.close(theirs)
    if pause is not None:
        time.sleep(pause)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the terminal is closed: psg has ended
            break
        if not part:
            break
        said += part
    os.close(ours)
    check(process.wait() == 0, "psg ended with %d: %s" % (process.returncode, said))
    return without_load(said.decode())


LONG = ("--grid", "64", "--repeat", "300")
while "solving" not in on_terminal(*LONG):  # a fast machine
    LONG = LONG[:-1] + (str(4 * int(LONG[-1])),)
    check(int(LONG[-1]) < 10**6, "no progress was shown")
LONG = LONG[:-1] + (str(3 * int(LONG[-1])),)  # the same in the runs below, where others may compute less
said = on_terminal(*LONG)
check("psg: solving " in said and "/%s, " % LONG[-1] in said and " s" in said, repr(said))
check("\n" not in said, "progress took more than a line: %r" % said)
check(said.endswith("\r\033[K"), "the line was not wiped: %r" % said)
check(on_terminal(*LONG, "--quiet") == "", "progress with --quiet")


def while_short(said, seconds):
    """`said()` is silent. It is asked again where it took `seconds`, as on a busy machine."""
    for _ in range(20):
        began = time.monotonic()
        words = said()
        if time.monotonic() - began < seconds:
            check(words == "", "progress in less than %g seconds: %r" % (seconds, words))
            return
    check(False, "no run of less than %g seconds" % seconds)


while_short(lambda: on_terminal("--grid", "8"), 1)
while_short(lambda: without_load(subprocess.run(
    [PSG, *SOLVE, *LONG], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    timeout=patience(100), preexec_fn=default_signals).stderr), 15)

# A log has a line every 15 seconds: how far the run is, and about how long it takes.
LINE = r"psg: (\w+) (\d+)/(\d+)(?:: (\d+) of (\d+) tasks)?, \d+ s(?:, about (\d+) s left)?\n"


def first_in_log(*arguments):
    """The numbers of the first line that knows of tasks that are done, if it has tasks at all. The run is then interrupted:
    it would take minutes."""
    process = subprocess.Popen([PSG, *arguments], text=True, preexec_fn=default_signals,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said, until = "", time.monotonic() + patience(100)
    while (found := re.fullmatch(LINE, said := process.stderr.readline())) and found[4] == "0":
        check(time.monotonic() < until, "no task is done: %r" % said)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=patience(100))
    check(found, "%s said %r" % (arguments, said))
    return [int(number or 0) for number in found.groups()[1:]]


# A solve with epsilon tells its iterations, and the residual, which falls.
rng = np.random.default_rng(1)
np.save("f.npy", rng.standard_normal((32, 32, 32)))
np.save("eps.npy", np.exp(np.log(1e6) * rng.random((32, 32, 32))))
ITERATED = ("solve", "--in", "f.npy", "--epsilon", "eps.npy", "--symbol", "fd2", "--gpus", "0")
MANY = ("--iterations", "99999", "--effort", "estimate")
for tolerance in "1e-10", "1e-12", "1e-13":  # a fast machine
    said = on_terminal(*MANY, "--tolerance", tolerance, command=ITERATED)
    found = re.findall(r"psg: solving 1/1: iteration (\d+), residual (\S+), \d+ s", said)
    if len(found) > 2:
        break
check(len(found) > 2 and 0 < int(found[0][0]) < int(found[-1][0]), "no iterations in %r" % said)
check(1 > float(found[0][1]) > float(found[-1][1]) > 0, "no residuals in %r" % said)

HOURS = ("--grid", "64", "--repeat", "9999999")
WORK = ("run", "ep:C", "--cpus", "1", "--gpus", "0", "--repeat", "1")
first = first_in_log(*WORK)
check(first[:2] == [1, 1] and 0 < first[2] < first[3], "psg %s: %s" % (" ".join(WORK), first))
first = first_in_log(*SOLVE, *HOURS)
check(1 <= first[0] < first[1] == int(HOURS[-1]), "psg solve %s: %s" % (HOURS, first))
QUIET = ("run", "ep:B", "--cpus", "1", "--gpus", "0", "--repeat", "1", "--quiet")
check(in_log(*QUIET) == "", "progress with --quiet")


# Commands that are done in less than a second, unless they are stopped in the midst.
def shown(step, *command):
    """Does the command say what it is doing, wherever it is met at that?"""
    for number in range(40):
        said = on_terminal(command=command, pause=number / 20)
        if os.path.exists("rho.h5"):
            os.remove("rho.h5")
        if "psg: " + step in said:
            check("\n" not in said and said.endswith("\r\033[K"), "%s: the line was not wiped: %r" % (command, said))
            return True
    return False


check(shown("making the density, ", "example", "rho.h5", "--grid", "200"), "no progress of psg example")
check(not on_terminal(command=("example", "rho.h5", "--grid", "200", "--quiet"), pause=0.1), "progress with --quiet")
check(shown("looking for ", "info"), "no progress of psg info")
