"""psg example writes a density that psg solve takes, as it says; it replaces no file. The tutorial's lines of Python write one, too."""

import os
import re
import subprocess
import sys

import h5py
import numpy as np

from command import check, files, refused, run, solve


def example(*arguments, name="rho.h5", dataset="density", shape=(64, 64, 64), box=(10, 10, 10), dtype=np.float64):
    said = run("example", *arguments).stdout
    with h5py.File(name, "r") as file:
        data = file[dataset]
        check(data.shape == shape and data.dtype == dtype, "%s: %s of %s" % (arguments, data.shape, data.dtype))
        check(tuple(data.attrs["box"]) == box and "lambda" not in data.attrs, "%s: %s" % (arguments, dict(data.attrs)))
        f = data[...].astype(np.float64)
    check(abs(f.mean()) <= 1e-7 * abs(f).max() and abs(f).max() > 0, "%s: mean %g" % (arguments, f.mean()))
    return said, f


said, f = example("rho.h5")
check(list(files()) == ["./rho.h5"], list(files()))
# each charge is where its maximum is, on the points of an array [nz][ny][nx]
for place, sign in (((0.30, 0.30, 0.35), 1), ((0.70, 0.65, 0.40), -1)):
    i, j, k = (round(64 * p) for p in place)
    check(sign * f[k, j, i] > 0.9 * abs(f).max(), "%g of %g at %s" % (f[k, j, i], abs(f).max(), place))
# half of |f| is the charge of one sign: 3
check(abs(0.5 * abs(f).sum() * (10 / 64) ** 3 - 3) < 1e-3, "charge %g" % (0.5 * abs(f).sum() * (10 / 64) ** 3))
# what it says to try works
tried = re.search(r"^try +psg (.*)$", said, re.MULTILINE).group(1).split()
check(tried[:3] == ["solve", "--in", "rho.h5:/density"], said)
said = run(*tried).stdout
check("residual" in said and "dropped" not in said and "box 10 x 10 x 10" in said, said)

_, f = example("other.h5:/group/f", "--kind", "random", "--grid", "9x10x11", "--box", "1x2x0.5", "--precision", "f32",
               name="other.h5", dataset="group/f", shape=(11, 10, 9), box=(1, 2, 0.5), dtype=np.float32)
check(f.min() >= -1.2 and f.max() <= 1.2 and f.std() > 0.4, "not what is random: %g to %g" % (f.min(), f.max()))
solve("--in", "other.h5", "--verify", "--quiet")
said, _ = example("tiny.h5", "--grid", "5", "--quiet", name="tiny.h5", shape=(5, 5, 5))
check(said == "", said)

refused("example", code=2, says=("psg example rho.h5",))
refused("example", "--grid", "8", code=2, says=("psg example rho.h5",))
refused("example", "rho.h5", code=2, says=("rho.h5: is there already",))
refused("example", "rho.h5:/other", code=2, says=("rho.h5: is there already",))
refused("example", "new.h5", "more.h5", code=2, says=("unexpected argument 'more.h5'",))
refused("example", "new.h5", "--grid", "8,9,10", code=2, says=("did you mean --grid 8x9x10?",))
refused("example", "new.h5", "--kind", "charge", code=2, says=("one of charges, random",))
refused("example", "new.h5", "--grid", "4294967296x4294967296x2", code=2, says=("4294967296 x 4294967296 x 2",))
refused("example", "no/such/folder.h5", code=1, says=("no/such/folder.h5", "cannot be written"))

# The tutorial's field.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/tutorial.md"), encoding="utf-8") as file:
    lines = re.search(r"```python\n(import h5py.*?)```", file.read(), re.DOTALL).group(1)
os.remove("rho.h5")
subprocess.run([sys.executable, "-B", "-c", lines], check=True)
solve("--in", "rho.h5:/density", "--out", "phi.h5:/potential", "--verify")
