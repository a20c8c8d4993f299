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
DEVICES = ({"device": "cpu", "threads": "1", "gpu_model": "", "elements_per_thread": ""},
           {"device": "gpu", "threads": "", "gpu_model": "no GPU", "elements_per_thread": "2"})


def made_up(study):
    if study == "transposes":
        for device, grid, size, (p, name) in itertools.product(
                DEVICES, ("8x8x8", "9x8x7"), ("4", "16"), enumerate(("copy", "xyz", "yxz", "zyx", "xzy", "yzx", "zxy"))):
            yield {**device, "grid": grid, "element_bytes": size, "permutation": name, "bandwidth": 90 - p, "of_copy": 1 - p / 90}
    elif study == "fft":
        for device, n, batch, power in itertools.product(DEVICES, (8, 9), (1, 10, 100), (0, 1, 2)):
            yield {**device, "kind": "batch", "grid": "", "layout": "strided" if power else "contiguous", "n": n, "batch": batch,
                   "stride": n**power, "seconds_per_fft": 1e-6, "over_contiguous": 1 + power, "strided_over_transposed": ""}
        for device, layout in itertools.product(DEVICES, ("strided", "transpose", "contiguous", "transposed")):
            yield {**device, "kind": "z", "grid": "8x9x7", "layout": layout, "n": 7, "batch": 45, "stride": 45,
                   "seconds_per_fft": "", "over_contiguous": 2, "strided_over_transposed": 1.37 if layout == "transposed" else ""}
    else:
        for (peer, ranks, threads, gpus), grid in itertools.product(
                (("fftw", 1, 4, 0), ("fftw_mpi", 2, 2, 0), ("cufft_xt", 1, "", 2)), ("8x8x8", "9x8x7")):
            yield {"peer": peer, "ranks": ranks, "threads": threads, "gpus": gpus, "grid": grid, "gpu_model": "no GPU" if gpus else "",
                   "ratio": 1.43, **{who + what: 1 for who in ("peer", "psg") for what in
                                     ("_seconds", "_seconds_q1", "_seconds_q3", "_gflops")}}


WORDS = {"transposes": ("GPU, 2 elements a thread", "CPU, 1 thread", "16-byte elements", "zxy"),
         "fft": ("GPU", "1.37", "a transposition pays", "stride n"),
         "peers": ("2 processes of 2 threads", "2 GPUs", "cuFFT (cufftXt)", "1.43", "Gflop/s")}


def check_study(plot, folder, study, words):
    rows = [{**MACHINE, **row} for row in made_up(study)]
    rows.append({**dict.fromkeys(rows[0], ""), **MACHINE, "status": "was not built"})
    path = os.path.join(folder, study + "-made-up.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    code, out, error = run(plot, path)
    check(code == 0 and not error and out.startswith(study + ": "), "%s: %s %r %r" % (study, code, out, error))
    with open(path[:-4] + ".svg", encoding="utf-8") as file:
        text = file.read()
    for word in (*words, "no processor, 4 cores, no GPU; 2026-01-02", "CUDA 12.0", "medians of 9 rounds; 1 row without"):
        check(word in text, "%s: the figure does not say %r" % (study, word))
    for other in ("stages", "fft" if study != "fft" else "peers"):
        code, out, error = run(plot, path, "--figure", other)
        check(code == 1 and "has not the columns" in error and "Traceback" not in error, "%s: %r" % (other, error))


def main(plot, results):
    files = [os.path.join(results, name) for name in sorted(os.listdir(results)) if name.endswith(".csv")]
    with tempfile.TemporaryDirectory() as folder:
        for study, words in WORDS.items():
            check_study(plot, folder, study, words)
        for path in files:
            study = os.path.basename(path).split("-")[0]
            if study in WORDS:
                code, out, error = run(plot, path, "--out", os.path.join(folder, study))
                check(code == 0 and not error and out.startswith(study + ": "), "%s: %s %r %r" % (path, code, out, error))
        of_solves = next(path for path in files if os.path.basename(path).startswith("node-"))
        code, out, error = run(plot, of_solves, "--figure", "peers")
        check(code == 1 and "has not the columns of the figure 'peers'" in error and "Traceback" not in error, error)


if __name__ == "__main__":
    main(*sys.argv[1:])
