"""pip installs the package into an environment of its own, leaves the clone as it is, and the package solves: from the clone, with
the library that was built there, and from a wheel with the library inside, when the installation that it came from has gone.

    install.py ROOT LIBRARY CMAKE BUILD
"""

import importlib.util
import os
import re
import shutil
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


def environment(**more):
    return {**{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PSG_LIBRARY")}, **more}


def pip(python, *arguments, **more):
    subprocess.run([python, "-m", "pip", *arguments, "-q", "--no-deps", "--no-index", "--disable-pip-version-check"], check=True,
                   env=environment(**more))


def from_clone(root, source, library, python, folder):
    pip(python, "install", "--no-build-isolation", source)
    program = PROGRAM % (os.path.realpath(folder), os.path.join(root, "build", "libpsg.so"))
    subprocess.run([python, "-c", program], check=True, cwd=folder, env=environment(PSG_LIBRARY=library))


def from_wheel(source, cmake, build, python, folder):
    prefix, wheels = os.path.join(folder, "prefix"), os.path.join(folder, "wheels")
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    pip(python, "wheel", "--no-build-isolation", "-w", wheels, source, PSG_PREFIX=prefix)
    shutil.rmtree(prefix)
    wheel, = os.listdir(wheels)
    if "py3-none-linux_" not in wheel:
        sys.exit("the wheel is called " + wheel)
    pip(python, "install", "--force-reinstall", os.path.join(wheels, wheel))
    maps = "assert %r in open('/proc/self/maps').read()" % os.path.join(os.path.realpath(folder), "lib", "python")
    program = PROGRAM % (os.path.realpath(folder), "lib/libpsg.so." + soname(source))
    subprocess.run([python, "-c", program + maps], check=True, cwd=folder, env=environment())
    nothing = subprocess.run([python, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", wheels, source],
                             env=environment(PSG_PREFIX=wheels), capture_output=True, text=True, check=False)
    if nothing.returncode == 0 or "no psg is installed there" not in nothing.stdout + nothing.stderr:
        sys.exit("a prefix without psg: %s" % nothing)


def soname(source):
    with open(os.path.join(source, "psg", "_library.py"), encoding="utf-8") as file:
        return ".".join(re.search(r"^MAJOR, MINOR = (\d+), (\d+)$", file.read(), re.M).groups())


def main():
    root, library, cmake, build = sys.argv[1:]
    for needed in ("pip", "setuptools", "wheel", "ensurepip"):
        if importlib.util.find_spec(needed) is None:
            print("python has no %s" % needed)
            sys.exit(77)
    source = os.path.join(root, "bindings", "python")
    before = files(source)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
        python = os.path.join(folder, "bin", "python")
        from_clone(root, source, library, python, folder)
        from_wheel(source, cmake, build, python, folder)
    if files(source) != before:
        sys.exit("pip left files in the clone: %s" % (set(files(source)) - set(before)))


main()
