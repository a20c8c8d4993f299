"""sides.py makes lines of a machine file from reports: the ratio of the median times of a task, of solves of one grid in one
cut, and it says in words what it cannot do.

    sides_test.py SIDES.PY
"""

import json
import os
import subprocess
import sys
import tempfile

REPORT = {"bc": ["PP", "PP", "PP"], "points": ["cells", "cells", "cells"], "grid": [4, 5, 6], "precision": "f64", "graph": "fused",
          "exchange": "direct", "z_layout": "strided", "segments": 2, "sheets": 1, "workers": [{"kind": "cuda"}]}


def check(condition, words):
    if not condition:
        sys.exit(words)


def main(sides):
    def run(*paths):
        done = subprocess.run([sys.executable, "-B", sides, *paths], capture_output=True, text=True, check=False)
        check("Traceback" not in done.stderr, done.stderr)
        return done.returncode, done.stdout.splitlines(), done.stderr

    with tempfile.TemporaryDirectory() as folder:
        count = 0

        def report(forward, kspace, **change):
            nonlocal count
            count += 1
            path = os.path.join(folder, "%d.json" % count)
            stages = {"forward_xy": {"tasks": 2, "seconds": 2 * forward}, "kspace": {"tasks": 1, "seconds": kspace},
                      "exchange": {"tasks": 0, "seconds": 0}}
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**REPORT, "stages": stages, **change}, file)
            return path

        periodic = [report(seconds, 2) for seconds in (1, 9, 0.5)]
        code, lines, _ = run(*periodic, report(1.5, 3, bc=["NN", "NN", "NN"]),
                             report(2, 2, bc=["PP", "ND", "DN"], points=["nodes", "nodes", "cells"]))
        check(code == 0 and lines == ["sides forward_xy f64 gpu 4x5x6 NN,NN,NN 1.5", "sides kspace f64 gpu 4x5x6 NN,NN,NN 1.5",
                                      "sides forward_xy f64 gpu 4x5x6 PP,DN-nodes,DN 2",
                                      "sides kspace f64 gpu 4x5x6 PP,DN-nodes,DN 1"], lines)
        walls = {"bc": ["DD", "DD", "DD"]}
        for change in ({"grid": [4, 5, 7]}, {"precision": "f32"}, {"segments": 1}, {"workers": [{"kind": "cpu"}]}):
            code, lines, said = run(*periodic, report(1, 1, **walls, **change))
            check(code != 0 and not lines and "no report of a periodic grid" in said, said)
        for path, words in ((report(1, 1, workers=[{"kind": "cpu"}, {"kind": "cuda"}]), "cores and GPUs"),
                            (report(1, 1, stages=None), "no report of psg solve"), (sides, "no report of psg solve"),
                            (os.path.join(folder, "none.json"), "No such file")):
            code, lines, said = run(*periodic, path)
            check(code != 0 and not lines and path in said and words in said, said)
        check(run()[0] != 0 and "usage" in run()[2], "without a report")


if __name__ == "__main__":
    main(sys.argv[1])
