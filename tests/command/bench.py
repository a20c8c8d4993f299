"""psg bench measures every combination of its lists once, says of each why it failed if it did, keeps what a
file has already, and loses nothing of it."""

import csv
import io
import json
import math
import os
import shutil
import resource
import signal
import subprocess
import time

from command import PSG, check, check_interrupted, default_signals, files, nobody_here, refused, run, \
    wait_until_caught, without_load
from patience import patience

TINY = ("--grid", "8", "--repeat", "1", "--passes", "1", "--warm-up", "0", "--effort", "estimate", "--gpus", "0")
STAGED = "fft_xy pack unpack fft_z divide ifft_z ifft_xy normalize".split()
FUSED = "forward_xy kspace inverse_xy".split()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def bench(*arguments, **more):
    return run("bench", *arguments, **more)


def bad(*arguments, says, code=2, **more):
    refused("bench", *arguments, code=code, says=says, **more)


def quiet(done):
    """Nothing on stderr but what others do on this machine at the time of the test, which is none of its business."""
    return without_load(done.stderr) == ""


def number(row, column):
    return float(row[column])


def content(path):
    with open(path, "rb") as file:
        return file.read()


# Every combination is a row, in the order of the lists; the numbers of a row belong together.
done = bench("--grid", "9,8x7x6", "--precision", "f64,f32", "--cpus", "1,2", "--graph", "fused,staged", "--gpus", "0",
             "--effort", "estimate", "--repeat", "4", "--csv", "a.csv", "--json", "a.json", "--segment-planes", "3")
a = rows("a.csv")
check(sorted(files()) == ["./a.csv", "./a.json"], sorted(files()))
check([(r["grid"], r["precision"], r["cpus"], r["graph"]) for r in a]
      == [(g, p, c, v) for g in ("9x9x9", "8x7x6") for p in ("f64", "f32") for c in "12" for v in ("fused", "staged")],
      "rows: %s" % [list(r.values())[:6] for r in a])
for r in a:
    n = number(r, "points")
    check(n == math.prod(map(int, r["grid"].split("x"))), r)
    check(r["status"] == "ok" and 0 < number(r, "error") <= number(r, "tolerance"), r)
    check(number(r, "tolerance") == (1e-13 if r["precision"] == "f64" else 1e-5), r)
    times = [number(r, "seconds" + which) for which in ("_min", "_q1", "", "_q3", "_max")]
    check(0 < times[0] and times == sorted(times), "times %s" % times)
    check(abs(number(r, "gflops") * number(r, "seconds") * 1e9 / (10 * n * math.log2(n)) - 1) < 1e-9, r)
    check((r["repeats"], r["warm_up"], r["seed"], r["ranks"], r["models"]) == ("4", "2", "1", "1", "unused"), r)
    check((r["sched"], r["exchange"], r["exchange_used"], r["planes"]) == ("default", "default", "managed", "3"), r)
    check(r["z"] == ("contiguous" if r["graph"] == "staged" else ""), r)
    check((r["workers_cpu"], r["workers_gpu"]) == (r["cpus"], "0") and r["policy"], r)
    check(len(r["busy_workers"].split()) == int(r["cpus"]), r["busy_workers"])
    check(0 < number(r, "busy") <= number(r, "busiest") and abs(number(r, "idle") + number(r, "busy") - 1) < 1e-9, r)
    for stage in STAGED + FUSED + ["exchange"]:
        there = stage in (STAGED if r["graph"] == "staged" else FUSED)
        check((number(r, stage + "_seconds") > 0) == there, "%s of %s" % (stage, r))
    check(r["psg_version"] and r["starpu_version"] and r["fftw_version"] and r["host"] and int(r["cores"]) >= 1, r)
    check(abs(time.time() - time.mktime(time.strptime(r["date"], "%Y-%m-%dT%H:%M:%SZ")) + time.timezone) < 120, r["date"])
with open("a.json", encoding="utf-8") as file:
    j = json.load(file)
check(j["command"] == "bench" and len(j["rows"]) == len(a), j)
for r, k in zip(a, j["rows"]):
    check(sorted(r) == sorted(k), sorted(k))
    for column, value in k.items():
        same = r[column] == value if isinstance(value, str) else r[column] == "" if value is None else number(r, column) == value
        check(same, "%s: %r in JSON, %r in CSV" % (column, value, r[column]))
    check(isinstance(k["seconds"], float) and isinstance(k["segment_planes"], int) and k["grid"] == r["grid"], k)
