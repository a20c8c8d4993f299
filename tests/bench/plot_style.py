"""What the figures have in common: colours, axes, and how an error is said."""

import re
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
except ImportError as missing:
    sys.exit("plot.py: matplotlib is needed (%s): apt-get install python3-matplotlib, or pip install matplotlib in a "
             "virtual environment" % missing)

# Okabe and Ito's colours, which the colour-blind can tell apart
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999", "#F0E442", "#7F3C8D",
           "#A5AA99", "#8C510A"]
MARKERS = "osD^vP*X"
STAGES = ("fft_xy", "pack", "unpack", "fft_z", "divide", "ifft_z", "ifft_xy", "normalize", "forward_xy", "kspace",
          "inverse_xy", "exchange", "h2d", "d2h", "d2d")


def fail(words):
    sys.exit("plot.py: " + words)


def number(row, column):
    return float(row[column])


def days(rows):
    """On which day, or from which to which."""
    all_days = sorted({row["date"][:10] for row in rows})
    return " to ".join(dict.fromkeys((all_days[0], all_days[-1])))


def gpu_name(model):
    """Without StarPU's number, and without its address."""
    return re.sub(r"^CUDA \S+ \((.*?)( [0-9a-f]+:[0-9a-f]+\.\d)?\)$", r"\1", model)


def dark(colour):
    return colour not in ("#F0E442", "#E69F00", "#56B4E9")


def plain(axis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: "%g" % value))
    axis.set_minor_formatter(NullFormatter())


def bare(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
