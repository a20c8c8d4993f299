"""A machine that is recorded can be read again: whatever its tasks took, each line says a time that
a machine may have.

    times_test.py LAB
"""

import re
import sys

sys.path.insert(0, sys.argv[1])
from times import Costs, Times  # noqa: E402


def check(condition, words):
    assert condition, words


def near(found, wanted):
    return all(abs(a - b) < 1e-12 for a, b in zip(found or (9, 9), wanted))


# What so many pieces and tasks took, and the seconds of each that are to be found.
for measured, wanted in (
    ([], None),
    ([(10, 5, 30)], (3, 0)),  # there is nothing to tell them apart by
    ([(10, 5, 30), (200, 100, 600)], (3, 0)),  # nor here
    ([(10, 5, 50), (10, 10, 80), (70, 1, 146)], (2, 6)),
    ([(10, 10, 10), (20, 10, 40)], (1.2, 0)),  # a task would take less than nothing
    ([(10, 10, 40), (20, 10, 20)], (0, 2.4)),  # a piece would
    ([(10, 10, 0), (10, 5, 30)], (3, 0))):  # a clock that stood still says nothing
    costs = Costs()
    for each in measured:
        costs.add(*each)
    check(costs.find() is None if wanted is None else near(costs.find(), wanted),
          (measured, costs.find()))

# A core and two GPUs do tasks in turns, one GPU as many as say what is between them: 1, 2 .. 16 us,
# of which 8.5 is the middle one; the other one fewer, with longer gaps. Most of the tasks have 4
# pieces.
tasks, end = [], [1.0, 2.0, 3.0]
for m in range(17):
    for worker, most in enumerate((17, 16, 17)):
        if m < most:
            start = end[worker] + (1e-6 if worker == 2 else 1e-3) * m
            end[worker] = start + 1e-3
            tasks.append([
                "kspace", worker, worker > 0, True, 8, False, 1 if m < 3 else 4, 0, start,
                end[worker], [8, 8, 8]
            ])
times = Times()
times.add_gaps(tasks)
check(near(times.gap.find(), (8.5e-6 / 4, 0)), times.gap.find())

# Each time is one that a machine may have, also where the clock stood still.
times = Times()
config = {"grid": "8x8x8", "precision": "f64", "in_flight": "1"}
seconds = (0, 3e-6, 0, 2e-3)
still = dict.fromkeys(("h2d_bytes", "d2h_bytes", "d2d_bytes", "sent_bytes"), 0.0)
for m, took in enumerate(seconds):
    solve = {
        "tasks": [["kspace", 0, m < 2, True, m + 1, False, 1, 0, 0.0, took, [8] * 3]],
        "submit_tasks": 3,
        "submit_pieces": 2, "submit_seconds": 1e-6
    }
    times.add_events(config, [solve], [still])
lines = list(times.lines())
check(len(lines) == len(seconds), lines)
for line, took in zip(lines, seconds):
    found = re.fullmatch(r"time kspace f64 (?:cpu|gpu) 8x8x8 sheet \d views 1 0 (\S+)", line)
    check(
        found and 0 < float(found.group(1)) < 1e-8 + took * 1.001 and
        float(found.group(1)) > took * 0.999, line)
check(times.submission.find() is not None, "what was submitted")

# Of many on a core mean and spread are those of the log-normal distribution, of a GPU the median.
mean, spread = Times.sum_up([1.0, 1.0, 4.0], False)
check(1.5 < mean < 2.5 and 0.5 < spread < 1.5 and Times.sum_up([1, 1, 8], True) == (1, 0), mean)
