"""pip install ./bindings/python: nothing is compiled. The package notes where the clone has built the library, so that it
finds the library without a word from the user."""

import os
import re
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(ROOT, "build", "libpsg.so")
with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as lists:
    VERSION = re.search(r"project\(psg VERSION (\S+)", lists.read()).group(1)


class NoteLibrary(build_py):
    def run(self):
        super().run()
        with open(os.path.join(self.build_lib, "psg", "_built.py"), "w", encoding="utf-8") as file:
            file.write("PATH = %r\n" % BUILT)


with tempfile.TemporaryDirectory() as scratch:  # the clone stays as it is
    setup(version=VERSION, cmdclass={"build_py": NoteLibrary},
          options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}})
