"""quickstart.sh says what it does, how far it is and what to do next, and leaves a build folder that does not surprise.

    quickstart.py ROOT

The script runs on a project of its own, with a psg that does nothing, a compiler that is slow, and without package
managers: what is tested is the script.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(ROOT, "tests", "command"))

from patience import patience  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(fake LANGUAGES C)
set(PSG_CUDA AUTO CACHE STRING "")
set(PSG_TEST_PATIENCE 1 CACHE STRING "")
option(PSG_TESTS "" ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(PSG_STARPU_PREFIX "" CACHE PATH "")
option(PSG_WERROR "" OFF)
set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/slow)
add_executable(psg_command psg.c a.c b.c)
set_target_properties(psg_command PROPERTIES OUTPUT_NAME psg)
enable_testing()
add_executable(checks psg.c)
add_test(NAME checks COMMAND checks)
install(TARGETS psg_command)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME psg)
set(CPACK_PACKAGE_CONTACT nobody)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
"""
FILES = {
    "CMakeLists.txt": PROJECT,
    "psg.c": '#include <stdio.h>\nint main(void) {\n    return puts("solved") < 0;\n}\n',
    "a.c": "int a;\n",
    "b.c": "int b;\n",
    "slow": '#!/bin/sh\nsleep 1\nexec "$@"\n',
    "cmake/install-starpu.sh": '#!/bin/sh\necho "$1 ${STARPU_CUDA:-yes}" >starpu\n',
    "bin/dpkg-query": '#!/bin/sh\nprintf "install ok installed"\n',
    "bin/apt-get": "#!/bin/sh\nexit 1\n",
    "bin/pkg-config": "#!/bin/sh\nexit 1\n",
    "bin/nvcc": "#!/bin/sh\nexit 1\n",
    "bin/nvidia-smi": '#!/bin/sh\n[ -e gpu ] && echo "GPU 0: one"\n',
    "bin/nproc": "#!/bin/sh\necho 2\n",
}


def check(condition, words):
    if not condition:
        sys.exit("quickstart.sh: %s" % (words,))


def make(folder):
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    shutil.copy(os.path.join(ROOT, "quickstart.sh"), folder)
    shutil.copy(os.path.join(ROOT, "cmake", "progress.sh"), os.path.join(folder, "cmake"))


def run(*arguments, code=0, stderr=subprocess.PIPE, **environment):
    left = {k: v for k, v in os.environ.items() if k not in ("CUDA_HOME", "CMAKE_GENERATOR", "PSG_TEST_PATIENCE")}
    done = subprocess.run(["./quickstart.sh", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True,
                          env={**left, "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"], **environment},
                          timeout=patience(100), check=False)
    check(done.returncode == code, done)
    return done


def cached(name, folder="build"):
    with open(folder + "/CMakeCache.txt", encoding="utf-8") as file:
        return re.search(r"^%s:\w+=(.*)$" % name, file.read(), re.M).group(1)


def starpu():
    with open("starpu", encoding="utf-8") as file:
        return file.read().replace(os.getcwd() + "/", "").split()


def helps():
    text = run("--help").stdout
    with open("quickstart.sh", encoding="utf-8") as file:
        commands = re.findall(r"^(\w+)\)$", file.read(), re.M)
    check(len(commands) == 5 and all("./quickstart.sh %s " % name in text for name in commands), (commands, text))
    check("--cuda" in text and "PSG_TEST_PATIENCE" in text and text.rstrip().endswith("."), "the help is cut: " + text)
    check(text.splitlines()[0] == "From a clone to a result." and "set -eu" not in text, text)
    for wrong in ((), ("frob",), ("deb", "--cuda"), ("demo", "--cuda", "--cuda")):
        done = run(*wrong, code=2)
        check(done.stderr == text and done.stdout == "", (wrong, done))


def demo():
    """psg alone is built, but the folder is ready for all of it."""
    done = run("demo")
    check(done.stdout.startswith("solved\n"), done.stdout)
    for words in ("build/psg", 'export PATH="%s/build:$PATH"' % os.getcwd(), "cmake --install build", "build/psg info"):
        check(words in done.stdout, (words, done.stdout))
    check("log: build/quickstart.log" in done.stderr, done.stderr)
    check(re.search(r"3 files, 100 %, done in \d+ s\n", done.stderr), done.stderr)
    check(cached("PSG_TESTS") == "ON" and cached("PSG_WERROR") == "OFF", "the cache of build/")
    check(not os.path.exists("build/checks"), "demo builds the tests")
    check(os.path.getsize("build/quickstart.log") > 0, "the log is empty")
    # without a GPU: no CUDA, until it is asked for
    check(cached("PSG_CUDA") == "OFF" and "without CUDA" in done.stderr and "demo --cuda" in done.stderr, done.stderr)
    check(starpu() == ["build/starpu", "no"], "StarPU has CUDA, and psg has none: %s" % starpu())
    done = run("demo", "--cuda")
    check(cached("PSG_CUDA") == "ON" and "without CUDA" not in done.stderr, done.stderr)
    check(starpu() == ["build/starpu", "yes"], "psg has CUDA, and StarPU has none: %s" % starpu())
    run("demo")
    check(cached("PSG_CUDA") == "ON" and starpu() == ["build/starpu", "yes"], "what was asked for is forgotten")
    shutil.rmtree("build")
    with open("gpu", "w", encoding="utf-8"):
        pass
    done = run("demo")
    check(cached("PSG_CUDA") == "AUTO" and "without CUDA" not in done.stderr and starpu()[1] == "yes", done.stderr)
    os.remove("gpu")
    # by hand, after the demo
    subprocess.run(["cmake", "--build", "build"], check=True, stdout=subprocess.DEVNULL, timeout=patience(60))
    subprocess.run(["ctest", "--test-dir", "build", "--no-tests=error"], check=True, stdout=subprocess.DEVNULL, timeout=patience(60))