lines = done.stdout.splitlines()
check(lines[0].startswith("gpus 0, cpu-share auto, placement pinned, sched default, "), done.stdout)
problems = {(r["grid"], r["precision"]) for r in a}
check(lines[3 + len(a)] == "" and len(lines) == 4 + len(a) + len(problems)
      and all(", fastest: " in line for line in lines[4 + len(a):]), done.stdout)
check(lines[2].split()[:5] == ["grid", "precision", "cpus", "graph", "z"] and lines[3].endswith(" ok"), done.stdout)
check(quiet(done), done.stderr)

# The stages of a solve are the time in which its workers are busy.
bench(*TINY, "--grid", "48", "--cpus", "2", "--graph", "fused,staged", "--quiet", "--csv", "b.csv")
for r in rows("b.csv"):
    stages = sum(number(r, stage + "_seconds") for stage in STAGED + FUSED)
    busy = number(r, "busy") * 2 * number(r, "seconds")
    check(abs(stages / busy - 1) < 1e-6, "stages %g, busy %g: %s" % (stages, busy, r))
    check(abs(sum(map(float, r["busy_workers"].split())) / 2 - number(r, "busy")) < 2e-3, r)
    check(stages <= 2 * number(r, "seconds"), "more than two workers can do: %s" % r)

# What is in the file is not measured again: not one byte of it changes. More of it is added.
old, when = content("b.csv"), os.stat("b.csv")
done = bench(*TINY, "--grid", "48", "--cpus", "2", "--graph", "staged,fused", "--csv", "b.csv", "--json", "b.json")
check(content("b.csv") == old and os.stat("b.csv").st_ino == when.st_ino, "the file was written again")
check(len(done.stdout.splitlines()) == 5 and len(json.load(open("b.json"))["rows"]) == 2, done.stdout)
bench(*TINY, "--grid", "48,6", "--cpus", "2", "--graph", "fused,staged", "--quiet", "--csv", "b.csv")
check(content("b.csv").startswith(old) and len(rows("b.csv")) == 4, "rows were not added")
check([r["grid"] for r in rows("b.csv")] == 2 * ["48x48x48"] + 2 * ["6x6x6"], "rows were not added")
# A row of fewer repeats is measured again, in its place.
bench(*TINY, "--grid", "48", "--cpus", "2", "--repeat", "2", "--quiet", "--csv", "b.csv")
check([r["repeats"] for r in rows("b.csv")] == ["2", "1", "1", "1"], rows("b.csv"))
# So is a configuration of which the file has another machine's, whatever characters its name has; that row stays.
text = content("b.csv").decode()
lines = text.splitlines()
machine = rows("b.csv")[0]["host"]
for other, quoted in (('o,t"h\ner', '"o,t""h\ner"'), ("", "")):
    lines[1] = lines[1].replace(",%s," % machine, ",%s," % quoted)
    with open("c.csv", "w", newline="") as file:
        file.write("\r\n".join(lines[:2]) + "\r\n")
    bench(*TINY, "--grid", "48", "--cpus", "2", "--repeat", "2", "--quiet", "--csv", "c.csv")
    c = rows("c.csv")
    check([r["host"] for r in c] == [other, machine], c)
    check({**c[0], "host": ""} == {**rows("b.csv")[0], "host": ""}, c[0])
    lines[1] = lines[1].replace(",%s," % quoted, ",%s," % machine, 1)

# Bounds, which rows that have none are measured again for.
old = rows("b.csv")
check(all(r["bound_seconds"] == r["bound_by"] == r["of_bound"] == "" for r in old), old)
asked = (*TINY, "--grid", "48", "--cpus", "2", "--graph", "fused,staged", "--bounds", "--csv", "b.csv")
table = [line.split() for line in bench(*asked).stdout.splitlines() if line.strip()]
check(table[1][-2:] == ["bound", "status"], table[1])
for r, line in zip(rows("b.csv")[:2], table[2:]):
    check(line[-2] == "%.0f%%" % (100 * number(r, "of_bound")), (r["of_bound"], line))
