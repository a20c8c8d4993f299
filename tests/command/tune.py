"""psg tune stores what it measured to be best, or that the default is; psg solve takes it where nothing was said, and
nowhere else; what cannot be used is passed over by psg solve and named by psg info."""

import glob
import json
import os
import signal
import subprocess
import sys
import time

from command import PSG, check, check_interrupted, default_signals, files, refused, run, \
    wait_until_caught, without_load, without_progress
from patience import patience

WRONG = os.path.abspath(sys.argv[2])
MPIRUN = sys.argv[3] if len(sys.argv) > 3 else ""
os.environ["XDG_CACHE_HOME"] = os.path.join(os.getcwd(), "cache")
os.mkdir("cache")
for name in ("STARPU_SCHED", "STARPU_NCPU"):
    os.environ.pop(name, None)
FIELDS = ("graph", "z", "exchange", "segment_planes", "sheets", "sched")
DEFAULT = dict.fromkeys(FIELDS)
TWO = ("--cpus", "2", "--gpus", "0")


def tune(*arguments, **more):
    return run("tune", *TWO, *arguments, **more)


def bad(*arguments, says, code=2, **more):
    refused("tune", *arguments, code=code, says=says, **more)


def entries():
    return sorted(glob.glob("cache/psg/tuned-*"))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def solved(*arguments, grid="24", two=TWO, **more):
    done = run("solve", "--problem", "modes", "--grid", grid, *two, "--effort", "estimate", "--json", "-", *arguments, **more)
    check(without_load(done.stderr) == "", done.stderr)
    return json.loads(done.stdout)


def listed():
    return json.loads(run("info", "--json", "-").stdout)["tuned"]


def choice_of(row):
    """What a row of the table was measured with, as the choice of an entry says it."""
    return {"graph": row["graph"], "z": row["z"], "exchange": None if row["exchange"] == "default" else row["exchange"],
            "segment_planes": row["segment_planes"] or None, "sheets": row["sheets"] or None,
            "sched": None if row["sched"] == "default" else row["sched"]}


def same_times(row, times):
    return all(abs(row[column] / times[key] - 1) < 1e-9
               for column, key in (("seconds_q1", "q1"), ("seconds", "seconds"), ("seconds_q3", "q3")))


def check_tuned(said, table, grid, more_than=5):
    """The JSON, the table and what is stored say the same, and it is among what was measured."""
    rows = said["rows"]
    default, short = rows[0], {key: value for key, value in said.items() if key != "rows"}
    check(len(rows) > more_than and choice_of(default) == {**DEFAULT, "graph": "fused"}, rows)
    check(all(row["status"] == "ok" and row["error"] <= row["tolerance"] for row in rows), rows)
    check(all((row["grid"], row["cpus"], row["precision"]) == (grid, "2", said["precision"]) for row in rows), rows)
    check(same_times(default, said["default"]), short)
    best = [row for row in rows if choice_of(row) == said["best_choice"]] or [default]
    check(same_times(best[0], said["best"]), short)
    check(said["best"]["seconds"] <= said["default"]["seconds"], short)
    check(abs(said["ratio"]["low"] * said["best"]["q3"] / said["default"]["q1"] - 1) < 1e-9, short)
    check(abs(said["ratio"]["median"] * said["best"]["seconds"] / said["default"]["seconds"] - 1) < 1e-9, short)
    stays = not said["best"]["q3"] < said["default"]["q1"]
    check(said["default_stays"] == stays or (said["default_stays"] and said["stored"] is None), short)
    if said["stored"] is not None:
        check(said["stored"] == (DEFAULT if stays else said["best_choice"]), short)
        (entry,) = [e for e in listed() if e["grid"] == said["grid"] and e["precision"] == said["precision"]]
        check(entry["state"] == "usable" and entry["choice"] == said["stored"], entry)
        check((entry["cpus"], entry["gpus"]) == (2, 0), entry)
        check(abs(entry["default_seconds"] - said["default"]["seconds"]) < 2e-9, entry)
        check(abs(entry["seconds"] - said["default" if stays else "best"]["seconds"]) < 2e-9, entry)
    lines = table.splitlines()
    check(("the default stays: " in table) == said["default_stays"], table)
    check(("stored " in table) == (said["stored"] is not None), table)
    (default_line,) = [line for line in lines if line.startswith("default   ")]
    check("%.4g ms" % (1e3 * said["default"]["seconds"]) in default_line, default_line)
    check(len([line for line in lines if line.startswith("ratio ")]) == (said["best_choice"] != DEFAULT), table)


