"""psg view writes three slices of a field as PNG, through the largest |value| or a place: every pixel has the colour of its point,
the marks of the axes are where their numbers are, other readers of PNG take the file, and a file that psg did not write stays.

    view.py PSG
"""

import os
import re
import shutil
import struct
import zlib

import h5py
import numpy as np

from command import check, files, refused, run, solve


def decode(name):
    """[height][width][3], by the standard: each chunk with its check sum, and zlib's pixels."""
    with open(name, "rb") as file:
        data = file.read()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "the signature")
    at, chunks = 8, {}
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        check(struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), "check sum of %r" % kind)
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + length
    check(list(chunks) == [b"IHDR", b"PLTE", b"tEXt", b"IDAT", b"IEND"] and at == len(data), list(chunks))
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    check(kind == [8, 3, 0, 0, 0], kind)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, width + 1)
    check(not rows[:, 0].any(), "filters")
    return np.frombuffer(chunks[b"PLTE"], "u1").reshape(-1, 3)[rows[:, 1:]]


def colours(values, low, high):
    """Blue, white, red."""
    place = np.clip((values - low) / (high - low) * 2 - 1, -1, 1)
    end = np.where(place[..., None] < 0, [33, 75, 170], [178, 24, 43])
    return 255 + (end - 255) * abs(place)[..., None]


def panels_of(picture, name):
    """The insides of the three frames, from left to right: (top, bottom, left, right), the ends beyond them."""
    black = (picture == 0).all(2)
    found = []
    row = max(y for y in range(len(black)) if black[y].sum() > 200)  # the lower side of all frames
    ends = np.flatnonzero(np.diff(np.concatenate([[0], black[row], [0]]))).reshape(-1, 2)
    for left, right in ends[ends[:, 1] - ends[:, 0] > 90]:  # longer than the bar and than marks
        column = black[:row, left]
        top = row - np.argmin(column[::-1])
        found.append((top + 1, row, left + 1, right - 1))
    check(len(found) == 3, "%s: %d panels" % (name, len(found)))
    check((picture[[0, -1]] == 255).all() and (picture[:, [0, -1]] == 255).all(), name + ": something is cut")
    return found


def check_marks(marks, low, high, name):
    """Marks along an axis from low to high, a bool for each pixel, are at numbers that are easy to read, and at all of them."""
    pixel = (high - low) / len(marks)
    values = low + (np.flatnonzero(marks) + 0.5) * pixel
    check(len(values) >= 2, "%s: marks at %s" % (name, values))
    step = (values[-1] - values[0]) / (len(values) - 1)
    step = min((part * 10.0 ** power for part in (1, 2, 5) for power in range(-12, 12)), key=lambda nice: abs(nice / step - 1))
    numbers = np.round(values / step)
    check(abs(values - numbers * step).max() <= 1.5 * pixel and (np.diff(numbers) == 1).all(), "%s: marks at %s" % (name, values))


