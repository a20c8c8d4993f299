"""Text is clean: no tabs, no white space at the end of a line, one newline at the end of a file; and
nothing in it belongs to one machine.

    text.py ROOT
"""

import re
import sys

import tree

TEXT = tree.CODE + (".f90", ".py", ".sh", ".cmake", ".txt", ".in", ".md", ".def", ".cff", ".yaml", ".clang-format", ".gitignore",
                    "Containerfile", ".dockerignore")

# Written so that this file does not find itself.
MACHINE = [
    ("a path of one machine", re.compile(r"(?<![\w./$}-])/(work|root|home)/")),
    ("a folder beside the repository", re.compile(r"\.\./" + "shared")),
    ("the address of an archive", re.compile(r"https?://[\w.-]*(debian|ubuntu|mirror|archive)" + r"[\w.-]*", re.I)),
]


def check(path, text):
    if not text:
        yield f"{path} is empty"
        return
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield f"{path} does not end with one newline"
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        if line != line.rstrip():
            yield f"{path}:{number}: white space at the end"
        for what, pattern in MACHINE:
            if pattern.search(line):
                yield f"{path}:{number}: {what}: {line.strip()}"


def main(root):
    problems, checked = [], 0
    for path in tree.files(root):
        if path.endswith(TEXT):
            checked += 1
            problems += check(path, tree.read(root, path))
    tree.finish(problems, checked)


main(sys.argv[1])
