"""Several psg bench write one file at the same time: no row is lost, and the file is whole at every moment. What a file
has already is said to be of then, and is measured anew by --again."""

import csv
import fcntl
import io
import json
import os
import re
import signal
import subprocess
import time

from command import PSG, check, default_signals, files, nobody_here, refused, run
from patience import patience

TINY = ("--repeat", "1", "--passes", "1", "--warm-up", "0", "--effort", "estimate", "--gpus", "0", "--cpus", "1")


def start(*arguments):
    return subprocess.Popen([PSG, "bench", *TINY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, preexec_fn=default_signals)


def content(path):
    """What a file has; "" before it is there."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def rows(path):
    """The rows of a whole file, of either kind."""
    text = content(path)
    if not text:
        return []
    if path.endswith(".json"):
        return json.loads(text)["rows"]
    found = list(csv.DictReader(io.StringIO(text), strict=True))
    check(text.endswith("\n") and all(None not in row and None not in row.values() for row in found), "no whole file: %r" % text)
    return found


def indented(root):
    """As psg writes it."""
    return json.dumps(root, indent=2)


def what(found):
    return sorted((row["grid"], row["sched"]) for row in found)


def wait_for(process, path, count=1):
    until = time.monotonic() + patience(90)
    while len(rows(path)) < count:
        check(process.poll() is None and time.monotonic() < until, "no row came into %s" % path)
        time.sleep(0.005)


def end_well(process):
    out, error = process.communicate(timeout=patience(100))
    check(process.returncode == 0, "%s\n%s" % (out, error))
    return error


# Two, and five, at once, each with rows that no other has, and one that all have. The file only ever grows.
for number, options in ((2, ("--csv", "a.csv", "--json", "a.json")), (5, ("--csv", "b.csv")), (2, ("--json", "c.json"))):
    paths = options[1::2]
    each = [["%d" % (6 + 10 * n + k) for k in range(2)] for n in range(number)]
    processes = [start("--grid", ",".join(grids + ["5"]), "--sched", "lws,eager,prio", "--quiet", *options) for grids in each]
    seen = {path: 0 for path in paths}
    until = time.monotonic() + patience(200)
    while any(process.poll() is None for process in processes):
        check(time.monotonic() < until, "%d processes do not come to an end" % number)
        for path in paths:
            count = len(rows(path))
            check(count >= seen[path], "%s has lost rows: %d, before %d" % (path, count, seen[path]))
            seen[path] = count
        time.sleep(0.02)
    for process in processes:
        end_well(process)
    expected = sorted(("%sx%sx%s" % (n, n, n), policy) for n in sum(each, ["5"]) for policy in ("lws", "eager", "prio"))
    for path in paths:
        check(what(rows(path)) == expected, "%d processes, %s: %s" % (number, path, what(rows(path))))
        check(all(row["status"] == "ok" for row in rows(path)), rows(path))
check(sorted(files()) == ["./a.csv", "./a.json", "./b.csv", "./c.json"], sorted(files()))

# While another process holds the lock the file stays as it is. What it writes is kept. psg says what it waits for.
old = content("a.csv")
with open(".a.csv.psg-lock", "w", encoding="ascii") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    process = start("--grid", "90", "--sched", "lws", "--csv", "./a.csv")
    line = process.stderr.readline()
    check("a.csv: waiting for another psg, process %d, that writes it" % os.getpid() in line, line)
    check(content("a.csv") == old and process.poll() is None, "the lock means nothing")
    lines = old.splitlines(keepends=True)
    with open("a.csv", "w", newline="", encoding="utf-8") as file:
        file.write(old + re.sub(r"^\w+,", "91x91x91,", lines[-1]))
    os.remove(".a.csv.psg-lock")
    # the next one has it, by another file of the same name, before the first lock is released
    with open(".a.csv.psg-lock", "w", encoding="ascii") as next_lock:
        fcntl.lockf(next_lock, fcntl.LOCK_EX)
        lock.close()
        old = content("a.csv")
        time.sleep(1)
        check(content("a.csv") == old and process.poll() is None, "a lock whose file is gone counts")
        os.remove(".a.csv.psg-lock")
end_well(process)
check(content("a.csv").startswith(old) and [r["grid"] for r in rows("a.csv")][-2:] == ["91x91x91", "90x90x90"], what(rows("a.csv")))
# The lock of a process that was killed is gone with it. Its lock file is nothing to wait for, and is taken away.
with open(".a.csv.psg-lock", "w", encoding="ascii"):
    pass
check("waiting" not in end_well(start("--grid", "92", "--csv", "a.csv")), "waits for nobody")
check(not os.path.exists(".a.csv.psg-lock") and len(rows("a.csv")) == len(lines) + 2, sorted(files()))
# By another name it is the same file.
os.symlink("a.csv", "link.csv")
processes = [start("--grid", grids, "--sched", "lws,eager", "--quiet", "--csv", path)
             for grids, path in (("101,102", "a.csv"), ("103,104", "link.csv"))]
for process in processes:
    end_well(process)
check(len(rows("a.csv")) == len(lines) + 10 and os.path.islink("link.csv"), what(rows("a.csv")))
os.remove("link.csv")

# A JSON file beside several CSV files gets the rows of all, and keeps its own.
end_well(start("--grid", "6", "--csv", "d1.csv", "--json", "d.json"))
end_well(start("--grid", "7", "--csv", "d2.csv", "--json", "d.json"))
check([r["grid"] for r in rows("d.json")] == ["6x6x6", "7x7x7"], rows("d.json"))
end_well(start("--grid", "6,7", "--csv", "d2.csv", "--json", "d.json", "--again"))
check([r["grid"] for r in rows("d.json")] == ["7x7x7", "6x6x6"], rows("d.json"))
check([len(rows(name)) for name in ("d1.csv", "d2.csv")] == [1, 2], "a CSV file has another one's rows")
for one, other in zip(rows("d.json"), rows("d2.csv")):
    check(all(str(one[c]) == v or (v == "" and one[c] is None) or float(one[c]) == float(v) for c, v in other.items()), (one, other))

# Somebody removes the file while rows are measured: those of before are there again.
process = start("--grid", "40", "--sched", "lws,eager,prio,ws", "--repeat", "100", "--csv", "e.csv", "--quiet")
wait_for(process, "e.csv")
os.remove("e.csv")
end_well(process)
check(what(rows("e.csv")) == [("40x40x40", policy) for policy in ("eager", "lws", "prio", "ws")], rows("e.csv"))
check([r["sched"] for r in rows("e.csv")] == ["lws", "eager", "prio", "ws"], "their order: %s" % what(rows("e.csv")))

# Rows that were there already are said to be of then, and marked; --again replaces them.
text = content("d2.csv").splitlines(keepends=True)
days = [re.search(r"\d{4}-\d\d-\d\dT", line).group() for line in text[1:]]
with open("f.csv", "w", newline="", encoding="utf-8") as file:
    file.write(text[0] + text[1].replace(days[0], "2026-01-03T") + text[2].replace(days[1], "2026-01-05T"))
old = content("f.csv")
done = run("bench", *TINY, "--grid", "8,6,7", "--csv", "f.csv")
check("psg: note: f.csv: 2 of 3 rows were there already, of 2026-01-03 to 2026-01-05," in done.stderr and "--again" in done.stderr,
      done.stderr)
table = [line.split() for line in done.stdout.splitlines()[-3:]]
check([(line[0], "2026" in " ".join(line)) for line in table] == [("8x8x8", False), ("6x6x6", True), ("7x7x7", True)], done.stdout)
check(done.stdout.count(" ok, measured 2026-01-0") == 2 and done.stdout.count(" ok\n") == 1, done.stdout)
check(content("f.csv").startswith(old), "rows that were there have changed")
check(run("bench", *TINY, "--grid", "6", "--csv", "f.csv", "--quiet").stderr == "", "a note with --quiet")
done = run("bench", *TINY, "--grid", "6", "--csv", "f.csv", "--json", "f.json")
check("f.csv: 1 of 1 row was there already, of 2026-01-0" in done.stderr, done.stderr)
check("there already" in json.loads(content("f.json"))["notes"][0], "the note is not in the JSON file")
done = run("bench", *TINY, "--grid", "6,7", "--csv", "f.csv", "--again")
check("already" not in done.stderr and "measured" not in done.stdout, done)
check(len(rows("f.csv")) == 3 and "2026-01-0" not in content("f.csv"), "not measured anew: %s" % content("f.csv"))
done = run("bench", *TINY, "--grid", "7,9", "--json", "f.json")
check(what(rows("f.json")) == [(n, "default") for n in ("6x6x6", "7x7x7", "8x8x8", "9x9x9")] and "1 of 2 rows was" in done.stderr,
      (done.stderr, what(rows("f.json"))))

# Other JSON files are left as they are.
good = json.loads(content("f.json"))
for name, text, words in (("tune.json", indented({**good, "command": "tune"}), "not a JSON file of psg bench"),
                          ("list.json", "[]", "is there already"),
                          ("cut.json", content("f.json")[:-9], "not a JSON file of psg bench"),
                          ("text.json", "milk and eggs", "is there already"),
                          ("no-rows.json", indented({"command": "bench", "rows": 3}), "not a JSON file of psg bench"),
                          ("newer.json", indented({"command": "bench", "rows": [{"grid": "8x8x8", "more": 1}]}), "'more', which is not known"),
                          ("value.json", indented({"command": "bench", "rows": [{"grid": [8]}]}), "'grid', which is not known")):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    for options in ((), ("--csv", "new.csv")):
        refused("bench", "--grid", "8", "--json", name, *options, code=2, says=(name, words, "--force"))
    if name != "list.json":  # by a CSV file, and without
        run("bench", *TINY, "--grid", "8", "--quiet", "--json", name, "--force", *(("--csv", "new.csv") if name == "cut.json" else ()))
        check([row["grid"] for row in rows(name)] == ["8x8x8"], "%s: not replaced" % name)
with open("empty.json", "w", encoding="ascii"):
    pass
run("bench", *TINY, "--grid", "8", "--quiet", "--json", "empty.json")  # it has nothing to lose
check(len(rows("empty.json")) == 1, "empty.json")

# A signal while psg waits for the lock leaves the lock to its holder, and nothing else behind.
with open(".g.csv.psg-lock", "w", encoding="ascii") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    process = start("--grid", "6", "--csv", "g.csv")
    check("waiting" in process.stderr.readline(), "no words")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=patience(20))
    check(process.returncode == 130 and nobody_here(), process.returncode)
    check([name for name in files() if "g.csv" in name] == ["./.g.csv.psg-lock"], sorted(files()))
