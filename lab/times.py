"""How long tasks took, by what their time depends on: what is recorded of a machine for a psg that
simulates it. runtime/machine.h has the grammar of the file, and runtime/machine.c reads it."""

import math
import re
import statistics
import time

from outputs import Output

MANY = 16  # with more tasks of a GPU in a solve than this, most are ready before the GPU is free
# Seconds of a task: the end of a step in a chain may be known too late, and the next takes none.
SHORTEST = 1e-9
LEAST_SPREAD = 0.01  # no more than noise, or how the clock ticks


class Costs:
    """What StarPU takes for tasks, so many seconds a piece of data and so many a task: both are
    found such that, over all that was measured, the squares of what they are off in relation are
    least."""

    def __init__(self):
        self.pp = self.pt = self.tt = self.p = self.t = 0.0

    def add(self, pieces, tasks, seconds):
        """So many pieces of so many tasks took so long. A clock that stood still says nothing."""
        if seconds > 0:
            p, t = pieces / seconds, tasks / seconds
            self.pp, self.pt, self.tt = self.pp + p * p, self.pt + p * t, self.tt + t * t
            self.p, self.t = self.p + p, self.t + t

    def find(self):
        """Seconds a piece and a task, neither negative; None: nothing was measured. What does not
        tell them apart puts all on the pieces."""
        if self.pp <= 0:
            return None
        determinant = self.pp * self.tt - self.pt * self.pt
        if determinant > 1e-3 * self.pp * self.tt:  # below it all tasks had about as many pieces
            pieces = (self.p * self.tt - self.t * self.pt) / determinant
            tasks = (self.t * self.pp - self.p * self.pt) / determinant
            if pieces < 0:
                return 0.0, self.t / self.tt
            if tasks > 0:
                return pieces, tasks
        return self.p / self.pp, 0.0

    def line(self, word):
        found = self.find()
        if found is None:
            return []
        return ["%s %.3g %.3g" % (word, *found) if found[1] > 0 else "%s %.3g" % (word, found[0])]


class Times:
    """kinds: the seconds of the tasks of each kind; submission: of solves of several tasks; gap:
    between two tasks of a GPU, the middle one of each solve of many, if they wait for no copies, no
    messages and no other solves; cores: that worked meanwhile, the same in all runs; 0: none, or
    not the same."""

    def __init__(self):
        self.cores = 0
        self.kinds, self.submission, self.gap = {}, Costs(), Costs()

    def add_events(self, config, solves, samples):
        """As psg measure --events has them."""
        for solve, sample in zip(solves, samples):
            if solve["submit_tasks"] > 1:  # one that stands for many says nothing of each
                self.submission.add(solve["submit_pieces"], solve["submit_tasks"],
                                    solve["submit_seconds"])
            for stage, _, gpu, sheet, count, dense, pieces, remote, start, end, n in solve["tasks"]:
                key = (stage, config["precision"], "gpu" if gpu else "cpu", "x".join(map(str, n)),
                       "sheet" if sheet else "segment", count, "dense" if dense else "views",
                       pieces, remote)
                self.kinds.setdefault(key, []).append(end - start)
            moved = sum(sample[name + "_bytes"] for name in ("h2d", "d2h", "d2d", "sent"))
            if config["in_flight"] == "1" and not moved > 0:
                self.add_gaps(solve["tasks"])

    def add_gaps(self, tasks):
        """tasks: in the order of their ends"""
        workers = {}
        for _, worker, gpu, _, _, _, pieces, _, start, end, _ in tasks:
            if gpu:
                workers.setdefault(worker, []).append((start, end, pieces))
        for done in workers.values():
            if len(done) > MANY:
                gaps = [max(0.0, after[0] - before[1]) for before, after in zip(done, done[1:])]
                self.gap.add(statistics.median(pieces for _, _, pieces in done), 1,
                             statistics.median(gaps))

    @staticmethod
    def sum_up(seconds, gpu):
        """What a kind takes, and how far it spreads. Cores share memory, and some their physical
        core with others, so what tasks take there spreads, and each counts: mean and spread are
        those of the log-normal distribution that fits, which few tasks that were interrupted hardly
        change. Of GPUs it is the median."""
        if gpu or len(seconds) < 2:
            return statistics.median(seconds), 0.0
        logs = [math.log(max(value, SHORTEST)) for value in seconds]
        variance = statistics.variance(logs)
        return math.exp(statistics.fmean(logs) + 0.5 * variance), math.sqrt(math.expm1(variance))

    def lines(self):
        for key, seconds in self.kinds.items():
            mean, spread = self.sum_up(seconds, key[2] == "gpu")
            line = "time %s %s %s %s %s %d %s %d %d %.4g" % (*key, max(mean, SHORTEST))
            yield line + (" %.3g" % min(spread, 10) if spread >= LEAST_SPREAD else "")

    def write(self, path, request, groups):
        """The machine that is here, with these times, in a file that appears whole or not at
        all."""
        head = machine_lines(request, groups)
        if self.cores and not groups.simulates:
            one, every = groups.memory_rate(1), groups.memory_rate(groups.cpus)
            head += ["memory %.4g %.4g" % (one, max(one, every)), "recorded cores %d" % self.cores]
        lines = head + self.submission.line("submit") + self.gap.line("gap") + list(self.lines())
        Output(path).write("\n".join(lines) + "\n")


def link_line(name, routes):
    """The slowest of the routes of a kind."""
    if not routes:
        return []
    return ["link %s %.4g %.3g" % (name, min(route["rate"] for route in routes),
                                   max(route["latency_seconds"] for route in routes))]


def machine_lines(request, groups):
    machine, versions = request["machine"], request["versions"]
    gpus = [worker for worker in groups.workers if worker["kind"] == "cuda"]
    name = re.sub("[^A-Za-z0-9_.-]", "-",
                  machine["host"]) or "here"  # a word: what else a host may be called would end it
    lines = [
        "machine " + name,
        "about %s, %d cores%s; psg %s, StarPU %s, FFTW %s, %s" %
        (machine["cpu_model"], machine["cores"], ", " + gpus[0]["name"] if gpus else "",
         versions["psg_version"], versions["starpu_version"], versions["fftw_version"],
         time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())),
        "cpus %d" % max(groups.cpus, groups.gpus),
        "gpus %d" % groups.gpus
    ]
    if gpus:  # StarPU tells of the nine tenths that it takes
        lines.append("gpu_memory %.4g" % (min(worker["memory"] for worker in gpus) / 0.9))
    between = [route for route in groups.routes if route["from"] >= 0 and route["to"] >= 0]
    lines += link_line("to-gpu",
                       [route for route in groups.routes if route["from"] < 0 <= route["to"]])
    lines += link_line("from-gpu",
                       [route for route in groups.routes if route["to"] < 0 <= route["from"]])
    lines += link_line("between", between)
    if any(route["peer"] for route in
           groups.routes):  # what a kernel reaches is in its time; of others, as much as a copy
        lines += link_line("peer", between)
        lines += [line.replace("link", "recorded", 1) for line in link_line("peer", between)]
    return lines
