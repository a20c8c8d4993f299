"""The version is that of project(psg VERSION ...) in CMakeLists.txt wherever it is written.

    version.py ROOT
"""

import re
import sys

import tree

# Where else it stands, with how many of its three numbers.
PLACES = [
    ("graph/psg.h", r"#define PSG_VERSION_MAJOR (\d+)\n#define PSG_VERSION_MINOR (\d+)\n#define PSG_VERSION_PATCH (\d+)\n", 3),
    ("bindings/python/psg/_library.py", r"^MAJOR, MINOR = (\d+), (\d+)$", 2),
    ("CITATION.cff", r"^version: (\d+)\.(\d+)\.(\d+)$", 3),
    ("packaging/conda/recipe.yaml", r"^  version: (\d+)\.(\d+)\.(\d+)$", 3),
    ("packaging/spack/spack_repo/psg/packages/psg/package.py", r'^    version\("(\d+)\.(\d+)\.(\d+)"\)$', 3),
    ("docs/packages.md", r"psg@(\d+)\.(\d+)\.(\d+)", 3),
    ("CHANGELOG.md", r"\A# Changes\n\n## (\d+)\.(\d+)\.(\d+)", 3),
]


def main(root):
    problems = []
    project = re.search(r"^project\(psg VERSION (\d+)\.(\d+)\.(\d+) ", tree.read(root, "CMakeLists.txt"), re.M).groups()
    for path, pattern, numbers in PLACES:
        found = re.search(pattern, tree.read(root, path), re.M)
        if found is None:
            problems.append(f"{path} has no version")
        elif found.groups() != project[:numbers]:
            problems.append(f"{path} has version {'.'.join(found.groups())}, CMakeLists.txt {'.'.join(project)}")
    tree.finish(problems, len(PLACES))


main(sys.argv[1])
