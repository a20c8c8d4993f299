"""psg selftest ends with a line of numbers, and fails where answers are wrong.

    selftest.py PSG WRONG-LIBRARY [MPIRUN]
"""

import os
import re
import subprocess
import sys

from command import PSG, check, refused, run
from patience import patience

WRONG = os.path.abspath(sys.argv[2])
LINE = re.compile(r"selftest: (\d+) checks passed, (\d+) failed; (\d+) cores, (\d+) GPUs, (\d+) process(es)?; \d+ s")


def last_line(done):
    found = LINE.fullmatch(done.stdout.splitlines()[-1])
    check(found, "not the line of a selftest: %r" % done.stdout)
    return [int(number) for number in found.groups()[:5]]


# Right answers.
passed, failed, cores, gpus, processes = last_line(run("selftest", "--seconds", "1", "--cpus", "2", "--gpus", "0"))
check(passed >= 4 * 14 and failed == 0, "%d passed, %d failed" % (passed, failed))
check((cores, gpus, processes) == (2, 0, 1), "%d cores, %d GPUs, %d processes" % (cores, gpus, processes))


def drawn(seed):
    """The first ten cases that a seed draws, after 14 that are always there: in as much time as it takes."""
    seconds, cases = 3, []
    while len(cases) < 10 and seconds < patience(100):
        done = run("selftest", "--seconds", str(seconds), "--cpus", "1", "--gpus", "0", "--verbose", "--seed", seed)
        cases = done.stdout.splitlines()[14:-1][:10]
        seconds *= 2
    return cases


# The same seed draws the same cases, another seed others.
lines = [drawn(seed) for seed in ("5", "5", "6")]
check(len(lines[0]) == 10 and lines[0] == lines[1], "two runs with one seed differ: %r, %r" % (lines[0], lines[1]))
check(lines[0] != lines[2], "two seeds draw the same cases: %r" % lines[0])

# Wrong answers.
for wrong, words in (("value", "error"), ("accepts", "a NaN in f was not refused"), ("refuses", "modes:")):
    # (AddressSanitizer wants to be the first library.)
    environment = dict(os.environ, LD_PRELOAD=WRONG, WRONG=wrong, ASAN_OPTIONS="verify_asan_link_order=0")
    done = run("selftest", "--seconds", "1", "--cpus", "1", "--gpus", "0", code=1, env=environment)
    check(last_line(done)[1] > 0, "no failed check: %r" % done.stdout)
    check(words in done.stderr, "no word of %r: %r" % (words, done.stderr[:400]))

# Several processes.
if len(sys.argv) > 3:
    command = [sys.argv[3], "--oversubscribe", "-n", "3", PSG, "selftest", "--seconds", "1", "--cpus", "1", "--gpus", "0"]
    # (Open MPI leaves memory behind.)
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience(300), check=False,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    check(done.returncode == 0, done.stderr)
    passed, failed, cores, gpus, processes = last_line(done)
    check(passed >= 2 * 4 * 14 and failed == 0, "%d passed, %d failed" % (passed, failed))
    check((cores, gpus, processes) == (3, 0, 3), "%d cores, %d GPUs, %d processes" % (cores, gpus, processes))

# Bad input.
refused("selftest", "--cpus", "0", "--gpus", "0", code=2, says=("no core and no GPU",))
refused("selftest", "--seconds", "0", code=2, says=("--seconds", "a whole number from 1"))
refused("selftest", "--grid", "8", code=2, says=("unknown option '--grid'",))
