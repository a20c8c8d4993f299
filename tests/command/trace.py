"""--trace follows the trace-event format, has every task once on the track of its worker, and its times are those of the
statistics; names are those of stages, and what a task is about stands in its arguments; the submission has a track; arrows
show what depends on what, and between processes every message has a beginning, an end and an arrow."""

import json

from command import MPIRUN, check, files, solve

NEEDED = {  # of https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
    "X": {"name", "cat", "ts", "dur", "pid", "tid"},
    "b": {"name", "cat", "id", "ts", "pid"},
    "e": {"name", "cat", "id", "ts", "pid"},
    "s": {"name", "cat", "id", "ts", "pid", "tid"},
    "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"},
    "M": {"name", "pid", "args"},
}


def load(name="trace.json"):
    with open(name, encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    check({"psg", "StarPU", "host", "cpu_model", "cores", "gpu_model", "date", "grid", "precision", "graph", "workers",
           "executor", "starpu_tasks", "placed_tasks", "policy"} == set(trace["otherData"]) and trace["otherData"]["date"].startswith("20"), trace["otherData"])
    for event in events:
        check(NEEDED[event["ph"]] <= set(event), f"{event['ph']} without {NEEDED[event['ph']] - set(event)}: {event}")
        check(event["ph"] == "M" or event["ts"] >= 0, event)
    return events


def check_tracks(events):
    """A worker does one thing at a time."""
    tracks = {}
    for event in events:
        if event["ph"] == "X":
            check(event["dur"] >= 0, event)
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for track, spans in tracks.items():
        spans.sort()
        for before, after in zip(spans, spans[1:]):
            check(after[0] >= before[1] - 2, f"track {track}: {before} and {after}")  # two microseconds: two clocks
    return tracks


def check_times(events, report, solve_number):
    """The stages' times in the trace are those of the report, which is about the latest solve."""
    seconds, tasks = {}, {}
    for event in events:
        if event["ph"] == "X" and event["args"]["run"] == solve_number and event["cat"] != "submission":
            seconds[event["cat"]] = seconds.get(event["cat"], 0) + 1e-6 * event["dur"]
            tasks[event["cat"]] = tasks.get(event["cat"], 0) + 1
    stages = {name: stage for name, stage in report["stages"].items() if name != "exchange"}
    check(set(seconds) == set(stages), f"{sorted(seconds)} in the trace, {sorted(stages)} in the report")
    for name, stage in stages.items():
        check(tasks[name] == stage["tasks"], f"{name}: {tasks[name]} in the trace, {stage['tasks']} in the report")
        check(abs(seconds[name] - stage["seconds"]) <= 1e-9 * tasks[name] + 1e-6 * stage["seconds"],
              f"{name}: {seconds[name]} s in the trace, {stage['seconds']} s in the report")


def pairs(events, first, second):
    """The events of two phases by their id, each of which has to be there once of each."""
    found = {}
    for event in events:
        if event["ph"] in (first, second):
            check(event["ph"] not in found.setdefault(event["id"], {}), f"twice: {event}")
            found[event["id"]][event["ph"]] = event
    for number, pair in found.items():
        check(len(pair) == 2, f"{number}: {pair}")
        check(pair[second]["ts"] >= pair[first]["ts"] - 2, pair)
    return list(found.values())


def track_names(events):
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}


