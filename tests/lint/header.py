"""psg.h compiles alone, without a warning, as C99, C11 and C17 and as C++11 and C++17; twice in a file too.

    header.py ROOT CC [CXX]
"""

import subprocess
import sys

import tree

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wundef", "-Wconversion", "-Werror", "-fsyntax-only"]
USE = """#include <psg.h>
#include <psg.h>
int use(void);
int use(void) {
    psg_options options;
    psg_statistics statistics;
    psg_options_init(&options);
    return psg_plan_statistics(NULL, &statistics) == PSG_OK;
}
"""


def compiles(root, compiler, language, standard):
    command = [compiler, "-x", language, f"-std={standard}", f"-I{root}/graph", *WARNINGS, "-"]
    run = subprocess.run(command, input=USE, capture_output=True, text=True)
    return None if run.returncode == 0 else f"{compiler} -std={standard}:\n{run.stderr}"


def main(root, c_compiler, cxx_compiler=None):
    cases = [(c_compiler, "c", standard) for standard in ("c99", "c11", "c17")]
    if cxx_compiler:
        cases += [(cxx_compiler, "c++", standard) for standard in ("c++11", "c++17")]
    problems = [compiles(root, *case) for case in cases]
    tree.finish([problem for problem in problems if problem], len(cases))


main(*sys.argv[1:])
