"""The figure of reports of solves with epsilon: the residual after each iteration."""

import json
import os

from plot_style import Page, light_grid, style_of
from rows import count, fail, grid_name


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def is_report(path):
    report = load(path)
    return isinstance(report, dict) and bool(report.get("residuals"))


def read(path):
    if not is_report(path):
        fail("%s: no report of psg solve with residuals" % path)
    return {**load(path), "file": os.path.splitext(os.path.basename(path))[0]}


def plot(*reports):
    page = Page(1, 1, 6.4, 3.6)
    axes = page.panels[0][0]
    for which, report in enumerate(reports):
        residuals = report["residuals"]
        shown = [(m, value) for m, value in enumerate(residuals) if value > 0]  # 0 has no logarithm
        name = report["file"] + ": " + count(str(len(residuals) - 1), "iteration")
        axes.semilogy(*zip(*shown), label=name, **style_of(which, markersize=3, linewidth=1.2))
    axes.set_xlabel("iterations")
    axes.set_ylabel("residual, as a share of f")
    light_grid(axes)
    page.head_of("The residual by the iteration", axes)
    return page


def caption(*reports):
    what = dict.fromkeys("%s, %s" % (grid_name("x".join(map(str, report["grid"]))),
                                     report["precision"]) for report in reports)
    versions = dict.fromkeys(report["versions"]["psg"] for report in reports)
    return "psg %s; %s" % (", ".join(versions), "; ".join(what))
