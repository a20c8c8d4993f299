"""psg view writes the three middle slices of a field as PNG: every pixel has the colour of its point, other readers of PNG take
the file, and a file that psg did not write stays.

    view.py PSG
"""

import os
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
        chunks[kind] = body
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


def look(name, f, low, high):
    """The picture of a field [nz][ny][nx]."""
    nz, ny, nx = f.shape
    picture = decode(name)
    scale = max(1, -(-256 // max(f.shape)))
    check(picture.shape == (max(ny, nz) * scale, (nx + nx + ny) * scale + 16, 3), picture.shape)
    left = 0
    covered = np.zeros(picture.shape[:2], bool)
    for values in (f[nz // 2], f[:, ny // 2], f[:, :, nx // 2]):
        want = colours(values, low, high).repeat(scale, 0).repeat(scale, 1)[::-1]
        box = slice(picture.shape[0] - want.shape[0], None), slice(left, left + want.shape[1])
        good = np.isfinite(values).repeat(scale, 0).repeat(scale, 1)[::-1]
        check(abs(picture[box][good] - want[good]).max() <= 2, "%s: colours off by %g" % (name, abs(picture[box][good] - want[good]).max()))
        check(not picture[box][~good].any(), "%s: what is not finite is not black" % name)
        covered[box] = True
        left += want.shape[1] + 8
    check((picture[~covered] == 160).all(), name + ": the background")
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(name) as image:
        check(np.array_equal(np.asarray(image.convert("RGB")), picture), name + ": Pillow reads another picture")


f = np.random.default_rng(9).standard_normal((6, 9, 13))
with h5py.File("f.h5", "w") as file:
    file["both"], file["above"], file["f4"], file["whole"] = f, f + 20, f.astype("f4"), np.round(10 * f).astype("i4")
    file["steps/0"] = file["steps/1"] = f
middle = np.concatenate([f[3].ravel(), f[:, 4].ravel(), f[:, :, 6].ravel()])
end = abs(middle).max()
said = run("view", "f.h5:both")
check("written   slices.png, 716 x 180 pixels: f.h5:/both\n" in said.stdout and "z 3, y 4, x 6 of 13 x 9 x 6 points" in said.stdout
      and "colours   blue %.6g, white 0, red %.6g\n" % (-end, end) in said.stdout and said.stderr == "", said)
look("slices.png", f, -end, end)
run("view", "f.h5:above", "--out", "other.png", "--quiet")
look("other.png", f + 20, 20 + middle.min(), 20 + middle.max())
run("view", "f.h5:f4")  # a picture of psg's is replaced
look("slices.png", f.astype("f4"), -end, end)
run("view", "f.h5:whole", "--quiet")
whole = np.abs(np.round(10 * middle)).max()
look("slices.png", np.round(10 * f), -whole, whole)
# NumPy's files; a grid with more points than a small picture has pixels, in several blocks of bytes; one point.
large = np.arange(300 * 2 * 280, dtype="f8").reshape(300, 2, 280) - 500
for values in (large, np.full((1, 1, 1), 3.0), np.zeros((2, 3, 4))):
    np.save("f.npy", values)
    said = run("view", "f.npy", "--out", "npy.png").stdout
    nz, ny, nx = values.shape
    parts = np.concatenate([values[nz // 2].ravel(), values[:, ny // 2].ravel(), values[:, :, nx // 2].ravel()])
    if values is large:
        look("npy.png", values, -parts.max(), parts.max())
    else:
        check(set(decode("npy.png").ravel()) == {160, 255}, "one value is not white")
bad = f.copy()
bad[3, 2, 1] = np.nan
bad[0, 4, 3] = np.inf
np.save("bad.npy", bad)
said = run("view", "bad.npy")
check("note: 2 points of the slices are NaN or Inf" in said.stderr, said.stderr)
finite = abs(np.where(np.isfinite(bad), bad, 0))
finite = max(finite[3].max(), finite[:, 4].max(), finite[:, :, 6].max())
look("slices.png", bad, -finite, finite)
# What psg solve writes.
solve("--in", "f.h5:both", "--out", "phi.h5", "--box", "1")
run("view", "phi.h5", "--quiet")
with h5py.File("phi.h5", "r") as file:
    u = file["potential"][...]
end = max(abs(u[3]).max(), abs(u[:, 4]).max(), abs(u[:, :, 6]).max())
look("slices.png", u, -end, end)

# Refused, and nothing is written.
refused("view", code=2, says=("psg view phi.h5",))
refused("view", "f.h5", code=2, says=("f.h5: say which data set", "/both (6 x 9 x 13)"))
refused("view", "f.h5:none", code=2, says=("f.h5:/none: no such data set",))
refused("view", "f.h5:/steps/*", code=2, says=("f.h5:/steps/*", "one step"))
refused("view", "missing.h5", code=2, says=("missing.h5: No such file",))
refused("view", "phi.h5", "--out", "nowhere/a.png", code=1, says=("nowhere/a.png", "No such file"))
refused("view", "phi.h5", "--out", "phi.h5", "--force", code=2, says=("phi.h5", "the file of the field"))
refused("view", "phi.h5", "more", code=2, says=("unexpected argument 'more'",))
for content in (b"mine", b"\x89PNG\r\n\x1a\n" + bytes(100)):
    with open("mine.png", "wb") as file:
        file.write(content)
    refused("view", "phi.h5", "--out", "mine.png", code=2, says=("mine.png", "is not a picture of psg", "--force"))
run("view", "phi.h5", "--out", "mine.png", "--force", "--quiet")
look("mine.png", u, -end, end)
with open("empty.png", "wb"):
    pass
run("view", "phi.h5", "--out", "empty.png", "--quiet")
check(os.path.getsize("empty.png") > 1000 and not any("psg-" in name for name in files()), files())
