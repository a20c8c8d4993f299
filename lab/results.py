"""Rows of the CSV file of psg bench. The columns of the lists, with those of the versions, the
launcher, the machine and the library of a policy, are the identity: they say what was measured."""

import math
import random
import sys

import sweep as configs
from tables import Table, number_text
from words import clean

# The columns after those of the lists, up to those of the stages. *: a text, =: a part of the
# identity, ~: the median of this number of all samples.
COLUMNS = """*status seconds seconds_min seconds_q1 seconds_q3 seconds_max
    seconds_low seconds_high *samples repeats warm_up seed
    *models gflops points error tolerance ~busy idle ~exchange_busy ~busiest *busy_workers load
    load_average joules ~tasks_cpu ~tasks_gpu
    ~starpu_tasks ~placed_tasks *executor_used *kinds ~cpu_planes ~cpu_rows ~h2d_bytes ~d2h_bytes
    ~d2d_bytes ~h2d_seconds ~d2h_seconds ~d2d_seconds ~sent_bytes ~spectrum_bytes
    bound_path_seconds bound_work_seconds bound_memory_seconds bound_link_seconds
    bound_lp_seconds bound_seconds *bound_by *bound_link of_bound workers_cpu workers_gpu
    *policy *=policy_library *exchange_used segments planes sheets_used plan_seconds *=psg_version
    *=starpu_version *=fftw_version *=cuda_version *=mpi_version *=mpirun *=host *=cpu_model
    =cores *gpu_model *date""".split()
BOUNDS = ("path", "work", "memory", "link")
# Rows that differ in one of these are about other work, and are not compared.
WHO = ("sched", "executor", "placement")  # decide who runs a task, and on which worker
PROBLEM = ("grid", "workload", "precision", "data", "ranks", "nodes", "network")
FACTS = ("workers_cpu", "workers_gpu", "policy", "gpu_model", "exchange_used", "segments", "planes",
         "sheets_used", "plan_seconds")


