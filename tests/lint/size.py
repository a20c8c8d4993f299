"""No file has more than 600 lines and no function more than 80. Some folders have a limit, too.

    size.py ROOT
"""

import os
import re
import sys

import tree

FILE_LINES = 600
# A Fortran module is one file, which programs compile along.
LONG_FILES = {"bindings/fortran/psg.f90": 712}
FUNCTION_LINES = 80
FOLDER_LINES = {"codelets": 4065}

# The end of a function's head; what else opens a brace outside of one has no parenthesis before it.
OPENING = re.compile(r"\)\s*(const|noexcept)?\s*\{$")


def functions(text):
    """(name, first line, number of lines); a function ends by a brace as far to the left as it began."""
    head, start, margin, macro = "", None, "", False
    for number, line in enumerate(tree.without_comments(text).split("\n"), 1):
        line = line.rstrip()
        if start is not None:
            if line.startswith(margin + "}"):
                yield name, start, number - start + 1
                start = None
            continue
        directive = macro or line.startswith("#")
        macro = directive and line.endswith("\\")
        if directive or not line or line.lstrip().startswith("}"):
            head = ""
            continue
        if not head:
            first, margin = number, line[: len(line) - len(line.lstrip())]
        head += line + " "
        if OPENING.search(head.strip()):
            name = (re.findall(r"(\w+)\s*\(", head) or [head.strip()])[0]
            start, head = first, ""
        elif line.endswith(("{", ";", "}")):
            head = ""


def main(root):
    problems, checked, folders = [], 0, dict.fromkeys(FOLDER_LINES, 0)
    for path in tree.files(root, tree.CODE + (".f90", ".py", ".sh", ".cmake")):
        text = tree.read(root, path)
        lines = text.count("\n")
        checked += 1
        folder = os.path.dirname(path)
        if folder in folders:
            folders[folder] += lines
        most = LONG_FILES.get(path, FILE_LINES)
        if lines > most:
            problems.append(f"{path} has {lines} lines, more than {most}")
        if path.endswith(tree.CODE):
            for name, start, length in functions(text):
                checked += 1
                if length > FUNCTION_LINES:
                    problems.append(f"{path}:{start}: {name} has {length} lines, more than {FUNCTION_LINES}")
    for folder, most in FOLDER_LINES.items():
        if folders[folder] > most:
            problems.append(f"{folder}/ has {folders[folder]} lines, more than {most}")
    tree.finish(problems, checked)


main(sys.argv[1])
