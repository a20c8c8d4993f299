"""pip install ./bindings/python: nothing is compiled. The package notes where the clone has built the library, so that it
finds the library without a word from the user.

With PSG_PREFIX in the environment, the prefix of a `cmake --install`, the package takes that library inside, with the StarPU
of its own. Such a wheel is for one kind of machine, and needs the other libraries that psg was linked with there.
"""

import glob
import os
import re
import shutil
import sys
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(ROOT, "build", "libpsg.so")
with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as lists:
    VERSION = re.search(r"project\(psg VERSION (\S+)", lists.read()).group(1)


PREFIX = os.environ.get("PSG_PREFIX")


def take_library(package):
    """Copy the library and its StarPU, which stand to each other as in the prefix. Return the library's path from the package."""
    found = [path for path in glob.glob(os.path.join(PREFIX, "lib*", "**", "libpsg.so.*.*"), recursive=True)
             if re.fullmatch(r"libpsg\.so\.\d+\.\d+", os.path.basename(path))]
    if len(found) != 1:
        sys.exit("PSG_PREFIX=%s: no psg is installed there" % PREFIX)
    folder, name = os.path.split(found[0])
    os.makedirs(os.path.join(package, "lib"))
    shutil.copy(found[0], os.path.join(package, "lib", name))
    for module in glob.glob(os.path.join(folder, "libpsg-lapack-*.so")):
        shutil.copy(module, os.path.join(package, "lib"))
    starpu = os.path.join("psg", "starpu", "lib")
    for path in glob.glob(os.path.join(folder, starpu, "*.so.*")):
        os.makedirs(os.path.join(package, "lib", starpu), exist_ok=True)
        if len(os.path.basename(path).split(".so.")[1].split(".")) == 1:  # by its soname
            shutil.copy(path, os.path.join(package, "lib", starpu))
    return "lib/" + name


class NoteLibrary(build_py):
    def run(self):
        super().run()
        package = os.path.join(self.build_lib, "psg")
        path = take_library(package) if PREFIX else BUILT
        with open(os.path.join(package, "_built.py"), "w", encoding="utf-8") as file:
            file.write("PATH = %r\n" % path)


def wheel_of_machine():
    """Its name says for which machines it is, though the package has no module of C."""
    from wheel.bdist_wheel import bdist_wheel

    class OfMachine(bdist_wheel):
        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = False

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    return {"bdist_wheel": OfMachine}


with tempfile.TemporaryDirectory() as scratch:  # the clone stays as it is
    setup(version=VERSION, cmdclass={"build_py": NoteLibrary, **(wheel_of_machine() if PREFIX else {})},
          options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}})
