"""On a machine that does something else, psg bench and psg solve say so: a column, a number and a note."""

import csv
import json
import os
import subprocess
import sys

from command import check, run

with open("/proc/stat", encoding="ascii") as stat:
    if sum(map(int, stat.readline().split()[1:4])) == 0:
        sys.exit(77)  # a system that does not tell

SHORT = ("--repeat", "3", "--effort", "estimate", "--gpus", "0")
HIGH = min(0.5, 0.05 * os.cpu_count())
busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
try:
    # the shortest of visits says what the others did, too
    done = run("bench", *SHORT, "--grid", "8,30", "--cpus", "1", "--csv", "a.csv", "--json", "a.json")
    with open("a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check(len(rows) == 2 and all(float(row["load"]) > HIGH and float(row["load_average"]) >= 0 for row in rows), rows)
    note = "cores busy while 2 of 2 rows were measured (column load): the times may be too long"
    check(done.stderr.startswith("psg: note: others kept up to ") and note in done.stderr, done.stderr)
    check(done.stdout.splitlines()[2].split()[-2:] == ["load", "status"], done.stdout)
    check(float(done.stdout.splitlines()[3].split()[-2]) > HIGH, done.stdout)
    with open("a.json", encoding="utf-8") as file:
        report = json.load(file)
    check(any(note in text for text in report["notes"]) and report["rows"][0]["load"] == float(rows[0]["load"]), report["notes"])
    check(run("bench", *SHORT, "--grid", "9", "--csv", "a.csv", "--quiet").stderr == "", "a note with --quiet")
    run("bench", *SHORT, "--grid", "10", "--json", "b.json")
    with open("b.json", encoding="utf-8") as file:
        check(any("column load" in text for text in json.load(file)["notes"]), "b.json: no note")
    # rows that were there already say nothing of now
    check("others" not in run("bench", *SHORT, "--grid", "8,30", "--cpus", "1", "--csv", "a.csv").stderr, "others, when nothing was measured")
    solves = 200
    while True:
        done = run("solve", "--problem", "modes", "--grid", "48", "--cpus", "1", "--gpus", "0", "--repeat", str(solves),
                   "--effort", "estimate", "--json", "-")
        report = json.loads(done.stdout)
        if report["seconds"]["total"] > 0.6:
            break
        if report["seconds"]["total"] < 0.4: # psg says it from half a second on
            check(report["seconds"]["load"] is None, "the load of a moment: %s" % report["seconds"])
        solves *= 4
    check(report["seconds"]["load"] > HIGH, report["seconds"]["load"])
    check(any("during the solves: the times may be too long" in text for text in report["notes"]), report["notes"])
    check("psg: note: others kept " in done.stderr, done.stderr)
finally:
    for process in busy:
        process.kill()
        process.wait()
