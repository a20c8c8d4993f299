"""Draws which share of a GPU's bandwidth each stage of a solve reaches, and prints it as a table in Markdown.

    roofline.py STAGES.csv CEILINGS.txt OUT.png

STAGES.csv is what Nsight Compute prints with --csv of one psg solve on one GPU, psg's own lines among it. CEILINGS.txt is what
bench_gpus copy prints. A share is the bytes of the launches of a stage, over their time, over the ceiling.
"""

import csv
import math
import re
import sys

from plot_style import COLOURS, FONTS, Page, bare, plt
from rows import fail

STAGES = ("forward_xy", "kspace", "inverse_xy")
CEILINGS = {"memory": "memory", "cache": "second-level cache"}
TIME = "gpu__time_duration.sum"
MEMORY = ("dram__bytes_read.sum", "dram__bytes_write.sum")
# What passes the second-level cache, and the bytes of one: the sectors that multiprocessors read and write, or else all bytes.
# (lts__t_sectors_srcunit_tex also counts the sectors of lines that are discarded, of which no byte moves.)
SECTORS = ("lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum")
CACHE = {SECTORS: 32, ("lts__t_bytes.sum",): 1}
ALL_BYTES = ("lts__t_bytes counts what passes between the two halves of a second-level cache, too, so that a share may be more "
             "than 100 %; lts__t_sectors_srcunit_tex_op_read and _write do not")
COLUMNS = ("ID", "Process ID", "Kernel Name", "Device", "Metric Name", "Metric Unit", "Metric Value")
PREFIXES = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
UNITS = {**{prefix + unit: factor for unit in ("byte", "sector") for prefix, factor in PREFIXES.items()},
         **{prefix + unit: factor for unit in ("s", "second") for prefix, factor in
            (("n", 1e-9), ("u", 1e-6), ("m", 1e-3), ("", 1))}}


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except (OSError, UnicodeDecodeError) as why:
        return fail("%s: cannot be read: %s" % (path, why))


def template_arguments(kernel):
    """Of xy_fixed<shape<1, 2>, 1, 0>(...): shape<1, 2> and 1 and 0."""
    found, depth = [""], 0
    for letter in kernel.partition("<")[2]:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]


def stage_of(kernel):
    """None: of no stage. xy_fixed and xy_whole are both ways: their second template argument says whether it is forward."""
    name = re.search(r"\b(xy|kspace)_(fixed|whole|generic)\b", kernel)
    if name is None:
        return None
    if name[1] == "kspace":
        return "kspace"
    forward = template_arguments(kernel)[1:2]
    ways = {"1": "forward_xy", "true": "forward_xy", "0": "inverse_xy", "false": "inverse_xy"}
    way = forward[0].replace("(bool)", "") if forward else ""
    if way not in ways:
        fail("kernel '%s': its name does not say whether it is forward" % kernel)
    return ways[way]


def number(path, row):
    """In bytes, sectors or seconds."""
    try:
        value = float(row["Metric Value"].replace(",", "")) * UNITS[row["Metric Unit"]]
    except (KeyError, ValueError):
        value = math.nan
    if not 0 <= value < math.inf:
        fail("%s: %s of launch %s is '%s' in unit '%s'" % (path, row["Metric Name"], row["ID"], row["Metric Value"], row["Metric Unit"]))
    return value


def read_launches(path):
    """The metrics of each launch of a stage as (stage, {metric: number}), and what psg said of the solve."""
    lines = lines_of(path)
    first = next((at for at, line in enumerate(lines) if line.startswith('"ID",')), len(lines))
    about = [found[1] for found in (re.match(r"(?:equation|grid|graph) +(.*)", line) for line in lines[:first]) if found]
    rows = list(csv.reader(line for line in lines[first:] if line.startswith('"')))
    launches, devices = {}, set()
    for at, fields in enumerate(rows[1:], 1):
        if len(fields) != len(rows[0]):
            fail("%s: row %d has not as many fields as there are columns" % (path, at))
        row = dict(zip(rows[0], fields))
        for column in COLUMNS:
            if column not in row:
                fail("%s: no column '%s'" % (path, column))
        stage = stage_of(row["Kernel Name"])
        if stage is not None and row["Metric Name"] in (TIME, *MEMORY, *sum(CACHE, ())):
            devices.add((row["Process ID"], row["Device"]))
            launch = launches.setdefault((row["Process ID"], row["ID"]), (stage, {}))
            launch[1][row["Metric Name"]] = number(path, row)
    if not launches:
        fail("%s: no rows of psg's kernels as Nsight Compute prints them" % path)
    if len(devices) > 1:
        fail("%s: launches of %d processes or GPUs; the ceilings are those of one" % (path, len(devices)))
    return launches, about


