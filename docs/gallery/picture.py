"""What the examples share: where a picture goes, and how it looks."""

import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def figure(columns):
    """A row of axes for a picture of `columns` panels."""
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "image.origin": "lower", "image.cmap": "RdBu_r"})
    return plt.subplots(1, columns, figsize=(3.4 * columns, 3.1), layout="constrained")


def save(page, script):
    """Write the picture beside the script, or where --out says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.splitext(script)[0] + ".png", help="the picture [beside the script]")
    page.savefig(parser.parse_args().out, dpi=110, metadata={"Software": None})
