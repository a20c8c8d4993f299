"""The divergence that a projection leaves of a smooth flow, beside that of differences of u, and
how many solves it takes:
python3 lab/peers/projection.py [--figure FILE.png] [--gpus G] [TURNS [N ...]]

The figure has what is left of periodic flows in f32 over N. With --gpus the arrays are CuPy's, on
GPU 0, where there is CuPy; else the solves copy them."""

import argparse
import os
import sys
import time

import numpy as np
import psg


# Between walls along z: z, y, x; the box; tanh(stretch s) has the faces.
WALLS = (
    ((96, 32, 64), (2.0, 4.0, 12.0), 0),
    ((96, 32, 64), (2.0, 4.0, 12.0), 2.5),
    ((192, 64, 96), (2.0, 8.0, 25.0), 3),
    ((256, 16, 128), (2.0, 25.0, 200.0), 3),
)


def smooth(shape, walls, rng):
    """Modes fall as exp(-(k/6)^2). Between walls along z there are sums of random planes."""
    axes = (1, 2) if walls else (0, 1, 2)
    waves = [np.fft.fftfreq(n, 1 / n) for n in shape[:2]] + [np.arange(shape[2] // 2 + 1)]
    k2 = sum(np.meshgrid(*(w**2 * (axis in axes) for axis, w in enumerate(waves)), indexing="ij"))
    sizes = [shape[axis] for axis in axes]
    if walls:
        k2 = k2[:1]
    modes = np.fft.rfftn(rng.standard_normal(shape), axes=axes)
    flow = np.fft.irfftn(modes * np.exp(-k2 / 36), s=sizes, axes=axes)
    return np.cumsum(flow, 0) / np.sqrt(shape[0]) if walls else flow / flow.std()


def cells(shape, box, stretch):
    """Faces along z, or None; by axis the thickness of cells, and the distance from the middle of a
    cell to that of the next. There is none after the last one of a stretched axis."""
    h = [length / n for length, n in zip(box, shape)]
    if not stretch:
        return None, h, h
    s = np.linspace(-1, 1, shape[0] + 1)
    faces = box[0] / 2 * (1 + np.tanh(stretch * s) / np.tanh(stretch))
    width = np.diff(faces)
    gap = np.append((width[1:] + width[:-1]) / 2, 1)
    return faces, [width[:, None, None], *h[1:]], [gap[:, None, None], *h[1:]]


def divergence(flow, h, walls):
    total = 0
    for axis in range(3):
        here = flow[axis].astype(float)
        below = np.roll(here, 1, axis)
        if axis == 0 and walls:
            below[0] = 0
        total = total + (here - below) / h[axis]
    return total


def differences(u, flow, h, walls):
    """The flow less differences of u, in their precision."""
    left = []
    for axis in range(3):
        g = (np.roll(u, -1, axis) - u) / np.asarray(h[axis], u.dtype)
        if axis == 0 and walls:
            g[-1] = 0
        left.append(flow[axis] - g.astype(u.dtype))
    return left


def seconds(works, turns, gpus):
    """Of each, the least in turns: that the process had a core, or with GPUs that passed."""
    clock = time.perf_counter if gpus else time.process_time
    least = [float("inf")] * len(works)
    for _ in range(turns):
        for m, work in enumerate(works):
            begin = clock()
            work()
            synchronize(gpus)
            least[m] = min(least[m], clock() - begin)
    return least


def on_gpu(gpus):
    """CuPy, if there are GPUs and it is there; else NumPy."""
    try:
        import cupy

        return cupy if gpus else np
    except ImportError:
        return np


def synchronize(gpus):
    arrays = on_gpu(gpus)
    if arrays is not np:
        arrays.cuda.Device().synchronize()


def to_host(array):
    return array if isinstance(array, np.ndarray) else array.get()


def measure(shape, box, walls, dtype, turns, stretch=0, gpus=0):
    rng = np.random.default_rng(0)
    flow = [smooth(shape, walls, rng).astype(dtype) for _ in range(3)]
    if walls:
        flow[0][-1] = 0
    faces, h, gaps = cells(shape, box, stretch)
    before = divergence(flow, h, walls)
    largest = abs(before).max()
    with psg.Plan(
        shape,
        dtype,
        box=box,
        faces=None if faces is None else {"z": faces},
        symbol="fd2",
        cpus=0 if gpus else 1,
        gpus=gpus,
        bc={"z": "neumann"} if walls else "periodic",
    ) as plan:
        arrays = on_gpu(gpus)
        f = arrays.asarray(before.astype(dtype))
        u = plan.solve(f)
        by_differences = differences(to_host(u), flow, gaps, walls)
        projected = [arrays.array(v) for v in flow]
        plan.project(projected)
        flows = (by_differences, [to_host(v) for v in projected])
        left = [abs(divergence(v, h, walls)).max() / largest for v in flows]
        out = [arrays.empty_like(u) for _ in range(3)]
        works = (
            lambda: plan.solve(f, u),
            lambda: plan.project(projected),
            lambda: plan.gradient(f, out, u=u),
        )
        solve, project, gradient = seconds(works, turns, gpus)
    digit = np.finfo(dtype).eps * max((abs(v) / step).max() for v, step in zip(flow, h)) / largest
    # GPUs make differences of u in f64 along z, for f32 too, and of f64 these are what f64 has.
    if left[1] > (left[0] if gpus and dtype is np.float64 else 10 * digit):
        sys.exit("%s: project() leaves %g, and the last digit is %g" % (shape, left[1], digit))
    print(
        "%s %s %s: differences %.1e, project() %.1e, last digit %.1e; a projection takes %.1f "
        "solves, u and its gradient %.1f, a solve %.3g s"
        % (
            "x".join(map(str, shape)),
            "stretched" if stretch else "walls" if walls else "periodic",
            np.dtype(dtype).name,
            *left,
            digit,
            project / solve,
            gradient / solve,
            solve,
        ),
        flush=True,
    )
    return (*left, digit)


def draw(path, sizes, rows):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
    import plot_style

    plot_style.plt.rcParams.update(plot_style.FONTS)
    figure, axes = plot_style.plt.subplots(figsize=(5, 3.4), layout="constrained")
    words = ("differences of u", "psg_project()", "last digit of the flow over h")
    for m, values in enumerate(zip(*rows)):
        axes.loglog(
            sizes,
            values,
            marker=plot_style.MARKERS[m],
            linestyle="-" if m < 2 else "--",
            color=plot_style.COLOURS[m],
            label=words[m],
        )
    axes.set_xticks(sizes, ["%d³" % n for n in sizes], minor=False)
    axes.minorticks_off()
    axes.set_xlabel("points, periodic, f32")
    axes.set_ylabel("largest divergence, after over before")
    axes.legend(frameon=False)
    plot_style.light_grid(axes)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", metavar="FILE", help="of periodic flows in f32")
    parser.add_argument("--gpus", type=int, default=0, metavar="G", help="that solve, else a core")
    parser.add_argument("numbers", nargs="*", type=int, metavar="TURNS N")
    asked = parser.parse_args()
    numbers = asked.numbers or [9]
    for dtype in (np.float32, np.float64):
        sizes = numbers[1:] or (32, 64, 128)
        rows = [
            measure((n,) * 3, (2 * np.pi,) * 3, False, dtype, numbers[0], gpus=asked.gpus)
            for n in sizes
        ]
        if dtype is np.float32 and asked.figure:
            draw(asked.figure, sizes, rows)
        for n, box, stretch in WALLS[: 2 if numbers[1:] else 4]:
            measure(n, box, True, dtype, numbers[0], stretch, asked.gpus)
