"""The studies: ready sweeps that answer the questions of the method's literature on the machine at
hand. A row of the table is all that one needs, with its name and a line about it in
app/lab_options.c, for --help."""

from words import USAGE, Failure

# Lists that depend on the machine: 1, 2, 4, ... up to all of them; all of them; and the cores that
# are left beside one for each GPU. The user's --cpus or --gpus take their place, whatever list they
# stand for.
UP_TO_CPUS, ALL_CPUS, CPUS_BESIDE_GPUS, UP_TO_GPUS, ALL_GPUS = range(5)

# More planes than any grid has: one segment, or one sheet's worth.
WHOLE = "1000000000"
# What a part of a study is about. Other workers than these have nothing to do with it. WORKERS:
# GPUs, if any.
WORKERS, CORES, GPUS, BOTH = "workers", "cores", "gpus", "cores and gpus"

# Grids on cores, those that --large adds, and the same on GPUs.
SMALL = ("64,128,256", "512", "256,512", "1024")
LARGE = ("128,256", "512", "512", "1024")

WORKLOADS = {"workload": "ep:S,blocks:8", "sched": "all"}
# Tasks of all sizes.
VADD = {"workload": "vadd:4194304", "tile": "1024,4096,16384,65536,262144,1048576,4194304"}
TRANSPOSE = {
    "workload": "transpose:4096,transpose:4096:inplace", "tile": "64,128,256,512,1024,2048,4096"
}
JACOBI = {"workload": "jacobi:2050:10", "tile": "64,128,256,512,1024,2048"}
BOTH_GRAPHS = {"graph": "fused,staged"}
ONE_SEGMENT = {"graph": "staged", "segment_planes": WHOLE}

# name: grids, and parts, each a product of lists.
STUDIES = {
    "node": (SMALL, [(CORES, {"cpus": UP_TO_CPUS}), (GPUS, {"gpus": UP_TO_GPUS})]),
    "stages": (LARGE, [(CORES, {"cpus": UP_TO_CPUS, **ONE_SEGMENT}),
                       (GPUS, {"gpus": UP_TO_GPUS, **ONE_SEGMENT})]),
    "segments": (("64,128,256", "512,1024", "256,512", "1024"), [
        (WORKERS, {**BOTH_GRAPHS, "segment_planes": "1,2,4,8,12,16,32,64,128,256," + WHOLE})
    ]),
    "policies": (("128", "256", "512", "1024"),
                 [(WORKERS, {"sched": "all", "placement": "free", **BOTH_GRAPHS})]),
    "variants": (SMALL, [(WORKERS,
                          {**BOTH_GRAPHS, "z": "contiguous,strided"})]),
    "scaling": (LARGE, [(CORES, {"cpus": UP_TO_CPUS}), (CORES, {"ranks": UP_TO_CPUS, "cpus": "1"}),
                        (GPUS, {"gpus": UP_TO_GPUS}), (GPUS, {"ranks": UP_TO_GPUS, "gpus": "1"})]),
    "overlap": (LARGE, [(CORES, {"cpus": ALL_CPUS, **BOTH_GRAPHS}),
                        (CORES, {"ranks": UP_TO_CPUS, "cpus": "1", **BOTH_GRAPHS}),
                        (GPUS, {"gpus": ALL_GPUS, **BOTH_GRAPHS}),
                        (GPUS, {"ranks": UP_TO_GPUS, "gpus": "1", **BOTH_GRAPHS})]),
    "hetero": (LARGE, [(CORES, {"cpus": ALL_CPUS}), (GPUS, {"gpus": ALL_GPUS}),
                       (BOTH, {
                           "cpus": CPUS_BESIDE_GPUS, "gpus": ALL_GPUS,
                           "cpu_share": "0,0.02,0.05,0.1,0.25,auto"
                       }), (BOTH, {
                           "cpus": CPUS_BESIDE_GPUS,
                           "gpus": ALL_GPUS,
                           "placement": "free"
                       })]),
    "workloads": (None, [(CORES, {"cpus": ALL_CPUS, **WORKLOADS}),
                         (GPUS, {"gpus": ALL_GPUS, **WORKLOADS}),
                         (BOTH, {"cpus": CPUS_BESIDE_GPUS, "gpus": ALL_GPUS, **WORKLOADS})]),
    "crossover": (None, [(subject, {number: "1", **tasks}) for tasks in (VADD, TRANSPOSE, JACOBI)
                         for subject, number in ((CORES, "cpus"), (GPUS, "gpus"))]),
}


def count_up(most):
    """1, 2, 4, 6 for 6."""
    counts = [1]
    while 2 * counts[-1] < most:
        counts.append(2 * counts[-1])
    return counts + [most] if most > 1 else [most]


def is_wanted(subject, gpus, given):
    """Is there what a part is about, and does the user want it? 0 cores or GPUs are none."""
    cores = given.get("cpus") != ["0"]
    some = given["gpus"] != ["0"] if "gpus" in given else gpus > 0
    return {CORES: cores, GPUS: some, BOTH: cores and some, WORKERS: cores or some}[subject]


def lists_of(sizes, subject, part, large, machine, given):
    """The lists of a part on this machine; the user's take their place."""
    cpus, gpus = machine
    counts = {UP_TO_CPUS: count_up(cpus), ALL_CPUS: [cpus], CPUS_BESIDE_GPUS: [max(1, cpus - gpus)],
              UP_TO_GPUS: count_up(gpus), ALL_GPUS: [gpus]}
    lists = {}
    if sizes is not None:
        on_gpus = subject != CORES and is_wanted(GPUS, gpus, given)
        few, more = sizes[2:] if on_gpus else sizes[:2]
        grids = few.split(",") + (more.split(",") if large else [])
        lists["grid"] = ["%sx%sx%s" % (n, n, n) for n in grids]
    for column, values in part.items():
        if isinstance(values, int):
            own = "gpus" if values >= UP_TO_GPUS else "cpus"
            lists[column] = given.get(own, list(map(str, counts[values])))
        else:
            lists[column] = values.split(",")
    lists.update({column: values for column, values in given.items()
                  if column not in ("cpus", "gpus") or subject == WORKERS})
    if subject in (CORES, GPUS):
        lists["gpus" if subject == CORES else "cpus"] = ["0"]
    return lists


def add_study(sweep, name, large, cpus, gpus, given):
    """Add its configurations. given: lists of the user's, which take the place of the study's;
    --cpus and --gpus that of all lists of cores and of GPUs, and "0" leaves out the configurations
    that need them. cpus, gpus: what the machine has"""
    sizes, parts = STUDIES[name]
    for subject, part in parts:
        if is_wanted(subject, gpus, given):
            sweep.add(lists_of(sizes, subject, part, large, (cpus, gpus), given))
    if not sweep.configs:
        raise Failure(USAGE, "--study %s: nothing is left of it, without cores and GPUs" % name)
