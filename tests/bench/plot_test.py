"""plot.py makes the figure that it should of every result in the tree, and says in words what it cannot do.

    plot_test.py PLOT.PY RESULTS
"""

import os
import subprocess
import sys
import tempfile


def run(*arguments):
    done = subprocess.run([sys.executable, "-B", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=100)
    return done.returncode, done.stdout, done.stderr


def check(condition, words):
    if not condition:
        sys.exit(words)


def main(plot, results):
    figures = {"node": "scaling", "stages": "stages", "segments": "segments", "policies": "policies"}
    files = sorted(name for name in os.listdir(results) if name.endswith(".csv") and name.split("-")[0] in figures)
    check(files, "no results in %s" % results)
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            prefix = os.path.join(folder, name)
            code, out, error = run(plot, os.path.join(results, name), "--out", prefix)
            figure = figures[name.split("-")[0]]
            check(code == 0 and not error and out.startswith(figure + ": "), "%s: %s %r %r" % (name, code, out, error))
            with open(prefix + ".png", "rb") as file:
                check(file.read(8) == b"\x89PNG\r\n\x1a\n", "%s: no PNG" % name)
            with open(prefix + ".svg", encoding="utf-8") as file:
                text = file.read()
            for words in ("; 20", " cores", "psg 0.", "StarPU 1."):
                check(words in text, "%s: the figure does not say %r" % (name, words))
        first = os.path.join(results, files[0])
        with open(first, encoding="utf-8") as file:
            header, row = file.read().splitlines()[:2]
        bad = os.path.join(folder, "bad.csv")
        for text, words in (("", "no rows of psg bench"), ("a,b\n1,2\n", "no rows of psg bench"),
                            (header + "\n" + row.replace(",ok,", ",it failed,") + "\n", "all configurations failed")):
            with open(bad, "w", encoding="utf-8") as file:
                file.write(text)
            code, out, error = run(plot, bad)
            check(code == 1 and words in error and "Traceback" not in error, "%r: %s %r" % (text[:20], code, error))
        for arguments, words in (((first, "--host", "nobody"), "no rows of host 'nobody'"),
                                 ((os.path.join(folder, "none.csv"),), "cannot be read"),
                                 ((first, "--out", os.path.join(folder, "no", "folder")), "cannot be written")):
            code, out, error = run(plot, *arguments)
            check(code == 1 and words in error and "Traceback" not in error, "%s: %s %r" % (arguments, code, error))
    print("%d figures" % len(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
