"""psg run: the lines, the JSON, the trace and the task graph of a workload are about the same run, which was right. What
cannot be run is refused in words, with exit code 2."""

import json
import re
import sys

sys.path.insert(0, sys.argv[2])

from command import check, files, refused, run  # noqa: E402

EP = ("run", "ep:S", "--tile", "20", "--gpus", "0", "--cpus", "2")
CHUNKS = 16


def lines():
    said = run(*EP, "--repeat", "2", "--bounds").stdout
    for words in (r"^workload  ep:S: 2\^24 pairs in 16 chunks of 2\^20$", r"^workers   2 CPU, 0 GPU$",
                  r"^tasks     ep_chunk: 16 on cores in [\d.e-]+ s$", r"^          ep_add: 15 on cores in [\d.e-]+ s$",
                  r"^run       [\d.e-]+ s median, [\d.e-]+ s minimum of 2; [\d.e-]+ s all together$",
                  r"^bound     [\d.e-]+ s by \w+: \d+ % of the last run's [\d.e-]+ s$",
                  r"^answer    sum_x     -3247\.8346520\d+; known -3247\.8346520\d+, difference [\d.e+-]+$",
                  r"^          count_0   6140517; known 6140517, difference 0\.0e\+00$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))
    check(run(*EP, "--quiet").stdout == "", "not quiet")


def bounded():
    """An answer that is known but for a bound."""
    if re.search(r"^LAPACK +not built in$", run("--version").stdout, re.M):
        refused("run", "qr:100", code=2, says=("qr needs LAPACK",))
        return
    said = run("run", "qr:130x100", "--tile", "64", "--precision", "f32", "--gpus", "0", "--cpus", "2").stdout
    for words in (r"^workload  qr:130x100: 130 x 100 in f32, 3 x 2 tiles of 64 x 64, 32 reflectors at once$",
                  r"^tasks     geqrt: 2 on cores in [\d.e-]+ s$", r"^          tsmqr: 2 on cores in [\d.e-]+ s$",
                  r"^answer    residual  [\d.e-]+; at most 10$", r"^          orthogonal [\d.e-]+; at most 10$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))
    said = run("run", "qr:130x100:givens", "--tile", "64", "--gpus", "0", "--cpus", "2").stdout
    for words in (r"givens: 130 x 100 in f64, 3 x 2 tiles of 64 x 64, rotations$",
                  r"^tasks     givens_factor: 2 on cores in [\d.e-]+ s$",
                  r"^          givens_update: 2 on cores in [\d.e-]+ s$",
                  r"^answer    residual  [\d.e-]+; at most 10$"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))


def axes():
    """Of a 3-D array the line says what its axes become, and the report how much memory moves."""
    said = run("run", "transpose:30x20x10:yzx:complex:inplace", "--tile", "10", "--gpus", "0",
               "--bounds").stdout
    for words in (r": 30 x 20 x 10 to yzx in complex f64 in place, 3 x 2 x 1 tiles of 10 x 10 x",
                  r"transpose_swap: \d+ on cores", r"^answer    right     6000; known 6000,"):
        check(re.search(words, said, re.M), "no %s in\n%s" % (words, said))


def reports():
    run(*EP, "--sched", "eager", "--priority", "path", "--json", "r.json", "--trace", "t.json", "--dag", "g.dot", "--bounds")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)
    check(report["workload"] == "ep:S" and report["policy"] == "eager" and report["priority"] == "path" and report["tile"] == 20
          and report["status"] == 0, report)
    check({name: kind["cores"]["tasks"] + kind["gpus"]["tasks"] for name, kind in report["tasks"].items()}
          == {"ep_chunk": CHUNKS, "ep_add": CHUNKS - 1}, report["tasks"])
    check(0 < report["bounds"]["seconds"] <= report["bounds"]["run"] == report["seconds"]["runs"][-1], report)
    check(report["answers"]["count_1"] == {"value": 5865300, "expected": 5865300, "tolerance": 0}, report["answers"])
    with open("t.json", encoding="utf-8") as file:
        trace = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X" and e["cat"] != "submission"]
    names = sorted(" ".join([e["name"]] + [str(e["args"][at]) for at in ("row", "column", "step") if at in e["args"]])
                   for e in trace)
    wanted = ["ep_chunk %d" % c for c in range(CHUNKS)]
    wanted += ["ep_add %d %d" % (c, step) for step in range(4) for c in range(0, CHUNKS, 2 << step)]
    check(names == sorted(wanted), names)
    with open("g.dot", encoding="utf-8") as file:
        graph = file.read()
    check(sorted(re.findall(r'tooltip="(ep_[^:"]*):', graph)) == names, "other tasks in %s" % graph)
    check(len(re.findall(r"^    t\d+ -> t\d+ \[bytes=\d+, tooltip=.*\];$", graph, re.M)) == 2 * (CHUNKS - 1), "edges")
    check('label="a run of ' in graph and 'label="ep_chunk"' in graph, graph)
    report = json.loads(run("run", "blocks:40+30", "--tile", "2", "--order", "longest", "--barrier", "--place", "guided", "--json",
                            "-").stdout)
    check((report["about"], report["order"], report["barrier"], report["place"])
          == ("2 blocks, 70 cells of 2 x 2 charges", "longest", True, "guided"), report)


