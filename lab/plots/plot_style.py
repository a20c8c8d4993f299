"""What the figures have in common: the page, colours, axes, and how an error is said."""

import re
import sys
import textwrap

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
except ImportError as missing:
    sys.exit("plot.py: matplotlib is needed (%s): apt-get install python3-matplotlib, or pip install matplotlib in a "
             "virtual environment" % missing)

# Okabe and Ito's colours, which the colour-blind can tell apart
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999",
           "#F0E442", "#7F3C8D", "#A5AA99", "#8C510A"]
MARKERS = "osD^vP*X"
FONTS = {"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "psg", "pdf.fonttype": 42}
STAGES = ("fft_xy", "pack", "unpack", "fft_z", "divide", "ifft_z", "ifft_xy", "normalize", "forward_xy", "kspace",
          "inverse_xy", "exchange", "h2d", "d2h", "d2d")


def days(rows):
    """On which day, or from which to which."""
    all_days = sorted({row["date"][:10] for row in rows})
    return " to ".join(dict.fromkeys((all_days[0], all_days[-1])))


def gpu_name(model):
    """Without StarPU's number, and without its address."""
    return re.sub(r"^CUDA \S+ \((.*?)( [0-9a-f]+:[0-9a-f]+\.\d)?\)$", r"\1", model)


def dark(colour):
    """Is white easier to read on it than black? By the luminance of sRGB."""
    channels = [int(colour[n:n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.25


def plain(axis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: "%g" % value))
    axis.set_minor_formatter(NullFormatter())


def bare(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def light_grid(axes, **which):
    axes.grid(color="#dddddd", linewidth=0.6, **which)
    axes.set_axisbelow(True)
    bare(axes)


def name_rows(axes, names, **how):
    """Lines 0, 1, ... of a panel from its top down."""
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(names, **how)
    axes.set_ylim(len(names) - 0.5, -0.5)


def style_of(which, **more):
    """The colour and the mark of a curve."""
    return {"color": COLOURS[which % len(COLOURS)], "marker": MARKERS[which % len(MARKERS)], **more}


def whiskers(row, scale=1e3):
    """Distances of the ends of the median's interval from the median of the seconds, in ms or on
    another scale: none where fewer than three samples have no interval. In older files of the
    quartiles."""
    ends = ("_low", "_high") if "seconds_low" in row else ("_q1", "_q3")
    median, low, high = (float(row["seconds" + which] or row["seconds"]) for which in ("", *ends))
    return [[scale * (median - low)], [scale * (high - median)]]


def whisker_words(row):
    return "median and " + ("where it is with 95 %" if "seconds_low" in row else "quartiles")


# ------------------------------------------------------------------------------------------------ the page

WIDE = 6  # inches: a narrower figure has its words on more lines


class Page:
    """A figure with its title and legend above the panels, and its caption below: each gets the room that it needs, so that
    nothing is cut and nothing stands on anything else, whatever the width."""

    width = None  # inches; None: that which fits the figure

    def __init__(self, lines, columns, width, height, least=2.4, **more):
        """lines x columns panels, of `width` x `height` inches together. Panels of less than `least` stand one below the other."""
        fit = columns if Page.width is None else max(1, min(columns, int(Page.width / least)))
        self.columns, total = fit, lines * columns
        real = -(-total // fit)
        if fit < columns:
            more.pop("gridspec_kw", None)
        self.figure, grid = plt.subplots(real, fit, figsize=(Page.width or width, height * real / lines), squeeze=False, **more)
        self.panels = grid.ravel()[:total].reshape(lines, columns)
        for axes in grid.ravel()[total:]:
            axes.remove()
        self.folded = fit < columns
        self.narrow = self.figure.get_size_inches()[0] < WIDE
        self.title, self.handles, self.names, self.inside, self.stacks = "", [], [], [], []

    def head(self, title, handles=(), names=()):
        self.title, self.handles, self.names = title, list(handles), list(names)

    def head_of(self, title, *panels):
        """With the legend of what is drawn in these panels, each name once."""
        found = {}
        for axes in panels:
            for handle, name in zip(*axes.get_legend_handles_labels()):
                found.setdefault(name, handle)
        self.head(title, found.values(), found)

    def write_in_bar(self, axes, x, y, words, size, bar, colour):
        """Words that are left out where the bar, of this colour, is shorter than they are."""
        self.inside.append((axes.text(x, y, words, ha="center", va="center", fontsize=size,
                                      color="white" if dark(colour) else "black"), bar))

    def stack(self, axes, place, parts, height=0.8, **more):
        """Bars one after the other, of (name in the legend, length, colour, words in it). Where they
        end comes back."""
        left = 0
        for name, length, colour, words in parts:
            bar = axes.barh(place, length, height, left=left, color=colour, label=name, **more)
            if words is not None:
                self.write_in_bar(axes, left + length / 2, place, words, 8, bar[0], colour)
            left += length
        return left

    def write_at_ends(self, axes, ends):
        """Words right of the points (x, y, words, colour), moved up and down until none stands on another."""
        self.stacks.append([axes.annotate(words, (x, y), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8,
                                          color=colour) for x, y, words, colour in sorted(ends, key=lambda end: end[1])])

    def lines_of(self, words, inches, size):
        """Words on as many lines as they need; a letter is half as wide as it is high, about."""
        letters = max(12, int(72 * inches / (0.53 * size)))
        return "\n".join("\n".join(textwrap.wrap(line, letters, break_long_words=False)) for line in words.split("\n"))

    def extent(self, artist):
        """Its width and height in inches."""
        box = artist.get_window_extent(self.figure.canvas.get_renderer())
        return box.width / self.figure.dpi, box.height / self.figure.dpi

    def make_legend(self, width, top):
        """With as many columns as there is room for."""
        for columns in range(len(self.handles), 0, -1):
            legend = self.figure.legend(self.handles, self.names, ncol=columns, loc="upper left", frameon=False, fontsize=8,
                                        bbox_to_anchor=(0, top), borderaxespad=0, columnspacing=1.4, handlelength=1.6)
            if self.extent(legend)[0] <= width or columns == 1:
                return legend
            legend.remove()
        return None

    def compose(self, below):
        """Put everything in its place. To be called once, after the panels are drawn."""
        figure = self.figure
        width, height = figure.get_size_inches()
        margin, gap = 0.1, 0.08
        title = figure.text(0, 1, self.lines_of(self.title, width - 2 * margin, 11), fontsize=11, va="top")
        caption = figure.text(0, 0, self.lines_of(below, width - 2 * margin, 7), fontsize=7, color="#555555", va="bottom")
        legend = self.make_legend(width - 2 * margin, 1)
        below_axes = {axes: axes.get_xlabel() for axes in figure.axes}
        for axes, words in below_axes.items():
            axes.set_xlabel(self.lines_of(words, (width - 0.4) / self.columns, 9))
        up = [margin + self.extent(title)[1] + gap]
        up.append(up[0] + (self.extent(legend)[1] + gap if legend else 0))
        down = margin + self.extent(caption)[1] + 0.12
        height += up[1] + down
        figure.set_size_inches(width, height)
        title.set_position((margin / width, 1 - margin / height))
        caption.set_position((margin / width, margin / height))
        if legend:
            legend.set_bbox_to_anchor((margin / width, 1 - up[0] / height), figure.transFigure)
        for artist in (title, caption, legend):
            if artist:
                artist.set_in_layout(False)
        for _ in range(3):  # the room that words beside a panel need depends on the panel
            figure.tight_layout(rect=(0, down / height, 1, 1 - up[1] / height), pad=0.6)
            self.spread()
            for axes, words in below_axes.items():  # in the middle of the panel: from there to the nearer edge
                box = axes.get_position()
                middle, half = (box.x0 + box.x1) / 2, 0.5 / self.columns
                room = min(middle, 1 - middle, max(half, (box.x1 - box.x0) / 2))
                axes.set_xlabel(self.lines_of(words, 2 * room * width - 0.2, 9))
        self.thin_out()

    def spread(self):
        """Apart, from the lowest to the highest; and together so far down that the middle stays."""
        renderer = self.figure.canvas.get_renderer()
        points = 72 / self.figure.dpi
        for stack in self.stacks:
            for words in stack:
                words.set_position((6, 0))
            boxes = [words.get_window_extent(renderer) for words in stack]
            places = [(box.y0 + box.y1) / 2 for box in boxes]
            moved = list(places)
            for n in range(1, len(stack)):
                moved[n] = max(moved[n], moved[n - 1] + boxes[n].height)
            for first in range(len(stack)):  # each run of neighbours that touch goes back to its middle
                last = first
                while last + 1 < len(stack) and moved[last + 1] - moved[last] <= boxes[last + 1].height + 0.1:
                    last += 1
                if first == 0 or moved[first] - moved[first - 1] > boxes[first].height + 0.1:
                    back = sum(moved[first:last + 1]) / (last + 1 - first) - sum(places[first:last + 1]) / (last + 1 - first)
                    room = moved[first] - (moved[first - 1] + boxes[first].height) if first else back
                    moved[first:last + 1] = [place - min(back, room) for place in moved[first:last + 1]]
            for words, place, new in zip(stack, places, moved):
                words.set_position((6, (new - place) * points))

    def thin_out(self):
        """Words that do not fit into their bars, and tick labels that stand on the next one, are left out."""
        renderer = self.figure.canvas.get_renderer()
        for words, bar in self.inside:
            if words.get_window_extent(renderer).width > bar.get_window_extent(renderer).width:
                words.remove()
        for axes in self.figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                shown = None
                for label in reversed(axis.get_ticklabels()):
                    box = label.get_window_extent(renderer)
                    if label.get_text() and label.get_visible() and box.width > 0:
                        if shown is not None and shown.overlaps(box):
                            label.set_visible(False)
                        else:
                            shown = box.expanded(1.3, 1) if axis is axes.xaxis else box


def log_ticks(axis, inches):
    """A logarithmic axis with as many labels as there is room for, at numbers that are easy to read."""
    low, high = axis.get_view_interval()
    most = max(3, int(inches / 0.3))
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for subs in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        ticks = [sub * 10.0**power for power in decades for sub in subs if low <= sub * 10.0**power <= high]
        if len(ticks) <= most:
            break
    if len(ticks) < 4:  # less than a decade
        ticks = [tick for tick in MaxNLocator(min(most, 7), steps=(1, 2, 2.5, 5, 10)).tick_values(low, high) if low <= tick <= high]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    plain(axis)