def seconds(idle):
    """For --seconds: a search that is too short to compare, as on a busy machine, stores nothing."""
    return "%d" % patience(idle)


# A search: what it says, what it stores, and what psg solve makes of it.
done = tune("--grid", "24", "--seconds", seconds(20), "--json", "t.json")
check(done.stderr == "", done.stderr)
check_tuned(json.load(open("t.json")), done.stdout, "24x24x24")
check(len(entries()) == 1 and entries()[0].startswith("cache/psg/tuned-f64-2c0g-24x24x24-"), entries())
(stored,) = listed()
took = solved()
check(took["tuned"] == (stored["choice"] != DEFAULT), took)
for key in ("graph", "segment_planes", "sheets"):
    check(stored["choice"][key] in (None, took[key]), (stored, took))
check("Stored by psg tune:\n  24x24x24 f64 on 2 CPU: " in run("info").stdout, run("info").stdout)

# What is stored is by hand from here on.
path = entries()[0]
text = content(path).decode()
plain = solved("--tuned", "no")
check(not plain["tuned"] and plain["policy"] != "prio" and plain["graph"] == "fused", plain)


def write(**values):
    """The entry with other values: of an option, or of a comment."""
    names = {"z": "z_layout", "sched": "policy", "cpu": "# cpu", "versions": "# versions"}
    lines = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    lines.update({names.get(key, key): str(value) for key, value in values.items()})
    with open(path, "w") as file:
        file.write(text.splitlines()[0] + "\n")
        file.writelines("%s = %s\n" % line for line in lines.items())
        file.write("# end\n")


def cut(said):
    return said["graph"], said["z_layout"], said["segment_planes"], said["sheets"], said["policy"]


PLAIN = cut(plain)
CHOICE = {"graph": "staged", "z": "strided", "exchange": "managed", "segment_planes": 5, "sheets": 7, "sched": "prio"}
write(**CHOICE)
TUNED = ("staged", "strided", 5, 7, "prio")
said = solved()
check(cut(said) == TUNED and said["tuned"] is True and said["segments"] == 5, said)
check("5 segments of up to 5 planes, 7 sheets, tuned\n"
      in run("solve", "--problem", "modes", "--grid", "24", "--verbose", *TWO).stdout, "psg solve --verbose does not say that it is tuned")
for arguments, want, tuned in (
        (("--tuned", "no"), PLAIN, False),
        (("--segment-planes", "6"), ("staged", "strided", 6, 7, "prio"), True),
        (("--sheets", "2"), ("staged", "strided", 5, 2, "prio"), True),
        (("--z", "contiguous"), ("staged", "contiguous", 5, 7, "prio"), True),
        (("--graph", "staged"), TUNED, True),
        (("--graph", "fused"), PLAIN, True),  # a team, where no policy decides
        (("--sched", "eager"), TUNED[:4] + ("eager",), True),
        (("--precision", "f32"), None, False)):
    said = solved(*arguments)
    check(want is None or cut(said) == want, "%s: %s" % (arguments, cut(said)))
    check(said["tuned"] is tuned, "%s: tuned is %s" % (arguments, said["tuned"]))
check(cut(solved(env={**os.environ, "STARPU_SCHED": "ws"})) == TUNED[:4] + ("ws",), "over STARPU_SCHED")
# Any plan reads the file where it is named, and what follows it wins.
said = solved("--tuned", "no", "--options", path)
check(cut(said) == TUNED and not said["tuned"], said)
said = solved("--tuned", "no", "--options", path, "--sheets", "2", "--sched", "eager")
check(cut(said) == ("staged", "strided", 5, 2, "eager"), said)
with open("own.options", "w") as file:
    file.write("# by hand\n\nprecision = f32\nnonsense = 1\n")
for name, says in (("own.options", ("own.options, line 4", "nonsense")), ("none", ("No such file",))):
    refused("solve", "--problem", "modes", "--grid", "8", "--options", name, code=2, says=says)
