"""Each public header compiles alone and twice in a file, without a warning, as C99, C11, C17, C++11 and C++17.

    header.py ROOT COMPILER ...

A compiler with ++ in its name compiles C++, another one C.
"""

import os
import subprocess
import sys

import tree

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wundef", "-Wconversion", "-Werror", "-fsyntax-only"]
# A line that uses each header.
USE = {
    "graph/psg.h": "psg_options options; psg_options_init(&options); return options.cpus;",
    "graph/psg_boxes.h": "return psg_plan_box(NULL, 0, 0) == PSG_OK;",
    "graph/psg_modes.h": "return psg_plan_local_modes(NULL, 0, 0, 0) == PSG_OK;",
    "graph/psg_kernel.h": "return psg_plan_kernel(NULL, PSG_KERNEL_FORM_MODES, 0, 0) == PSG_OK;",
    "graph/psg_machine.h": "return psg_simulation();",
    "graph/psg_observe.h": "psg_statistics statistics; return psg_plan_statistics(NULL, &statistics) == PSG_OK;",
    "graph/psg_project.h": "return psg_project(NULL, NULL, NULL, NULL) == PSG_OK;",
    "graph/psg_starpu.h": "return psg_submit_slabs(NULL) == PSG_OK;",
    "graph/psg_task.h": "return psg_engine_wait(NULL) == PSG_OK;",
}


def compiles(root, header, compiler, language, standard):
    include = f"#include <{os.path.basename(header)}>\n"
    program = include + include + f"int use(void);\nint use(void) {{ {USE[header]} }}\n"
    command = [compiler, "-x", language, f"-std={standard}", f"-I{root}/graph", *WARNINGS, "-"]
    run = subprocess.run(command, input=program, capture_output=True, text=True)
    return None if run.returncode == 0 else f"{header} by {compiler} -std={standard}:\n{run.stderr}"


def cases_of(compiler):
    if "++" in os.path.basename(compiler):
        return [(compiler, "c++", standard) for standard in ("c++11", "c++17")]
    return [(compiler, "c", standard) for standard in ("c99", "c11", "c17")]


def main(root, *compilers):
    cases = [case for compiler in compilers for case in cases_of(compiler)]
    problems = [compiles(root, header, *case) for header in tree.PUBLIC for case in cases]
    tree.finish([problem for problem in problems if problem], len(problems))


main(*sys.argv[1:])
