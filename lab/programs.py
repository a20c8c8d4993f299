"""psg bench with a study that programs of their own measure. A job is one start of a program; its
rows go into the file when it has ended. What a row was measured by, on which machine and with which
versions say what it is, so that the file can be gone on with. A row of a table is a study, or a
program of one."""

import json
import os
import sys

from circumstances import Moment, load_since, note_load
from groups import Groups
from measuring import Child, command_words, signal_text
from results import gflops, spread
from sweep import Sweep
from tables import Files, Table, note_old, number_text
from words import FAILED, USAGE, Failure, clean


# What a program tells of a case in a line of JSON: words, numbers that may be unknown, and all
# seconds of a solve by the peer and by psg (lab/peers/peer.c).
WORDS = {"name", "grid", "precision", "status", "exchange", "gpu_model", "variant"}
NUMBERS = {"ranks", "threads", "gpus", "difference", "segments", "sheets"}
SECONDS = {"peer_seconds", "psg_seconds"}
# ratio: the peer's time over psg's. difference: of both u, over the largest. variant: the peer's
# best way, which was measured.
PEERS = ["peer", "grid", "precision", "ranks", "threads", "gpus", "status",
         *spread("peer_seconds", []), *spread("psg_seconds", []), "repeats", "ratio", "peer_gflops",
         "psg_gflops", "difference", "exchange", "segments", "sheets", "gpu_model", "variant"]
# A row is a door of psg, or a peer. ratio: the time of the peer of the same run over the door's.
# difference: of u from that of the door `device`, over the largest.
EMBED = ["door", "grid", "precision", "ranks", "gpus", "status", *spread("seconds", []), "repeats",
         "ratio", "gflops", "difference", "exchange", "gpu_model"]
TEXTS = {"peer", "door"} | WORDS
# Columns after those of the study; *: a text, =: a part of the identity.
OWN = """*=command warm_up seed *=psg_version *=starpu_version *=fftw_version *=cuda_version
    *=mpi_version *=host *=cpu_model =cores load load_average *date""".split()

# name: columns, those of the table for people, and does --memory limit a grid's works?
PROGRAM_STUDIES = {
    "peers": (PEERS,
              "peer grid ranks threads gpus peer_seconds psg_seconds ratio peer_gflops psg_gflops".
              split(), True),
    "embed": (EMBED, "door grid ranks gpus exchange seconds ratio gflops".split(), False),
}
# What a program is asked for beside the grid: threads; a number of processes that share the cores;
# of GPUs, or as many as it finds; of GPUs in one process, and of processes with a GPU each.
THREADS, PROCESSES, GPUS, GPU_PROCESSES = "threads", "processes", "gpus", "gpu processes"
SIZES = ("64,128,256", "512")
TESTS = "PSG_TESTS=ON"
# study, program and peer, what has to be there for it to be built, grids and those that --large
# adds, and the unit.
PARTS = [
    ("peers", "bench_cores fftw", TESTS + ", and OpenMP", *SIZES, THREADS),
    ("peers", "bench_cores mkl", TESTS + ", and OpenMP", *SIZES, THREADS),
    ("peers", "bench_cores fftw_mpi", TESTS + ", and OpenMP", *SIZES, PROCESSES),
    ("peers", "bench_gpus cufft", TESTS + ", OpenMP, and CUDA", "256,512", "1024", GPUS),
    ("embed", "bench_gpus embed", TESTS + ", OpenMP, and CUDA", "64,256,512", "1024",
     GPU_PROCESSES),
]
# A program that ends so has found nothing here that it could measure (a GPU's, without one).
NOT_HERE = 77


class Job:
    """program: with its peer; options: what is measured; ranks: processes, started by mpirun if
    more than one."""

    def __init__(self, program, needs, options, ranks=1):
        self.program, self.needs, self.options, self.ranks = program, needs, options, ranks
        launcher = "mpirun -n %d " % ranks if ranks > 1 else ""
        self.command = "%s%s %s" % (launcher, program, options)  # what it is known by in the file


# --------------------------------------------------------------------------------------------- jobs


