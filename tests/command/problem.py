"""The built-in problems give the known answers: Madelung's constants to 1e-10, Fourier modes to rounding, on
odd, even and degenerate grids; and their answers are judged."""

import json

from command import check, run, solve

REFERENCE = {"nacl": 1.747564594633182, "cscl": 1.762674773070988, "zns": 1.638055053388790}


def report(*arguments, **more):
    return json.loads(solve(*arguments, "--json", "-", **more).stdout)


def madelung(lattice, grid, *options, tolerance=1e-10):
    arguments = ["--problem", "madelung", "--grid", grid, *options]
    if lattice != "nacl":  # the default
        arguments += ["--lattice", lattice]
    lines = solve(*arguments).stdout
    constant = report(*arguments)["madelung"]["constant"]
    check(abs(constant - REFERENCE[lattice]) <= tolerance, "%s %s %s: %.15f" % (lattice, grid, options, constant))
    line = [line for line in lines.splitlines() if line.startswith("Madelung")]
    check(len(line) == 1, "%s: %s" % (lattice, lines))
    if tolerance <= 1e-10:
        for words in ("%.12f of" % constant, "literature %.12f" % REFERENCE[lattice]):
            check(words in line[0], "%s: %s" % (lattice, line[0]))


madelung("nacl", "64")
check("1.747564594633 of NaCl; literature 1.747564594633" in
      solve("--problem", "madelung", "--grid", "64").stdout, "NaCl at 64^3 to 12 digits")
madelung("cscl", "96")
madelung("zns", "96")
madelung("nacl", "64", "--lattice", "nacl", "--graph", "staged")
madelung("nacl", "63x64x65", "--box", "5.64")
madelung("zns", "61x67x71", "--verify")
madelung("cscl", "64", "--precision", "f32", tolerance=1e-6)

# A grid that is too coarse is not judged, and says so; its digits are not right.
done = solve("--problem", "madelung", "--grid", "16")
check("does not resolve" in done.stderr, done.stderr)
coarse = report("--problem", "madelung", "--grid", "16")["madelung"]
check(coarse["tolerance"] is None and abs(coarse["constant"] - REFERENCE["nacl"]) > 1e-4, coarse)
# the 7-point stencil converges to the constant as h^2
off = [abs(report("--problem", "madelung", "--grid", n, "--symbol", "fd2")["madelung"]["difference"])
       for n in ("48", "96")]
check(abs(off[0] / off[1] - 4) <= 0.2, "fd2: off by %g and %g" % tuple(off))

for grid in ("63x64x65", "64", "5", "1", "2x3x4", "1x64x64", "64x1x7", "1x1x101", "53x1x1", "40x96x25"):
    for symbol in ("spectral", "fd2"):
        for options in ((), ("--lambda", "3.5", "--box", "1x2x0.3"), ("--precision", "f32")):
            what = (grid, symbol, options)
            got = report("--problem", "modes", "--grid", grid, "--symbol", symbol, "--verify", *options)
            tolerance = 1e-5 if "f32" in options else 1e-12
            check(got["modes"]["error"] <= tolerance, "%s: error %g" % (what, got["modes"]["error"]))
            check(got["modes"]["tolerance"] <= tolerance, "%s: judged by %g" % (what, got["modes"]["tolerance"]))
            check(got["verify"]["ok"] is True, "%s: %s" % (what, got["verify"]))
for options in (("--graph", "staged"), ("--lambda", "2"), ("--symbol", "fd2", "--precision", "f32")):
    got = report("--problem", "modes", "--grid", "33x28x27", "--verify", "--factor", "-4*pi", *options)
    check(abs(got["factor"] + 12.566370614359172) <= 1e-15 and got["verify"]["ok"] is True, got)
    check(got["modes"]["error"] <= got["modes"]["tolerance"], "%s: %s" % (options, got["modes"]))
lines = solve("--problem", "modes", "--grid", "8", "--lambda", "3", "--factor", "-1/4", "--verify").stdout
check("lap(u) - 3 u = -0.25 f," in lines and "of max|factor f|" in lines, lines)
lines = solve("--problem", "modes", "--grid", "63x64x65").stdout
check("equation  lap(u) = f," in lines, lines)
check("grid      63 x 64 x 65" in lines and "of max|u|; tolerance" in lines, lines)

# More points than are verified one by one: a sample, and it says so.
done = solve("--problem", "modes", "--grid", "80x70x60", "--verify")
check("a sample of 65536 points" in done.stdout, done.stdout)
done = solve("--problem", "modes", "--grid", "80x70x60", "--verify", "--symbol", "fd2")
check("all 336000 points" in done.stdout, done.stdout)

# Data that stay where they are computed give the same answer, and the report says which.
for options in ((), ("--repeat", "3"), ("--repeat", "4", "--in-flight", "2", "--graph", "staged"), ("--factor", "-2", "--lambda", "1")):
    got = report("--problem", "modes", "--grid", "33x28x27", "--verify", "--data", "resident", *options)
    check(got["data"] == "resident" and got["verify"]["ok"] and got["modes"]["error"] <= got["modes"]["tolerance"], got)
    check(len(got["seconds"]["solves"]) == got["repeat"] and min(got["seconds"]["solves"]) > 0, got["seconds"])
said = solve("--problem", "modes", "--grid", "16", "--data", "resident").stdout
check("data      resident:" in said and "data " not in solve("--problem", "modes", "--grid", "16", "--data", "host").stdout, said)

# The same answer however it is computed.
for options in (("--graph", "staged"), ("--graph", "staged", "--z", "strided"), ("--exchange", "managed"),
                ("--segment-planes", "5", "--sheets", "9"), ("--cpus", "1"), ("--sched", "prio"),
                ("--repeat", "5", "--in-flight", "2"), ("--gpus", "0")):
    run("solve", "--problem", "modes", "--grid", "33x28x27", "--verify", "--quiet", "--effort", "measure", *options)