def pooled(values, axis, parts):
    """One value for each pixel along an axis: of several points the largest |value|, and what is not finite first."""
    values = np.moveaxis(values, axis, 0)
    ends = [p * len(values) // parts for p in range(parts + 1)]
    rows = []
    for begin, end in zip(ends, ends[1:]):
        row = values[begin:max(end, begin + 1)]
        which = np.where(np.isfinite(row), abs(row), np.inf).argmax(0)
        rows.append(np.take_along_axis(row, which[None], 0)[0])
    return np.moveaxis(np.stack(rows), 0, axis)


def look(name, f, low, high, at, box=None, first=(0, 0, 0)):
    """The picture of a field [nz][ny][nx] through the point `at` (x, y, z) has the colour of each point at its place, axes with
    marks, and the bar. `first` is where the first points are, in distances of points."""
    picture = decode(name)
    n = f.shape[::-1]
    step = np.array(box or n) / n
    black = (picture == 0).all(2)
    longest = max(range(3), key=lambda axis: n[axis] * step[axis])
    most = min(768, -(-256 // n[longest]) * n[longest])
    pixels = [max(96, int(np.floor(n[axis] * step[axis] / (n[longest] * step[longest]) * most + 0.5))) for axis in range(3)]
    ends = [((first[axis] - 0.5) * step[axis], (first[axis] - 0.5 + n[axis]) * step[axis]) for axis in range(3)]
    for values, axes, panel in zip((f[at[2]], f[:, at[1]], f[:, :, at[0]]), ((0, 1), (0, 2), (1, 2)), panels_of(picture, name)):
        top, bottom, left, right = panel
        size = pixels[axes[0]], pixels[axes[1]]
        check((right - left, bottom - top) == size, "%s: a panel of %s" % (name, panel))
        values = pooled(pooled(values, 1, size[0]), 0, size[1])
        good = np.isfinite(values)[::-1]
        inside, want = picture[top:bottom, left:right], colours(values, low, high)[::-1]
        check(abs(inside[good] - want[good]).max() <= 2, "%s: colours off by %g" % (name, abs(inside[good] - want[good]).max()))
        check(not inside[~good].any(), "%s: what is not finite is not black" % name)
        left_marks, low_marks = black[top:bottom, left - 3], black[bottom + 2, left:right]
        check_marks(low_marks, *ends[axes[0]], name)
        check_marks(left_marks[::-1], *ends[axes[1]], name)
        for y in top + np.flatnonzero(left_marks):
            check(black[y - 5:y + 6, left - 20:left - 8].any(), name + ": a mark without a number")
        for x in left + np.flatnonzero(low_marks):
            check(black[bottom + 7:bottom + 18, x - 20:x + 20].any(), name + ": a mark without a number")
    bar = picture[panel[1] - 1:15:-1, panel[3] + 32]  # from the lowest colour up
    bar = bar[:np.flatnonzero((bar == 0).all(1))[0]]
    check(abs(bar - colours(np.linspace(low, high, len(bar)), low, high)).max() <= 3, name + ": the bar")
    check_marks(black[panel[1] - len(bar):panel[1], panel[3] + 42][::-1], low, high, name)
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(name) as image:
        check(np.array_equal(np.asarray(image.convert("RGB")), picture), name + ": Pillow reads another picture")


def largest(f):
    """(x, y, z) of the largest |value|."""
    return np.unravel_index(np.nanargmax(np.where(np.isfinite(f), abs(f), -1)), f.shape)[::-1]


def planes(f, at):
    return np.concatenate([f[at[2]].ravel(), f[:, at[1]].ravel(), f[:, :, at[0]].ravel()])


f = np.random.default_rng(9).standard_normal((6, 9, 13))
with h5py.File("f.h5", "w") as file:
    file["both"], file["above"], file["f4"], file["whole"] = f, f + 20, f.astype("f4"), np.round(10 * f).astype("i4")
    file["steps/0"] = file["steps/1"] = f
at = largest(f)
end = abs(f).max()
said = run("view", "f.h5:both")
check(re.match(r"written   slices.png, \d+ x \d+ pixels: f.h5:/both\n", said.stdout)
      and "slices    z = %d, y = %d, x = %d, through point (%d,%d,%d) of 13 x 9 x 6, counted from 0: the largest |value|, %.6g\n"
      % (*at[::-1], *at, end) in said.stdout and "axes      count points" in said.stdout
      and "colours   blue %.10g, white 0, red %.10g\n" % (-end, end) in said.stdout and said.stderr == "", said)
look("slices.png", f, -end, end, at)
at = largest(f + 20)
middle = planes(f, at)
run("view", "f.h5:above", "--out", "other.png", "--quiet")
look("other.png", f + 20, 20 + middle.min(), 20 + middle.max(), at)
run("view", "f.h5:f4")  # a picture of psg's is replaced
look("slices.png", f.astype("f4"), -end, end, largest(f))
run("view", "f.h5:whole", "--quiet")
whole = np.round(10 * f)
look("slices.png", whole, -abs(whole).max(), abs(whole).max(), largest(whole))
# In a box, through a place: axes are to scale, and a place beside a point means the point.
said = run("view", "f.h5:both", "--box", "26x27x60", "--at", "6.3,8.7,60", "--out", "at.PNG").stdout
check("slices    z = 50, y = 9, x = 6, through point (3,3,5) of " in said and "the nearest to --at" in said and "axes" not in said, said)
end = abs(planes(f, (3, 3, 5))).max()
look("at.PNG", f, -end, end, (3, 3, 5), (26, 27, 60))
# Of points that differ by rounding alone the first; the first example of the tutorial, whose middle plane is 0.
x = np.arange(16) / 16
blobs = np.exp(-((x[:, None, None] - 0.5) ** 2 + (x[:, None] - 0.5) ** 2) * 99) * np.sin(2 * np.pi * x)
blobs[8, 8, 12] *= 1 + 1e-12
np.save("blobs.npy", blobs)
check("through point (4,8,8) of " in run("view", "blobs.npy").stdout, "another point than the first of the largest")
# NumPy's files; a grid with more points than a picture has pixels; one point.
large = np.random.default_rng(3).standard_normal((900, 2, 280))
for values in (large, np.full((1, 1, 1), 3.0), np.zeros((2, 3, 4))):
    np.save("f.npy", values)
    said = run("view", "f.npy", "--out", "npy.png").stdout
    if values is large:
        look("npy.png", values, -abs(values).max(), abs(values).max(), largest(values))
    else:
        value = values.ravel()[0]
        check(("the largest |value|, 3" in said) == (value == 3) and ("the middle, " in said) == (value == 0), said)
        look("npy.png", values, value / 2 - (value == 0), 1.5 * value + (value == 0), [m // 2 for m in values.shape[::-1]])
bad = f.copy()
at = largest(f)
bad[at[2], 2, 1] = np.nan
bad[0, at[1], 3] = np.inf
np.save("bad.npy", bad)
said = run("view", "bad.npy")
check("note: 2 points of the slices are NaN or Inf" in said.stderr, said.stderr)
look("slices.png", bad, -abs(f).max(), abs(f).max(), at)
np.save("bad.npy", np.full((2, 3, 4), np.nan))  # no colours, and no bar
check("colours" not in run("view", "bad.npy").stdout and (decode("slices.png") == 0).all(2).sum() > 96 ** 2, "nothing is finite")
# What psg solve writes: its axes know the box, and where the points are between its sides.
for options, first in (((), (0, 0, 0)), (("--bc", "PP,DD,NN", "--points", "c,n,c"), (0, 1, 0.5))):
    solve("--in", "f.h5:both", "--out", "phi.h5", "--box", "1x2x1", *options)
    said = run("view", "phi.h5").stdout
    with h5py.File("phi.h5", "r") as file:
        u = file["potential"][...]
    at = largest(u)
    y = 2 * (at[1] / 9 if first[1] == 0 else (at[1] + 1) / 10)
    check("y = %.6g," % y in said and "axes" not in said, said)
    low, high = (-abs(u).max(), abs(u).max()) if (planes(u, at) < 0).any() and (planes(u, at) > 0).any() else (planes(u, at).min(), planes(u, at).max())
    look("slices.png", u, low, high, at, (1, 2 if first[1] == 0 else 1.8, 1), first)

# Attributes that psg did not write say nothing about the points; a text of psg's does, also without a 0 behind it.
for value, begin in (("DD", 0), (np.bytes_("DD,DD,DD"), 1 / 7), (3.0, 0), ([np.bytes_("DD,DD,DD")] * 3, 0), (np.bytes_("D" * 99), 0)):
    with h5py.File("phi.h5", "r") as file, h5py.File("copy.h5", "w") as other:
        file.copy("potential", other)
        other["potential"].attrs.update(bc=value, points=np.bytes_("nodes"))
    check("slices    z = %.6g, " % begin in run("view", "copy.h5", "--at", "0,0,0").stdout, "attributes bc %r" % (value,))

# Refused, and nothing is written.
refused("view", code=2, says=("psg view phi.h5",))
refused("view", "f.h5", code=2, says=("f.h5: say which data set", "/both (6 x 9 x 13)"))
refused("view", "f.h5:none", code=2, says=("f.h5:/none: no such data set",))
refused("view", "f.h5:/steps/*", code=2, says=("f.h5:/steps/*", "one step"))
refused("view", "missing.h5", code=2, says=("missing.h5: No such file",))
refused("view", "phi.h5", "--out", "nowhere/a.png", code=1, says=("nowhere/a.png", "No such file"))
refused("view", "phi.h5", "--out", "phi.h5", "--force", code=2, says=("phi.h5", "ends in .png"))
shutil.copy("phi.h5", "field.png")
refused("view", "field.png", "--out", "field.png", "--force", code=2, says=("field.png", "the file of the field"))
refused("view", "phi.h5", "--out", "u.jpg", code=2, says=("u.jpg", "a name that ends in .png"))
refused("view", "phi.h5", "--at", "0.5", code=2, says=("--at '0.5'", "X,Y,Z"))
refused("view", "phi.h5", "--at", "0.5,0.5", code=2, says=("--at is of 2 axes",))
refused("view", "phi.h5", "--at", "0.5,0.5,1.2", code=2, says=("z = 1.2 is outside",))
refused("view", "f.h5:both", "--at", "0.5,0.5,9", code=2, says=("z = 9 is outside", "from 0 to 5", "count points"))
refused("view", "phi.h5", "more", code=2, says=("unexpected argument 'more'",))
for content in (b"mine", b"\x89PNG\r\n\x1a\n" + bytes(100)):
    with open("mine.png", "wb") as file:
        file.write(content)
    refused("view", "phi.h5", "--out", "mine.png", code=2, says=("mine.png", "is not a picture of psg", "--force"))
run("view", "phi.h5", "--out", "mine.png", "--force", "--quiet")
look("mine.png", u, low, high, at, (1, 1.8, 1), first)
with open("empty.png", "wb"):
    pass
run("view", "phi.h5", "--out", "empty.png", "--quiet")
check(os.path.getsize("empty.png") > 1000 and not any("psg-" in name for name in files()), files())
