"""The configurations of psg bench: the product of lists, or several such products.

A configuration is a dictionary from the columns of the lists to their texts in files; "" is what
means nothing to it.
"""

import functools
import hashlib
import itertools
import math
import os

from words import USAGE, Failure

CONFIGS_MOST = 10000
# The options of the solver that mean something to a workload, and those of workloads that not all
# have.
OF_WORKLOADS = {"cpus", "gpus", "sched", "precision", "nodes"}
OF_SOME_WORKLOADS = ("tile", "order", "barrier", "place")
WORKLOAD = ("workload", *OF_SOME_WORKLOADS, "priority")


def extents(grid):
    return tuple(map(int, grid.split("x")))


def points(config):
    return math.prod(extents(config["grid"]))


def work(config):
    """How long a run takes beside others of its kind, about."""
    return 1 if config["workload"] else points(config)


def element_bytes(config):
    return 4 if config["precision"] == "f32" else 8


def field_bytes(config):
    """Of f, or of u."""
    return 0 if config["workload"] else points(config) * element_bytes(config)


def plan_bytes(config):
    """What a plan and its solves need, about, f and the known answer not counted."""
    if config["workload"]:
        return 0
    nx, ny, nz = extents(config["grid"])
    field, spectrum = field_bytes(config), (nx + 2) * ny * nz * element_bytes(config)
    # the staged graph has sheets beside the blocks, and spectra of segments beside both
    spectra = 3 if config["graph"] == "staged" else 1
    return int(config["in_flight"]) * (field + spectra * spectrum) + (2 * field if config["data"]
                                                                      == "resident" else 0)


def fields_of(config):
    """Configurations of the same share f."""
    return config["grid"], config["precision"]


def group_of(config):
    """Configurations of the same can be measured while StarPU runs once: the same processes,
    workers and policy. StarPU has cores beside GPUs where they are counted, or wanted."""
    is_workload = bool(config["workload"])
    shares = config["cpus"] != "0" and config["gpus"] != "0" if is_workload else config[
        "cpu_share"] not in ("auto", "0")
    return (config["ranks"], is_workload, config["cpus"], config["gpus"], config["sched"],
            config["cpus"] != "default" or shares)


@functools.lru_cache
def library_text(path):
    """Its name, with a digest of what is in it: it may be built anew under the same name."""
    try:
        with open(path, "rb") as file:
            return "%s:%s" % (os.path.basename(path), hashlib.sha256(file.read()).hexdigest()[:12])
    except OSError:
        return path


class Sweep:
    """request: what psg says of its options and workloads."""

    def __init__(self, request):
        self.columns = [known["column"] for known in request["lists"]]
        self.options = {known["column"]: known["option"] for known in request["lists"]}
        self.standard = {known["column"]: known["standard"] for known in request["lists"]}
        self.of_solver = {known["column"] for known in request["lists"] if known["of_solver"]}
        self.workloads = {known["name"]: known for known in request["workloads"]}
        self.policies = {known["name"]: known for known in request["policies"]}
        self.default_models = request["models"]
        self.configs, self.numbers = [], {}

    def settle(self, given):
        """What means nothing, or cannot be more, is so in one way: what is measured once has one
        name."""
        c = {column: given[column] or self.standard[column] for column in self.columns}
        if c["sched"] == self.standard["sched"]:  # then the environment's is in force
            c["sched"] = os.environ.get("STARPU_SCHED") or c["sched"]
        if c["workload"]:
            about = self.workloads[c["workload"].split(":")[0]]
            idle = (self.of_solver - OF_WORKLOADS) | {"grid", "data"} | {
                name
                for name in OF_SOME_WORKLOADS if not about[name]
            }
            if not about["processes"]:
                c["ranks"] = "1"
            return {**c, **dict.fromkeys(idle, "")}
        c.update(dict.fromkeys(WORKLOAD, ""))
        _, ny, nz = extents(c["grid"])
        if c["graph"] != "staged":
            c["z"] = ""
        if "0" in (c["cpus"], c["gpus"]):
            c["cpu_share"] = self.standard["cpu_share"]
        if c["gpus"] == "0":
            c["placement"] = self.standard["placement"]
        if c["nodes"] == "1":
            c["network"] = ""
        c["segment_planes"] = str(min(int(c["segment_planes"]), nz))
        c["sheets"] = str(min(int(c["sheets"]), ny))
        return c

    def put(self, given):
        """Add a configuration, unless it is there. Its number comes back."""
        config = self.settle(given)
        key = tuple(config.values())
        if key not in self.numbers:
            self.numbers[key] = len(self.configs)
            self.configs.append(config)
        return self.numbers[key]

    def add(self, lists):
        """Add the product of the lists, of which the first turns slowest. lists: {column: [text]};
        "default" for what holds without the option, and "all" for every policy"""
        values = []
        for column in self.columns:
            texts = lists.get(column, ["default"])
            if column == "sched" and "all" in texts:
                texts = list(self.policies)
            values.append([self.standard[column] if text == "default" else text for text in texts])
        if math.prod(map(len, values)) > CONFIGS_MOST:
            raise Failure(USAGE, "the lists make more than %d configurations" % CONFIGS_MOST)
        for each in itertools.product(*values):
            config = dict(zip(self.columns, each))
            if bool(config["grid"]) == bool(config["workload"]):
                raise Failure(
                    USAGE,
                    "a configuration has a grid or a workload: give --grid or --workload, and "
                    "no value 'default' in it")
            self.put(config)

    def needs_models(self, config):
        """Does the policy decide by StarPU's performance models?"""
        return self.default_models if config["sched"] == "default" else self.policy(
            config["sched"])["models"]

    def policy(self, name):
        """The library of STARPU_SCHED_LIB may have more policies than it lists."""
        library = os.environ.get("STARPU_SCHED_LIB")
        return self.policies.get(name, {"models": False, "library": library})

    def library_of(self, name):
        """The library that has a policy, with a digest of it; "" for a policy of StarPU's."""
        path = self.policy(name)["library"] if name != "default" else None
        return library_text(path) if path else ""

    def line(self, config):
        """For psg measure: what is no default of psg."""
        said = {
            column: text
            for column, text in config.items() if text and column != "ranks" and
            not (text == self.standard[column] and text in ("default", "0"))
        }
        return said if config["workload"] else {**said, "tuned": "no"}

    def same_but(self, a, b, *but):
        """Are two configurations the same in all columns but these?"""
        return all(a[column] == b[column] for column in self.columns if column not in but)
