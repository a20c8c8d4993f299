"""Nothing in a figure is cut, and no words stand on others: the title, the legend, the panels and the caption have each
their own part of the page, and the labels of an axis, of curves and in bars have room. On pages of any width.

    plot_layout_test.py PLOT.PY RESULTS
"""

import argparse
import os
import sys

if len(sys.argv) > 1:
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))

import plot  # noqa: E402
from plot_style import Page, plt  # noqa: E402


def check(condition, words):
    if not condition:
        sys.exit(words)


def apart(where, what, boxes):
    for n, (words, box) in enumerate(boxes):
        for other_words, other in boxes[:n]:
            inner = box.intersection(box, other)
            check(inner is None or inner.width < 1 or inner.height < 1, "%s: %s: %r stands on %r" % (where, what, words, other_words))


def shown(texts, renderer):
    return [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_visible() and text.get_text().strip()]


def check_page(where, page):
    figure = page.figure
    renderer = figure.canvas.get_renderer()
    width, height = figure.get_size_inches() * figure.dpi
    parts = shown(figure.texts, renderer) + [("the legend", legend.get_window_extent(renderer)) for legend in figure.legends]
    panels = [("panel %d" % number, axes.get_tightbbox(renderer)) for number, axes in enumerate(figure.axes)]
    for words, box in parts + panels:
        check(box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, "%s: %r is cut" % (where, words))
    apart(where, "parts", parts)
    for panel in panels:
        apart(where, "panel", parts + [panel])
    for axes in figure.axes:
        low, high = axes.get_window_extent(renderer).extents[:2] - 1, axes.get_window_extent(renderer).extents[2:] + 1
        for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)):
            labels = [(words, box) for words, box in shown(axis.get_ticklabels(), renderer)
                      if low[side] <= (box.min[side] + box.max[side]) / 2 <= high[side]]
            begin, end = sorted(axis.get_view_interval())
            check(any(begin <= tick <= end for tick in axis.get_ticklocs()), "%s: an axis without a number" % where)
            apart(where, "labels of an axis", labels)
    for stack in page.stacks:
        apart(where, "labels of curves", shown(stack, renderer))
    for words, bar in page.inside:
        if words.figure is not None and words.axes is not None:
            check(words.get_window_extent(renderer).width <= bar.get_window_extent(renderer).width, "%s: %r is longer than its bar"
                  % (where, words.get_text()))


def check_arrows():
    """From the end of the task that an arrow comes from to the beginning of the one that it leads to, from edge to edge."""
    def task(track, begin, end):
        return {"name": "kspace", "cat": "kspace", "ph": "X", "ts": 1e3 * begin, "dur": 1e3 * (end - begin), "pid": 0, "tid": track,
                "args": {"run": 0}}

    def half(phase, track, ts):
        return {"name": "message", "cat": "message", "ph": phase, "ts": 1e3 * ts, "pid": 0, "tid": track, "id": 1}
    page = plot.plot_gantt.plot({"traceEvents": [task(0, 10, 12), task(1, 13, 17), half("s", 0, 11), half("f", 1, 15)]})
    arrows = [text for text in page.panels[0][0].texts if getattr(text, "arrow_patch", None)]
    check(len(arrows) == 1 and arrows[0].xy == (3, 0.6) and arrows[0].xyann == (2, 0.4), "arrows: %s" % [(a.xyann, a.xy) for a in arrows])


def main(results):
    count = 0
    check_arrows()
    plt.rcParams.update({"font.size": 9})
    for name in sorted(os.listdir(results)):
        path = os.path.join(results, name)
        picture = os.path.splitext(path)[0] + ".png"
        if not name.endswith((".csv", ".json")) or not os.path.exists(picture) or name.startswith("mpi_segments"):
            continue
        for width in (None, 3.4):
            Page.width = width
            if name.endswith(".json"):
                page, _, below = plot.draw_trace(path)
            else:
                page, _, below = plot.draw(argparse.Namespace(file=path, figure=None, host=None))
            page.compose(below)
            check_page("%s, width %s" % (name, width), page)
            plt.close(page.figure)
            count += 1
    check(count > 0, "no figures in %s" % results)
    print("%d figures" % count)


if __name__ == "__main__":
    main(sys.argv[2])
