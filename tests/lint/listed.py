"""Every file to compile, and every script of the tests, is named in a CMakeLists.txt.

    listed.py ROOT
"""

import os
import re
import sys

import tree


def lists_above(root, path):
    """The text of the CMakeLists.txt of the file's folder and of those above and below it."""
    folder, text = os.path.dirname(path), ""
    for other in tree.files(root, ("CMakeLists.txt",)):
        place = os.path.dirname(other)
        if folder == place or folder.startswith(place + "/") or place.startswith(folder + "/") or not place:
            text += re.sub(r"#[^\n]*", "", tree.read(root, other))
    return text


def is_listed(path, text):
    """By its name, or by its name without ending where the list goes over `${name}.c`."""
    stem, ending = os.path.splitext(os.path.basename(path))
    word = r"(?<![\w.-])%s(?![\w-])"
    if re.search(word % re.escape(stem + ending), text):
        return True
    return "}" + ending in text and re.search(word % re.escape(stem), text) is not None


def main(root):
    problems, checked = [], 0
    for path in tree.files(root, (".c", ".cu", ".py")):
        text = tree.read(root, path)
        if path.endswith(".py") and '__name__ == "__main__"' not in text and not re.search(r"^main\(", text, re.M):
            continue
        checked += 1
        if not is_listed(path, lists_above(root, path)):
            problems.append(f"{path} is in no CMakeLists.txt")
    tree.finish(problems, checked)


main(sys.argv[1])
