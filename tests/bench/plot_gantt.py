"""The figure of a trace: what each worker and link did in the latest solve."""

import json

from plot_programs import count, grid_name
from plot_style import COLOURS, STAGES, bare, dark, fail, gpu_name, plt

LABELLED = 0.035  # of the solve's time: what is shorter has no room for its name


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
    except (OSError, ValueError) as why:
        fail("%s: cannot be read: %s" % (path, why))
    about = trace.get("otherData") if isinstance(trace, dict) else None
    if not isinstance(about, dict) or "psg" not in about or not isinstance(trace.get("traceEvents"), list):
        fail("%s: no trace of psg solve" % path)
    return trace


def latest_solve(events):
    """What took time in the latest solve, as (track, stage, words, begin, end), and the arrows."""
    tasks = [event for event in events if event["ph"] == "X"]
    last = max(event["args"]["solve"] for event in tasks)
    spans = [((event["pid"], event["tid"]), event["cat"], event["name"], event["ts"], event["ts"] + event["dur"])
             for event in tasks if event["args"]["solve"] == last]
    ends = {event["id"]: event["ts"] for event in events if event["ph"] == "e"}
    for event in events:
        if event["ph"] == "b" and event["args"]["solve"] == last:  # on its way: after all workers and links
            spans.append(((event["pid"], float("inf")), event["cat"], event["name"], event["ts"], ends[event["id"]]))
    begin, end = min(span[3] for span in spans), max(span[4] for span in spans)
    heads = {event["id"]: event for event in events if event["ph"] == "f"}
    arrows = [((event["pid"], event["tid"]), event["ts"], (heads[event["id"]]["pid"], heads[event["id"]]["tid"]),
               heads[event["id"]]["ts"]) for event in events if event["ph"] == "s" and begin <= event["ts"] <= end]
    return spans, arrows, begin, end


def lanes(spans):
    """Those of a track, each with the first lane that is free: messages may be on their way at once."""
    free, placed = [], []
    for span in sorted(spans, key=lambda span: span[3]):
        lane = next((number for number, until in enumerate(free) if until <= span[3]), len(free))
        free[lane:lane + 1] = [span[4]]
        placed.append((lane, span))
    return placed, len(free)


def track_names(events, tracks):
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    several = len({process for process, _ in tracks}) > 1
    return [("process %d, " % track[0] if several else "") + names.get(track, "messages") for track in tracks]


def plot(trace):
    events = trace["traceEvents"]
    spans, arrows, begin, end = latest_solve(events)
    tracks = sorted({span[0] for span in spans})
    met = {span[1] for span in spans}
    used = [stage for stage in STAGES if stage in met] + sorted(met - set(STAGES))
    colours = {stage: COLOURS[index % len(COLOURS)] for index, stage in enumerate(used)}
    figure, axes = plt.subplots(figsize=(9.6, 2.1 + 0.36 * len(tracks)))
    for place, track in enumerate(tracks):
        placed, deep = lanes([span for span in spans if span[0] == track])
        height = 0.8 / deep
        for lane, (_, stage, words, start, stop) in placed:
            centre = place - 0.4 + height * (lane + 0.5)
            axes.barh(centre, (stop - start) / 1e3, height, left=(start - begin) / 1e3, color=colours[stage],
                      edgecolor="white", linewidth=0.4)
            if deep == 1 and stop - start > LABELLED * (end - begin):
                axes.text(((start + stop) / 2 - begin) / 1e3, centre, words.partition(" ")[2], ha="center", va="center",
                          fontsize=6.5, color="white" if dark(colours[stage]) else "black")
        busy = sum(span[4] - span[3] for _, span in placed) / (end - begin)
        if deep == 1:
            axes.text((end - begin) / 1e3, place, "  %.0f %%" % (100 * busy), va="center", fontsize=8)
    for source, left, target, arrived in arrows:
        if source in tracks and target in tracks:
            axes.annotate("", ((arrived - begin) / 1e3, tracks.index(target)), ((left - begin) / 1e3, tracks.index(source)),
                          arrowprops={"arrowstyle": "->", "color": "#555555", "linewidth": 0.5, "alpha": 0.6})
    axes.set_yticks(range(len(tracks)))
    axes.set_yticklabels(track_names(events, tracks))
    axes.set_ylim(len(tracks) - 0.5, -0.5)
    axes.set_xlim(0, (end - begin) / 1e3)
    axes.set_xlabel("time since the first task began, ms. In the bars: segment (s) and pencil (p); beside them: share of the time busy")
    axes.set_title("What each worker and link did in a solve", loc="left", pad=34)
    axes.legend([plt.Rectangle((0, 0), 1, 1, color=colours[stage]) for stage in used], used, ncol=min(8, len(used)),
                loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=8)
    bare(axes)
    return figure


def caption(trace):
    about = trace["otherData"]
    machine = "%s, %s%s" % (about["cpu_model"] or "unknown processor", count(str(about["cores"]), "core"),
                            ", " + gpu_name(about["gpu_model"]) if about["gpu_model"] else "")
    if about["cpu_model"].startswith("simulated"):
        machine = "SIMULATED machine %s" % about["host"]
    return "%s; %s\npsg %s, StarPU %s; %s, %s, %s, %s, policy %s; the latest solve" % (
        machine, about["date"][:10], about["psg"], about["StarPU"], grid_name(about["grid"]), about["precision"], about["graph"],
        about["workers"], about["policy"])
