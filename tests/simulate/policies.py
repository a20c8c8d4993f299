"""What psg says that a run cannot be shorter than, no scheduling policy is faster than: on any
workload, on a machine with cores and GPUs of which one is slow, and with times that spread. A bound
that one policy's run tells holds for the runs of all others.

    policies.py PSG
"""

import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from command import check, run  # noqa: E402

MACHINE = """machine mixed
cpus 4
gpus 2
gpu_memory 8e9
speed gpu 1 0.4
gap 1e-6 2e-6
link to-gpu 5e9 5e-6
link from-gpu 6e9 5e-6
link between 7e9 5e-6
link peer 7e9 0
"""
WORKLOADS = (("ep:S", "--tile", "20"), ("blocks:40+30+20", "--tile", "5"),
             ("jacobi:300", "--tile", "100"), ("vadd:100000", "--tile", "5000"),
             ("transpose:600", "--tile", "100"),
             ("transpose:300x200x100:zxy:inplace", "--tile", "50"), ("qr:300", "--tile", "60"),
             ("qr:300:givens", "--tile", "60"), ("dock:64:60",), ("replay:7.rec",),
             ("replay:8.rec",), ("replay:9.rec",))
POLICIES = ("eager", "prio", "lws", "ws", "random", "dm", "dmda", "dmdas", "dmdar", "modular-heft",
            "heteroprio", "graph_test")


def machine_of(workload):
    """With the times of its kinds, which psg names one after the other: a GPU is 5 times as fast at
    the first of them, 3 times as slow at the second, and so on. Times spread."""
    text, factors = MACHINE, (5, 1 / 3, 2, 1, 8, 0.7)
    for kinds in range(20):
        with open("mixed.machine", "w", encoding="utf-8") as file:
            file.write(text)
        done = run("run", *workload, "--machine", "mixed.machine", code=None)
        named = re.search(r"it is not recorded how long (\w+) takes", done.stderr)
        if not named:
            return done
        for device, seconds in (("cpu", 2e-4), ("gpu", 2e-4 / factors[kinds % len(factors)])):
            for side in ("segment", "sheet"):
                text += "time %s f64 %s 64x64x64 %s 8 dense 8 0 %g 0.2\n" % (named.group(1), device,
                        side, seconds)
    raise AssertionError("%s has no end of kinds" % workload[0])


def random_graph(seed):
    """Tasks of seven kinds, on cores, on GPUs or on both, which read and write any of a few pieces
    of data."""
    draw = random.Random(seed)
    kinds = [(draw.choice((0, 1, 3, 9)), draw.choice((0, 0.5, 2, 6))) for _ in range(7)]
    kinds = [kind if any(kind) else (2, 1) for kind in kinds]
    with open("%d.rec" % seed, "w", encoding="utf-8") as file:
        file.write("# psg: a task graph, gpus 1, cpus 1\n")
        for task in range(1, 61):
            kind = draw.randrange(7)
            data = draw.sample(range(1, 13), draw.randrange(1, 4))
            file.write("Model: m%d\nFootprint: %x\nJobId: %d\nSubmitOrder: %d\n"
                       "WorkerId: 1\nEstimatedTime: %s\n"
                       % (kind, kind, task, task,
                          " ".join("%g" % (1e3 * ms) if ms else "inf" for ms
                                   in reversed(kinds[kind]))))
            file.write("Handles: %s\nModes: %s\nSizes: %s\n\n"
                       % (" ".join("%x" % d for d in data),
                          " ".join(draw.choice(("R", "R", "W", "RW", "RWC")) for _ in data),
                          " ".join(str(10 ** (d % 7)) for d in data)))


for seeded in (7, 8, 9):
    random_graph(seeded)
for workload in WORKLOADS:
    done = machine_of(workload)
    if done.returncode != 0 and "needs LAPACK" in done.stderr:
        continue
    check(done.returncode == 0, done)
    bounds, times = {}, {}
    for policy in POLICIES:
        report = json.loads(run("run", *workload, "--machine", "mixed.machine", "--sched", policy,
                                "--bounds", "--json", "-").stdout)
        times[policy] = report["seconds"]["runs"][-1]
        bounds[policy] = {name: report["bounds"][name] for name
                          in ("path", "work", "memory", "link")}
    print(workload[0], "%.3g to %.3g s" % (min(times.values()), max(times.values())),
          {name: "%.3g" % max(b[name] for b in bounds.values()) for name
           in ("path", "work", "memory", "link")})
    check(min(max(b["path"], b["work"]) for b in bounds.values()) > 0, bounds)
    fastest = min(times, key=times.get)
    for policy, of in bounds.items():
        for name, seconds in of.items():
            check(seconds <= times[fastest] * (1 + 1e-9),
                  "%s: %s under %s takes %g s, and %s is %g s by the run under %s"
                  % (workload[0], fastest, fastest, times[fastest], name, seconds, policy))

# The recorded H200 has all kinds of tasks of all workloads, on GPUs and on cores.
for name in ("ep:S", "blocks:40+30+20", "jacobi:300", "qr:300", "pcg:16", "cg:S", "dock:64:60",
             "transpose:600", "vadd:100000"):
    for workers in (("--cpus", "4", "--gpus", "0"), ("--cpus", "2", "--gpus", "1")):
        done = run("run", name, "--machine", "h200", *workers, code=None)
        check(done.returncode == 0 or "needs LAPACK" in done.stderr, done)
check("11 on cores" in run("run", "pcg:16", "--machine", "h200", "--cpus", "1",
                           "--gpus", "0", "--tile", "16").stdout, "steps of pcg")
