"""The figure of a trace: what each worker and link did in the latest run, a solve or a workload."""

import json

from plot_style import COLOURS, STAGES, Page, bare, gpu_name, name_rows, plt
from rows import count, fail, grid_name

EDGED = 0.004  # of the run's time: what is shorter has no room for an edge


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
    except (OSError, ValueError) as why:
        fail("%s: cannot be read: %s" % (path, why))
    about = trace.get("otherData") if isinstance(trace, dict) else None
    if not isinstance(about, dict) or "psg" not in about or not isinstance(trace.get("traceEvents"), list):
        fail("%s: no trace of psg solve, run or dock, and no report with residuals" % path)
    return trace


# What a bar is about: its name in the trace, and the letter before its number.
PARTS = {"segment": "s", "sheet": "p", "row": "", "column": "", "step": ""}


def part_of(event):
    """The segment or the sheet, "s3" or "p2"; of a workload's task its row, column and step, "3 2 1"."""
    return " ".join(short + str(event["args"][part]) for part, short in PARTS.items() if part in event["args"])


def parts_met(events):
    """What stands in the bars, in words."""
    met = [part for part in PARTS if any(part in event.get("args", ()) for event in events)]
    return ", ".join("%s (%s)" % (part, PARTS[part]) if PARTS[part] else part for part in met)


def latest_run(events):
    """What took time in the latest run, as (track, stage, words, begin, end), and the arrows of messages. It begins with its
    submission."""
    tasks = [event for event in events if event["ph"] == "X"]
    last = max(event["args"]["run"] for event in tasks)
    spans = [((event["pid"], event["tid"]), event["cat"], part_of(event), event["ts"], event["ts"] + event["dur"])
             for event in tasks if event["args"]["run"] == last]
    ends = {event["id"]: event["ts"] for event in events if event["ph"] == "e"}
    for event in events:
        if event["ph"] == "b" and event["args"]["run"] == last:  # on its way: after all workers and links
            spans.append(((event["pid"], float("inf")), event["cat"], part_of(event), event["ts"], ends[event["id"]]))
    begin, end = min(span[3] for span in spans), max(span[4] for span in spans)
    of_messages = [event for event in events if event.get("cat") == "message"]
    heads = {event["id"]: event for event in of_messages if event["ph"] == "f"}
    arrows = [((event["pid"], event["tid"]), event["ts"], (heads[event["id"]]["pid"], heads[event["id"]]["tid"]),
               heads[event["id"]]["ts"]) for event in of_messages if event["ph"] == "s" and begin <= event["ts"] <= end]
    return spans, arrows, begin, end


def around(spans, track, moment):
    """Begin and end of the task that a moment is in: an arrow of a trace is bound to its task by the middle of it."""
    return next(((start, stop) for where, _, _, start, stop in spans if where == track and start <= moment <= stop), (moment, moment))


def lanes(spans):
    """Those of a track, each with the first lane that is free: messages may be on their way at once. Two that follow one another
    may overlap by what times are rounded to, a nanosecond."""
    free, placed = [], []
    for span in sorted(spans, key=lambda span: span[3]):
        lane = next((number for number, until in enumerate(free) if until <= span[3] + 1e-3), len(free))
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
    spans, arrows, begin, end = latest_run(events)
    tracks = sorted({span[0] for span in spans})
    met = {span[1] for span in spans}
    used = [stage for stage in STAGES if stage in met] + sorted(met - set(STAGES))
    colours = {stage: COLOURS[index % len(COLOURS)] for index, stage in enumerate(used)}
    page = Page(1, 1, 9.6, 0.9 + 0.36 * len(tracks))
    axes = page.panels[0][0]
    for place, track in enumerate(tracks):
        placed, deep = lanes([span for span in spans if span[0] == track])
        height = 0.8 / deep
        for lane, (_, stage, words, start, stop) in placed:
            centre = place - 0.4 + height * (lane + 0.5)
            edged = stop - start > EDGED * (end - begin)  # else a white edge is all that is seen of a bar
            bar = axes.barh(centre, (stop - start) / 1e3, height, left=(start - begin) / 1e3, color=colours[stage],
                            edgecolor="white" if edged else colours[stage], linewidth=0.4 if edged else 0.2)
            if deep == 1:
                page.write_in_bar(axes, ((start + stop) / 2 - begin) / 1e3, centre, words, 6.5,
                                  bar[0], colours[stage])
        busy = sum(span[4] - span[3] for _, span in placed) / (end - begin)
        if deep == 1:
            axes.text((end - begin) / 1e3, place, "  %.0f %%" % (100 * busy), va="center", fontsize=8)
    for source, left, target, arrived in arrows:
        if source in tracks and target in tracks:
            down = 0.4 if tracks.index(target) > tracks.index(source) else -0.4  # from the edge of one bar to that of the other
            axes.annotate("", ((around(spans, target, arrived)[0] - begin) / 1e3, tracks.index(target) - down),
                          ((around(spans, source, left)[1] - begin) / 1e3, tracks.index(source) + down),
                          arrowprops={"arrowstyle": "->", "color": "#555555", "linewidth": 0.5, "alpha": 0.6, "shrinkA": 0, "shrinkB": 0})
    name_rows(axes, track_names(events, tracks))
    axes.set_xlim(0, (end - begin) / 1e3)
    axes.set_xlabel("time since the run was submitted, ms. In the bars: %s; beside them: share of the time busy" % parts_met(events))
    bare(axes)
    page.head("What each worker and link did in a run", [plt.Rectangle((0, 0), 1, 1, color=colours[stage]) for stage in used], used)
    return page


def caption(trace):
    about = trace["otherData"]
    machine = "%s, %s%s" % (about["cpu_model"] or "unknown processor", count(str(about["cores"]), "core"),
                            ", " + gpu_name(about["gpu_model"]) if about["gpu_model"] else "")
    if about["cpu_model"].startswith("simulated"):
        machine = "SIMULATED machine %s" % about["host"]
    what = about.get("workload") or ", ".join((grid_name(about["grid"]), about["precision"], about["graph"]))
    who = [about["workers"], *("%s %s" % (name, about[name]) for name in ("executor", "policy") if about.get(name))]
    return "%s; %s\npsg %s, StarPU %s; %s, %s; the latest run" % (
        machine, about["date"][:10], about["psg"], about["StarPU"], what, ", ".join(who))
