"""Figures of the studies that programs of their own measure: transposes, fft, peers."""

from plot_style import COLOURS, MARKERS, Page, bare, days, log_ticks, number, plt

# What the figure of a study needs, and what they all need.
COLUMNS = {
    "transposes": ("device", "element_bytes", "permutation", "threads", "elements_per_thread", "bandwidth", "of_copy"),
    "fft": ("device", "kind", "layout", "n", "batch", "stride", "threads", "seconds_per_fft", "over_contiguous",
            "strided_over_transposed"),
    "peers": ("peer", "ranks", "threads", "gpus", "ratio", *(who + what for who in ("peer", "psg") for what in
                                                             ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")))}
COMMON = ("grid", "status", "repeats", "host", "cpu_model", "gpu_model", "cores", "date", "psg_version", "starpu_version",
          "fftw_version", "cuda_version")
PERMUTATIONS = ("xyz", "yxz", "zyx", "xzy", "yzx", "zxy")
PEERS = {"fftw": "FFTW", "fftw_mpi": "FFTW-MPI", "cufft": "cuFFT", "cufft_xt": "cuFFT (cufftXt)"}


def study(row):
    """The study that a row is of; None: none of these."""
    return next((name for name, columns in COLUMNS.items() if all(column in row for column in columns + COMMON)), None)


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


def device_name(row):
    return "CPU, " + count(row["threads"], "thread") if row["device"] == "cpu" else "GPU"


def plot_transposes(rows):
    ways = distinct(rows, "device", "threads", "elements_per_thread")
    grids = [grid for grid, in distinct(rows, "grid")]
    sizes = [size for size, in distinct(rows, "element_bytes")]
    page = Page(len(grids), len(ways), 3.4 * len(ways) + 0.8, 1.8 * len(grids) + 0.3, least=1.6, sharey=True)
    tight = page.figure.get_size_inches()[0] < 2.8 * page.columns
    for place_of_grid, grid in enumerate(grids):
        for place_of_way, (way, axes) in enumerate(zip(ways, page.panels[place_of_grid])):
            copies = []
            here = choose(rows, grid=grid, **dict(zip(("device", "threads", "elements_per_thread"), way)))
            for index, size in enumerate(sizes):
                for row in choose(here, element_bytes=size):
                    if row["permutation"] == "copy":
                        copies.append("%s B %.4g" % (size, number(row, "bandwidth")))
                    else:
                        place = PERMUTATIONS.index(row["permutation"]) + 0.27 * (index - (len(sizes) - 1) / 2)
                        axes.bar(place, number(row, "of_copy"), width=0.25, color=COLOURS[index])
            axes.axhline(1, color="#999999", linewidth=0.8, linestyle="--")
            axes.set_xticks(range(len(PERMUTATIONS)))
            axes.set_xticklabels(PERMUTATIONS, fontsize=7 if tight else 9)
            name = device_name({"device": way[0], "threads": way[1]})
            name += ", %s a thread" % count(way[2], "element") if way[2] else ""
            words = (name + "\n" if place_of_grid == 0 or page.folded else "") + "copy, GB/s: "
            axes.set_title(words + ("\n" if tight else "") + ", ".join(copies), fontsize=6 if tight else 7.5, loc="left")
            bare(axes)
            if place_of_way == 0 or page.folded:
                axes.set_ylabel(grid_name(grid))
    page.head("Bandwidth of transposes, as a fraction of the copy's",
              [plt.Rectangle((0, 0), 1, 1, color=COLOURS[index]) for index in range(len(sizes))],
              ["%s-byte elements" % size for size in sizes])
    return page


def plot_batches(axes, rows, lengths, column, scale):
    """A curve for each length, over the batch."""
    for index, n in enumerate(lengths):
        of_n = sorted(choose(rows, n=n), key=lambda row: number(row, "batch"))
        if of_n:
            axes.plot([number(row, "batch") for row in of_n], [scale * number(row, column) for row in of_n], label=n,
                      color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)], markersize=4, linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    log_ticks(axes.yaxis, 2.6)
    axes.set_xlabel("FFTs in a batch")
    axes.grid(color="#dddddd", linewidth=0.6)
    bare(axes)


def plot_z(axes, rows):
    """Bars of strided over transposed, with what the transposition takes."""
    for place, row in enumerate(rows):
        value = number(row, "strided_over_transposed")
        axes.bar(place, value, width=0.6, color=COLOURS[0] if value > 1 else COLOURS[1])
        axes.text(place, value, "%.2f" % value, ha="center", va="bottom", fontsize=8)
    axes.axhline(1, color="#999999", linewidth=0.8, linestyle="--")
    axes.set_xlim(-0.6, max(len(rows), 3) - 0.4)
    axes.set_xticks(range(len(rows)))
    axes.set_xticklabels(["%s%s" % (grid_name(row["grid"]), "\n%s" % count(row["threads"], "thread") if row["threads"] else "")
                          for row in rows], fontsize=7.5)
    axes.set_title("strided / (transposed, then contiguous):\nabove 1 a transposition pays", fontsize=8.5)
    bare(axes)


def plot_fft(rows):
    devices = [device for device, in distinct(rows, "device")]
    batches = choose(rows, kind="batch")
    lengths = sorted({row["n"] for row in batches}, key=int)
    page = Page(len(devices), 4, 15, 3.4 * len(devices), gridspec_kw={"width_ratios": (3, 3, 3, 4)})
    for device, line in zip(devices, page.panels):
        here = choose(batches, device=device)
        plot_batches(line[0], choose(here, layout="contiguous"), lengths, "seconds_per_fft", 1e6)
        line[0].set_ylabel("%s\ntime of an FFT, us" % device.upper())
        line[0].set_title("contiguous", fontsize=8.5)
        strided = choose(here, layout="strided")
        for axes, power, name in ((line[1], 1, "n"), (line[2], 2, "n\N{SUPERSCRIPT TWO}")):
            plot_batches(axes, [row for row in strided if int(row["stride"]) == int(row["n"]) ** power and row["over_contiguous"]],
                         lengths, "over_contiguous", 1)
            axes.axhline(1, color="#999999", linewidth=0.8, linestyle="--")
            axes.set_title("stride %s: time over that of contiguous FFTs" % name, fontsize=8.5)
        plot_z(line[3], [row for row in choose(rows, device=device, layout="transposed") if row["strided_over_transposed"]])
    page.head_of("FFTs (complex, f64) by length, batch and stride; and along z of a spectrum. A colour for each number of points", *page.panels[0])
    return page


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


FIGURES = {"transposes": plot_transposes, "fft": plot_fft, "peers": plot_peers}


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
