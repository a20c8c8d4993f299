"""On a GPU, psg solve tells how long copies took: by link, in lines, JSON, CSV and traces, and all of them say the same.
Left out where there is no GPU."""

import csv
import json
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[2])

from command import PSG, QUICK, check, run, solve  # noqa: E402
from patience import patience  # noqa: E402

PROBLEM = ("--problem", "modes", "--grid", "96x90x80", "--gpus", "1", "--cpus", "0", "--segment-planes", "20", "--tuned", "no")
BYTES = 8 * 96 * 90 * 80
LINKS = {"h2d": "main memory to GPU ", "d2h": "GPU "}


def near(one, other, words):
    check(abs(one - other) <= 1e-6 * other + 1e-9, f"{words}: {one} and {other}")


def copies(events, link):
    return [e for e in events if e["ph"] == "X" and e["cat"] == link]


def check_trace(report, repeat):
    with open("t.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    tasks = [e for e in events if e["ph"] == "X" and e["tid"] == 0]
    check({names[e["pid"], e["tid"]] for e in tasks} == {"GPU 0"}, names)
    last = max(e["ts"] + e["dur"] for e in tasks)
    for link, track in LINKS.items():
        found = copies(events, link)
        check({e["args"]["run"] for e in found} == set(range(repeat)), f"{link}: not of all solves")
        check(sum(e["args"]["bytes"] for e in found) == report["links"][link]["bytes"], f"{link}: other bytes")
        near(1e-6 * sum(e["dur"] for e in found), report["links"][link]["seconds"], f"seconds of {link}")
        check({names[e["pid"], e["tid"]].rstrip("0123456789") for e in found} <= {track, "GPU 0 to main memory"}, names)
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in found)
        for before, after in zip(spans, spans[1:]):
            check(after[0] >= before[1] - 0.01, f"{link}: {before} and {after}")
        # u of the last solve comes home after its last task
        check(spans[0][0] >= -50 and spans[-1][1] <= last + 1e6, f"{link} until {spans[-1][1]}, tasks until {last}")
    for link, array in (("h2d", "f"), ("d2h", "u")):
        parts = {(e["name"], e["args"].get("segment")) for e in copies(events, link)}
        check({(array, s) for s in range(4)} <= parts, parts)


def check_report(repeat):
    report = json.loads(solve(*PROBLEM, "--repeat", str(repeat), "--trace", "t.json", "--json", "-").stdout)
    for link in LINKS:
        found = report["links"][link]
        check(found["bytes"] == report["bytes"][link] >= repeat * BYTES, f"{link}: {found}")
        check(found["rank_max"] == found["rank_mean"] == found["seconds"], found)
        check(1e7 < found["bytes"] / found["seconds"] < 1e12, found)
    check(report["links"]["d2d"] == {"bytes": 0, "seconds": 0, "rank_max": 0, "rank_mean": 0}, report["links"])
    check_trace(report, repeat)


def check_lines():
    lines = solve(*PROBLEM).stdout
    for link in LINKS:
        found = re.search(r"^%s +([0-9.e+-]+) GB in ([0-9.e+-]+) s, ([0-9.e+-]+) GB/s$" % link, lines, re.M)
        check(found, f"no line of {link}: {lines}")
        gigabytes, seconds, rate = map(float, found.groups())
        check(abs(gigabytes / seconds / rate - 1) < 1e-2 and gigabytes >= 1e-9 * BYTES * 0.999, found.group())


def check_rows():
    run("bench", "--grid", "96", "--gpus", "1", "--cpus", "0", "--data", "host,resident", "--repeat", "2", "--csv", "a.csv", *QUICK)
    with open("a.csv", encoding="utf-8") as file:
        rows = {row["data"]: row for row in csv.DictReader(file)}
    for data, row in rows.items():
        check(row["status"] == "ok", row)
        for link in LINKS:
            moved, seconds = float(row[link + "_bytes"]), float(row[link + "_seconds"])
            check(1e7 < moved / seconds < 1e12 if data == "host" else moved == seconds == 0, f"{data}, {link}: {moved}, {seconds}")
        check(float(row["d2d_seconds"]) == float(row["d2d_bytes"]) == 0, row)


there = subprocess.run([PSG, "solve", *PROBLEM, *QUICK], capture_output=True, text=True, timeout=patience(60), check=False)
if there.returncode != 0 and "here that can be used" in there.stderr:
    print("skipped:", there.stderr)
    sys.exit(77)
for count in (1, 3):
    check_report(count)
check_lines()
check_rows()
