"""psg solve reads and writes NumPy's files: the answer is that of HDF5 to the last bit, numpy loads what psg writes, and
what psg does not read is refused with words.

    npy.py PSG [MPIRUN]
"""

import json
import os
import struct

import h5py
import numpy as np

from command import QUICK, check, files, has_mpi, refused, run, solve

BOX = ("--box", "1x2x3")
SHAPE = (9, 7, 6)  # nz, ny, nx
f = np.random.default_rng(5).standard_normal(SHAPE)
f -= f.mean()
np.save("f8.npy", f)
np.save("f4.npy", f.astype("f4"))
with h5py.File("f.h5", "w") as file:
    file["f8"], file["f4"] = f, f.astype("f4")


def reference(values):
    k2 = 0
    for axis, (points, length) in enumerate(zip(SHAPE, (3, 2, 1))):
        k = 2 * np.pi * np.fft.fftfreq(points, length / points)
        k2 = k2 + np.expand_dims(k ** 2, [other for other in range(3) if other != axis])
    k2[0, 0, 0] = 1
    u = np.fft.fftn(values) / -k2
    u[0, 0, 0] = 0
    return np.fft.ifftn(u).real


# Each precision, from and to each kind of file.
for kind, tolerance in (("f8", 1e-13), ("f4", 1e-5)):
    said = solve("--in", kind + ".npy", "--out", "u.npy", *BOX, "--verify", "--force").stdout
    check("written   u.npy\n" in said and "source    %s.npy\n" % kind in said, said)
    check(not os.path.exists("u.xmf"), "an .xmf that nobody reads")
    u = np.load("u.npy")
    check(u.dtype == np.dtype("<" + kind) and u.shape == SHAPE and u.flags.c_contiguous, (u.dtype, u.shape))
    error = abs(u - reference(f)).max() / abs(u).max()
    check(error <= tolerance, "%s: error %g" % (kind, error))
    solve("--in", "f.h5:" + kind, "--out", "same.npy", *BOX, "--force")
    check(np.load("same.npy").tobytes() == u.tobytes(), kind + ": HDF5 to NumPy differs")
    solve("--in", kind + ".npy", "--out", "same.h5:" + kind, *BOX)
    with h5py.File("same.h5", "r") as file:
        check(file[kind][...].tobytes() == u.tobytes(), kind + ": NumPy to HDF5 differs")
# The other precision than the file's.
for kind, other, precision in (("f8", "f4", "f32"), ("f4", "f8", "f64")):
    done = solve("--in", kind + ".npy", "--out", "u.npy", *BOX, "--precision", precision, "--force", "--json", "r.json")
    check("they are read as " + precision in done.stderr, done.stderr)
    converted = np.load(kind + ".npy").astype(other)
    check(np.load("u.npy").dtype == converted.dtype, "wrong precision")
    np.save("converted.npy", converted)
    solve("--in", "converted.npy", "--out", "same.npy", *BOX, "--force")
    check(np.load("u.npy").tobytes() == np.load("same.npy").tobytes(), "%s read as %s" % (kind, precision))
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)
    check(report["source"] == kind + ".npy", report["source"])
