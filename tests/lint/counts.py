"""Counts of the tree with limits that only shrink: lines by product, flags, circles, wide lines.

    counts.py ROOT          print the table; fail where a count is above its limit
    counts.py ROOT --lower  write today's counts into counts.txt, where they are below its limits
"""

import os
import re
import sys

import circles
import tree

# What is to be reached, in the order of counts.txt, which has the limits.
AIMS = {
    "lines of library": 30000,
    "lines of workloads": 7000,
    "lines of app": 10000,
    "lines of laboratory": 7000,
    "lines of bindings": 2700,
    "lines of all without tests, docs, results": 55000,
    "lines of tests": 38000,
    "flags asked": 30,
    "psg_simulated() asked": 5,
    "files in circles of calls": 0,
    "lines over 100 columns, C without tests": 0,
    "lines over 100 columns, other": 0,
    "static mutable variables": 42,
    "getenv and setenv": 16,
}
FILE = os.path.join(os.path.dirname(__file__), "counts.txt")

# The first that matches a path has its lines; "": nobody counts them.
WORK = "cg|dock|ep|jacobi|plates|qr|vadd|blas|lapack"
PRODUCTS = [
    ("", r"(bench|lab)/results/|.*\.(gz|machine|png|md|toml|typed)$"),
    ("tests", r"tests/"),
    ("workloads", rf"((graph|codelets)/)?workloads/|(base|cpu|kernels)/({WORK})\."
                  r"|lab/peers/workload"),
    ("library", r"(base|cpu|kernels|runtime|codelets|graph)/"),
    ("app", r"app/"),
    ("laboratory", r"(bench|lab)/"),
    ("bindings", r"bindings/"),
]
LIBRARY = ("base", "cpu", "kernels", "runtime", "codelets", "graph")

# Asking in which way a solve goes; graph/route.c alone is to do that.
FLAGS = re.compile(r"\bform\.\w+|\bpsg_shares_memory\s*\(|\bmany\.each\b|\boverlap\.(?:rows|pulled)\b"
                   r"|[.>](?:on_gpus|stays|teams?|copies|chained|whole|pulls|pull_rows|direct|managed)\b")
SIMULATED = re.compile(r"\bpsg_simulated\s*\(\)")
STATIC = re.compile(r"^[ \t]*static\s+(?!inline\b|const|_Noreturn\b)[^;{}()=]*?(?<!\bconst)"
                    r"[\s*]\*?(\w+)(\[[^;=]*\])*\s*(=|;)", re.M)
ENVIRONMENT = re.compile(r"\b(?:getenv|setenv|unsetenv|secure_getenv)\s*\(")


def product(path):
    return next((name for name, paths in PRODUCTS if re.match(paths, path)), "")


def count(root):
    found = dict.fromkeys(AIMS, 0)
    texts = {}
    for path in tree.files(root):
        name = product(path)
        if name:
            text = tree.read(root, path)
            found["lines of " + name] += text.count("\n")
            if name != "tests":
                found["lines of all without tests, docs, results"] += text.count("\n")
            if path.endswith(tree.CODE + (".py", ".f90")):
                own = path.endswith(tree.CODE) and name != "tests"
                found["lines over 100 columns, " + ("C without tests" if own else "other")] += sum(
                    len(line) > 100 for line in text.split("\n"))
        if path.endswith(tree.CODE) and path.split("/")[0] in circles.FOLDERS:
            texts[path] = text
            code = tree.without_comments(text)
            folder, base = path.split("/")[0], os.path.basename(path)
            if folder in ("graph", "codelets") and path.endswith(".c") and base != "route.c":
                found["flags asked"] += len(FLAGS.findall(code))
            if not base.startswith("simulat"):
                found["psg_simulated() asked"] += len(SIMULATED.findall(code))
            if name == "library":
                found["static mutable variables"] += len(STATIC.findall(code))
                found["getenv and setenv"] += len(ENVIRONMENT.findall(code))
    found["files in circles of calls"] = sum(map(len, circles.circles(circles.calls(texts))))
    return found


def limits():
    """A merge leaves the lines of both sides: the larger limit holds."""
    found = {}
    with open(FILE, encoding="utf-8") as file:
        for name, limit in (line.rsplit(": ", 1) for line in file):
            found[name] = max(int(limit), found.get(name, 0))
    return found


def lower(found, old):
    """Limits of lines are rounded up to hundreds."""
    with open(FILE, "w", encoding="utf-8") as file:
        for name in AIMS:
            new = -(-found[name] // 100) * 100 if name.startswith("lines of ") else found[name]
            file.write(f"{name}: {min(new, old[name])}\n")


def main(root, lowers=False):
    found, most = count(root), limits()
    if lowers:
        lower(found, most)
    print(f"{'':42} {'today':>7} {'limit':>7} {'aim':>7}")
    for name, aim in AIMS.items():
        print(f"{name:42} {found[name]:7} {most[name]:7} {aim:7}")
    tree.finish([f"{name}: {found[name]}, more than the limit {most[name]} in counts.txt"
                 for name in AIMS if found[name] > most[name]], len(AIMS))


main(sys.argv[1], "--lower" in sys.argv)
