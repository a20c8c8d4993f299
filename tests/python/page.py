"""The examples of a page of the documents run as the page shows them, in an empty folder, and their checks hold.

    page.py PAGE PSG [MPIEXEC NUMPROC-FLAG [FLAG]...]

Each block ```python runs as a program of its own. Each indented line that begins with `psg` runs as a command. All of them run in
the order of the page, so one may read what an earlier one has written. A block without a language behind them, before the next heading, is what
they print: for each line they print one with the same first word. The rest depends on the machine. A block with mpi4py runs in three processes, and
so does, besides, what stands in a block before the comment "the rest takes minutes". A block whose
package is not here, or finds no GPU for psg, is left out with a word.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

PAGE, PSG, *MPIRUN = sys.argv[1:]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|^    (psg [^\n]*)$|^#", re.MULTILINE | re.DOTALL)
PROCESSES = 3
NEEDS_GPU = {"cupy": "import psg; assert psg.components()['CUDA'] and cupy.cuda.runtime.getDeviceCount()"}


def first_word(line):
    found = re.search(r"[A-Za-z]\w*", line)
    return found and found.group()


def missing(code):
    """@return the package of a block that cannot run here, or None"""
    for package in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE):
        probe = "import %s; %s" % (package, NEEDS_GPU.get(package, ""))
        if package != "psg" and subprocess.run([sys.executable, "-c", probe], capture_output=True).returncode:
            return package
    return None


def run(arguments, what):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s:%d: exit status %d of\n%s\n%s%s" % (PAGE, line, done.returncode, what, done.stdout, done.stderr))
    return done.stdout


with open(PAGE, encoding="utf-8") as file:
    page = file.read()
os.environ["PATH"] = os.path.dirname(PSG) + os.pathsep + os.environ["PATH"]
ran, left_out, said = 0, 0, None
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for found in BLOCK.finditer(page):
        language, code, command = found.groups()
        line = page.count("\n", 0, found.start()) + 1
        if found.group().startswith("#"):
            said = None
        elif command is not None:
            said = (said or "") + run(shlex.split(command), command)
            ran += 1
        elif language == "python":
            lacks = missing(code)
            mpi = "mpi4py" in code
            if lacks is not None or (mpi and not MPIRUN):
                print("%s:%d: left out, needs %s" % (PAGE, line, lacks or "mpirun"), flush=True)
                left_out += 1
                said = None
                continue
            launcher = [MPIRUN[0], *MPIRUN[2:], MPIRUN[1], str(PROCESSES)] if MPIRUN else []
            quick, minutes, _ = code.partition("# the rest takes minutes")
            if minutes and launcher:
                run([*launcher, sys.executable, "-B", "-c", quick], quick)
                print("%s:%d: also in %d processes" % (PAGE, line, PROCESSES), flush=True)
            said = run([*launcher * mpi, sys.executable, "-B", "-c", code], code)
            ran += 1
        elif language == "" and said is not None:
            printed = [first_word(text) for text in said.splitlines()]
            for text in code.splitlines():
                if first_word(text) not in printed:
                    sys.exit("%s:%d: the page shows\n%s\nand this is printed:\n%s" % (PAGE, line, text, said))
            said = None
if ran == 0:
    sys.exit("%s: no example" % PAGE)
print("%s: %d examples ran, %d left out" % (PAGE, ran, left_out))