for r in rows("b.csv")[:2]:
    each = {name: number(r, "bound_%s_seconds" % name) for name in ("path", "work", "memory", "link")}
    check(0 < each["path"] <= number(r, "seconds") and 0 < each["work"] <= number(r, "seconds"), r)
    check(number(r, "bound_seconds") == max(each.values()) == each[r["bound_by"]] and 0 < number(r, "of_bound") <= 1, r)
    check(0 < each["work"] <= number(r, "busy") * number(r, "seconds") * (1 + 1e-6), "work, and busy: %s" % r)
check(rows("b.csv")[2:] == old[2:], "rows that were not asked for have changed")
when = content("b.csv")
bench(*asked)
check(content("b.csv") == when, "rows with bounds are measured again")

# What fails is a row that says why, and is tried again; only if all fail it is an error.
done = bench(*TINY, "--gpus", "0,4096", "--cpus", "1", "--csv", "d.csv")
good, failed = rows("d.csv")
check(good["status"] == "ok" and "gpus = 4096" in failed["status"], failed["status"])
check(failed["seconds"] == "" and failed["repeats"] == "0" and failed["host"], failed)
check("gpus = 4096" in done.stdout and quiet(done), done)
done = bench(*TINY, "--gpus", "4096", "--csv", "d.csv", code=1)
check("all configurations failed" in done.stderr and "gpus = 4096" in done.stderr, done.stderr)
check(len(rows("d.csv")) == 3 and rows("d.csv")[:2] == [good, failed], rows("d.csv"))
bench(*TINY, "--cpus", "1", "--exchange", "managed,alltoall", "--csv", "e.csv", "--quiet")
check("exchange alltoall is between processes: give --ranks" in rows("e.csv")[1]["status"] and rows("e.csv")[0]["status"] == "ok", rows("e.csv"))
bench(*TINY, "--grid", "8,100000", "--csv", "e2.csv", "--quiet")
check([r["status"][:6] for r in rows("e2.csv")] == ["ok", "needs "], rows("e2.csv"))
bench(*TINY, "--cpus", "0,1", "--csv", "e3.csv", "--quiet")
check("nothing to compute on" in rows("e3.csv")[0]["status"] and rows("e3.csv")[1]["status"] == "ok", rows("e3.csv"))

# A policy that crashes, here by StarPU's watchdog, costs its own rows.
watchdog = {**os.environ, "STARPU_WATCHDOG_TIMEOUT": "1", "STARPU_WATCHDOG_CRASH": "1"}
bench(*TINY, "--grid", "90", "--cpus", "1", "--graph", "staged", "--segment-planes", "15", "--csv", "crash.csv", "--json", "crash.json", code=1,
      env=watchdog)
check(rows("crash.csv")[0]["status"].startswith("crashed while "), rows("crash.csv"))
check("signal" in json.load(open("crash.json"))["rows"][0]["status"], "crash.json")
# One that does not come to an end is given up; the one beside it is measured. The limit is some times what a small one
# takes from start to end on the machine as it is now: the load may be younger than its average.
LONG = ("--effort", "patient", "--cpus", "1", "--gpus", "0", "--repeat", "1", "--quiet")
own = {**os.environ, "XDG_CACHE_HOME": os.getcwd()}
started = time.monotonic()
bench("--grid", "8", *LONG, "--csv", "small.csv", env=own)
seconds = math.ceil(max(patience(2), 5 * (time.monotonic() - started)))
started = time.monotonic()
bench("--grid", "8,1511x1307x5", *LONG, "--patience", str(seconds), "--csv", "hang.csv", timeout=100 + 2 * seconds, env=own)
check([r["status"][:9] for r in rows("hang.csv")] == ["ok", "was still"], rows("hang.csv"))
check("planning after %d s" % seconds in rows("hang.csv")[1]["status"], rows("hang.csv")[1]["status"])
took = time.monotonic() - started
check(took < 4 * seconds + patience(15), "giving up took %.0f s, with %d s of patience" % (took, seconds))

# Policies that decide by performance models have them measured first.
bench(*TINY, "--cpus", "2", "--sched", "lws,dmda", "--calibrate", "3", "--csv", "m.csv", "--quiet")
check([(r["sched"], r["policy"], r["models"]) for r in rows("m.csv")]
      == [("lws", "lws", "unused"), ("dmda", "dmda", "calibrated")], rows("m.csv"))
