"""--dag writes the task graph of the last solve: every task once, with the worker and the time that the trace has of it, an
edge from each task to those that read what it wrote, none of which began before it had ended; between processes too.
--bounds says how short that solve could have been, and it was no shorter."""

import json
import os
import re
import shutil
import subprocess

from command import MPIRUN, check, files, refused, run, solve
from patience import patience

NODE = re.compile(r'^        (t\d+) \[label="(\w+)((?: s\d+)?)((?: p\d+)?)\\n(?:worker (\d+), )?([\d.e+-]+) ms", '
                  r'fillcolor="(#[0-9a-f]{6})", fontcolor="(black|white)", tooltip="([^"]*): from (-?[\d.]+) to (-?[\d.]+) ms"'
                  r"(?:, core_ms=([\d.e+-]+))?\];$")
EDGE = re.compile(r'^    (t\d+) -> (t\d+) \[bytes=(\d+), (?:style=(dashed), tooltip="message from process (\d+) to (\d+): [^"]*"|tooltip="[^"]*")\];$')
CLUSTER = re.compile(r"^    subgraph cluster_(\d+)_\d \{$")
OTHER = re.compile(r'^digraph psg \{$|^\}$|^    \}$|^ +(label|labelloc|rankdir|fontname|color)=[^;]+;$|^    node \[[^]]*\];$')


def rgb(colour):
    return [int(colour[n:n + 2], 16) / 255 for n in (1, 3, 5)]


def luminance(colour):
    """As the guidelines for contrast have it (WCAG 2): 4.5 to 1 can be read by nearly everybody."""
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def load(name="graph.dot"):
    """Nodes by their names, and edges. Every line has to be one of those that are known."""
    nodes, edges, rank = {}, [], None
    with open(name, encoding="utf-8") as file:
        for line in file.read().splitlines():
            node, edge, cluster = NODE.match(line), EDGE.match(line), CLUSTER.match(line)
            if node:
                key, stage, segment, sheet, worker, ms, colour, words, tip, start, end, core = node.groups()
                check(key not in nodes and tip == stage + segment + sheet, line)
                nodes[key] = {"name": tip, "stage": stage, "segment": segment, "sheet": sheet, "worker": worker,
                              "colour": colour, "start": float(start), "end": float(end), "rank": rank}
                light = luminance(colour)
                contrast = (light + 0.05) / 0.05 if words == "black" else 1.05 / (light + 0.05)
                check(contrast >= 4.5, "%s on %s cannot be read" % (words, colour))
                check(abs(float(ms) - (float(end) - float(start))) <= 6e-3 * float(ms) + 2e-6, line)
                check((worker is None) == (core is None) and (core is None or 0 <= float(core) <= 1.001 * (float(end) - float(start)) + 2e-6), line)
            elif edge:
                before, head, size, *message = edge.groups()
                check(int(size) > 0, line)
                edges.append((before, head, *message))
            elif cluster:
                rank = int(cluster.group(1))
            else:
                check(OTHER.match(line), "a line of another kind: " + line)
    check(len(set(edges)) == len(edges), "an edge stands there twice")
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg", name, "-o", os.devnull], check=True, timeout=patience(60))
    return nodes, edges


def check_graph(nodes, edges, report, slack):
    """The tasks are those of the statistics; nothing is before what it needs."""
    tasks = {name: stage["tasks"] for name, stage in report["stages"].items() if name != "exchange"}
    check({stage: sum(n["stage"] == stage for n in nodes.values()) for stage in tasks} == tasks, "not all of %s" % tasks)
    check({n["stage"] for n in nodes.values()} - set(tasks) <= {"exchange"}, "stages beside %s" % tasks)
    workers = report["rank_workers"]
    check(all(n["stage"] == "exchange" or int(n["worker"]) < workers[n["rank"]] for n in nodes.values()), "workers")
    colours = {n["stage"]: n["colour"] for n in nodes.values()}
    check(all(n["colour"] == colours[n["stage"]] for n in nodes.values()), "a stage of two colours")
    for stage, colour in colours.items():
        near = [other for other in colours if other != stage and sum(abs(a - b) for a, b in zip(rgb(colour), rgb(colours[other]))) < 0.3]
        check(not near, "%s looks like %s: %s" % (stage, near, colours))
    after = {key: set() for key in nodes}
    for before, head, dashed, *_ in edges:
        late = slack if dashed else 2e-3  # milliseconds: the clocks' steps
        check(nodes[head]["start"] >= nodes[before]["end"] - late, "%s before %s" % (nodes[head], nodes[before]))
        after[head].add(before)
    done = set()
    while len(done) < len(nodes):
        ready = {key for key in nodes if key not in done and after[key] <= done}
        check(ready, "a circle")
        done |= ready