def options_of(unit, config, cores):
    """What a program is asked for, and the processes, of each start."""
    grid, cpus, gpus = config["grid"], config["cpus"], config["gpus"]
    count = cores if cpus == "default" else int(cpus)
    if unit == THREADS:
        yield "--cpus %d %s" % (count, grid), 1
    elif unit == PROCESSES:
        ranks = 2
        while ranks <= count:
            yield "--cpus %d %s" % (count // ranks, grid), ranks
            ranks = count if ranks < count < 2 * ranks else 2 * ranks
    else:
        yield grid if gpus == "default" else "--gpus %s %s" % (gpus, grid), 1
        if unit == GPU_PROCESSES and gpus != "default" and int(gpus) > 1:
            yield "--gpus 1 %s" % grid, int(gpus)


def make_jobs(request, arguments, cores, progress):
    """Those of one program follow each other."""
    study, given, jobs = arguments["study"], request["given"], []
    check(Sweep(request), arguments, given, PROGRAM_STUDIES[study][2])
    for name, program, needs, few, more, unit in PARTS:
        if name != study:
            continue
        sweep = Sweep(request)
        workers = "gpus" if unit in (GPUS, GPU_PROCESSES) else "cpus"
        grids = few.split(",") + (more.split(",") if arguments["large"] else [])
        lists = {
            "grid": given.get("grid", ["%sx%sx%s" % (n, n, n) for n in grids]),
            workers: given.get(workers)
        }
        if lists[workers] is None:
            lists[workers] = {GPUS: ["default"], GPU_PROCESSES: None}.get(unit, [str(cores)])
        if lists[workers] is None:
            groups = Groups(request,
                            sweep,
                            progress,
                            warm_up=0,
                            calibrate=0,
                            patience=arguments["patience"],
                            seed=1)
            groups.find_machine()
            lists[workers] = ["1", str(groups.gpus)] if groups.gpus > 1 else ["1"]
        sweep.add(lists)
        for config in sweep.configs:
            if "0" not in (config["cpus"], config["gpus"]):  # what is of none is left out
                jobs += [Job(program, needs, *each) for each in options_of(unit, config, cores)]
    if not jobs:
        raise Failure(USAGE, "--study %s: nothing is left of it, without cores and GPUs" % study)
    return jobs


def check(sweep, arguments, given, takes_memory):
    """What means nothing to these programs is refused, and not left out in silence."""
    meaningless = [sweep.options[column] for column in sweep.columns if column in given
                   and column not in ("grid", "cpus", "gpus")]
    meaningless += ["memory"] if arguments["memory"] > 0 and not takes_memory else []
    meaningless += [name for name in ("bounds", "energy") if arguments[name]]
    if meaningless:
        raise Failure(USAGE,
                      "--%s means nothing to --study %s" % (meaningless[0], arguments["study"]))


# --------------------------------------------------------------------------------------------- runs


def find_program(request, program):
    """The path of the program, or None and where it was looked for, in words."""
    name, own = program.split()[0], os.path.dirname(request["psg"])
    folder = os.environ.get("PSG_BENCH_PROGRAMS")
    folders = [folder] if folder else [
        os.path.join(own, request["programs"]),
        os.path.join(own, request["peers"])
    ]
    paths = [os.path.join(each, name) for each in folders]
    for path in paths:
        if os.access(path, os.X_OK):
            return path, ""
    return None, "there is no " + ", and no ".join(path[:400] for path in paths)


def what_is_wrong(told):
    """With what a program tells, in words; "": nothing."""
    if not isinstance(told, dict) or set(told) != WORDS | NUMBERS | SECONDS:
        return "is not of this psg: its line is no row: '%.60s'" % json.dumps(told)
    for name, value in told.items():
        kinds = str if name in WORDS else list if name in SECONDS else (int, float, type(None))
        numbers = all(isinstance(one, (int, float)) and one > 0 for one in value) if isinstance(
            value, list) else True
        if not isinstance(value, kinds) or not numbers or (name == "status" and not value):
            return "wrote a row with %s '%.40s'" % (name, value)
    if told["status"] == "ok" and not told["psg_seconds"]:
        return "wrote a row with psg_seconds '[]'"
    return ""


def row_of(table, told):
    """The columns of a study that a row has."""
    theirs, ours = spread("peer_seconds", told["peer_seconds"]), spread("psg_seconds",
                                                                       told["psg_seconds"])
    median = {"peer": theirs["peer_seconds"], "psg": ours["psg_seconds"]}
    numbers = {**theirs, **ours, **spread("seconds", told["psg_seconds"]),
               "ratio": median["peer"] / median["psg"], "repeats": len(told["psg_seconds"]),
               "gflops": gflops(told, median["psg"]),
               **{who + "_gflops": gflops(told, median[who]) for who in median}}
    cells = {**told, "peer": told["name"], "door": told["name"],
             **{name: number_text(value) for name, value in numbers.items()}}
    return {name: value if isinstance(value, str) else number_text(value)
            for name, value in cells.items() if name in table.columns}


def read_rows(table, text, program):
    """The rows up to the last whole line. What is wrong, in words."""
    for line in text[:text.rfind("\n") + 1].splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            told = line
        wrong = what_is_wrong(told)
        if wrong:
            table.rows = []
            return "%s %s" % (program, wrong)
        table.rows.append(table.new(**row_of(table, told)))
    return "" if table.rows else "%s wrote no row" % program


def last_words(child, program):
    """The last line that begins with its name, or else the first paragraph, which is a launcher's
    about why nothing started."""
    name = program.split()[0]
    own = [line for line in child.words() if line.startswith((name + ":", program + ":"))]
    return own[-1] if own else child.first_words() or "without a word"


def run_job(job, path, arguments, progress, shown, table):
    """Its rows are put into the table. Was what it measures there, and why it failed, in words: ""
    if all is well."""
    words = [
        path, *job.program.split()[1:], "--rows", "--repeat",
        str(arguments["repeat"]), "--warm-up",
        str(arguments["warm_up"]), "--seed",
        str(arguments["seed"])
    ]
    words += ["--memory", "%.12g" % arguments["memory"]] if arguments["memory"] > 0 else []
    command = command_words(arguments["mpirun"], job.ranks, words + job.options.split())
    try:
        child = Child(command)
    except OSError as error:
        read = read_rows(table, "", job.program)
        return True, "ended with status 127: %s: %s" % (command[0], error.strerror) if read else ""
    heard, silent = [], False
    for line in child.lines(arguments["patience"], progress):
        silent = line is None
        heard.append(line or "")
        progress.step("%s, %d rows" % (shown, len(heard)))
    if silent:
        child.ask_to_end()
    status = child.reap()
    why = read_rows(table, "".join(heard), job.program)
    # how it ended says more than what became of its rows
    if silent:
        why = "no row came for %d s" % arguments["patience"]
    elif status < 0:
        why = "crashed: %s: %s" % (signal_text(-status), last_words(child, job.program))
    elif status == NOT_HERE:
        why = last_words(child, job.program)
    elif status:
        why = "ended with status %d: %s" % (status, last_words(child, job.program))
    child.said.close()
    return status != NOT_HERE, why


class Programs:
    def __init__(self, request, arguments, circumstances, notes, progress):
        self.request, self.a, self.at = request, arguments, circumstances
        self.notes, self.progress = notes, progress
        self.began = Moment.now(False)
        self.jobs = make_jobs(request, arguments, max(1, circumstances.cores), progress)
        columns, self.shown, _ = PROGRAM_STUDIES[arguments["study"]]
        own = [name.lstrip("*=") for name in OWN]
        texts = TEXTS | {name.lstrip("*=") for name in OWN if "*" in name}
        self.table = Table(columns + own, texts, [name.lstrip("*=") for name in OWN if "=" in name])
        self.columns, self.loads, self.old = columns, [], set()
        self.files = Files(self.table, arguments["csv"], arguments["json"], arguments["force"],
                           notes)

    def rows_of(self, command):
        """Those of this command, machine and versions: one start of a program has several such
        rows, which another start replaces together."""
        wanted = self.table.key(self.table.new(**self.at.row(), command=command))
        return [row for row in self.table.rows if self.table.key(row) == wanted]

    def is_done(self, command):
        rows = self.rows_of(command)
        return bool(rows) and all(
            row["status"] == "ok" and int(row["repeats"] or 0) >= self.a["repeat"] for row in rows)

    def find_old(self):
        """Which jobs' rows the file has; what it says of them is told once."""
        if not self.a["again"]:
            self.old = {job.command for job in self.jobs if self.is_done(job.command)}
        dates = [
            row["date"] for job in self.jobs if job.command in self.old
            for row in self.rows_of(job.command)
        ]
        note_old(dates, 0, self.files.main, self.notes)

    def take_out(self, command):
        """The old rows of a command. Where the first of them was, or the end, comes back."""
        rows = self.rows_of(command)
        at = self.table.place(rows[0]) if rows else len(self.table.rows)
        self.table.rows = [
            row for row in self.table.rows if not any(row is other for other in rows)
        ]
        return at

    def run(self, number, job):
        """A program that is not there, or has nothing to measure here, is one row under its own
        name. Was it there?"""
        table = Table(self.columns, TEXTS, [])
        shown = "%d/%d %s" % (number, len(self.jobs), job.command)
        self.progress.step(shown)
        before = Moment.now(False)
        path, where = find_program(self.request, job.program)
        was_there, why = False, "was not built (it needs %s): %s" % (job.needs, where)
        if path is not None:
            was_there, why = run_job(job, path, self.a, self.progress, shown, table)
        load = load_since(before, self.began, False)
        if table.rows:
            self.loads.append(load)
        command = job.command if was_there else job.program

        def apply(_):
            """A job's rows are put in the place of its old ones, and, if it failed, one more that
            says why. That its program was not there is no longer so."""
            if command != job.program:
                self.take_out(job.program)
            at = self.take_out(command)
            own = {**self.at.row(), "command": command, "load": number_text(load)}
            rows = [{**row, **own}
                    for row in table.rows] + ([{"status": why, **own}] if why else [])
            self.table.rows[at:at] = [self.table.new(**row) for row in rows]

        self.files.update(apply)
        return was_there

    def run_all(self):
        left_out = None
        for number, job in enumerate(self.jobs, 1):
            if job.program != left_out and job.command not in self.old and not self.run(
                    number, job):
                left_out = job.program

    # ----------------------------------------------------------------------------------- for people

    def cell(self, row, column):
        """Milliseconds are easier to read than a row of zeros."""
        text = row[column]
        if not text or column in self.table.texts:
            return text or "-"
        if "seconds" in column:
            return "%.4g" % (1e3 * float(text))
        return "%.*g" % (12 if text.isdigit() else 4, float(text))

    def print(self, mine):
        heads = [
            column.split("seconds")[0] + "ms" if "seconds" in column else column
            for column in self.shown
        ]
        cells = [[self.cell(row, column) for column in self.shown] for row in mine]
        width = [max(map(len, column)) for column in zip(heads, *cells)]
        lines = ["".join("%-*s " % each for each in zip(width, heads)) + "status"]
        for row, texts in zip(mine, cells):
            if not row[self.columns[0]]:
                lines.append("%s: %s" % (row["command"], row["status"]))
                continue
            old = ", measured " + row["date"][:10] if row["command"] in self.old else ""
            lines.append("".join("%-*s " % each
                                 for each in zip(width, texts)) + row["status"] + old)
        sys.stdout.write(clean("\n".join(lines) + "\n", "\n"))

    def tell(self, failure):
        """What was measured is shown even where it could not be written."""
        wanted = self.at.row()
        commands = {job.command for job in self.jobs} | {job.program for job in self.jobs}
        keys = {self.table.key(self.table.new(**wanted, command=command)) for command in commands}
        mine = [row for row in self.table.rows if self.table.key(row) in keys]
        note_load(self.loads, self.at.cores, "run", self.notes)
        if not self.a["quiet"] and self.files.leave_stdout():
            self.print(mine)
        self.files.finish(failure is None)
        if failure is not None:
            raise failure
        if not any(row["status"] == "ok" for row in mine):
            first = mine[0] if mine else {"command": self.a["study"], "status": "no program"}
            raise Failure(
                FAILED,
                "nothing was measured, the first: %s: %s" % (first["command"], first["status"]))


def bench_programs(request, arguments, circumstances, notes, progress):
    if request["simulates"]:
        raise Failure(
            USAGE,
            "--study %s measures programs, and this psg simulates machines" % arguments["study"])
    programs = Programs(request, arguments, circumstances, notes, progress)
    programs.find_old()
    failure = None
    try:
        programs.run_all()
    except Failure as failed:
        failure = failed
    progress.stop()
    programs.tell(failure)
