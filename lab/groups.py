"""Measuring the configurations of a sweep: in groups of the same workers and policy, each of which
is visited by processes of its own, in rounds of all its configurations."""

import math
import random
import time

import sweep as configs
from circumstances import Moment, load_since
from measuring import command_words, info, run_measure
from words import bytes_text

FIELDS_MOST = 32  # configurations that take turns


def larger(a, b):
    """Of a number and a NaN the number."""
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


class Result:
    """What was measured of a configuration. skip: it is not to be measured (now); row: in the
    table; added: the row was not in the file; failed: why, "": it did not; load: cores that others
    kept busy meanwhile"""

    def __init__(self, leader):
        self.leader = leader
        self.skip = self.added = self.put = self.calibrated = False
        self.row, self.failed, self.load = None, "", math.nan
        self.facts, self.error, self.tolerance, self.joules = None, 0.0, 0.0, math.nan
        self.reset()

    def reset(self):
        """Forget the rounds."""
        self.samples, self.events = [], []

    def is_measured(self):
        return not self.skip and bool(self.failed or self.samples)

    def is_good(self):
        return not self.failed and bool(self.samples) and self.error <= self.tolerance

    def take(self, record):
        self.samples += record["samples"]
        self.events += record.get("events", [])
        self.facts = record["facts"]
        if record.get("joules") is not None:
            self.joules = record["joules"]  # of several passes the last one's
        if "error" in record:
            error = math.nan if record["error"] is None else record["error"]
            if not error <= self.error:
                self.error = error
            self.tolerance = record["tolerance"]


