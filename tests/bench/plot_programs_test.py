"""plot.py makes the figures of the studies that other programs measure, a GPU's rows among them, and says which figure
a file has not the columns of.

    plot_programs_test.py PLOT.PY RESULTS
"""

import csv
import itertools
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))

from patience import patience  # noqa: E402


def run(*arguments):
    done = subprocess.run([sys.executable, "-B", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=patience(100))
    return done.returncode, done.stdout, done.stderr


def check(condition, words):
    if not condition:
        sys.exit(words)


# Rows of no machine: what a study's file looks like, for cores and a GPU, with a row that failed.
MACHINE = {"status": "ok", "repeats": "9", "host": "none", "cpu_model": "no processor", "cores": "4", "cuda_version": "12.0",
           "date": "2026-01-02T03:04:05Z", "psg_version": "0.1", "starpu_version": "1.4", "fftw_version": "3.3"}


def made_up():
    for (peer, ranks, threads, gpus), grid in itertools.product(
            (("fftw", 1, 4, 0), ("fftw_mpi", 2, 2, 0), ("cufft_xt", 1, "", 2)), ("8x8x8", "9x8x7")):
        yield {"peer": peer, "ranks": ranks, "threads": threads, "gpus": gpus, "grid": grid, "gpu_model": "no GPU" if gpus else "",
               "ratio": 1.43, **{who + what: 1 for who in ("peer", "psg") for what in
                                 ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")}}


WORDS = ("2 processes of 2 threads", "2 GPUs", "cuFFT (cufftXt)", "1.43", "Gflop/s")


def doors(names):
    for door, grid in itertools.product(names, ("8x8x8", "9x8x7")):
        yield {"door": door, "ranks": 2, "gpus": 1, "grid": grid, "gpu_model": "no GPU", "seconds": 1e-3}


def check_figure(plot, folder, name, made, words):
    """The path of the rows, of which the figure says the words."""
    rows = [{**MACHINE, **row} for row in made]
    rows.append({**dict.fromkeys(rows[0], ""), **MACHINE, "status": "was not built"})
    path = os.path.join(folder, name + "-made-up.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    code, out, error = run(plot, path)
    if words is None:
        return code, error
    check(code == 0 and not error and out.startswith(name + ": "), "%s %r %r" % (code, out, error))
    with open(path[:-4] + ".svg", encoding="utf-8") as file:
        text = file.read()
    for word in (*words, "no processor, 4 cores, no GPU; 2026-01-02", "CUDA 12.0", "medians of 9 rounds; 1 row without"):
        check(word in text, "the figure does not say %r" % word)
    return path


def check_all(plot, folder):
    path = check_figure(plot, folder, "peers", made_up(), WORDS)
    check_figure(plot, folder, "embed", doors(("device", "ghost", "cufft_mp")), ("cuFFTMp, 2 processes of 1 GPU", "with a ghost layer"))
    code, error = check_figure(plot, folder, "embed", doors(("device", "ghost")), None)
    check(code == 1 and "no row of cuFFT" in error and "Traceback" not in error, error)
    code, out, error = run(plot, path, "--figure", "stages")
    check(code == 1 and "has not the columns" in error and "Traceback" not in error, error)


def main(plot, results):
    files = [os.path.join(results, name) for name in sorted(os.listdir(results)) if name.endswith(".csv")]
    with tempfile.TemporaryDirectory() as folder:
        check_all(plot, folder)
        for path in files:
            name = os.path.basename(path).split("-")[0]
            if name in ("peers", "embed"):
                code, out, error = run(plot, path, "--out", os.path.join(folder, name))
                check(code == 0 and not error and out.startswith(name + ": "), "%s: %s %r %r" % (path, code, out, error))
        of_solves = next(path for path in files if os.path.basename(path).startswith("scaling-"))
        code, out, error = run(plot, of_solves, "--figure", "peers")
        check(code == 1 and "has not the columns of the figure 'peers'" in error and "Traceback" not in error, error)


if __name__ == "__main__":
    main(*sys.argv[1:])
