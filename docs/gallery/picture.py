"""What the examples share: where a picture goes, and how it looks."""

import argparse
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def figure(columns, height=3.1, **more):
    """A row of axes for a picture of `columns` panels."""
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "image.origin": "lower", "image.cmap": "RdBu_r"})
    return plt.subplots(1, columns, figsize=(4.1 * columns, height), layout="constrained", **more)


def around(across, up):
    """The extent of an image of points at these places: each point in the middle of its rectangle."""
    ends = []
    for places in (across.ravel(), up.ravel()):
        half = (places[-1] - places[0]) / (len(places) - 1) / 2
        ends += [places[0] - half, places[-1] + half]
    return ends


def finish(page, axes, title, across, up, colours=None, label=None, **bar):
    """A title, what the axes are, and a colour bar of the image `colours` with a label. Each word about an axis has its unit."""
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    if colours is not None:
        page.colorbar(colours, ax=axes, label=label, **bar)


def save(page, script):
    """Write the picture beside the script, or where --out says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.splitext(script)[0] + ".png", help="the picture [beside the script]")
    assert all(axes.get_xlabel() or axes.get_ylabel() for axes in page.axes), "a panel or a colour bar without words"
    assert min(words.get_fontsize() for words in page.findobj(matplotlib.text.Text) if words.get_text()) >= 7, "words too small to read"
    page.savefig(parser.parse_args().out, dpi=110, metadata={"Software": None})
