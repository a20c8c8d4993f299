"""The files of the project, and how a check ends. Used by the other scripts of this folder."""

import os
import re
import sys

CODE = (".c", ".h", ".cu", ".cuh")
# The headers that are installed.
PUBLIC = ("graph/psg.h", "graph/psg_boxes.h", "graph/psg_kernel.h", "graph/psg_machine.h", "graph/psg_modes.h",
          "graph/psg_observe.h", "graph/psg_project.h", "graph/psg_starpu.h", "graph/psg_task.h")


def files(root, endings=None):
    """Paths relative to root, sorted; without hidden folders and build trees, wherever these lie."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name != "__pycache__"
            and not (folder == root and name.startswith("build"))
            and not os.path.exists(os.path.join(folder, name, "CMakeCache.txt"))
        ]
        for name in names:
            if endings is None or name.endswith(tuple(endings)):
                found.append(os.path.relpath(os.path.join(folder, name), root))
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    """C text with its comments and strings blanked; line numbers stay."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def finish(problems, checked):
    """End the program: 1 after problems, or where nothing was checked."""
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{checked} checked, {len(problems)} problems")
    sys.exit(1 if problems or not checked else 0)
