"""A solve beside another one of psg, in turns: of a length with a large prime factor beside the
next good length, and from and to modes beside f and u.

    python3 lab/peers/beside_itself.py lengths [--points cells|nodes] BC N ...
    python3 lab/peers/beside_itself.py modes SHAPE ...

BC     periodic, dirichlet, neumann, or two sides as dirichlet-neumann. N x N x N points
SHAPE  as 128x128x128, periodic
Both take --cpus (1), --gpus (0), --dtype f8|f4, --repeat rounds (15) and --cpu: the least CPU time
in place of the median time, for cores that others use. lengths takes --axes 2 or 3.
"""

import argparse
import statistics
import time

import numpy as np
import psg


def times_ms(calls, given):
    """Of each of the calls, which take turns; each is called once before."""
    clock = time.process_time if given.cpu else time.perf_counter
    middle = min if given.cpu else statistics.median
    seconds = [[] for _ in calls]
    for turn in range(given.repeat + 1):
        for call, found in zip(calls, seconds):
            begin = clock()
            call()
            if turn > 0:
                found.append(clock() - begin)
    return [1e3 * middle(found) for found in seconds]


def lengths(given, options):
    sides = tuple(given.bc.split("-"))
    sides *= 2 // len(sides)
    for n in given.n:
        good = psg.good_length(n, sides, given.points)
        plans = [psg.Plan((m,) * given.axes, bc=dict.fromkeys("zyx"[-given.axes:], sides),
                          points=given.points, **options) for m in (n, good)]
        fields = [np.random.default_rng(1).standard_normal(p.shape).astype(given.dtype)
                  for p in plans]
        ms = times_ms([lambda p=p, f=f, u=np.empty_like(f): p.solve(f, out=u)
                        for p, f in zip(plans, fields)], given)
        print("%s %s %d: %.3f ms, %d: %.3f ms, ratio %.2f, of each point %.2f"
              % (given.bc, given.points, n, ms[0], good, ms[1], ms[0] / ms[1],
                 ms[0] / ms[1] * (good / n) ** given.axes), flush=True)


def modes(given, options):
    for text in given.shape:
        shape = tuple(int(n) for n in text.split("x"))
        f = np.random.default_rng(1).standard_normal(shape).astype(given.dtype)
        with psg.Plan(shape, **options) as plan:
            u, hat = np.empty_like(f), plan.modes(f)
            out = np.empty_like(hat)
            ms = times_ms([lambda: plan.solve(f, out=u), lambda: plan.modes(f, out=out),
                            lambda: plan.solve(f_modes=hat, out=u),
                            lambda: plan.modes(f_modes=hat, out=out)], given)
        print("%s: f to u %.3f ms; f to modes %.2f of it, modes to u %.2f, modes to modes %.2f"
              % (text, ms[0], *(m / ms[0] for m in ms[1:])), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=0)
    parser.add_argument("--dtype", choices=("f8", "f4"), default="f8")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--repeat", type=int, default=15)
    what = parser.add_subparsers(required=True)
    of_lengths = what.add_parser("lengths")
    of_lengths.add_argument("--points", choices=("cells", "nodes"), default="cells")
    of_lengths.add_argument("--axes", type=int, choices=(2, 3), default=3)
    of_lengths.add_argument("bc")
    of_lengths.add_argument("n", type=int, nargs="+")
    of_lengths.set_defaults(run=lengths)
    of_modes = what.add_parser("modes")
    of_modes.add_argument("shape", nargs="+")
    of_modes.set_defaults(run=modes)
    given = parser.parse_args()
    given.run(given, dict(dtype=given.dtype, cpus=given.cpus, gpus=given.gpus))


if __name__ == "__main__":
    main()
