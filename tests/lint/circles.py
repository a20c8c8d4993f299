"""No circle of modules: a module is a header and the sources of its name, X.h, X.c, X.cu, X_cuda.c, X_mpi.h and their
like. A header of device code, X.cuh, is a module of its own.

    circles.py ROOT
"""

import os
import re
import sys

import tree

FOLDERS = ("cpu", "kernels", "runtime", "codelets", "graph", "app", "bench", "base")
VARIANT = re.compile(r"_(cuda|mpi|absent|simulated)$")


def module(path):
    name, kind = os.path.splitext(path)
    return path if kind == ".cuh" else VARIANT.sub("", name)


def arrows(root):
    """Which module includes which: {module: {module: path of the file that does}}."""
    found = {}
    for path in tree.files(root, tree.CODE):
        if path.split("/")[0] not in FOLDERS:
            continue
        here = found.setdefault(module(path), {})
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', tree.read(root, path), re.M):
            if module(name) != module(path):
                here.setdefault(module(name), path)
    return found


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


def main(root):
    found = arrows(root)
    problems = []
    for circle in circles(found):
        inside = [f"{found[a][b]} includes {b}" for a in circle for b in found[a] if b in circle]
        problems.append("a circle of modules: " + "; ".join(sorted(inside)))
    tree.finish(problems, len(found))


main(sys.argv[1])
