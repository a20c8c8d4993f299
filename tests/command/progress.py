"""A long run shows what it is doing on a terminal; none is shown where stderr is a file, with --quiet, or
in a run that is over at once."""

import os
import pty
import signal
import subprocess
import time

from command import PSG, check, default_signals, without_load

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
check(on_terminal("--grid", "8") == "", "progress of a short run")
done = subprocess.run([PSG, "solve", "--problem", "modes", "--effort", "estimate", *LONG], stdout=subprocess.DEVNULL,
                      stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
check(done.returncode == 0 and without_load(done.stderr) == "", "progress into a pipe: %r" % done.stderr)


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
