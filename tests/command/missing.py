"""f that is not there is refused with words: HDF5 itself reads zeros where nothing was ever written, and where
another file that holds the data is missing or too short. A FIFO behind a name does not make psg wait."""

import os

import h5py
import numpy as np

from command import QUICK, check, refused, run, solve

N = (8, 8, 8)
REAL = np.random.default_rng(1).standard_normal(N)
BYTES = REAL.nbytes


def virtual(file, name, source, dataset, taken=8, shape=N):
    layout = h5py.VirtualLayout(N, "f8")
    layout[:taken] = h5py.VirtualSource(source, dataset, shape)[:taken]
    file.create_virtual_dataset(name, layout)


os.mkfifo("fifo")
REAL.tofile("whole.bin")
with open("short.bin", "wb") as raw:
    raw.write(REAL.tobytes()[:-8])
with h5py.File("other.h5", "w") as other:
    other["f"] = REAL
    other["small"] = REAL[:4]
    other.create_dataset("never", shape=N)
    other.create_dataset("grows", data=REAL, maxshape=(None, 8, 8), chunks=N)
    virtual(other, "next", "absent.h5", "f")
with h5py.File("in.h5", "w") as file:
    file["f"] = REAL
    file.create_dataset("packed", data=REAL, chunks=(3, 3, 3), compression="gzip")
    file.create_dataset("never", shape=N)
    file.create_dataset("no_chunk", shape=N, chunks=(4, 4, 4))
    file.create_dataset("half", shape=N, chunks=(4, 4, 4))
    file["half"][:4] = 1
    for name, raw, size in (("whole", "whole.bin", h5py.h5f.UNLIMITED), ("absent", "absent.bin", BYTES),
                            ("short", "short.bin", h5py.h5f.UNLIMITED), ("waits", "fifo", BYTES)):
        file.create_dataset("external_" + name, shape=N, dtype="f8", external=[(raw, 0, size)])
    file.create_dataset("external_two", shape=N, dtype="f8",
                        external=[("whole.bin", 0, BYTES // 2), ("short.bin", BYTES // 2, BYTES // 2)])
    file["link"] = h5py.ExternalLink("other.h5", "/f")
    file["link_fifo"] = h5py.ExternalLink("fifo", "/f")
    file["link_absent"] = h5py.ExternalLink("absent.h5", "/f")
    virtual(file, "virtual", "other.h5", "f")
    virtual(file, "virtual_here", ".", "f")
    virtual(file, "virtual_half", "other.h5", "f", 4)
    virtual(file, "virtual_absent", "absent.h5", "f")
    virtual(file, "virtual_no_set", "other.h5", "g")
    virtual(file, "virtual_fifo", "fifo", "f")
    virtual(file, "virtual_never", "other.h5", "never")
    virtual(file, "virtual_next", "other.h5", "next")
    virtual(file, "virtual_small", "other.h5", "small")
    grows = h5py.VirtualLayout(N, "f8", maxshape=(None, 8, 8))
    source = h5py.VirtualSource("other.h5", "grows", N, maxshape=(None, 8, 8))
    grows[:h5py.h5s.UNLIMITED] = source[:h5py.h5s.UNLIMITED]
    file.create_virtual_dataset("virtual_grows", grows)

# What is there, in whatever form, gives the same u.
potential = None
for name in ("f", "packed", "external_whole", "link", "virtual", "virtual_here", "virtual_grows"):
    solve("--in", "in.h5:/" + name, "--box", "1", "--out", "u.h5", "--quiet")
    with h5py.File("u.h5", "r") as out:
        u = out["potential"][...]
    potential = u if potential is None else potential
    check(np.max(np.abs(u)) > 0 and np.array_equal(u, potential), "%s: another u" % name)

for name, says in (("never", ("was never written",)), ("no_chunk", ("was never written",)),
                   ("half", ("4 of its 8 chunks were never written",)),
                   ("external_absent", ("absent.bin", "No such file")),
                   ("external_short", ("short.bin", "too short", "4088 bytes instead of 4096")),
                   ("external_two", ("short.bin", "too short")),
                   ("external_waits", ("fifo", "not a regular file")),
                   ("link_fifo", ("fifo", "not a regular file")), ("link_absent", ("no such data set",)),
                   ("virtual_half", ("256 of its 512 points were never written",)),
                   ("virtual_absent", ("virtual data set", "absent.h5:f", "is missing")),
                   ("virtual_no_set", ("virtual data set", "other.h5:g", "is missing")),
                   ("virtual_fifo", ("fifo", "not a regular file")),
                   ("virtual_never", ("other.h5:never", "was never written")),
                   ("virtual_next", ("other.h5:next", "absent.h5:f", "is missing")),
                   ("virtual_small", ("other.h5:small", "fewer points"))):
    refused("solve", "--in", "in.h5:/" + name, "--box", "1", *QUICK, code=2, says=says, timeout=60)

# Files that others name are found from other folders too, as HDF5 finds them.
os.mkdir("elsewhere")
home = os.getcwd()
os.chdir("elsewhere")
for name in ("link", "virtual"):
    solve("--in", "../in.h5:/" + name, "--box", "1", "--quiet")
refused("solve", "--in", "../in.h5:/external_whole", *QUICK, code=2, says=("whole.bin", "No such file"))
solve("--in", "../in.h5:/external_whole", "--box", "1", "--quiet",
      env={**os.environ, "HDF5_EXTFILE_PREFIX": "${ORIGIN}"})
os.chdir(home)

# FIFOs where psg keeps what it has learnt are as good as nothing.
cache = os.path.join(home, "cache")
host = os.uname().nodename
os.makedirs(os.path.join(cache, "psg"))
for precision in ("f64", "f32"):
    os.mkfifo(os.path.join(cache, "psg", "fftw-%s-%s.wisdom" % (host, precision)))
for cores in ("1", "2"):
    os.mkfifo(os.path.join(cache, "psg", "tuned-f64-%sc0g-8x8x8-%s" % (cores, host)))
with_cache = {**os.environ, "XDG_CACHE_HOME": cache}
run("solve", "--problem", "modes", "--grid", "8", "--quiet", env=with_cache, timeout=60)
check("damaged, not used" in run("info", env=with_cache, timeout=60).stdout, "nothing about a FIFO")
