"""A user's field, written by h5py, comes back as the solution that numpy finds on its own."""

import h5py
import numpy as np

from command import check, solve, without_load


STENCILS = {"fd2": (1,), "fd6": (3 / 2, -3 / 20, 1 / 90), "fd8": (8 / 5, -1 / 5, 8 / 315, -1 / 560)}


def numpy_solution(f, box, symbol, decay):
    """lap(u) - decay u = f by complex FFTs over all three axes; box is lx, ly, lz."""
    total = np.full(f.shape, -float(decay))
    for axis, length in zip((2, 1, 0), box):
        n = f.shape[axis]
        mode = np.array([m if 2 * m <= n else m - n for m in range(n)], dtype=float)
        eigenvalue = 0 if symbol in STENCILS else -((2 * np.pi * mode / length) ** 2)
        for m, weight in enumerate(STENCILS.get(symbol, ()), 1):
            # the cosine form of the eigenvalue of weight times (1, -2, 1)/h^2, m points apart
            eigenvalue += 2 * weight * (np.cos(2 * np.pi * m * mode / n) - 1) * (n / length) ** 2
        shape = [1, 1, 1]
        shape[axis] = n
        total = total + eigenvalue.reshape(shape)
    spectrum = np.fft.fftn(f.astype(np.float64))
    if decay == 0:
        spectrum[0, 0, 0] = 0
        total[0, 0, 0] = 1
    return np.fft.ifftn(spectrum / total).real


def compare(shape, dtype, box, symbol, decay, options=(), factor=1.0):
    """shape: nz, ny, nx."""
    f = np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)
    with h5py.File("rho.h5", "w") as file:
        file["fields/density"] = f
    arguments = ["--in", "rho.h5:/fields/density", "--out", "phi.h5:/a/potential",
                 "--box", "x".join(map(repr, box)), "--symbol", symbol, "--lambda", repr(decay)]
    solve(*arguments, *options)
    with h5py.File("phi.h5", "r") as file:
        data = file["/a/potential"]
        u = data[...]
        what = "%s %s box %s %s lambda %g" % (shape, np.dtype(dtype), box, symbol, decay)
        check(data.dtype == np.dtype(dtype), "%s: written as %s" % (what, data.dtype))
        check(u.shape == shape, "%s: written as %s" % (what, u.shape))
        check(list(data.attrs["box"]) == list(box), "%s: box %s" % (what, data.attrs["box"]))
        check(data.attrs["symbol"].decode() == symbol, "%s: attribute symbol" % what)
        check(data.attrs["lambda"] == decay, "%s: attribute lambda" % what)
        check(data.attrs["factor"] == factor, "%s: attribute factor" % what)
        check(data.attrs["source"].decode() == "rho.h5:/fields/density", what + ": source")
        check(len(data.attrs["psg_version"].decode().split(".")) == 3, what + ": version")
        mean = 0 if decay else np.mean(f, dtype=np.float64)
        check(abs(data.attrs["mean_dropped"] - mean) <= 1e-7, "%s: mean %g instead of %g"
              % (what, data.attrs["mean_dropped"], mean))
    want = factor * numpy_solution(f, box, symbol, decay)
    error = np.max(np.abs(u - want)) / max(np.max(np.abs(want)), np.finfo(float).tiny)
    check(error <= (1e-12 if dtype == np.float64 else 1e-5), "%s: off by %g" % (what, error))


UNIT = (1.0, 1.0, 1.0)
LONG = (1.5, 0.4, 3.25)

for shape in ((61, 50, 37), (64, 64, 1), (7, 1, 64), (5, 5, 5)):
    for dtype in (np.float64, np.float32):
        for symbol in ("spectral", "fd2"):
            for decay in (0.0, 2.5):
                compare(shape, dtype, LONG, symbol, decay)
compare((128, 128, 128), np.float64, UNIT, "spectral", 0.0)
compare((128, 128, 128), np.float32, UNIT, "spectral", 0.0)
compare((61, 50, 37), np.float64, LONG, "spectral", 0.0, ("--graph", "staged", "--z", "strided"))
compare((61, 50, 37), np.float64, LONG, "fd2", 0.0, ("--segment-planes", "7", "--sheets", "3"))
compare((61, 50, 37), np.float64, LONG, "fd6", 0.0)
compare((5, 2, 7), np.float32, LONG, "fd8", 2.5)
compare((61, 50, 37), np.float64, LONG, "spectral", 1.0,
        ("--repeat", "7", "--in-flight", "3", "--cpus", "1", "--sched", "eager"))

# From resident data, u is written as from an array.
compare((31, 20, 37), np.float64, LONG, "spectral", 0.0, ("--data", "resident"))
compare((31, 20, 37), np.float32, LONG, "fd2", 1.0, ("--data", "resident", "--repeat", "3", "--in-flight", "2"))

# The units: gravity, and charges in SI and in Gaussian units.
for text, factor in (("4*pi*6.6743e-11", 4 * np.pi * 6.6743e-11), ("-1/8.8541878128e-12", -1 / 8.8541878128e-12), ("-4*pi", -4 * np.pi)):
    for decay in (0.0, 2.5):
        compare((31, 20, 37), np.float64, LONG, "spectral", decay, ("--factor", text, "--verify"), factor=factor)

# The box of the data set is used when the command line has none, and gives way when it has one.
f = np.random.default_rng(1).standard_normal((9, 8, 7))
with h5py.File("rho.h5", "w") as file:
    file["f"] = f
    file["f"].attrs["box"] = np.array([2, 3, 5], dtype="i4")
for option, box in (((), (2, 3, 5)), (("--box", "4x1x1"), (4, 1, 1)), (("--box", "3"), (3, 3, 3))):
    solve("--in", "rho.h5", "--out", "phi.h5", *option)
    with h5py.File("phi.h5", "r") as file:
        u = file["potential"][...]
    want = numpy_solution(f, box, "spectral", 0)
    check(np.max(np.abs(u - want)) <= 1e-12 * np.max(np.abs(want)), "box %s" % (box,))

# Other kinds of numbers: big-endian, chunked and compressed, integers (said), other precision (said).
with h5py.File("kinds.h5", "w") as file:
    file["big"] = f.astype(">f8")
    file.create_dataset("packed", data=f, chunks=(4, 4, 4), compression="gzip")
    file["short"] = np.round(100 * f).astype("i2")
    file["half"] = f.astype("f2")
for name, data, dtype, options, note in (
        ("big", f, "f8", (), None),
        ("packed", f, "f8", (), None),
        ("short", np.round(100 * f), "f8", (), "kinds.h5:/short: holds integers, they are read as f64"),
        ("short", np.round(100 * f), "f4", ("--precision", "f32"), "holds integers, they are read as f32"),
        ("half", f.astype("f2"), "f4", (), None),
        ("big", f, "f4", ("--precision", "f32"), "holds f64 numbers, they are read as f32")):
    done = solve("--in", "kinds.h5:" + name, "--out", "phi.h5:u", "--box", "1", *options)
    check((note in done.stderr) if note else without_load(done.stderr) == "", "%s: said %r" % (name, done.stderr))
    with h5py.File("phi.h5", "r") as file:
        u = file["u"][...]
    check(u.dtype == np.dtype(dtype), "%s: written as %s" % (name, u.dtype))
    want = numpy_solution(data, UNIT, "spectral", 0)
    error = np.max(np.abs(u - want)) / np.max(np.abs(want))
    check(error <= (1e-12 if dtype == "f8" else 1e-5), "%s: off by %g" % (name, error))
    solve("--in", "kinds.h5:" + name, "--box", "1", "--quiet", "--verify", *options)
