"""clang-tidy finds nothing, by the checks of .clang-tidy, in what the library and the command are compiled from.

    tidy.py ROOT BUILD CLANG_TIDY
"""

import concurrent.futures
import json
import os
import subprocess
import sys

import tree


def sources(root, build):
    """The files that are compiled in BUILD, without those of the tests."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        paths = {os.path.relpath(command["file"], root) for command in json.load(file)}
    return sorted(path for path in paths & set(tree.files(root, (".c",))) if not path.startswith("tests/"))


def main(root, build, tidy):
    def check(path):
        command = [tidy, "--quiet", "-p", build, "--extra-arg=-Wno-error", os.path.join(root, path)]
        run = subprocess.run(command, capture_output=True, text=True)
        return run.stdout if run.returncode else run.stdout.strip()

    paths = sources(root, build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [words for words in pool.map(check, paths) if words]
    tree.finish(problems, len(paths))


main(*sys.argv[1:])