class Groups:
    """repeat, warm_up: rounds; calibrate: solves for StarPU's models before a policy that needs
    them, 0: as they are; memory: GiB for the plans of a process, 0: from what there is; events:
    keep every task heard(config number): called for each run of it"""

    def __init__(self,
                 request,
                 sweep,
                 progress,
                 *,
                 warm_up,
                 calibrate,
                 patience,
                 seed,
                 mpirun="mpirun",
                 memory=0,
                 bounds=False,
                 energy=False,
                 events=False,
                 heard=lambda number: None):
        self.psg, self.sweep, self.progress = request["psg"], sweep, progress
        self.machine, self.simulates = request["machine"], request["simulates"]
        self.has_mpi = bool(request["versions"]["mpi_version"])
        self.warm_up, self.calibrate, self.patience = warm_up, calibrate, patience
        self.mpirun, self.memory, self.heard = mpirun, memory, heard
        self.bounds, self.energy, self.events = bounds, energy, events
        self.random, self.gpu_list = random.Random(seed), None
        self.results, self.began = [], Moment.now(self.simulates)
        self.cpus = self.gpus = 0
        self.gpu_memory, self.workers, self.routes = 0.0, [], []

    def find_machine(self):
        """The workers there are, and all else that psg info says."""
        self.progress.step("looking for workers")
        found = info(self.psg, self.patience, self.progress)
        self.workers, self.routes = found["workers"], found["routes"]
        gpus = [worker for worker in self.workers if worker["kind"] == "cuda"]
        self.gpus, self.gpu_memory = len(gpus), sum(worker["memory"] for worker in gpus)
        # GPUs take cores of their own
        self.cpus = len(self.workers) if not gpus else \
            len(info(self.psg, self.patience, self.progress, "--gpus", "0")["workers"])
        return found

    def memory_rate(self, cores):
        """Bytes a second through memory, of so many cores together."""
        report = info(self.psg, self.patience, self.progress, "--problem", "modes", "--grid", "16",
                      "--cpus", str(cores), "--gpus", "0", "--bounds", "--quiet", command="solve")
        return report["bounds"]["memory_rate"]

    # ------------------------------------------------------------------------------------ the sweep

    def refusal(self, config):
        """What cannot be done here: more memory than there is would bring the machine down."""
        needed = configs.plan_bytes(config) + configs.field_bytes(config)
        if int(config["ranks"]) > 1 and not self.has_mpi:
            return ("processes of one node are not simulated; those of several are, by --nodes"
                    if self.simulates else "built without MPI: psg cannot run as several processes")
        if 0 < self.machine["memory"] < needed:
            return "needs %s of memory, and this machine has %s" % (
                bytes_text(needed), bytes_text(self.machine["memory"]))
        return ""

    def take(self):
        """Take in what the sweep has got."""
        leaders = {}
        for number, config in enumerate(self.sweep.configs):
            leader = leaders.setdefault(configs.group_of(config), number)
            if number >= len(self.results):
                self.results.append(Result(leader))
                self.results[number].failed = self.refusal(config)

    def calibrates(self, leader):
        return self.calibrate > 0 and self.sweep.needs_models(self.sweep.configs[leader])

    def of_group(self, leader):
        return [number for number, result in enumerate(self.results) if result.leader == leader]

    def left(self, leader):
        return [
            number for number in self.of_group(leader)
            if not self.results[number].skip and not self.results[number].failed
        ]

    # -------------------------------------------------------------------------------------- a visit

    def plan_memory(self, leader):
        """Bytes that plans may take together; one that needs more is done alone."""
        gpus = self.sweep.configs[leader]["gpus"]
        if self.memory > 0:
            return self.memory * 1024 ** 3
        if gpus != "0" and self.gpus > 0:  # StarPU makes room by moving data out
            used = self.gpus if gpus == "default" else int(gpus)
            return 0.5 * min(1, used / self.gpus) * self.gpu_memory
        return 0.5 * self.machine["memory_available"]

    def batches(self, numbers, memory):
        """Those that take turns: in a random order, but for those of one grid and precision, which
        share f and follow one another; as many as fit into the memory, at least one."""
        order = list(numbers)
        self.random.shuffle(order)
        places = {}
        for number in order:
            places.setdefault(configs.fields_of(self.sweep.configs[number]), len(places))
        order.sort(key=lambda number: places[configs.fields_of(self.sweep.configs[number])])
        found, used, before = [], 0, None
        for number in order:
            config = self.sweep.configs[number]
            fields = configs.fields_of(config)
            needed = configs.plan_bytes(config) + (0 if fields == before else
                                                   configs.field_bytes(config))
            if not found or len(found[-1]) == FIELDS_MOST or used + needed > memory:
                found.append([])
                used, needed = 0, configs.plan_bytes(config) + configs.field_bytes(config)
            found[-1].append(number)
            used, before = used + needed, fields
        return found

    def line(self, number):
        line = self.sweep.line(self.sweep.configs[number])
        return line if self.gpu_list is None else {**line, "gpus": self.gpu_list}

    def visit_once(self, leader, numbers, rounds, until, calibrate):
        """One start of psg measure. The numbers that it has ended with come back."""
        batches = self.batches(numbers, self.plan_memory(leader))
        order, ended = sum(batches, []), set()
        options = [
            "--warm-up",
            str(self.calibrate if calibrate else self.warm_up), "--seed",
            str(self.random.randrange(1 << 30)),
            *(["--unmeasured"] if calibrate else ["--repeat", str(rounds)]),
            *(["--bounds"] if self.bounds else []),
            *(["--energy"] if self.energy and not calibrate else []),
            *(["--events"] if self.events else [])
        ]
        if until:
            options += ["--seconds", "%.6f" % max(1e-3, until - time.monotonic())]

        def heard(record):
            result = self.results[order[record["config"]]]
            if record.get("doing") == "solving":
                self.heard(order[record["config"]])
            elif "failed" in record:
                result.failed = record["failed"]
            elif "samples" in record:
                ended.add(order[record["config"]])
                result.take(record)

        more = {"calibrate": "yes"} if calibrate else {}
        lines = [[{**self.line(number), **more} for number in batch] for batch in batches]
        ranks = int(self.sweep.configs[leader]["ranks"])
        outcome = run_measure(command_words(self.mpirun, ranks, [self.psg, "measure", *options]),
                              lines, self.patience, self.progress, heard)
        self.blame(outcome, order, ended)
        return ended

    def blame(self, outcome, order, ended):
        """After a crash the one in work is blamed, and the others that have not ended are done
        again without it."""
        left = [
            self.results[number] for number in order
            if number not in ended and not self.results[number].failed
        ]
        if not outcome.why:
            for result in left:  # a launcher may start something else, or pass nothing on
                result.failed = "nothing was heard of its processes"
        elif outcome.config is not None:
            self.results[order[outcome.config]].failed = outcome.why
        else:
            for result in left:
                result.failed = outcome.why

    def visit(self, leader, rounds, until=0.0, calibrate=False):
        numbers = self.left(leader)
        while numbers:
            before = Moment.now(self.simulates)
            ended = self.visit_once(leader, numbers, rounds, until, calibrate)
            load = load_since(before, self.began, self.simulates)
            for number in numbers:
                self.results[number].load = larger(self.results[number].load, load)
            numbers = [
                number for number in self.left(leader) if number in numbers and number not in ended
            ]

    # --------------------------------------------------------------------------------------- a pass

    def measure_models(self, leader):
        """StarPU's models are of tasks, whatever policy they run under: what one has measured
        serves the others."""
        if all(self.results[number].calibrated for number in self.left(leader)):
            return
        self.visit(leader, 0, calibrate=True)
        for number in self.left(leader):
            for other, config in enumerate(self.sweep.configs):
                if self.sweep.same_but(self.sweep.configs[number], config, "sched"):
                    self.results[other].calibrated = True

    def run_pass(self, rounds, visited=lambda leader: None, seconds=0.0):
        """Visit every group once, in a random order; configurations that failed or are to be
        skipped are left out.

        rounds: that count, at most; seconds: that they may take, divided among the groups; each
        gets one round in any case. 0: no limit. visited(leader): called after each visit"""
        end = time.monotonic() + seconds
        leaders = [
            number for number, result in enumerate(self.results)
            if result.leader == number and self.left(number)
        ]
        self.random.shuffle(leaders)
        for at, leader in enumerate(leaders):
            if self.calibrates(leader):
                self.measure_models(leader)
            now = time.monotonic()
            share = max(0.0, end - now) / (len(leaders) - at)
            self.visit(leader, rounds, now + share if seconds > 0 else 0.0)
            visited(leader)
