"""The library exports the functions that psg.h declares with PSG_API, each of them and nothing else.

    symbols.py ROOT LIBRARY
"""

import re
import subprocess
import sys

import tree


def declared(root):
    text = tree.without_comments(tree.read(root, "graph/psg.h"))
    return set(re.findall(r"^PSG_API\b[^;(]*?\b(psg_\w+)\s*\(", text, re.M))


def exported(library):
    output = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if line.strip()}


def main(root, library):
    header, binary = declared(root), exported(library)
    problems = [f"{name} is declared in graph/psg.h and not exported" for name in sorted(header - binary)]
    problems += [f"{name} is exported and not declared in graph/psg.h" for name in sorted(binary - header)]
    tree.finish(problems, len(header))


main(*sys.argv[1:])