# A file by its content, whatever its name.
os.rename("converted.npy", "field")
solve("--in", "field", "--out", "same.npy", *BOX, "--force")
check("its name" not in run("solve", "--in", "field", *QUICK).stderr, "")
# Another shape of the header: double quotes, other order of the keys, no blanks.
header = b'{"shape":(9,7,6),"fortran_order":False,"descr":"<f8"}\n'
with open("other.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + f.tobytes())
check(np.array_equal(np.load("other.npy"), f), "not a file of NumPy's")
solve("--in", "other.npy", "--out", "u.npy", *BOX, "--force")
check(abs(np.load("u.npy") - reference(f)).max() <= 1e-13, "another header")
# One point along an axis, and digits enough for a larger header.
for shape in ((1, 1, 8), (8, 1, 1), (1, 1024, 10)):
    values = np.random.default_rng(6).standard_normal(shape)
    np.save("thin.npy", values - values.mean())
    solve("--in", "thin.npy", "--out", "u.npy", "--verify", "--force")
    check(np.load("u.npy").shape == shape, shape)

# A file that is there stays, unless --force says else; another program may have written it.
for name in os.listdir("."):
    if name not in ("f8.npy", "f4.npy", "f.h5"):
        os.remove(name)
np.save("u.npy", f)
refused("solve", "--in", "f8.npy", "--out", "u.npy", *QUICK, code=2, says=("u.npy: is there already", "--force"))
refused("solve", "--in", "f8.npy", "--out", "f8.npy", "--force", *QUICK, code=2, says=("same file",))
refused("solve", "--in", "f8.npy", "--out", "v.npy:/u", *QUICK, code=2, says=("v.npy", "one array", ":/u"))
refused("solve", "--in", "f8.npy", "--out", "v.npy", "--json", "v.npy", *QUICK, code=2, says=("v.npy", "same file"))
refused("solve", "--in", "f8.npy:/u", *QUICK, code=2, says=("f8.npy", "one array", ":/u"))
refused("example", "rho.npy", code=2, says=("rho.npy", "no place for the lengths of the box", "HDF5"))


def bad(array, *says):
    """A file with the array, or with these bytes."""
    if isinstance(array, bytes):
        with open("bad.npy", "wb") as file:
            file.write(array)
    else:
        np.save("bad.npy", array)
    refused("solve", "--in", "bad.npy", "--out", "v.npy", *QUICK, code=2, says=("bad.npy: ",) + says)
    os.remove("bad.npy")


with open("f8.npy", "rb") as file:
    good = file.read()
bad(np.asfortranarray(f), "Fortran order", "numpy.ascontiguousarray(a)")
bad(f.astype("i8"), "holds integers, dtype '<i8'", "a.astype('<f8')")
bad(f.astype("u1"), "holds integers, dtype '|u1'")
bad(f.astype("f2"), "holds numbers of another precision, dtype '<f2'")
bad(f.astype(">f8"), "holds numbers of another byte order, dtype '>f8'")
bad(f.astype(">f4"), "holds numbers of another byte order, dtype '>f4'")
bad(f > 0, "holds booleans")
bad(f.astype("U4"), "holds text")
bad(f.astype("M8[s]"), "holds dates")
bad(f.astype(object), "holds Python objects")
bad(np.zeros(SHAPE, dtype=[("a", "f8"), ("shape", "f8")]), "holds records")
bad(f + 1j, "complex numbers, dtype '<c16'", "save a.real and a.imag, which are two solves")
bad(np.float64(3), "has rank 0")
bad(f[None], "has rank 4")
bad(np.zeros((3, 0, 5)), "is empty", "(3, 0, 5)")
bad(b"", "not a NumPy file")
bad(b"\x89HDF\r\n\x1a\n" + good, "not a NumPy file")
bad(good[:8], "cut off in its header")
bad(good[:60], "cut off in its header")
bad(good[:-1], "is cut off", "3023 bytes of numbers instead of 3024")
bad(good[:128], "is cut off", "0 bytes of numbers instead of 3024")
bad(good[:6] + b"\x02" + good[7:], "format 2.0; psg reads 1.0")
for key in (b"descr", b"fortran_order", b"shape"):
    bad(good.replace(b"'%s'" % key, b"'%s'" % (b"x" * len(key))), "header has no '%s'" % key.decode())
bad(good.replace(b"False", b"Maybe"), "does not say the order")
for shape in (b"(9, 7, x)", b"[9, 7, 6]", b"(9, 7, -6", b"(9, 7, 6 "):
    bad(good.replace(b"(9, 7, 6)", shape), "does not say the shape")
bad(good.replace(b"'<f8'", b"     "), "has no dtype")
bad(good.replace(b"(9, 7, 6), }" + b" " * 40, b"(99999999999999999999, 7, 6), }" + b" " * 21), "does not say the shape")
bad(good.replace(b"(9, 7, 6), }" + b" " * 40, b"(9999999999999999999, 9999999999, 6), }" + b" " * 13), "is cut off")
nan = f.copy()
nan[2, 1, 4] = np.nan
bad(nan, "NaN", "(4,1,2)")
# The end of the numbers, and of the header, anywhere: words, and no crash.
for length in list(range(0, 130, 7)) + [1000]:
    bad(good[:length])
os.mkdir("folder.npy")
refused("solve", "--in", "folder.npy", *QUICK, code=2, says=("folder.npy: not a regular file",))
refused("solve", "--in", "missing.npy", *QUICK, code=2, says=("missing.npy: No such file",))
os.mkfifo("fifo.npy")
refused("solve", "--in", "fifo.npy", *QUICK, code=2, says=("fifo.npy: not a regular file",), timeout=20)
check(not any(name.startswith("./v") for name in files()), "a file that should not be there")

# By several processes, together.
if has_mpi():
    solve("--in", "f8.npy", "--out", "u.npy", *BOX, "--force")
    solve("--in", "f8.npy", "--out", "u3.npy", *BOX, "--cpus", "1", ranks=3)
    check(abs(np.load("u3.npy") - np.load("u.npy")).max() <= 1e-14, "three processes differ from one")