def check_ends(nodes, edges):
    """What begins a solve needs nothing, and nothing needs what ends it."""
    heads, tails = {e[1] for e in edges}, {e[0] for e in edges}
    for key, node in nodes.items():
        first, last = node["stage"] in ("forward_xy", "fft_xy"), node["stage"] in ("inverse_xy", "normalize")
        check((key not in heads) == first, "%s needs nothing" % node if not first else "%s needs something" % node)
        check((key not in tails) == last, "nothing needs %s" % node if not last else "something needs %s" % node)


def check_bounds(report):
    bounds = report["bounds"]
    check(bounds["solve"] == report["seconds"]["solves"][-1], "compared with another time than that of the solve: %s" % report)
    each = [bounds[name] for name in ("path", "work", "memory", "link")]
    check(bounds["seconds"] == max(each) == bounds[bounds["by"]], bounds)
    check(0 < bounds["seconds"] <= bounds["solve"] + 1e-6, "shorter than it can be: %s" % bounds)
    check(abs(bounds["of_solve"] * bounds["solve"] - bounds["seconds"]) <= 1e-9 * bounds["seconds"], bounds)
    check(bounds["memory_rate"] > 0 and bounds["cache_bytes"] > 0 and bounds["lp"] is None, bounds)
    check(bounds["links"]["message"]["bytes"] == report["bytes"]["sent"], bounds)


def check_path(nodes, edges, report):
    """The path's tasks take no longer than the longest chain of a process did in this solve, nor more than all of them."""
    longest, done = {}, {}
    for key in sorted(nodes, key=lambda key: nodes[key]["end"]):
        before = [done[e[0]] for e in edges if e[1] == key and not e[2] and e[0] in done]
        own = nodes[key]["end"] - nodes[key]["start"] if nodes[key]["stage"] != "exchange" else 0
        done[key] = own + max(before, default=0)
        longest[nodes[key]["rank"]] = max(longest.get(nodes[key]["rank"], 0), done[key])
    path = 1e3 * report["bounds"]["path"]
    check(0 < path <= max(longest.values()) + 1e-4, "%g ms of %s" % (path, longest))


def read_report():
    with open("report.json", encoding="utf-8") as file:
        return json.load(file)


def one_process():
    for graph in ("fused", "staged"):
        done = solve("--problem", "modes", "--grid", "24x20x22", "--graph", graph, "--repeat", "3", "--segment-planes",
                     "5", "--sheets", "4", "--dag", "graph.dot", "--bounds", "--json", "report.json", "--trace", "t.json")
        nodes, edges = load()
        report = read_report()
        check_graph(nodes, edges, report, 0)
        check_ends(nodes, edges)
        check_bounds(report)
        check_path(nodes, edges, report)
        check(len(edges) == 2 * 5 * 4 + (3 * 5 + 4 * 4 if graph == "staged" else 0), "%d edges" % len(edges))
        with open("t.json", encoding="utf-8") as file:
            trace = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X" and e["args"]["run"] == 2
                     and e["cat"] != "submission"]
        parts = [" s%d" % e["args"]["segment"] if "segment" in e["args"] else " p%d" % e["args"]["sheet"] for e in trace]
        check(sorted((e["name"] + part, str(e["tid"])) for e, part in zip(trace, parts))
              == sorted((n["name"], n["worker"]) for n in nodes.values()), "not the tasks of the trace's last solve")
        said = re.search(r"^bound     ([\d.e-]+) s by (\w+): (\d+) % of the last solve's ([\d.e-]+) s$", done.stdout, re.M)
        check(said and said.group(2) == report["bounds"]["by"]
              and abs(float(said.group(1)) - report["bounds"]["seconds"]) <= 1e-3 * report["bounds"]["seconds"], done.stdout)
    check("bounds" not in json.loads(solve("--problem", "modes", "--grid", "8", "--json", "-").stdout), "bounds unasked")
    solve("--problem", "modes", "--grid", "1", "--dag", "graph.dot", "--quiet")
    check(len(load()[0]) == 3, "a grid of one point")