bench(*TINY, "--cpus", "2", "--sched", "dmda", "--calibrate", "0", "--csv", "m2.csv", "--quiet")
check(rows("m2.csv")[0]["models"] == "as found", rows("m2.csv"))
os.mkdir("models")
models = {**os.environ, "XDG_CACHE_HOME": os.path.join(os.getcwd(), "models")}
known = []
for policy in ("lws", "dmda", "dmda"):
    bench(*TINY, "--cpus", "1", "--sched", policy, "--calibrate", "15", "--quiet", env=models)
    known.append([digest for name, digest in files().items() if "psg_kspace_f64" in name])
check(known[0] == [] and known[1] and known[2] and known[1] != known[2], "models are not measured on: %s" % known)

# Models are of tasks: what is measured under one policy serves the others.
folder = os.path.join(os.getcwd(), "models-two")
os.mkdir(folder)
bench(*TINY, "--cpus", "1", "--sched", "dmda,dmdas", "--calibrate", "30", "--quiet", env={**os.environ, "XDG_CACHE_HOME": folder})
texts = [content(name).decode() for name in files() if name.startswith("./models-two") and "psg_kspace_f64." in name]
check(len(texts) == 1, sorted(files()))
samples = int(texts[0].rstrip().splitlines()[-1].split()[-1])
check(0 < samples <= 30, "measured %d times" % samples)

# Several in flight; plans that do not fit together; the studies, with lists replaced.
bench(*TINY, "--in-flight", "1,3", "--memory", "1e-9", "--csv", "f.csv", "--quiet")
check([(r["in_flight"], r["status"]) for r in rows("f.csv")] == [("1", "ok"), ("3", "ok")], rows("f.csv"))
bench("--study", "segments", *TINY, "--csv", "g.csv", "--quiet")
check([(r["graph"], r["segment_planes"]) for r in rows("g.csv")]
      == [(g, p) for g in ("fused", "staged") for p in "1248"], rows("g.csv"))
bench("--study", "variants", *TINY, "--csv", "variants.csv", "--quiet")
check([(r["graph"], r["z"]) for r in rows("variants.csv")]
      == [("fused", ""), ("staged", "contiguous"), ("staged", "strided")],
      rows("variants.csv"))
bench("--study", "node", *TINY, "--csv", "h.csv", "--quiet")
bench("--study", "stages", *TINY, "--cpus", "2", "--csv", "stages.csv", "--quiet")
r, = rows("stages.csv")
check((r["graph"], r["segments"], r["status"]) == ("staged", "1", "ok"), r)
bench("--study", "scaling", *TINY, "--cpus", "2", "--ranks", "1", "--csv", "scaling.csv", "--quiet")
check([(r["ranks"], r["cpus"], r["gpus"]) for r in rows("scaling.csv")]
      == [("1", "2", "0"), ("1", "1", "0")], rows("scaling.csv"))
cpus = [int(r["cpus"]) for r in rows("h.csv")]
check(cpus[0] == 1 and cpus == sorted(set(cpus)) and all(r["status"] == "ok" for r in rows("h.csv")), rows("h.csv"))

# A worker cannot be busy for more than a third of a time that is that of three solves; on a busy machine it may be less.
busiest = 0
for attempt in range(20):
    bench(*TINY, "--grid", "90", "--in-flight", "3", "--cpus", "1", "--warm-up", "1", "--csv", "k.csv", "--again", "--quiet")
    busiest = max(busiest, number(rows("k.csv")[0], "busiest"))
    if busiest > 0.4:
        break
check(busiest > 0.4, "the time is that of three solves: %s" % rows("k.csv"))

# To stdout there is the file alone.
out = bench(*TINY, "--csv", "-").stdout
check(len(list(csv.DictReader(io.StringIO(out)))) == 1 and out.startswith("grid,precision,"), out)
check(len(json.loads(bench(*TINY, "--json", "-").stdout)["rows"]) == 1, "JSON on stdout")
check(bench(*TINY, "--quiet").stdout == "", "a table with --quiet")