def sums(path, launches):
    """{stage: (seconds, {ceiling: bytes})}, and the metrics of the second-level cache."""
    cache = next((names for names in CACHE if any(name in metrics for name in names for _, metrics in launches.values())), SECTORS)
    found = {}
    for (_, which), (stage, metrics) in launches.items():
        for name in (TIME, *MEMORY, *cache):
            if name not in metrics:
                fail("%s: launch %s has no %s" % (path, which, name))
        seconds, moved = found.get(stage, (0, dict.fromkeys(CEILINGS, 0)))
        found[stage] = (seconds + metrics[TIME], {"memory": moved["memory"] + sum(metrics[name] for name in MEMORY),
                                                  "cache": moved["cache"] + CACHE[cache] * sum(metrics[name] for name in cache)})
    for stage, (seconds, _) in found.items():
        if seconds <= 0:
            fail("%s: %s took no time" % (path, stage))
    missing = [stage for stage in STAGES if stage not in found]
    if missing:
        print("roofline.py: %s: no launch of %s: a kernel that is not psg's own does it" % (path, ", ".join(missing)), file=sys.stderr)
    return {stage: found[stage] for stage in STAGES if stage in found}, cache


def read_ceilings(path):
    """{ceiling: bytes/s}, and the name of the GPU."""
    found, gpu = {}, ""
    for line in lines_of(path):
        ceiling = re.fullmatch(r"(\w+) ([\d.]+(?:e[+-]?\d+)?) bytes/s", line.strip())
        if ceiling and ceiling[1] in CEILINGS:
            found[ceiling[1]] = float(ceiling[2])
        elif not gpu:
            gpu = line.strip()
    for name in CEILINGS:
        if not 0 < found.get(name, 0) < math.inf:
            fail("%s: no ceiling '%s', as bench_gpus copy prints it: %s 1.5e+12 bytes/s" % (path, name, name))
    return found, gpu


def shares(stage, ceilings):
    seconds, moved = stage
    return {name: moved[name] / seconds / ceilings[name] for name in CEILINGS}


def table(stages, ceilings):
    lines = ["| stage | ms | GB through memory | GB through the second-level cache | share of memory | share of the second-level cache |",
             "|---|---|---|---|---|---|"]
    for name, stage in stages.items():
        seconds, moved = stage
        share = shares(stage, ceilings)
        lines.append("| %s | %.3f | %.3f | %.3f | %.1f %% | %.1f %% |" % (
            name, 1e3 * seconds, *(1e-9 * moved[which] for which in CEILINGS), *(100 * share[which] for which in CEILINGS)))
    return "\n".join(lines)


def draw(stages, ceilings):
    page = Page(1, 1, 6.4, 3.4)
    axes = page.panels[0][0]
    for side, colour, (which, name) in zip((-0.2, 0.2), COLOURS, CEILINGS.items()):
        for place, stage in enumerate(stages.values()):
            share = 100 * shares(stage, ceilings)[which]
            axes.bar(place + side, share, width=0.38, color=colour,
                     label="%s, %.3g TB/s" % (name, 1e-12 * ceilings[which]) if place == 0 else None)
            axes.annotate("%.0f %%\n%.2f GB" % (share, 1e-9 * stage[1][which]), (place + side, share), xytext=(0, 3),
                          textcoords="offset points", ha="center", va="bottom", fontsize=8,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.axhline(100, color="#555555", linewidth=0.8, linestyle="--", label="the ceiling")
    axes.set_ylim(0, max(110, 1.15 * axes.get_ylim()[1]))
    axes.set_xticks(range(len(stages)))
    axes.set_xticklabels(["%s\n%.3f ms" % (name, 1e3 * seconds) for name, (seconds, _) in stages.items()])
    axes.set_ylabel("bytes per second, % of the ceiling")
    bare(axes)
    page.head_of("The stages of a solve on one GPU, beside what a copy reaches", axes)
    return page


def main(stages_path, ceilings_path, out):
    launches, about = read_launches(stages_path)
    stages, cache = sums(stages_path, launches)
    ceilings, gpu = read_ceilings(ceilings_path)
    plt.rcParams.update(FONTS)
    page = draw(stages, ceilings)
    below = ["; ".join(filter(None, (gpu, *about))),
             "Ceilings: bench_gpus copy. Bytes and times of the stages: Nsight Compute, sums over the launches of a stage."]
    if cache != SECTORS:
        below.append(ALL_BYTES + ".")
        print("roofline.py: %s" % ALL_BYTES, file=sys.stderr)
    page.compose("\n".join(filter(None, below)))
    try:
        page.figure.savefig(out, dpi=150)
    except (OSError, ValueError) as why:
        fail("%s: cannot be written: %s" % (out, why))
    print(table(stages, ceilings))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        fail("usage: roofline.py STAGES.csv CEILINGS.txt OUT.png")
    main(*sys.argv[1:])
