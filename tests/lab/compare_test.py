"""compare.py sets rows of the same configuration side by side, says how far they are apart and which order is right, and says
in words what it cannot do.

    compare_test.py COMPARE.PY
"""

import csv
import os
import subprocess
import sys
import tempfile

LISTS = {"grid": "8x8x8", "precision": "f64", "ranks": "1", "cpus": "2", "gpus": "0", "sched": "default", "graph": "fused",
         "exchange": "default", "z": "", "segment_planes": "0", "sheets": "0", "data": "host", "in_flight": "1",
         "effort": "measure", "cpu_share": "auto", "placement": "pinned", "normalize": "task", "nodes": "1", "network": ""}


def check(condition, words):
    if not condition:
        sys.exit(words)


def write(path, rows):
    """rows: (what differs from LISTS, seconds, status)"""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*LISTS, "seconds", "seconds_q1", "seconds_q3", "status"])
        for change, seconds, status in rows:
            writer.writerow([*{**LISTS, **change}.values(), seconds, 0.95 * seconds, 1.05 * seconds, status])


def main(compare):
    def run(*paths):
        done = subprocess.run([sys.executable, "-B", compare, *paths], capture_output=True, text=True, check=False)
        check("Traceback" not in done.stderr, done.stderr)
        return done.returncode, done.stdout, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        one, other, bad = (os.path.join(folder, name) for name in ("one.csv", "other.csv", "bad.csv"))
        planes = [{"segment_planes": str(p)} for p in (1, 2, 4, 8)]
        write(one, [(planes[0], 0.010, "ok"), (planes[1], 0.020, "ok"), (planes[2], 0.0202, "ok"), (planes[3], 0.030, "failed")])
        write(other, [(planes[2], 0.030, "ok"), (planes[0], 0.011, "ok"), (planes[1], 0.010, "ok"), (planes[3], 0.030, "ok")])
        code, out, error = run(one, other)
        check(code == 0 and not error, error)
        for words in ("| segment_planes | measured ms | simulated ms | off by |", "| 1 | 10 | 11 | +10 % |",
                      "| 2 | 20 | 10 | -50 % |", "| 4 | 20.2 | 30 | +49 % |",
                      "3 rows: off by 49 % in the median, 50 % at most; 2 of them by more than 15 %.",
                      # 2 and 4 planes do not clearly differ; 1 is faster than 2, and the simulation says otherwise
                      "Of 2 pairs that clearly differ, the simulation has the faster one right in 1."):
            check(words in out, "no %r in\n%s" % (words, out))
        check("| 8 |" not in out, "a row that failed is compared:\n%s" % out)
        write(one, [({"graph": "staged"}, 0.010, "ok")])
        write(other, [({"graph": "staged", "normalize": how}, seconds, "ok") for how, seconds in (("divide", 0.008), ("task", 0.011))])
        check("| 10 | 11 | +10 % |" in run(one, other)[1], run(one, other)[1])
        write(other, [({"graph": "staged", "nodes": nodes}, seconds, "ok") for nodes, seconds in (("2", 0.008), ("1", 0.012))])
        check("| 10 | 12 | +20 % |" in run(one, other)[1], run(one, other)[1])
        write(bad, [({"grid": "9x9x9"}, 1, "ok")])
        check("no configuration in common" in run(one, bad)[2], "other configurations")
        for text, words in (("a,b\n1,2\n", "no rows of psg bench"), ("", "no rows of psg bench")):
            with open(bad, "w", encoding="utf-8") as file:
                file.write(text)
            code, out, error = run(one, bad)
            check(code == 1 and words in error, error)
        with open(one, encoding="utf-8") as file:
            good = file.read()
        for name in ("effort", "status"):
            with open(bad, "w", encoding="utf-8") as file:
                file.write(good.replace(name, "other"))
            code, out, error = run(one, bad)
            check(code == 1 and "of another version: there is no column %s" % name in error, error)
        for text, words in ((good.replace(",0.01,", ",soon,"), "'soon' in column seconds is no number"),
                            (good[:-20], "row 1 has not as many fields")):
            with open(bad, "w", encoding="utf-8") as file:
                file.write(text)
            code, out, error = run(one, bad)
            check(code == 1 and words in error, "%r: %s" % (text, error))
        check("cannot be read" in run(one, os.path.join(folder, "none.csv"))[2], "a file that is not there")


main(sys.argv[1])