# Bad input is refused with words, and no file is touched.
policies = [line[2:].split()[0] for line in run("info", "--gpus", "0").stdout.split("):\n")[1].split("\n\n")[0].splitlines()]
check(len(policies) >= 10, policies)
bad("--grid", "8", "--sched", "lws,frob", says=["--sched 'frob'", "there are:"] + policies)
bad("--study", "frob", says=("--study 'frob'", "one of node, stages, segments, policies, variants, scaling, overlap, hetero"))
bad("--study", "stage", says=("did you mean 'stages'?",))
bad(says=("--grid", "--study"))
bad("--study", "overlap", "--cpus", "0", "--gpus", "0", says=("--study overlap", "nothing is left", "without cores and GPUs"))
bad("--grid", "8", "--large", says=("--large is for --study",))
bad("--grid", "", says=("--grid ''", "values with commas between"))
for text in ("8,", ",8", "8,,9", "0", "8,8x8x", "8 ", "-8"):
    bad("--grid", text, says=("--grid '", "whole numbers"))
for option in ("cpus", "gpus", "segment-planes", "sheets", "in-flight", "ranks"):
    for text in ("1,", "1,-1"):
        bad("--grid", "8", "--" + option, text, says=("--%s '" % option, "expected"))
for option, words in (("precision", "f64, f32"), ("graph", "fused, staged"), ("z", "contiguous, strided"),
                      ("exchange", "managed, direct"), ("effort", "measure, estimate, patient")):
    bad("--grid", "8", "--" + option, "default,frob", says=("--%s 'frob'" % option, words))
bad("--grid", ",".join(str(n) for n in range(1, 300)), says=("--grid", "256"))
bad("--grid", ",".join(str(n) for n in range(1, 250)), "--cpus", ",".join(str(n) for n in range(1, 250)),
    says=("10000 configurations",))
for option, text in (("repeat", "0"), ("passes", "0"), ("warm-up", "-1"), ("seed", "x"), ("calibrate", "-1"),
                     ("memory", "-1"), ("patience", "0")):
    bad("--grid", "8", "--" + option, text, says=("--%s '%s'" % (option, text), "a "))
bad("--grid", "8", "--csv", "-", "--json", "-", says=("--csv", "--json", "stdout"))
bad("--grid", "8", "--csv", "a.csv", "--json", "./a.csv", says=("same file",))
bad("--grid", "8", "--csv", "no/such/folder.csv", code=1, says=("no/such/folder.csv", "cannot be written"))
bad("--grid", "8", "--csv", "a.csv", "--json", "no/such/folder", code=1, says=("no/such/folder", "cannot be written"))
bad("--grid", "8", "--csv", os.fsdecode(b"a\xff.csv"), says=("--csv: ", "is not UTF-8"))
os.mkdir("folder")
bad("--grid", "8", "--csv", "folder", code=1, says=("folder: not a regular file",))
os.mkfifo("pipe")  # which has no end
done = bench("--grid", "8", "--csv", "pipe", code=1, timeout=20)
check("pipe: not a regular file" in done.stderr and done.stdout == "", done)
os.remove("pipe")
good = content("a.csv").decode()
header, first = good.splitlines()[:2]
for name, text, words in (
        ("notes.txt", "milk\neggs\n", "its column 1 is 'milk' instead of 'grid'"),
        ("binary", "\0\1\2\3", "not a file of psg bench"),
        ("other.csv", "precision,grid\nf64,8\n", "its column 1 is 'precision' instead of 'grid'"),
        ("foreign.csv", header.replace("status", "result") + "\n", "is 'result' instead of 'status'"),
        ("newer.csv", header + ",more\n", "its first line goes on after column %d" % len(header.split(","))),
        ("older.csv", header.rsplit(",", 1)[0] + "\n", "its first line ends after column %d" % (len(header.split(",")) - 1)),
        ("head.csv", header, "its first line does not end"),
        ("short.csv", header + "\n" + first[:-40] + "\n", "line 2 is no row"),
        ("cut.csv", good[:-5], "line %d is no row" % len(good.splitlines())),
        ("long.csv", header + "\n" + first + ",1\n", "line 2 is no row"),
        ("quote.csv", header + "\n" + first.replace("f64", 'f"64') + "\n", "line 2 is no row"),
        ("open.csv", header + "\n" + first.replace("f64", '"f64') + "\n", "line 2 is no row"),
        ("after.csv", header + "\n" + first.replace("f64", '"f64"x') + "\n", "line 2 is no row")):
    with open(name, "w", newline="") as file:
        file.write(text)
    bad("--grid", "8", "--csv", name, says=(name + ": ", words))
