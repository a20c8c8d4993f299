"""psg bench: from lists to rows. Each pass visits the groups of configurations in a random order,
and after each visit the files are brought up to date."""

import os
import time

import sweep as configs
from circumstances import Circumstances, note_load
from crossover import print_crossover
from groups import Groups
from outputs import RECORD, try_output
from programs import PROGRAM_STUDIES, bench_programs
from results import Results, number
from study import add_study
from sweep import Sweep
from tables import Files, note_old
from times import Times
from words import FAILED, Failure, Notes, Progress


class Bench:
    def __init__(self, request):
        self.request, self.a = request, request["arguments"]
        self.notes = Notes(self.a["quiet"])
        self.progress = Progress(not self.a["quiet"])
        self.at = Circumstances(request, self.a["warm_up"], self.a["seed"])
        self.sweep = Sweep(request)
        self.results = Results(request, self.sweep, self.at, self.a["mpirun"])
        self.files = None
        self.groups = Groups(request,
                             self.sweep,
                             self.progress,
                             heard=self.heard,
                             bounds=self.a["bounds"],
                             energy=self.a["energy"],
                             events=self.a["record"] is not None,
                             **{
                                 name: self.a[name]
                                 for name in ("warm_up", "calibrate", "patience", "seed", "mpirun",
                                              "memory")
                             })
        self.work = self.done = 0
        self.since = 0.0

    def add(self, sweep, cpus, gpus):
        if self.a["study"] is not None:
            add_study(sweep, self.a["study"], self.a["large"], cpus, gpus, self.request["given"])
        else:
            sweep.add(self.request["given"])

    # ---------------------------------------------------------------------------------- measurement

    def heard(self, index):
        self.done += configs.work(self.sweep.configs[index])
        left = (time.monotonic() - self.since) * (self.work - self.done) / self.done
        if left > 0:
            self.progress.step("measured %.0f %%, %.0f s left" %
                               (100 * self.done / self.work, left))

    def models_of(self, leader):
        if not self.sweep.needs_models(self.sweep.configs[leader]):
            return "unused"
        return "calibrated" if self.groups.calibrates(leader) else "as found"

    def put_group(self, leader):
        """The rows of a group, and those of earlier ones that are gone from the file."""
        results = self.groups.results

        def apply(read_again):
            if read_again:
                self.results.find_again(results)
            for index, result in enumerate(results):
                if result.is_measured() and (result.leader == leader or
                                             (result.put and result.row is None)):
                    self.results.put(index, results, self.models_of(result.leader))

        if any(results[index].is_measured() for index in self.groups.of_group(leader)):
            self.files.update(apply)

    def prepare(self):
        self.groups.take()
        self.results.find_again(self.groups.results)
        old = []
        for result in self.groups.results:
            result.skip = not self.a["again"] and self.results.is_done(
                result.row, self.a["repeat"], self.a["bounds"])
            if result.skip:
                old.append(result.row["date"])
        note_old(old, len(self.groups.results), self.files.main, self.notes)

    def rounds_of_pass(self, number_of):
        repeat, passes = self.a["repeat"], self.a["passes"]
        return repeat // passes + (number_of < repeat % passes)

    def count_work(self):
        rounds = [self.rounds_of_pass(number_of) for number_of in range(self.a["passes"])]
        solves = sum(n + self.a["warm_up"] for n in rounds if n)
        for config, result in zip(self.sweep.configs, self.groups.results):
            if not result.skip and not result.failed:
                more = self.a["calibrate"] if self.groups.calibrates(result.leader) else 0
                self.work += (solves + more) * configs.work(config)

    def measure(self):
        self.count_work()
        self.since = time.monotonic()
        for index, result in enumerate(self.groups.results):
            if result.leader == index:  # what failed before anything was measured has a row, too
                self.put_group(index)
        for number_of in range(self.a["passes"]):
            if self.rounds_of_pass(number_of):
                self.groups.run_pass(self.rounds_of_pass(number_of), self.put_group)

    # ------------------------------------------------------------------------------------ the words

    def write_record(self):
        """Whether anything was written."""
        times, cores = Times(), set()
        for config, result in zip(self.sweep.configs, self.groups.results):
            times.add_events(config, result.events, result.samples)
            cores.update([result.facts["workers_cpu"]] if result.events else [])
        if times.kinds:
            times.cores = max(cores) if len(cores) == 1 else 0
            times.write(self.a["record"], self.request, self.groups)
        return bool(times.kinds)

    def tell(self):
        """What was measured is shown even where it could not be written."""
        results = self.groups.results
        loads = [
            number(result.row, "load") for result in results
            if result.is_measured() and result.row is not None
        ]
        note_load(loads, self.at.cores, "row", self.notes)
        if not self.a["quiet"] and self.files.leave_stdout():
            self.results.print(results)
            if self.a["study"] == "crossover":
                print_crossover(self.sweep, results, self.request["kinds"])

    def run(self):
        if self.a["study"] in PROGRAM_STUDIES:
            bench_programs(self.request, self.a, self.at, self.notes, self.progress)
            return
        self.add(Sweep(self.request), 1, 1)  # wrong lists are found before anything is started
        self.files = Files(self.results.table, self.a["csv"], self.a["json"], self.a["force"],
                           self.notes)
        if self.a["record"] is not None:
            try_output(self.a["record"], None if self.a["force"] else RECORD)
        self.groups.find_machine()
        self.add(self.sweep, self.groups.cpus, self.groups.gpus)
        self.prepare()
        failure, recorded = None, True
        try:
            self.measure()
            self.progress.stop()
            recorded = self.a["record"] is None or self.write_record()
        except Failure as failed:
            failure = failed
        self.progress.stop()
        self.tell()
        self.files.finish(failure is None)
        if failure is not None:
            raise failure
        results = self.groups.results
        if not any(self.results.is_done(result.row, 1, False) for result in results):
            row = results[0].row
            raise Failure(
                FAILED, "all configurations failed, the first: %s" %
                (row["status"] if row else "not measured"))
        if not recorded:
            raise Failure(
                FAILED,
                "%s: not written: no solve by one process was measured now" % self.a["record"])


def main(request):
    if request["simulates"]:  # of the times that processes draw
        os.environ["PSG_SEED"] = str(request["arguments"]["seed"])
    Bench(request).run()
