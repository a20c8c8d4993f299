"""No structure has more than 33 fields, and no structure of a plan more than 20.

    structs.py ROOT
"""

import re
import sys

import tree

MOST, MOST_OF_PLAN = 33, 20
PLAN = {"psg_problem", "psg_processes", "psg_workers", "psg_layout", "psg_form", "psg_context", "psg_gpu_place",
        "psg_storage", "psg_pending_list", "psg_past", "psg_plan"}


def bodies(code):
    """Each structure's name and what is between its braces."""
    for match in re.finditer(r"\bstruct\s*(\w*)\s*\{", code):
        depth, end = 1, match.end()
        while depth > 0 and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        after = re.match(r"\s*(\w*)\s*;", code[end:])
        yield match.group(1) or (after.group(1) if after else ""), code[match.end():end - 1]


def fields(body):
    """A structure or function pointer within counts as one field; several names in a declaration count each."""
    while "{" in body:
        body = re.sub(r"\{[^{}]*\}", " ", body)
    while re.search(r"\([^()]*\)", body):
        body = re.sub(r"\([^()]*\)", " f ", body)
    body = re.sub(r"\[[^\]]*\]", "", body)
    return sum(part.count(",") + 1 for part in body.split(";") if part.strip())


def main(root):
    problems, checked = [], 0
    for path in tree.files(root, tree.CODE):
        if path.startswith("tests/"):
            continue
        for name, body in bodies(tree.without_comments(tree.read(root, path))):
            checked += 1
            count, most = fields(body), MOST_OF_PLAN if name in PLAN else MOST
            if count > most:
                problems.append(f"{path}: {name} has {count} fields, more than {most}")
    tree.finish(problems, checked)


main(sys.argv[1])