# Files that older versions wrote, and a row of another version, which stays beside the new one.
recorded = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab", "results")
for name, words in (("segments-2core-recorded-2026-11-20", "column 6 is 'sched' instead of"),
                    ("policies-free-h200-2026-11-22", "column 6 is 'sched' instead of"),
                    ("node-h100-2026-11-27", "is 'nodes' instead of 'wire'")):
    shutil.copy(os.path.join(recorded, name + ".csv"), "recorded.csv")
    old = content("recorded.csv")
    bad("--grid", "8", "--csv", "recorded.csv",
        says=("recorded.csv: ", "of another version", words, "left as it is"))
    check(content("recorded.csv") == old, name)
bench(*TINY, "--quiet", "--csv", "versions.csv")
version = ",%s," % rows("versions.csv")[0]["psg_version"]
old = content("versions.csv").decode().replace(version, ",0.0.9,")
with open("versions.csv", "w", newline="") as file:
    file.write(old)
bench(*TINY, "--quiet", "--csv", "versions.csv")
check(content("versions.csv").decode().startswith(old), "a row of another version")
check(len(rows("versions.csv")) == 2, "no row of this version")
# It starts processes itself: what looks like one of several does not.
done = subprocess.run([PSG, "bench", *TINY], env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True, timeout=patience(60))
check(done.returncode in (1, 2) and done.stderr.startswith("psg: ") and done.stdout == "", done)
with open("full.csv", "w"):
    pass
bench(*TINY, "--quiet", "--csv", "full.csv")  # an empty file has nothing to lose
check(len(rows("full.csv")) == 1, rows("full.csv"))


# Where the file cannot be written in the end, the old one stays, and the numbers are shown all the same.
def small_disk():
    default_signals()
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


old = content("a.csv")
done = bench(*TINY, "--grid", "10,11", "--cpus", "1", "--csv", "a.csv", code=1, before=small_disk)
check("a.csv: cannot be written: File too large" in done.stderr and content("a.csv") == old, done.stderr)
check(done.stdout.count(" ok\n") == 2, done.stdout)

# SIGINT keeps the rows that are done, removes temporary files, and leaves no process behind.
old = files()
process = subprocess.Popen([PSG, "bench", "--grid", "40", "--sched", "lws,eager,prio,ws", "--effort", "estimate", "--gpus", "0",
                            "--cpus", "1", "--repeat", "400", "--passes", "1", "--csv", "i.csv", "--json", "i.json"], start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
until = time.monotonic() + patience(60)
while not os.path.exists("i.json"):
    check(process.poll() is None and time.monotonic() < until, "no row came")
    time.sleep(0.005)
process.send_signal(signal.SIGINT)
out, error = process.communicate(timeout=patience(20))
check_interrupted(process, out, error)
i = rows("i.csv")
check(1 <= len(i) < 4 and all(r["status"] == "ok" and r["repeats"] == "400" for r in i), "%d rows" % len(i))
with open("i.json", encoding="utf-8") as file:
    check([r["sched"] for r in json.load(file)["rows"]] == [r["sched"] for r in i], "i.json has other rows than i.csv")
check(sorted(files()) == sorted([*old, "./i.csv", "./i.json"]), sorted(files()))
check(nobody_here(), "a process is left")
old = content("i.csv")
bench("--grid", "40", "--sched", i[0]["sched"], "--effort", "estimate", "--gpus", "0", "--cpus", "1", "--csv", "i.csv", "--quiet")
check(content("i.csv") == old, "a row that SIGINT left was measured again")

# Nor does it while FFTW searches for its plans; and if it is killed outright its child ends too.
for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
    process = subprocess.Popen([PSG, "bench", "--grid", "311x307x293", "--effort", "patient", "--cpus", "1", "--gpus", "0"],
                               start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=default_signals, env={**os.environ, "XDG_CACHE_HOME": os.getcwd()})
    wait_until_caught(process, signal.SIGINT)
    time.sleep(1)
    process.send_signal(number)
    process.communicate(timeout=patience(20))
    check(process.returncode == code and nobody_here(), "signal %d: %d, or a process is left" % (number, process.returncode))
