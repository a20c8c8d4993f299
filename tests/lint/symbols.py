"""The library exports the functions that the public headers declare with PSG_API, and nothing else.
No function of theirs is inline: other languages call symbols.

    symbols.py ROOT LIBRARY
"""

import re
import subprocess
import sys

import tree


def declared(root):
    """{function: public header}"""
    functions = {}
    for header in tree.PUBLIC:
        text = tree.without_comments(tree.read(root, header))
        functions |= {name: header for name in re.findall(r"^PSG_API\b[^;(]*?\b(psg_\w+)\s*\(", text, re.M)}
    return functions


def exported(library):
    output = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if line.strip()}


def main(root, library):
    functions, binary = declared(root), exported(library)
    problems = [f"{functions[name]} declares {name}, which is not exported" for name in sorted(functions.keys() - binary)]
    problems += [f"no public header declares {name}, which is exported" for name in sorted(binary - functions.keys())]
    problems += [
        f"{header} has an inline function, which is no symbol"
        for header in tree.PUBLIC
        if re.search(r"\binline\b", tree.without_comments(tree.read(root, header)))
    ]
    tree.finish(problems, len(functions))


main(*sys.argv[1:])