GRID = (24, 20, 22)
SPECTRUM = 16 * (GRID[0] // 2 + 1) * GRID[1] * GRID[2]


def check_arguments(events):
    """What tasks are about: planes of segments and rows of sheets add up to the grid, and bytes to the spectrum."""
    for stage in {e["cat"] for e in events if e["ph"] == "X" and e["cat"] != "submission"}:
        tasks = [e for e in events if e["ph"] == "X" and e["cat"] == stage and e["args"]["run"] == 2]
        check({e["name"] for e in tasks} == {stage}, tasks)
        for part, lines, all_lines in (("segment", "planes", GRID[2]), ("sheet", "rows", GRID[1])):
            of_part = [e["args"] for e in tasks if part in e["args"]]
            check(sorted(a[part] for a in of_part) == list(range(len(of_part))), tasks)
            check(sum(a[lines] for a in of_part) in (0, all_lines), tasks)
            check(sum(a["bytes"] for a in of_part) in (0, SPECTRUM), tasks)
        check(all(("segment" in e["args"]) != ("sheet" in e["args"]) and e["args"]["pieces"] > 0 == e["args"]["remote"] for e in tasks), tasks)


def check_submission(events, solves):
    names = track_names(events)
    for process in {e["pid"] for e in events}:
        found = [e for e in events if e["ph"] == "X" and e["cat"] == "submission" and e["pid"] == process]
        check([e["args"]["run"] for e in found] == list(range(solves)) and all(e["dur"] > 0 for e in found), found)
        check({names[e["pid"], e["tid"]] for e in found} == {"submission"}, found)
        check(all(e["args"]["tasks"] > 0 < e["args"]["pieces"] for e in found), found)


def check_dependencies(events, segments, sheets, solves):
    """Of a fused graph in one process: every sheet needs every segment, and every segment needs every sheet."""
    arrows = pairs([e for e in events if e.get("cat") == "dependency"], "s", "f")
    check(len(arrows) == 2 * segments * sheets * solves, f"{len(arrows)} arrows")
    tasks = [e for e in events if e["ph"] == "X" and e["cat"] != "submission"]
    for arrow in arrows:
        ends = []
        for half in (arrow["s"], arrow["f"]):
            around = [t["name"] for t in tasks if (t["pid"], t["tid"]) == (half["pid"], half["tid"]) and t["ts"] <= half["ts"] <= t["ts"] + t["dur"]]
            check(len(around) == 1, f"{around} around {half}")
            ends += around
        check(tuple(ends) in (("forward_xy", "kspace"), ("kspace", "inverse_xy")), ends)


def one_process():
    for graph in ("fused", "staged"):
        solve("--problem", "modes", "--grid", "24x20x22", "--graph", graph, "--repeat", "3", "--segment-planes", "5",
              "--sheets", "4", "--trace", "trace.json", "--json", "report.json", "--quiet")
        with open("report.json", encoding="utf-8") as file:
            report = json.load(file)
        events = load()
        check_tracks(events)
        check_times(events, report, 2)
        check(not [e for e in events if e["ph"] in "be" or e.get("cat") == "message"], "messages in one process")
        check_arguments(events)
        check_submission(events, 3)
        check({name.rstrip("0123456789") for name in track_names(events).values()} == {"core ", "submission"}, track_names(events))
        check(len(set(track_names(events).values())) == len(track_names(events)), track_names(events))
        if graph == "fused":
            check_dependencies(events, report["segments"], report["sheets"], 3)
        else:
            check(len(pairs([e for e in events if e.get("cat") == "dependency"], "s", "f")) > 0, "no arrows")
        check({e["args"]["run"] for e in events if e["ph"] == "X"} == {0, 1, 2}, "not all solves")
    # several in flight overlap in time, and still follow one another on a worker
    solve("--problem", "modes", "--grid", "24", "--repeat", "6", "--in-flight", "3", "--trace", "trace.json", "--quiet")
    check_tracks(load())


def several_processes(exchange):
    solve("--problem", "modes", "--grid", "24x20x22", "--repeat", "2", "--segment-planes", "3", "--exchange", exchange,
          "--trace", "trace.json", "--json", "report.json", "--quiet", ranks=3)
    with open("report.json", encoding="utf-8") as file:
        report = json.load(file)
    events = load()
    tracks = check_tracks(events)
    check_times(events, report, 1)
    check({pid for pid, _ in tracks} == {0, 1, 2}, tracks.keys())
    messages = [pair for pair in pairs(events, "b", "e") if pair["b"]["args"]["run"] == 1]
    check(len(messages) == report["stages"]["exchange"]["tasks"], f"{len(messages)} messages")
    check_submission(events, 2)
    carried = [pair["b"]["args"]["bytes"] for pair in messages if "bytes" in pair["b"]["args"]]
    check(sum(carried) == (report["bytes"]["sent"] if exchange == "mpi" else 0), carried)
    check(pairs([e for e in events if e.get("cat") == "dependency"], "s", "f"), "no arrows within a process")
    arrows = pairs([e for e in events if e.get("cat") == "message"], "s", "f")
    if exchange == "mpi":
        check(len(arrows) == 2 * len(messages), f"{len(arrows)} arrows of {len(messages)} messages in each of two solves")
    for arrow in arrows:
        check(arrow["s"]["pid"] != arrow["f"]["pid"], arrow)


def bad_output():
    old = files()
    for name in ("no/such/folder/trace.json", "/dev/full", "."):
        said = solve("--problem", "modes", "--grid", "8", "--trace", name, code=1)
        check(said.stderr.startswith("psg: ") and said.stderr.count("\n") == 1 and not said.stdout, said)
    said = solve("--problem", "modes", "--grid", "8", "--trace", "a.json", "--json", "a.json", code=2)
    check("--trace" in said.stderr, said)
    check(files() == old, "files were left behind")


one_process()
bad_output()
if MPIRUN:
    several_processes("mpi")
    several_processes("alltoall")
