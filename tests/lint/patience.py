"""A script of the tests waits longer on a busy machine: no limit is a plain number of seconds, each goes through
patience() of tests/command/patience.py.

    patience.py ROOT
"""

import ast
import sys

import tree

# What waits for a process by itself; run() and refused() of tests/command/command.py call patience().
WAITS = ("subprocess.run", "subprocess.check_output", "subprocess.check_call", "subprocess.call", "communicate", "wait")


def is_number(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def is_clock(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "time.monotonic"


def wrong(node):
    """subprocess.run(timeout=60), time.monotonic() + 30, time.monotonic() - started < 15"""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        waits = name in WAITS or name.endswith((".communicate", ".wait"))
        return waits and any(k.arg == "timeout" and is_number(k.value) for k in node.keywords)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and is_clock(node.left) and is_number(node.right)
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.BinOp):
        return is_clock(node.left.left) and any(is_number(c) for c in node.comparators)
    return False


def main(root):
    problems, checked = [], 0
    for path in tree.files(root, (".py",)):
        if path.startswith("tests/"):
            checked += 1
            for node in ast.walk(ast.parse(tree.read(root, path))):
                if wrong(node):
                    problems.append(f"{path}:{node.lineno}: a limit in seconds without patience(): {ast.unparse(node)[:100]}")
    tree.finish(problems, checked)


main(sys.argv[1])