def on_a_terminal():
    """One line that changes each second."""
    shutil.rmtree("build")
    terminal, other = pty.openpty()
    run("demo", stderr=other)
    os.close(other)
    text = ""
    try:
        while True:
            text += os.read(terminal, 4096).decode()
    except OSError:  # the other side is closed
        os.close(terminal)
    lines = [line for line in text.split("\n") if "building in build:" in line]
    check(len(lines) == 1, text)
    numbers = [int(n) for n in re.findall(r"building in build: (\d) files, [0-9]+ %", lines[0])]
    check(len(numbers) >= 2 and numbers == sorted(numbers) and numbers[-1] == 3, text)


def package():
    """Without CUDA, though there is a toolkit."""
    done = run("deb")
    check(re.fullmatch(r"build/deb/psg_\S+\.deb\n", done.stdout), done)
    prefix = os.getcwd() + "/build/starpu-cpu"
    check(cached("PSG_STARPU_PREFIX", "build/deb") == prefix and cached("PSG_CUDA", "build/deb") == "OFF", "the cache of build/deb")
    check(starpu() == ["build/starpu-cpu", "no"], "StarPU is another one")


def others():
    """What fails says where its words are; without a GPU `test` has CUDA where that is asked for; limits are longer where that
    is asked for."""
    done = run("test", PSG_TEST_PATIENCE="7")
    check(cached("PSG_CUDA") == "OFF" and cached("PSG_TEST_PATIENCE") == "7" and cached("PSG_TESTS") == "ON", "the cache after test")
    check("about twenty minutes" in done.stderr.splitlines()[0] and "./quickstart.sh test --cuda" in done.stderr, done.stderr)
    run("test", "--cuda")
    check(cached("PSG_CUDA") == "AUTO", "test --cuda")
    with open("a.c", "w", encoding="utf-8") as file:
        file.write("no C\n")
    done = run("demo", code=1)
    check("a.c:1" in done.stderr and "build/quickstart.log" in done.stderr.splitlines()[-1] and done.stdout == "", done)


def shell(text, **environment):
    left = {k: v for k, v in os.environ.items() if k not in ("STARPU_CUDA", "STARPU_MPI", "STARPU_SIMGRID", "CUDA_HOME")}
    return subprocess.run(["sh", "-euc", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**left, "PATH": os.path.abspath("bin") + ":" + os.environ["PATH"], **environment})


def estimates():
    """An object that is to make counts once, a kernel for GPUs as often as it takes longer; one that is there counts nothing."""
    os.makedirs("work/tests")
    names = ("a.c.o", "b.cu.o", "there.cu.o")
    entries = [{"directory": os.path.abspath("work"), "file": "x",
                "command": ("nvcc -c x -o %s" if ".cu" in name else "cc -o %s -c x") % name} for name in names]
    entries.append({"directory": os.path.abspath("work/tests"), "command": "cc -o t.c.o -c x", "file": "x"})
    with open("work/compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(entries, file, indent=2)
    with open("work/there.cu.o", "w", encoding="utf-8"):
        pass
    for target, want in (("all", 37), ("psg_command", 36)):
        said = shell(". cmake/progress.sh; progress_missing work %s | progress_weight" % target).stdout
        check(said == "%d\n" % want, (target, said))
    # half of the files are done, and 1 of 36 parts of the time
    build = "echo '[ 50%] Building C object a.c.o'; sleep 1; echo '[100%] Building CUDA object b.cu.o'; sleep 1"
    said = shell(". cmake/progress.sh; progress_report() { sleep 0.5; progress_say ''; }; with_progress x work/log 'Building [A-Z]* object' "
                 "36%% sh -c \"%s\"" % build).stdout
    check(said.startswith("x: 1 files, 2 %, ") and "x: 2 files, 100 %, done in " in said, said)


def kept():
    """A StarPU with CUDA serves a psg without; one without is built again where CUDA is wanted, or its sources changed."""
    stamps = {with_cuda: "StarPU 1.4 cuda=%s arch=sm_90 changes=%%s\n" % cuda for with_cuda, cuda in ((True, "/toolkit"), (False, "none"))}
    with open(os.path.join(ROOT, "cmake", "install-starpu.sh"), encoding="utf-8") as file:
        changes = re.search(r"^changes=(\d+)", file.read(), re.M).group(1)
    for there, wanted, of, good in ((True, True, changes, True), (True, False, changes, True), (False, False, changes, True),
                                    (False, True, changes, False), (True, False, "0", False), (False, False, "0", False)):
        with open("work/psg-settings", "w", encoding="utf-8") as file:
            file.write(stamps[there] % of)
        done = shell("%s/cmake/install-starpu.sh %s/work" % (ROOT, os.getcwd()), STARPU_TARBALL="/none", CUDA_HOME="/toolkit",
                     STARPU_CUDA="yes" if wanted else "no")
        check((done.returncode == 0) == good and ("/none cannot be read" in done.stdout) != good, (there, wanted, of, done))


with tempfile.TemporaryDirectory(prefix="quickstart-", dir=os.getcwd()) as place:
    place = os.path.realpath(place)
    os.chdir(place)
    make(place)
    helps()
    demo()
    on_a_terminal()
    package()
    others()
    estimates()
    kept()
    os.chdir("/")
