"""pip installs the package from the clone into an environment of its own, leaves the clone as it is, and the package solves.

    install.py ROOT LIBRARY
"""

import importlib.util
import os
import subprocess
import sys
import tempfile

PROGRAM = """
import os, numpy, psg
assert os.path.dirname(psg.__file__).startswith(%r), psg.__file__
assert os.path.exists(os.path.join(os.path.dirname(psg.__file__), "py.typed"))
from psg import _built
assert _built.PATH == %r, _built.PATH
f = numpy.random.default_rng(1).standard_normal((16, 12, 10))
u = psg.solve(f)
k = [2 * numpy.pi * numpy.fft.fftfreq(n, 1 / n) for n in f.shape]
k2 = k[0][:, None, None] ** 2 + k[1][None, :, None] ** 2 + k[2] ** 2
k2[0, 0, 0] = numpy.inf
error = abs(u + numpy.fft.ifftn(numpy.fft.fftn(f) / k2).real).max() / abs(u).max()
assert error <= 1e-12, error
from importlib.metadata import version
assert version("psg") == psg.__version__, (version("psg"), psg.__version__)
"""


def files(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def main():
    root, library = sys.argv[1:]
    for needed in ("pip", "setuptools", "wheel", "ensurepip"):
        if importlib.util.find_spec(needed) is None:
            print("python has no %s" % needed)
            sys.exit(77)
    source = os.path.join(root, "bindings", "python")
    before = files(source)
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PSG_LIBRARY")}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
        python = os.path.join(folder, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--no-index",
                        "--disable-pip-version-check", source], check=True, env=environment)
        program = PROGRAM % (os.path.realpath(folder), os.path.join(root, "build", "libpsg.so"))
        subprocess.run([python, "-c", program], check=True, cwd=folder, env={**environment, "PSG_LIBRARY": library})
    if files(source) != before:
        sys.exit("pip left files in the clone: %s" % (set(files(source)) - set(before)))


main()
