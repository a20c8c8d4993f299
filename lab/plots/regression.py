"""Did a runtime change? Measures one suite with two of them in turns, and says what changed.

    regression.py OLD NEW [OPTION OF PSG BENCH]...

OLD and NEW are programs psg, built with two versions of StarPU, or two libraries of scheduling
policies (*.so; then PSG in the environment is the program, else psg). Without options the suite is
all workloads under five policies. Of each configuration the table has the median time of both, by
how much it changed, with the interval in which that is with 95 % (bootstrap of both medians), and
the bytes by link that changed by more than 1 %. The exit code is 1 where something became slower,
moves more bytes, or fails.
"""

import os
import random
import subprocess
import sys
import tempfile

from rows import fail, lists, read

LINKS = ("h2d", "d2h", "d2d", "sent")
SUITE = ("--workload", "ep:S,blocks:200+150+100,jacobi:1000,qr:1000,pcg:32,cg:S,dock:64:60,"
         "transpose:2048,vadd:4000000", "--sched", "eager,lws,dmda,dmdas,modular-heft",
         "--repeat", "9")
TURNS = (0, 1, 1, 0)  # old, new, new, old


def measure(runtime, options, path):
    """The rows of psg bench."""
    library = runtime.endswith(".so")
    program = os.environ.get("PSG", "psg") if library else runtime
    named = {"STARPU_SCHED_LIB": os.path.abspath(runtime)} if library else {}
    try:
        done = subprocess.run([program, "bench", *options, "--quiet", "--csv", path], check=False,
                              env={**os.environ, **named}, stdout=subprocess.DEVNULL)
    except OSError as why:
        fail("%s: %s" % (program, why.strerror))
    if not os.path.exists(path):
        fail("%s bench measured nothing with %s" % (program, runtime))
    return read(path, lambda row: "samples" in row)


def key_of(row):
    """What was measured, whoever did it."""
    return tuple((name, row[name]) for name in lists(row))


def median(numbers):
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def change(old, new):
    """Of the median, and the interval in which it is with 95 %."""
    draw = random.Random(1)
    drawn = sorted(median(draw.choices(new, k=len(new))) / median(draw.choices(old, k=len(old)))
                   for _ in range(2000))
    return median(new) / median(old) - 1, drawn[50] - 1, drawn[-51] - 1


def bytes_changed(old, new):
    """(link, bytes, bytes) where these differ."""
    pairs = [(link, *(float(row[link + "_bytes"] or 0) for row in (old, new))) for link in LINKS]
    return [(link, a, b) for link, a, b in pairs if abs(b - a) > 0.01 * max(a, b)]


def compare(old, new):
    """A line, and whether it is worse. old, new: rows of one configuration."""
    if any(row["status"] != "ok" for row in (*old, *new)):
        whys = [sum(row["status"] != "ok" for row in rows) for rows in (old, new)]
        return "failed %d times before and %d after" % tuple(whys), whys[1] > whys[0]
    times = [[float(s) for row in rows for s in row["samples"].split()] for rows in (old, new)]
    by, low, high = change(*times)
    links = bytes_changed(old[0], new[0])
    word = "slower" if low > 0 else "faster" if high < 0 else "no difference seen"
    moved = ["%s %.4g to %.4g MB" % (link, 1e-6 * a, 1e-6 * b) for link, a, b in links]
    line = "%.4g | %.4g | %+.1f %% | %+.1f to %+.1f %% | %s | %s" % (
        1e3 * median(times[0]), 1e3 * median(times[1]), 100 * by, 100 * low, 100 * high, word,
        ", ".join(moved) or "same")
    return line, low > 0 or any(b > a for _, a, b in links)


def main(old, new, *options):
    found = ({}, {})
    with tempfile.TemporaryDirectory() as folder:
        for turn, which in enumerate(TURNS):
            path = os.path.join(folder, "%d.csv" % turn)
            for row in measure((old, new)[which], options or SUITE, path):
                found[which].setdefault(key_of(row), []).append(row)
    both = [key for key in found[0] if key in found[1]]
    if not both:
        fail("the two have no configuration in common")
    names = [name for at, (name, _) in enumerate(both[0]) if len({key[at] for key in both}) > 1]
    print("| %s | old ms | new ms | change | with 95 %% | time | bytes |" % " | ".join(names))
    print("|%s" % ("---|" * (len(names) + 6)))
    worse = 0
    for key in both:
        line, is_worse = compare(found[0][key], found[1][key])
        worse += is_worse
        print("| %s | %s |" % (" | ".join(value for name, value in key if name in names), line))
    print("\n%d of %d became slower, move more bytes or fail." % (worse, len(both)))
    return 1 if worse else 0


if len(sys.argv) < 3:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
