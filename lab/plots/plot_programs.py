"""The figures of the studies that programs of their own measure."""

from plot_style import COLOURS, Page, bare, days, number

# What all figures need, and what each of them.
COMMON = ("ranks", "gpus", "grid", "status", "repeats", "host", "cpu_model", "gpu_model", "cores", "date", "psg_version",
          "starpu_version", "fftw_version", "cuda_version")
COLUMNS = {"peers": ("peer", "threads", "ratio", *(who + what for who in ("peer", "psg") for what in
                                                   ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops"))),
           "embed": ("door", "seconds")}
PEERS = {"fftw": "FFTW", "fftw_mpi": "FFTW-MPI", "cufft": "cuFFT", "cufft_xt": "cuFFT (cufftXt)", "cufft_mp": "cuFFTMp"}
DOORS = {"device": "arrays on GPUs", "in_place": "in place", "ghost": "with a ghost layer", "stream": "on a stream",
         "slabs": "StarPU handles", "host": "main memory"}


def study(row):
    """The study that a row is of; None: none of these."""
    return next((name for name, own in COLUMNS.items() if all(column in row for column in COMMON + own)), None)


def distinct(rows, *columns):
    return list(dict.fromkeys(tuple(row[column] for column in columns) for row in rows))


def choose(rows, **values):
    return [row for row in rows if all(row[column] == value for column, value in values.items())]


def grid_name(grid):
    n = grid.split("x")
    return n[0] + "\N{SUPERSCRIPT THREE}" if len(set(n)) == 1 else grid.replace("x", "\N{MULTIPLICATION SIGN}")


def count(number_of, what):
    return "%s %s%s" % (number_of, what, "" if number_of == "1" else "es" if what.endswith("s") else "s")


def cores(rows):
    """How many cores the machine has; a study of 1 and of several GPUs may be of machines that differ in that."""
    return " or ".join(sorted({row["cores"] for row in rows}, key=int)) + " cores"


def used_by(ranks, workers, what):
    """"2 processes of 1 GPU"."""
    used = count(workers, what)
    return used if ranks == "1" else "%s of %s" % (count(ranks, "process"), used)


def name_grids(axes, grids):
    axes.set_xticks(range(len(grids)))
    axes.set_xticklabels([grid_name(grid) for grid in grids])
    bare(axes)


def plot_peers(rows):
    ways = distinct(rows, "peer", "ranks", "threads", "gpus")
    page = Page(1, len(ways), max(3.2 * len(ways) + 0.8, 5), 3.6)
    for way, axes in zip(ways, page.panels[0]):
        here = choose(rows, **dict(zip(("peer", "ranks", "threads", "gpus"), way)))
        for place, row in enumerate(here):
            top = 0
            for who, side, colour, name in (("peer", -0.2, "#999999", "the peer"), ("psg", 0.2, COLOURS[0], "psg")):
                height = number(row, who + "_gflops")
                # the quartiles of the time, as of the rate
                spread = [[height - height * number(row, who + "_seconds") / number(row, who + "_seconds_q3")],
                          [height * number(row, who + "_seconds") / number(row, who + "_seconds_q1") - height]]
                top = max(top, height + spread[1][0])
                axes.bar(place + side, height, yerr=spread, capsize=2, width=0.38, color=colour, error_kw={"elinewidth": 0.8},
                         label=name if place == 0 else None)
            axes.text(place, 1.02 * top, "\N{MULTIPLICATION SIGN}%.2f" % number(row, "ratio"), ha="center", va="bottom", fontsize=8)
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
        used = used_by(way[1], way[3], "GPU") if way[3] != "0" else used_by(way[1], way[2], "thread")
        axes.set_title("%s, %s" % (PEERS.get(way[0], way[0]), used), fontsize=9)
        name_grids(axes, [row["grid"] for row in here])
    page.panels[0][0].set_ylabel("Gflop/s (5 n log2 n, two transforms)")
    page.head_of("A solve by psg and by its peers\nThe number is the peer's time over psg's", *page.panels[0])
    return page


def plot_embed(rows):
    """Panels of those runs that have a peer: how many times as fast as the peer psg is by each of its doors."""
    of_peers = {(row["ranks"], row["gpus"], row["grid"]): row for row in rows if row["door"] in PEERS}
    if not of_peers:
        raise ValueError("no row of cuFFT, cufftXt or cuFFTMp")
    ways = list(dict.fromkeys(key[:2] for key in of_peers))
    page = Page(1, len(ways), max(3.4 * len(ways) + 0.8, 5), 3.6, sharey=True)
    for way, axes in zip(ways, page.panels[0]):
        grids = [key[2] for key in of_peers if key[:2] == way]
        for place, grid in enumerate(grids):
            peer = of_peers[(*way, grid)]
            here = {row["door"]: row for row in choose(rows, ranks=way[0], gpus=way[1], grid=grid)}
            for order, (door, name) in enumerate(DOORS.items()):
                if door in here:
                    axes.bar(place + 0.13 * (order - 2.5), number(peer, "seconds") / number(here[door], "seconds"), width=0.12,
                             color=COLOURS[order], label=name)
        axes.axhline(1, color="#555555", linewidth=0.8, linestyle="--")
        axes.set_title("%s, %s" % (PEERS[of_peers[(*way, grids[0])]["door"]], used_by(*way, "GPU")), fontsize=9)
        name_grids(axes, grids)
    page.panels[0][0].set_ylabel("the peer's time over psg's")
    page.head_of("A solve of another program's f, by each way into psg, beside the peer that a panel names", *page.panels[0])
    return page


FIGURES = {"peers": plot_peers, "embed": plot_embed}


def caption(rows, failed):
    """Where, when and with what: two lines."""
    first = rows[0]
    gpu = next((row["gpu_model"] for row in rows if row["gpu_model"]), "")
    repeats = sorted({int(row["repeats"]) for row in rows})
    versions = ", ".join("%s %s" % (name, first[column]) for name, column in (
        ("psg", "psg_version"), ("StarPU", "starpu_version"), ("FFTW", "fftw_version")) if first[column])
    cuda = next((row["cuda_version"] for row in rows if row["cuda_version"]), "") if gpu else ""
    versions = ", ".join(filter(None, (versions, "CUDA " + cuda if cuda else "")))
    return "%s, %s%s; %s\n%s; medians of %s rounds%s" % (
        first["cpu_model"] or "unknown processor", cores(rows), ", " + gpu if gpu else "",
        days(rows), versions, "-".join(map(str, dict.fromkeys((repeats[0], repeats[-1])))),
        "; %s without a result" % count(str(failed), "row") if failed else "")
