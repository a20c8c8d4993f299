"""A long run shows what it is doing on a terminal; none is shown where stderr is a file, with --quiet, or
in a run that is over at once."""

import os
import pty
import subprocess

from command import PSG, check, default_signals, without_load


def on_terminal(*arguments):
    """What psg writes on a terminal that is its stderr."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([PSG, "solve", "--problem", "modes", "--effort", "estimate", *arguments],
                               stdout=subprocess.DEVNULL, stderr=theirs, preexec_fn=default_signals)
    os.close(theirs)
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
