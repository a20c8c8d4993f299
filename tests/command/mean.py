"""A mean of f that is dropped costs digits of u: psg says how many, and --verify refuses a u that has too few of them."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

PSG = sys.argv[1]
os.chdir(tempfile.mkdtemp())
failed = 0


def check(holds, what):
    global failed
    if not holds:
        failed += 1
        print("FAILED: %s" % (what,))


def solve(*arguments):
    done = subprocess.run([PSG, "solve", "--json", "r.json", "--box", "1x1x1", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8")
    return done.returncode, done.stdout, done.stderr, json.load(open("r.json")) if done.returncode == 0 else None


N = (12, 15, 16)
noise = np.random.default_rng(5).standard_normal(N)
np.save("noise.npy", noise - noise.mean())
np.save("big32.npy", (noise + 1e6).astype("f4"))
np.save("some32.npy", (noise + 3e3).astype("f4"))
np.save("big64.npy", noise + 1e12)
np.save("constant.npy", np.full(N, 0.1))
np.save("eps.npy", 1 + np.random.default_rng(6).random(N))

for more in ([], ["--symbol", "fd2"], ["--bc", "NN,PP,NN"]):
    code, out, err, _ = solve("--in", "big32.npy", "--out", "u.npy", "--verify", *more)
    check(code == 1 and not os.path.exists("u.npy"), (more, code, err))
    check("f's mean is 1e+06 times its fluctuation: u has about 1 digit in f32" in err and "solve in f64" in err, (more, err))
    check("of max|f - mean|" in out, (more, out))
    # what the words say to do, helps
    code, out, err, _ = solve("--in", "big32.npy", "--precision", "f64", "--verify", *more)
    check(code == 0 and "fluctuation" not in err, (more, code, err))
# who asks for no check is told, and has u
code, out, err, said = solve("--in", "big32.npy", "--out", "u.npy")
check(code == 0 and os.path.exists("u.npy") and "note: f's mean is 1e+06 times" in err and len(said["notes"]) == 1, (code, err))
code, out, err, said = solve("--in", "some32.npy", "--verify")
check(code == 0 and "u has about 4 digits in f32" in err and said["verify"]["digits"] == 4, (code, err))
check(abs(said["verify"]["max_fluctuation"] - abs(noise - noise.mean()).max()) < 1e-3, said["verify"])
for name, more in (("noise.npy", []), ("constant.npy", []), ("big32.npy", ["--lambda", "1"]), ("big32.npy", ["--bc", "DD,PP,PP"])):
    code, out, err, _ = solve("--in", name, "--verify", *more)
    check(code == 0 and "fluctuation" not in err, (name, more, code, err))

# With epsilon the mean is taken off f as it was given, in f64, before anything else: conjugate gradients reach their tolerance.
code, out, err, said = solve("--in", "noise.npy", "--epsilon", "eps.npy", "--symbol", "fd2", "--out", "v.npy", "--verify")
check(code == 0 and 0 < said["iterations"] < 40, (code, err))
steps = said["iterations"] if said else 0
for name in ("big64.npy", "big32.npy"):
    given = np.load(name)
    code, out, err, said = solve("--in", name, "--epsilon", "eps.npy", "--symbol", "fd2",
                                 "--out", "w.npy", "--force", "--verify")
    check(code == 0 and said["iterations"] <= steps + 2, (name, code, err, said and said["iterations"]))
    # so the check allows for rounding of the fluctuation, and of the mean in f64
    check(said["verify"]["bound"] <= 1e-2 * said["verify"]["max_fluctuation"], (name, said["verify"]))
    np.save("exact.npy", (given.astype("longdouble") - given.astype("longdouble").mean()).astype("f8"))
    check(solve("--in", "exact.npy", "--epsilon", "eps.npy", "--symbol", "fd2", "--out", "e.npy", "--force")[0] == 0, name)
    u, exact = np.load("w.npy"), np.load("e.npy")
    error = abs(u - exact).max() / abs(exact).max()
    check(error <= (1e-5 if given.dtype == "f4" else 1e-9), (name, error))
code, out, err, said = solve("--in", "constant.npy", "--epsilon", "eps.npy", "--symbol", "fd2", "--out", "c.npy")
check(code == 0 and said["iterations"] == 0 and not np.load("c.npy").any(), (code, err))
sys.exit(failed != 0)
