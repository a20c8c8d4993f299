"""psg info --grid: the memory that a grid takes, without a solve. What does not fit, and what is no grid, is refused with words.

    info_grid.py PSG
"""

import json
import os
import re
import subprocess

from command import PSG, check, files, refused, run

CORES = ("info", "--gpus", "0", "--cpus", "2")


def told(*arguments):
    return json.loads(run(*CORES, *arguments, "--json", "-").stdout)["grid"]


before = files()
for grid, points in (("64", [64, 64, 64]), ("31x32x33", [31, 32, 33]), ("1", [1, 1, 1])):
    for precision, real in ((), 8), (("--precision", "f32"), 4):
        found = told("--grid", grid, *precision)
        nx, ny, nz = points
        check(found["points"] == points and found["precision"] == ("f32" if precision else "f64"), found)
        check(found["field_bytes"] == real * nx * ny * nz, found)
        check(found["spectrum_bytes"] == 2 * real * (nx // 2 + 1) * ny * nz, found)
        check((found["spectrum_on_gpus"], found["arrays_on_gpus"], found["gpu_bytes_free"]) == (False, 0, 0), found)
        check(found["main_bytes"] == 2 * found["field_bytes"] + found["spectrum_bytes"] and found["fits"] is True, found)
        check(found["segments"] >= 1 and found["sheets"] >= 1 and found["exchange"] == "managed", found)
check(told() is None, "a grid that nobody asked for")

said = run(*CORES, "--grid", "64x32x16").stdout
section = said[said.index("Grid 64 x 32 x 16, f64:"):]
check("0.0002621 GB each" in section and "0.0002703 GB, in main memory" in section, section)
check("main memory  " in section and " are free without this plan" in section and "GPU" not in section, section)
check("fits         yes: f, u and the spectrum take 0.0007946 GB of main memory\n" in section, section)
# A plan has the spectrum alone, whose memory comes when it is used: f and u beside it are what does not fit.
with open("/proc/meminfo", encoding="ascii") as file:
    free = 1024 * int(re.search(r"^MemAvailable: +(\d+)", file.read(), re.M).group(1))
n = int((free / 16) ** (1 / 3)) // 16 * 16
said = run(*CORES, "--grid", str(n)).stdout
check("  fits         no: f, u and the spectrum take " in said and "--precision f32 takes half of that" in said, said)
check(told("--grid", str(n))["fits"] is False, "f, u and the spectrum in %d bytes" % free)
check("\nGrid" not in run(*CORES).stdout, "a grid that nobody asked for")

# Lengths that are slow to transform, by the sides.
for sides, grid, good in (((), "96x97x1", [96, 98, 1]), (("--bc", "DD", "--points", "nodes"), "95x96x97", [95, 97, 97]),
                          (("--bc", "NN", "--points", "nodes"), "97x98x14", [97, 99, 14]), (("--bc", "DN"), "96x97x17", [96, 98, 18])):
    check(told("--grid", grid, *sides)["good_lengths"] == good, (sides, grid, good))
said = run(*CORES, "--grid", "96x95x96", "--bc", "DD,PP,DD", "--points", "nodes").stdout
check("Grid 96 x 95 x 96, f64, sides DD,PP,DD, points n,n,n:" in said, said)
check(all("points along %s: %d are faster" % of in said for of in (("x", 97), ("y", 96), ("z", 97))), said)
check("faster" not in run(*CORES, "--grid", "95", "--bc", "DD", "--points", "nodes").stdout, "95 nodes")
check(told("--grid", "31", "--bc", "DD,PP,PP")["spectrum_bytes"] == 8 * 32 * 31 * 31, "a spectrum of real numbers")
# A Green's function has (n + 1)^3 modes where all axes are free; sampled ones are values in space first.
for kernel, octant in (("auto", 0), ("igf", 0), ("hockney", 9 * 17 * 33 * 8)):
    found = told("--grid", "8x16x32", "--bc", "FF", "--precision", "f32", "--kernel", kernel)
    green, spectrum = 9 * 17 * 33 * 4, 2 * 4 * 9 * 32 * 32
    check(found["main_bytes"] == 2 * found["field_bytes"] + spectrum + green + octant, (kernel, found))
found = told("--grid", "8x16x32", "--kernel", "mine.npy")
check(found["main_bytes"] == 2 * found["field_bytes"] + found["spectrum_bytes"] + 5 * 16 * 32 * 16, found)
said = run(*CORES, "--grid", "100", "--bc", "FF", "--kernel", "hockney").stdout
check("kernel       0.008242 GB for the Green's function\n               0.008242 GB for its values in space" in said, said)
refused(*CORES, "--kernel", "igf", code=2, says=["--kernel goes with --grid"])
refused(*CORES, "--grid", "8", "--kernel", "igf", code=2, says=["kernel igf is for three free axes"])
refused(*CORES, "--grid", "4096", "--bc", "FF", "--kernel", "hockney", code=1, says=["the Green's function 1100 GB"])
# A machine with less memory than the table has.
with open("memory", "w", encoding="ascii") as file:
    file.write("MemAvailable: 400 kB\n")
for kernel in ("auto", "igf", "mine.npy"):
    command = [PSG, *CORES, "--grid", "30x40x50", "--bc", "FF", "--kernel", kernel]
    script = "mount --bind memory /proc/meminfo || exit 77; exec " + " ".join(command)
    said = subprocess.run(["sh", "-c", "exec unshare -m sh -c '%s'" % script],
                          stderr=subprocess.PIPE, text=True)
    check(said.returncode == 77 or "unshare" in said.stderr or
          "no memory for the Green's function: 518568 bytes" in said.stderr, (kernel, said))
os.remove("memory")
refused(*CORES, "--bc", "DD", code=2, says=["--bc goes with --grid"])
refused(*CORES, "--grid", "8", "--points", "nodes", code=2, says=["--points goes with --bc"])

refused(*CORES, "--grid", "8192", code=1, says=["the grid does not fit: no memory for the spectrum of 8192 x 8192 x 8192 points", "f and u take 4398 GB each, the spectrum 4399"])
refused(*CORES, "--grid", "100000", code=2, says=["more than can be addressed"])
refused(*CORES, "--precision", "f32", code=2, says=["--precision goes with --grid"])
refused("info", "--machines", "--grid", "8", code=2, says=["--machines goes without --grid"])
for word in ("0", "12x", "x", "4x4x", "-3", "1e3"):
    refused(*CORES, "--grid", word, code=2, says=["--grid", word])
check(files() == before, "files are left")
