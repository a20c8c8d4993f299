"""regression.py measures a suite with two runtimes in turns: what it says of times and bytes is
what two programs in place of psg wrote, and two that do the same are no change.

    regression_test.py REGRESSION.PY
"""

import os
import subprocess
import sys
import tempfile

COLUMNS = ("grid precision cpus gpus cpu_share placement sched graph exchange z segment_planes "
           "sheets data in_flight effort ranks nodes network workload status seconds samples "
           "h2d_bytes d2h_bytes d2d_bytes sent_bytes policy_library")
PROGRAM = """#!%s
import os, sys
assert sys.argv[1] == "bench" and "--quiet" in sys.argv, sys.argv
with open(sys.argv[sys.argv.index("--csv") + 1], "w") as file:
    file.write("%s\\n")
    for workload, sched, status, samples, h2d, d2d in %r:
        library = os.path.basename(os.environ.get("STARPU_SCHED_LIB", ""))
        if library == "slow.so":
            samples = " ".join(str(2 * float(s)) for s in samples.split())
        file.write(",,2,0,,,%%s,,,,,,,,,1,1,,%%s,%%s,1,%%s,%%g,0,%%g,0,%%s\\n"
                   %% (sched, workload, status, samples, h2d, d2d, library))
"""
SAMPLES = "0.010 0.011 0.0105 0.0102"


def check(condition, words):
    if not condition:
        sys.exit(words)


def main(script):
    def write(name, rows):
        with open(name, "w", encoding="utf-8") as file:
            file.write(PROGRAM % (sys.executable, COLUMNS.replace(" ", ","), rows))
        os.chmod(name, 0o755)
        return os.path.abspath(name)

    def run(*arguments, **environment):
        done = subprocess.run([sys.executable, "-B", script, *arguments], capture_output=True,
                              text=True, check=False, env={**os.environ, **environment})
        check("Traceback" not in done.stderr, done.stderr)
        return done.returncode, done.stdout, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        old = write("old", [("qr", "lws", "ok", SAMPLES, 1e6, 4e6),
                            ("qr", "ws", "ok", SAMPLES, 0, 0), ("cg", "lws", "ok", SAMPLES, 0, 0),
                            ("ep", "lws", "ok", SAMPLES, 0, 0),
                            ("gone", "lws", "ok", SAMPLES, 0, 0)])
        new = write("new", [("qr", "lws", "ok", "0.0204 0.021 0.0206 0.0205", 1e6, 8e6),
                            ("qr", "ws", "ok", "0.005 0.0052 0.0051 0.0055", 0, 0),
                            ("cg", "lws", "ok", "0.011 0.010 0.0102 0.0105", 0, 1e6),
                            ("ep", "lws", "failed", "", 0, 0)])
        code, out, error = run(old, new, "--workload", "qr")
        check(code == 1 and not error, error)
        for words in ("| sched | workload | old ms | new ms | change |", "slower | d2d 4 to 8 MB |",
                      "| ws | qr | 10.35 | 5.15 | -50.2 % |", "faster | same |", "+0.0 % |",
                      "no difference seen | d2d 0 to 1 MB |", "failed 0 times before and 2 after",
                      "3 of 4 became slower, move more bytes or fail."):
            check(words in out, "no %r in\n%s" % (words, out))
        check(run(old, old)[0] == 0, "two that do the same")
        program = write("psg", [("qr", "own", "ok", SAMPLES, 0, 0)])
        code, out, _ = run("fast.so", "slow.so", PSG=program)
        check(code == 1 and "+100.0 %" in out and "slower" in out, out)
        other = write("other", [("x", "ws", "ok", SAMPLES, 0, 0)])
        for arguments, words in (((old, other), "no configuration in common"),
                                 (("./none", old), "./none: No such file"),
                                 ((write("empty", []), old), "no rows"), ((old,), "OLD NEW")):
            code, out, error = run(*arguments)
            check(code == 1 and words in error, "%s: %s" % (arguments, error))


main(os.path.abspath(sys.argv[1]))
