"""The figure of the study peers, which programs of their own measure."""

from plot_style import COLOURS, Page, bare, days, number

# What the figure needs.
COLUMNS = ("peer", "ranks", "threads", "gpus", "ratio", *(who + what for who in ("peer", "psg") for what in
                                                          ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")),
           "grid", "status", "repeats", "host", "cpu_model", "gpu_model", "cores", "date", "psg_version", "starpu_version",
           "fftw_version", "cuda_version")
PEERS = {"fftw": "FFTW", "fftw_mpi": "FFTW-MPI", "cufft": "cuFFT", "cufft_xt": "cuFFT (cufftXt)"}


def study(row):
    """The study that a row is of; None: not this one."""
    return "peers" if all(column in row for column in COLUMNS) else None


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
        axes.set_xticks(range(len(here)))
        axes.set_xticklabels([grid_name(row["grid"]) for row in here])
        axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
        used = count(way[3], "GPU") if way[3] != "0" else count(way[2], "thread")
        if way[1] != "1":
            used = "%s of %s" % (count(way[1], "process"), used)
        axes.set_title("%s, %s" % (PEERS.get(way[0], way[0]), used), fontsize=9)
        bare(axes)
    page.panels[0][0].set_ylabel("Gflop/s (5 n log2 n, two transforms)")
    page.head_of("A solve by psg and by its peers\nThe number is the peer's time over psg's", *page.panels[0])
    return page


FIGURES = {"peers": plot_peers}


def caption(rows, failed):
    """Where, when and with what: two lines."""
    first = rows[0]
    gpu = next((row["gpu_model"] for row in rows if row["gpu_model"]), "")
    repeats = sorted({int(row["repeats"]) for row in rows})
    cuda = next((row["cuda_version"] for row in rows if row["cuda_version"]), "") if gpu else ""
    return "%s, %s%s; %s\npsg %s, StarPU %s, FFTW %s%s; medians of %s rounds%s" % (
        first["cpu_model"] or "unknown processor", cores(rows), ", " + gpu if gpu else "",
        days(rows), first["psg_version"], first["starpu_version"], first["fftw_version"],
        ", CUDA " + cuda if cuda else "", "-".join(map(str, dict.fromkeys((repeats[0], repeats[-1])))),
        "; %s without a result" % count(str(failed), "row") if failed else "")