def several_processes(exchange, more):
    done = solve("--problem", "modes", "--grid", "24x20x22", "--repeat", "2", "--exchange", exchange, "--dag", "graph.dot",
                 "--bounds", "--json", "report.json", *more, ranks=3)
    check("\nbound     " in done.stdout, done)
    nodes, edges = load()
    report = read_report()
    check_graph(nodes, edges, report, 0.1)  # each process says when its solve began by the clock of the day
    check_ends(nodes, edges)
    check_bounds(report)
    check_path(nodes, edges, report)
    check({n["rank"] for n in nodes.values()} == {0, 1, 2}, "not all processes")
    own = {}  # where each segment and sheet lives
    for node in nodes.values():
        for part in filter(None, (node["segment"], node["sheet"])):
            check(own.setdefault(part, node["rank"]) == node["rank"], "%s is on two processes" % part)
    for before, head, dashed, giver, taker in edges:
        check((nodes[before]["rank"] != nodes[head]["rank"]) == bool(dashed), (before, head, dashed))
        check(not dashed or (nodes[before]["rank"], nodes[head]["rank"]) == (int(giver), int(taker)), (before, head))
    apart = sum(own[s] != own[p] for s in own for p in own if s[1] == "s" and p[1] == "p")
    dashed = sum(bool(edge[2]) for edge in edges)
    check(dashed == (2 * apart if exchange == "mpi" else 0), "%d edges between processes" % dashed)
    check(sum(n["stage"] == "exchange" for n in nodes.values()) == (0 if exchange == "mpi" else 6), "alltoalls")


def in_json():
    """The same graph for programs: of all processes, with data and bytes. A tasks.rec is of one."""
    solve("--problem", "modes", "--grid", "24x20x22", "--segment-planes", "4", "--sheets", "5",
          "--dag", "graph.json", ranks=2)
    with open("graph.json", encoding="utf-8") as file:
        graph = json.load(file)
    process = {task["id"]: task["process"] for task in graph["tasks"]}
    about, edges = graph["task_graph"], graph["edges"]
    check(set(process.values()) == {0, 1} and about["workers"].count("cpu") >= 2, about)
    check(any(edge["message"] for edge in edges), edges)
    for edge in edges:
        far = process[edge["from"]] != process[edge["to"]]
        check(edge["bytes"] > 0 and edge["message"] == far, edge)
    said = solve("--problem", "modes", "--grid", "8", "--dag", "graph.rec", ranks=2, code=2)
    check("graph.rec: a file .rec has the tasks of one process, and there are 2; "
          ".json and .dot have all" in said.stderr, said)
    check(not any(map(os.path.exists, ("graph.rec", "graph.rec.models"))), "files were left")


def models_of_somebody():
    """A folder by the name of the models, without the tasks.rec, is not written into. Nor is the graph that is read."""
    os.makedirs("own.rec.models/codelets/45")
    with open("own.rec.models/codelets/45/psg_kspace.psg", "w", encoding="utf-8") as file:
        file.write("precious")
    refused("solve", "--problem", "modes", "--grid", "8", "--dag", "own.rec", code=2,
            says=("own.rec.models: is there already, and own.rec is not", "--force"))
    solve("--problem", "modes", "--grid", "8", "--sched", "eager", "--dag", "own.rec", "--force")
    solve("--problem", "modes", "--grid", "8", "--sched", "eager", "--dag", "own.rec")  # psg's by now
    refused("run", "replay:own.rec", "--dag", "own.rec", code=2, says=("own.rec",))


def bad_output():
    old = files()
    for name in ("no/such/folder/graph.dot", "/dev/full", "."):
        said = solve("--problem", "modes", "--grid", "8", "--dag", name, code=1)
        check(said.stderr.startswith("psg: ") and said.stderr.count("\n") == 1 and not said.stdout, said)
    for other in ("--json", "--trace", "--out"):
        refused("solve", "--problem", "modes", "--grid", "8", "--dag", "a.h5", other, "a.h5", code=2,
                says=("--dag" if other != "--out" else "a.h5",))
    check(files() == old, "files were left behind")
    with open("graph.dot", encoding="utf-8") as file:
        before = file.read()
    run("solve", "--problem", "modes", "--grid", "8", "--effort", "estimate", "--gpus", "4096", "--dag", "graph.dot", code=1)
    with open("graph.dot", encoding="utf-8") as file:
        check(file.read() == before, "a run that failed has replaced the file")


one_process()
models_of_somebody()
bad_output()
if MPIRUN:
    in_json()
    several_processes("mpi", [])
    several_processes("mpi", ["--segment-planes", "2", "--sheets", "9", "--graph", "staged"])
    several_processes("alltoall", [])
