"""No circle of modules, by includes of headers or by calls: a module is a header and the sources of
its name, X.h, X.c, X.cu, X_cuda.c, X_simulated.c and their like. A header of device code, X.cuh, is a
module of its own. The name of a function that is handed on, or stands in a table, counts as a call.

    circles.py ROOT          the test
    circles.py ROOT --known  write circles.txt, with the circles of calls that there are
"""

import os
import re
import sys

import tree

FOLDERS = ("base", "cpu", "kernels", "runtime", "codelets", "graph", "workloads", "app", "bench", "lab")
VARIANT = re.compile(r"(_(cuda|mpi|simulated))+$")
# Circles of calls that there are, a line for each, to be taken away. A circle that is not there
# fails, and so does a line whose circle has become smaller or is gone.
FILE = os.path.join(os.path.dirname(__file__), "circles.txt")
# Device code has names without these beginnings: its circles are those of includes.
FUNCTION = re.compile(r"^(?P<type>[A-Za-z][\w \t*]*?[\s*])"
                      r"\(?(?P<name>(?:psg|app|base|bench|peer)_\w+)\)?\([^;{}#]*\)\s*\{.*?^\}", re.M | re.S)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\n|[^\n])*)", re.M)


def module(path):
    name, kind = os.path.splitext(path)
    return path if kind == ".cuh" else VARIANT.sub("", name)


def includes(texts):
    """Which module includes which: {module: {module: words}}. Of a .c calls() has what it needs."""
    found = {}
    for path, text in texts.items():
        if path.endswith(".c"):
            continue
        here = found.setdefault(module(path), {})
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M):
            if module(name) != module(path):
                here.setdefault(module(name), f"{path} includes {name}")
    return found


def calls(texts):
    """Which module calls which, as of includes()."""
    homes, own, macros, found = {}, {}, {}, {}
    codes = {path: tree.without_comments(text) for path, text in texts.items()}
    for path, code in codes.items():
        if path.endswith(".h"):
            for name, body in MACRO.findall(code):
                macros[name] = set(re.findall(r"\w+", body)) - {name}
        for match in FUNCTION.finditer(code):
            if path.endswith((".h", ".cuh")) or "static" not in match["type"].split():
                homes.setdefault(match["name"], []).append(path)
            else:
                own.setdefault(path, set()).add(match["name"])
    for paths in homes.values():  # what only some builds have stands back
        paths.sort(key=lambda p: bool(VARIANT.search(os.path.splitext(p)[0])))
    for path, code in codes.items():
        if not path.endswith((".c", ".cu")):  # a header declares, and its functions call
            code = " ".join(match[0] for match in FUNCTION.finditer(code))
        words = set(re.findall(r"\w+", code))
        while True:
            more = set().union(*(macros[word] for word in words if word in macros)) - words
            if not more:
                break
            words |= more
        here = found.setdefault(module(path), {})
        for name in sorted(words & homes.keys() - own.get(path, set())):
            home = homes[name][0]
            if module(path) not in map(module, homes[name]):
                ties = here.setdefault(module(home), {})
                ties.setdefault(f"{path} -> {home}", []).append(name)
    return {a: {b: "\n  ".join(f"{tie}: {' '.join(names)}" for tie, names in ties.items())
                for b, ties in to.items()} for a, to in found.items()}


def circles(found):
    """Strongly connected sets of more than one module, by Tarjan's algorithm."""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in found.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                result.append(stack[at:])
            del stack[at:]

    for node in sorted(found):
        if node not in index:
            visit(node)
    return result


def words(found, circle):
    return "\n  ".join(found[a][b] for a in sorted(circle) for b in sorted(found[a]) if b in circle)


def main(root, known=False):
    texts = {path: tree.read(root, path) for path in tree.files(root, tree.CODE)
             if path.split("/")[0] in FOLDERS}
    included = includes(texts)
    problems = [f"a circle of modules:\n  {words(included, circle)}" for circle in circles(included)]
    called = calls(texts)
    lines = {" ".join(sorted(circle)): circle for circle in circles(called)}
    if known:
        with open(FILE, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in ["# Known circles of calls", *sorted(lines)])
    there = {line for line in tree.read(root, FILE).split("\n") if line and line[0] != "#"}
    for line, circle in sorted(lines.items()):
        ties = words(called, circle)
        if not any(set(circle) <= set(other.split()) for other in there):
            problems.append(f"a new circle of calls: {line}\n  {ties}")
        else:
            print(f"a known circle of calls: {line}\n  {ties}")
    problems += [f"no circle of calls any more: {line}\n  circles.py ROOT --known "
                 "writes circles.txt anew" for line in sorted(there - lines.keys())]
    tree.finish(problems, len(texts))


if __name__ == "__main__":
    main(sys.argv[1], "--known" in sys.argv)
