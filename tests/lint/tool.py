"""Run a tool over the project's files; its words are the problems.

    tool.py ROOT ENDINGS tool arguments ...      (ENDINGS as in .c,.h)
"""

import subprocess
import sys

import tree


def main(root, endings, *command):
    paths = tree.files(root, endings.split(","))
    problems = []
    if paths:
        run = subprocess.run([*command, *paths], cwd=root, capture_output=True, text=True)
        if run.returncode:
            problems.append((run.stdout + run.stderr).strip() or f"{command[0]} ended with {run.returncode}")
    tree.finish(problems, len(paths))


main(*sys.argv[1:])
