"""The peer workload measures each workload beside its peer, checks the answers of both, and refuses in words what has no peer.

    workload_peer_test.py PROGRAM CPUS GPUS NAME:SIZE ...
"""

import re
import subprocess
import sys

QUICK = ("--repeat", "2", "--warm-up", "0")
NOT_HERE = 77


def check(condition, words):
    if not condition:
        sys.exit(words)


def main(program, cpus, gpus, *problems):
    def run(*arguments):
        done = subprocess.run([program, "workload", "--cpus", cpus, "--gpus", gpus, *QUICK, *arguments], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout, done.stderr

    def measured(*arguments):
        code, out, err = run(*arguments)
        if code == NOT_HERE:
            print(err)
            sys.exit(NOT_HERE)
        check(code == 0, f"{arguments}: {code}, {out}, {err}")
        names = re.findall(r"^(\S+): .* on \d+ cores and \d+ GPUs; peer: .", out, re.MULTILINE)
        times = re.findall(r"^  (psg|peer).*? ([0-9.e+-]+) s median, ([0-9.e+-]+) s minimum", out, re.MULTILINE)
        check(names == [a for a in arguments if ":" in a], f"{arguments}: {out}")
        check([t[0] for t in times].count("psg") == len(names) and len(times) >= 2 * len(names), out)
        check(all(0 < float(least) <= float(median) for _, median, least in times), out)

    def refused(words, code, *arguments):
        got = run(*arguments)
        check(got[0] == code and words in got[2], f"{arguments}: {got}")

    measured(*problems)
    measured("--precision", "f32", *(p for p in problems if p.startswith(("jacobi", "qr"))))
    refused("blocks:8 is no workload with a peer", 2, "blocks:8")
    refused("ep is no workload with a peer", 2, "ep")
    refused("the peer of jacobi has 50 steps", 2, "jacobi:40:10")
    refused("the peer of pcg has smooth eps", 2, "pcg:16:ball")
    refused("ep has no class 'X'", 1, "ep:X")
    if gpus == "0":
        refused("cpus = 0 and gpus = 0", 1, "--cpus", "0", "ep:S")


main(*sys.argv[1:])