def not_known():
    """The steps of an eps that nobody else computed are told, without a comparison. Tasks of a solve are among the others."""
    said = run("run", "pcg:16:ball:3", "--gpus", "0", "--precision", "f32", "--tile", "4", "--json", "p.json", "--trace", "q.json", "--dag", "p.dot")
    check(re.search(r"^workload  pcg:16:ball:3: 16\^3 points, ball eps, contrast 3$", said.stdout, re.M), said.stdout)
    check(re.search(r"^          iterations \d+$", said.stdout, re.M), said.stdout)
    with open("p.json", encoding="utf-8") as file:
        report = json.load(file)
    steps = report["answers"]["iterations"]
    check(5 < steps["value"] < 30 and steps["expected"] is None and steps["tolerance"] is None, steps)
    check(report["answers"]["error"]["tolerance"] == 1e-9 and report["options"]["precision"] == "f32", report)
    tasks = {name: kind["cores"]["tasks"] for name, kind in report["tasks"].items()}
    check(tasks["pcg_update"] == tasks["forward_xy"] == tasks["inverse_xy"] >= 4 * steps["value"], tasks)
    with open("q.json", encoding="utf-8") as file:
        trace = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X" and e["cat"] != "submission"]
    check(len(trace) == sum(tasks.values()), "%d events of %s" % (len(trace), tasks))
    with open("p.dot", encoding="utf-8") as file:
        check('label="pcg_scalars"' in file.read(), "no scalars in the task graph")


def whole_machine():
    """All workers, whichever kinds there are. An answer that is 0 has no line; the first line of another has the label."""
    run("run", "pcg:16")
    check(re.search(r"^answer    wave ", run("run", "jacobi:100", "--gpus", "0").stdout, re.M), "no label")


def bad():
    old = files()
    for given, says in ((("run",), ("psg run ep:S",)), (("run", "ep"), ("it has S, W, A, B and C",)),
                        (("run", "ep:X"), ("no class 'X'", "S, W, A, B and C")), (("run", "pe:S"), ("'pe'", "there are: blocks, cg, dock, ep, jacobi, pcg, qr")),
                        ((*EP, "--tile", "15"), ("tile = 15", "T from 16 to 24")),
                        ((*EP, "--tile", "0"), ("--tile '0'", "a whole number from 1")),
                        ((*EP, "--order", "longest"), ("order: ep has none",)), ((*EP, "--barrier"), ("barrier: ep has none",)),
                        ((*EP, "--place", "guided"), ("place: ep has none",)),
                        (("run", "blocks:8", "--place", "far"), ("--place 'far'", "free", "static", "guided")),
                        (("run", "blocks:3+"), ("no size '3+'", "2 to 8 blocks", "40+30+20")),
                        ((*EP, "--order", "best"), ("--order 'best'", "listed", "longest")),
                        ((*EP, "--priority", "1"), ("--priority '1'", "none", "path")),
                        (("run", "ep:S", "--cpus", "0", "--gpus", "0"), ("nothing is left",)),
                        ((*EP, "ep:W"), ("unexpected argument 'ep:W'",)), ((*EP, "--machine", "h200"), ("--machine 'h200'",)),
                        ((*EP, "--json", "a", "--dag", "a"), ("--json and --dag", "the same file"))):
        refused(*given, code=2, says=says)
    check(files() == old, "files were left behind")


lines()
bounded()
axes()
reports()
not_known()
whole_machine()
bad()
