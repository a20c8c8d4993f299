"""pip install ./bindings/python: nothing is compiled. The package notes where the clone has built the library, so that it
finds the library without a word from the user."""

import os
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "libpsg.so")


class NoteLibrary(build_py):
    def run(self):
        super().run()
        with open(os.path.join(self.build_lib, "psg", "_built.py"), "w", encoding="utf-8") as file:
            file.write("PATH = %r\n" % BUILT)


with tempfile.TemporaryDirectory() as scratch:  # the clone stays as it is
    setup(cmdclass={"build_py": NoteLibrary},
          options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}})