with open("own.options", "w") as file:
    file.write("precision = f32\n")
said = solved("--options", "own.options", grid="8")
check(said["precision"] == "f32", said)
said = solved(two=("--cpus", "1", "--gpus", "0"))
check(not said["tuned"] and said["graph"] == "fused", said)
for grid, tuned, planes in (("24x24x30", True, 6), ("23x44x24", True, 5), ("22x24x24", False, None), ("24x46x24", False, None)):
    said = solved(grid=grid)
    check(said["tuned"] is tuned and planes in (None, said["segment_planes"]), "%s: %s" % (grid, cut(said)))
# A benchmark's default is the default.
run("bench", "--grid", "24", *TWO, "--repeat", "1", "--passes", "1", "--effort", "estimate", "--quiet", "--json", "b.json")
(row,) = json.load(open("b.json"))["rows"]
check((row["graph"], row["planes"], row["sheets_used"], row["policy"])
      == (plain["graph"], plain["segment_planes"], plain["sheets"], plain["policy"]), row)
if MPIRUN and json.loads(run("info", "--json", "-").stdout)["versions"]["MPI"]:
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for ranks in ("1", "2"):
        done = subprocess.run([MPIRUN, "--oversubscribe", "-n", ranks, PSG, "solve", "--problem", "modes", "--grid", "24",
                               "--effort", "estimate", "--json", "-"], stdout=subprocess.PIPE, text=True, timeout=patience(60),
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        check(done.returncode == 0 and not json.loads(done.stdout)["tuned"], done)

# An entry that cannot be used: psg solve passes over it without a word, psg info says why.
for values, state in (({"cpu": "Zuse Z3"}, "of another machine"), ({"versions": "psg 0.0.1"}, "of other versions"),
                      ({"graph": "frob"}, "damaged"), ({"sched": "frob"}, "damaged"), ({"nx": 25}, "damaged")):
    write(**{**CHOICE, **values})
    said = solved()
    check(cut(said) == PLAIN and not said["tuned"], "%s: %s" % (values, cut(said)))
    check([entry["state"] for entry in listed()] == [state], listed())
    check(state + ", not used" in run("info").stdout, run("info").stdout)
write(**CHOICE)
whole = content(path)
for spoilt in (b"", b"garbage", whole[:-1], whole[:-5], whole[:100], whole + b"more", b"\0" * 100000):
    with open(path, "wb") as file:
        file.write(spoilt)
    said = solved()
    check(cut(said) == PLAIN and not said["tuned"], cut(said))
    check([entry["state"] for entry in listed()] == ["damaged"], listed())

# What was stored is measured again, beside the others; and policies that need models have these measured.
write(**CHOICE)
tune("--grid", "24", "--seconds", seconds(20), "--sched", "dmda", "--json", "t2.json", "--quiet")
t2 = json.load(open("t2.json"))
check(CHOICE in [choice_of(row) for row in t2["rows"]], t2["rows"])
check([(row["sched"], row["models"]) for row in t2["rows"] if row["sched"] not in ("default", "prio")]
      in ([], [("dmda", "calibrated")]), t2["rows"])
# On standard output there is JSON alone; another precision is another entry; f32 has its own tolerance.
out = tune("--grid", "9x10x11", "--precision", "f32", "--seconds", seconds(20), "--json", "-").stdout
check(json.loads(out)["grid"] == [9, 10, 11] and json.loads(out)["precision"] == "f32", out)
check(tune("--grid", "9x10x11", "--seconds", seconds(20), "--quiet").stdout == "", "a table with --quiet")
check(len(entries()) == 3, entries())

# Two at once: of one grid the later one's, and of two both, whole.
both = [subprocess.Popen([PSG, "tune", *TWO, "--grid", grid, "--seconds", seconds(50), "--quiet"], preexec_fn=default_signals)
        for grid in ("12", "12", "13")]
check([process.wait(timeout=patience(120)) for process in both] == [0, 0, 0], "tuning at the same time")
check(sorted(entry["state"] for entry in listed()) == 5 * ["usable"], listed())

# A wrong answer is not stored, however fast it comes.
old = files()
done = run("tune", *TWO, "--grid", "14", "--seconds", seconds(20), code=1, env={**os.environ, "LD_PRELOAD": WRONG, "WRONG": "value", "ASAN_OPTIONS": "verify_asan_link_order=0"})
check("the default cannot be measured: its answer is wrong" in done.stderr, done.stderr)
check([name for name in files() if name not in old and "wisdom" not in name] == [], files())

# SIGINT leaves what was stored, and no process; or it comes when all has been done.
old = {name: content(name) for name in entries()}
interrupted = 0
for wait in (0.2, 1.0, 3.0):
    process = subprocess.Popen([PSG, "tune", *TWO, "--grid", "24", "--seconds", "100"], start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    wait_until_caught(process, signal.SIGINT)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=patience(20))
    if process.returncode == 0:
        check("stored" in out and without_progress(error) == "", (out, error))
        old = {name: content(name) for name in entries()}
        continue
    interrupted += 1
    check_interrupted(process, out, error)
    check({name: content(name) for name in entries()} == old, "SIGINT changed what is stored")
    check(glob.glob("cache/psg/.*") == [], "temporary files are left")
check(interrupted > 0, "no SIGINT came in time")

# Bad input.
bad(says=("nothing to tune", "--grid", "--forget"))
bad("--grid", "24", "--forget", says=("--forget", "alone"))
for text_ in ("0", "", "8,9", "8x9x", "-8", "8,,9", "x"):
    bad("--grid", text_, says=("--grid '%s'" % text_, "whole numbers from 1"))
bad("--grid", "31,32,33", says=("--grid '31,32,33'", "did you mean --grid 31x32x33?"))
for text_ in ("0", "-1", "1.5", "", "x"):
    bad("--grid", "8", "--seconds", text_, says=("--seconds '%s'" % text_, "a whole number from 1"))
bad("--grid", "8", "--second", "x", says=("--seconds 'x'",))
bad("--grid", "8", "--secnds", "1", says=("unknown option '--secnds'", "did you mean '--seconds'?"))
bad("--grid", "8", "--graph", "fused", says=("unknown option '--graph'",))
bad("--grid", "8", "--sched", "lws,frob", says=("--sched 'frob'", "there are:", "lws"))
bad("--grid", "8", "--sched", "lws", says=("STARPU_SCHED",), env={**os.environ, "STARPU_SCHED": "ws"})
bad("--grid", "8", "--cpus", "0", "--gpus", "0", says=("--cpus 0 --gpus 0",))
bad("--grid", "8", "--precision", "f16", says=("--precision 'f16'", "f64, f32"))
bad("--grid", "100000", *TWO, says=("--grid", "needs ", "PiB", "this machine has"))
bad("--grid", "8", "--gpus", "4096", code=1, says=("the default cannot be measured", "gpus = 4096"))
bad("--grid", "8", "--json", "no/such/file", code=1, says=("no/such/file", "cannot be written"))
bad("--grid", "8", code=1, says=("/dev/null/psg", "cannot be made"), env={**os.environ, "XDG_CACHE_HOME": "/dev/null"})
bare = {name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "HOME")}
bad("--grid", "8", code=1, says=("XDG_CACHE_HOME",), env=bare)
bad("--grid", "8", *TWO, env={**os.environ, "OMPI_COMM_WORLD_SIZE": "1", "PMI_SIZE": "1"}, code=2, says=("without mpirun",)) \
    if not MPIRUN else None
bad("solve", says=("unexpected argument",))
refused("keep", code=2, says=("started by psg tune alone",))
refused("solve", "--problem", "modes", "--grid", "8", "--tuned", "maybe", code=2, says=("--tuned 'maybe'", "one of yes, no"))

# Forgetting removes what is this machine's, in whatever state; others' stays.
write(graph="frob")
other = "cache/psg/tuned-f64-2c0g-8x8x8-elsewhere.%s" % os.path.basename(path).split("-", 4)[4]
with open(other, "w") as file:
    file.write(text)
check(run("tune", "--forget").stdout == "removed 5 entries of this machine\n", entries())
check(entries() == [other] and not solved()["tuned"], entries())
check(run("tune", "--forget", "--quiet").stdout == "" and entries() == [other], entries())
os.remove(other)
check(listed() == [] and "Stored by psg tune: nothing\n" in run("info").stdout, run("info").stdout)