def quantile(numbers, share):
    """What a share of them is below, between two neighbours in proportion."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    below = int(place)
    return ordered[below] + (place - below) * (ordered[min(below + 1,
                                                           len(ordered) - 1)] - ordered[below])


def spread(name, seconds):
    """The median, which has the name alone, the quartiles and the ends. NaN: there are none."""
    shares = (("", 0.5), ("_min", 0), ("_q1", 0.25), ("_q3", 0.75), ("_max", 1))
    return {name + which: quantile(seconds, share) if seconds else math.nan
            for which, share in shares}


def interval(seconds):
    """Where the median of such samples is, with 95 % (bootstrap by percentiles, Efron 1979): the
    medians of that many drawings from the samples, of which 2.5 % are left out at each end. The
    drawings are the same each time. NaN: fewer than three samples say nothing."""
    drawings, draw = 2000, random.Random(1)
    if len(seconds) < 3:
        return math.nan, math.nan
    medians = [quantile(draw.choices(seconds, k=len(seconds)), 0.5) for _ in range(drawings)]
    return quantile(medians, 0.025), quantile(medians, 0.975)


def gflops(config, seconds):
    """By the count 5 n log2(n) for each of the two transforms."""
    n = configs.points(config)
    return 2 * 5 * n * math.log2(n) / seconds / 1e9


def median(numbers):
    """NaN where one is not known."""
    numbers = list(numbers)
    return math.nan if None in numbers or not numbers else quantile(numbers, 0.5)


def quartiles(result):
    """Of the seconds."""
    seconds = [sample["seconds"] for sample in result.samples]
    return [quantile(seconds, share) if seconds else math.nan for share in (0.25, 0.5, 0.75)]


def status_of(result):
    """An answer that is wrong has failed, too."""
    if result.failed:
        return result.failed
    if not result.error <= result.tolerance:
        return "the result is wrong: its error is %.3g of what is right, the tolerance %.0e" % (
            result.error, result.tolerance)
    return "ok"


def number(row, column):
    return float(row[column]) if row[column] else math.nan


class Results:
    """The columns, and the rows of the file. models(number): how StarPU's models of a configuration
    were; mpirun: what starts several processes"""

    def __init__(self, request, sweep, circumstances, mpirun=""):
        own = [name.lstrip("*=~") for name in COLUMNS]
        self.stages = ["%s_seconds" % stage for stage in request["stages"]]
        self.medians = [name[1:] for name in COLUMNS if name[0] == "~"]
        self.sweep, self.circumstances, self.mpirun = sweep, circumstances, mpirun
        self.tells_who = False  # the table has who ran the tasks
        self.tells_bound = False
        cube = {column: sweep.standard[column] for column in sweep.columns}
        usual = sweep.settle({**cube, "grid": "1x1x1"})
        texts = {column for column, text in usual.items() if not text.isdigit()}
        texts |= {name.lstrip("*=~") for name in COLUMNS if name[0] == "*"}
        identity = sweep.columns + [name.lstrip("*=~") for name in COLUMNS if "=" in name]
        self.table = Table(sweep.columns + own + self.stages, texts, identity)

    def identity(self, config):
        return {
            **config, "policy_library": self.sweep.library_of(config["sched"]),
            **self.circumstances.row(), "mpirun": self.mpirun if int(config["ranks"]) > 1 else ""
        }

    def find(self, config):
        """The row of this configuration, measured on this machine with these versions: the latest
        one, if somebody joined files. None: there is none"""
        wanted = self.table.key(self.table.new(**self.identity(config)))
        return next((row for row in reversed(self.table.rows) if self.table.key(row) == wanted),
                    None)

    def find_again(self, results):
        """Others may have put rows into the file, or replaced it."""
        found = {self.table.key(row): row for row in self.table.rows}
        for config, result in zip(self.sweep.configs, results):
            result.row = found.get(self.table.key(self.table.new(**self.identity(config))))
            result.added = result.added and result.row is not None

    @staticmethod
    def is_done(row, repeat, bounds):
        """Is the row what was asked for: without failure, by as many repeats, and with bounds if
        these are wanted?"""
        return (row is not None and row["status"] == "ok" and int(row["repeats"] or 0) >= repeat
                and bool(row["bound_seconds"] or not bounds))

    def put(self, index, results, models):
        """Write the result of a configuration into its row, or a new one. New rows stand after the
        file's, in the order of the sweep."""
        config, result = self.sweep.configs[index], results[index]
        if result.row is None:
            later = [self.table.place(other.row) for other in results[index + 1:] if other.added]
            result.row, result.added = {}, True
            self.table.rows.insert(min(later, default=len(self.table.rows)), result.row)
        result.row.clear()
        result.row.update(
            self.table.new(**self.identity(config),
                           status=status_of(result),
                           models=models,
                           repeats=str(len(result.samples))))
        if not config["workload"]:
            result.row["points"] = number_text(configs.points(config))
        for name in FACTS if result.facts is not None else ():
            value = result.facts.get(name)
            result.row[name] = value if isinstance(value, str) else number_text(value)
        if result.samples:
            self.put_samples(result.row, config, result)
        result.put = True

    def put_samples(self, row, config, result):
        samples = result.samples
        seconds = [sample["seconds"] for sample in samples]
        numbers = spread("seconds", seconds)
        numbers["seconds_low"], numbers["seconds_high"] = interval(seconds)
        row["samples"] = " ".join("%.6g" % value for value in seconds)
        if not config["workload"]:
            numbers["gflops"] = gflops(config, numbers["seconds"])
        for name in self.medians + self.stages:
            numbers[name] = median(sample[name] for sample in samples)
        numbers["idle"] = 1 - numbers["busy"]
        numbers["load"], numbers["joules"] = result.load, result.joules
        if result.tolerance > 0:  # there was something to compare with
            numbers.update(error=result.error, tolerance=result.tolerance)
        if samples[0].get("of_bound"):
            self.put_bounds(row, numbers, samples)
        row.update({name: number_text(value) for name, value in numbers.items()})
        shares = zip(*[sample["busy_workers"] for sample in samples])
        row["busy_workers"] = " ".join("%.3f" % median(share) for share in shares)
        row["kinds"] = self.kinds_text(samples)
        row["executor_used"] = samples[-1]["executor_used"]

    @staticmethod
    def put_bounds(row, numbers, samples):
        """The medians, of which the largest is the bound of the row."""
        each = {
            name: median(sample["bound_%s_seconds" % name] for sample in samples)
            for name in BOUNDS
        }
        links = {
            link: median(sample["bound_links"][link] for sample in samples)
            for link in samples[0]["bound_links"]
        }
        numbers.update({"bound_%s_seconds" % name: value for name, value in each.items()})
        numbers["bound_seconds"] = max(each.values())
        numbers["of_bound"] = median(sample["of_bound"] for sample in samples)
        programs = [sample["bound_lp_seconds"] for sample in samples]
        if all(programs):  # else there was none in some round
            numbers["bound_lp_seconds"] = median(programs)
        row["bound_by"] = max(each, key=each.get)
        row["bound_link"] = max(links, key=links.get) if max(links.values()) > 0 else ""

    @staticmethod
    def kinds_text(samples):
        """"ep_chunk:256:0.2349;ep_add:255:6.7e-06": tasks of each kind, and what they took, summed
        over the workers."""
        names = list(dict.fromkeys(name for sample in samples for name in sample["kinds"]))
        found = {
            name: [
                median(sample["kinds"].get(name, (0, 0))[of] for sample in samples) for of in (0, 1)
            ]
            for name in names
        }
        return ";".join("%s:%.0f:%.4g" % (name, *found[name]) for name in names
                        if found[name][0] > 0)

    # ----------------------------------------------------------------------------------- for people

    def shown(self, config, column):
        """0 planes or sheets are as many as psg chooses."""
        text = config[column]
        return "auto" if text == self.sweep.standard[column] == "0" else text

    def print(self, results):
        """The table, on stdout: the rows of the sweep, in its order."""
        all_configs = self.sweep.configs
        varying = [column for column in self.sweep.columns
                   if len({config[column] for config in all_configs}) > 1
                   or (column in ("grid", "workload") and all_configs[0][column])]
        option = self.sweep.options
        width = {
            column: max(len(option[column]), *(len(self.shown(config, column))
                                               for config in all_configs))
            for column in varying
        }
        rows = [result.row for result in results if result.row is not None]
        self.tells_who = bool(set(WHO) & set(varying)) or len(
            {row["executor_used"] for row in rows if row["executor_used"]}) > 1
        self.tells_bound = any(row["of_bound"] for row in rows)
        same = ["%s %s" % (option[column], self.shown(all_configs[0], column))
                for column in self.sweep.columns
                if column not in varying and all_configs[0][column]]
        lines = [
            ", ".join(same), "",
            "".join("%-*s " % (width[column], option[column])
                    for column in varying) + "%10s %10s %10s %8s %6s %6s %5s %5s %s%s%s" %
            ("ms", "low", "high", "Gflop/s", "busy", "most", "error", "load",
             "%5s " % "bound" * self.tells_bound,
             "%-5s %6s " % ("ran", "placed") * self.tells_who, "status")
        ]
        for config, result in zip(all_configs, results):
            if result.row is not None:
                lines.append("".join("%-*s " % (width[column], self.shown(config, column))
                                     for column in varying) +
                             self.row_text(result.row, result.skip))
        sys.stdout.write(clean("\n".join(lines + self.compared(results, varying)) + "\n", "\n"))

    def compared(self, results, varying):
        """Of the rows of each problem: the fastest one, and those that may be as fast for all that
        the samples say. A row is slower where its interval is above that of the fastest."""
        problems = {}
        for config, result in zip(self.sweep.configs, results):
            row = result.row
            if row is not None and row["status"] == "ok" and row["seconds_low"]:
                key = tuple(config[column] for column in PROBLEM if column in config)
                problems.setdefault(key, []).append((config, row))
        lines = []
        others = [column for column in varying if column not in PROBLEM]
        for key, rows in problems.items():
            if len(rows) < 2:
                continue
            rows.sort(key=lambda pair: number(pair[1], "seconds"))
            names = [" ".join(filter(None, (self.shown(config, column) for column in others))) + (
                " (no policy decided)" * (not number(row, "placed_tasks"))
                if "sched" in others else "") for config, row in rows]
            same = [name for name, (_, row) in zip(names[1:], rows[1:])
                    if number(row, "seconds_low") <= number(rows[0][1], "seconds_high")]
            what = " ".join(text for column, text in zip(PROBLEM, key) if column in varying)
            lines.append("%sfastest: %s; %s" % (what + ", " * bool(what), names[0], (
                "perhaps as fast: " + ", ".join(same)) if same else "all others are slower"))
        return [""] * bool(lines) + lines

    def row_text(self, row, old):
        """old: the row was there already"""
        status = row["status"] + (", measured " + row["date"][:10] if old else "")
        if not row["seconds"]:
            return "%65s %s" % ("", status)

        def shown(column, form):  # a simulation has no error and no load
            return form % float(row[column]) if row[column] else "-"

        times = tuple(1e3 * number(row, column)
                      for column in ("seconds", "seconds_low", "seconds_high"))
        times = tuple("-" if math.isnan(time) else "%.4g" % time for time in times)
        who = "%-5s %6s " % (row["executor_used"], shown("placed_tasks", "%.0f"))
        bound = "%.0f%%" % (100 * number(row, "of_bound")) if row["of_bound"] else "-"
        return "%10s %10s %10s %8s %5.0f%% %5.0f%% %5s %5s %s%s%s" % (
            *times, shown("gflops", "%.3g"), 100 * number(row, "busy"),
            100 * number(row, "busiest"), shown("error", "%.0e"), shown("load", "%.2g"),
            "%5s " % bound * self.tells_bound, who * self.tells_who, status)
