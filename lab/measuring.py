"""Processes that measure. Every group of configurations is measured by a process of its own, `psg
measure`, or by as many as there are ranks, by a launcher of MPI: StarPU starts there with the
group's workers and policy, and a policy that fails an assertion or never ends takes only these with
it."""

import ctypes
import json
import os
import select
import shlex
import signal
import subprocess
import tempfile
import time

import outputs
from words import FAILED, Failure

GRACE = 5  # seconds that a launcher has to end what it started
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def command_words(mpirun, ranks, words):
    """The words of a command, with `mpirun -n RANKS` before them if there are several ranks."""
    if ranks <= 1:
        return words
    launcher = [os.path.expanduser(os.path.expandvars(word)) for word in shlex.split(mpirun)]
    return [*launcher, "-n", str(ranks), *words]


class Child:
    """Another program. It does not outlive this process, and its signals are its own. OSError: it
    cannot be started."""

    def __init__(self, command, order=b""):
        parent = os.getpid()

        def become():
            os.setpgid(0, 0)  # its own group, so that a launcher is not told twice to end
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

        self.said = tempfile.TemporaryFile()
        asked = tempfile.TemporaryFile()
        asked.write(order)
        asked.seek(0)
        handled = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        signal.pthread_sigmask(signal.SIG_BLOCK, handled)  # the handler has to know the child

        def start():
            become()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)

        try:
            self.process = subprocess.Popen(command,
                                            stdin=asked,
                                            stdout=subprocess.PIPE,
                                            stderr=self.said,
                                            preexec_fn=start)
            outputs.before_end.append(self.ask_to_end)
        finally:
            asked.close()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)

    def has_ended(self):
        try:
            return os.waitid(os.P_PID, self.process.pid,
                             os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True

    def kill(self, number):
        try:
            os.killpg(self.process.pid, number)
        except OSError:
            pass

    def ask_to_end(self):
        """A launcher that is asked ends what it started, on other machines too; SIGKILL comes after
        SIGTERM."""
        until = time.monotonic() + GRACE
        self.kill(signal.SIGTERM)
        while not self.has_ended() and time.monotonic() < until:
            time.sleep(0.01)
        self.kill(signal.SIGKILL)

    def lines(self, patience, progress):
        """What it writes on stdout, line by line with their ends; None, and no more, where nothing
        came in time."""
        text, until = b"", time.monotonic() + patience
        source = self.process.stdout.fileno()
        while True:
            progress.look()
            left = until - time.monotonic()
            if left <= 0:
                yield None
                return
            if not select.select([source], [], [], min(left, progress.wait()))[0]:
                continue
            more = os.read(source, 1 << 20)
            until = time.monotonic() + patience
            *whole, text = (text + more).split(b"\n")
            for line in whole:
                yield (line + b"\n").decode(errors="replace")
            if not more:
                if text:
                    yield text.decode(errors="replace")
                return

    def reap(self):
        """Nobody of its process group is left then. Its status comes back: below 0 a signal's
        number."""
        try:
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            pass
        self.kill(signal.SIGKILL)
        outputs.before_end.remove(self.ask_to_end)
        self.process.stdout.close()
        return self.process.wait()

    def words(self):
        """The lines that it printed on stderr."""
        size = os.fstat(self.said.fileno()).st_size
        return os.pread(self.said.fileno(), size,
                        0).decode(errors="replace").replace("\r", "").split("\n")

    def first_words(self):
        """The first paragraph of them, in one line; lines of dashes are none."""
        found = []
        for line in self.words():
            if line.strip("- "):
                found.append(line.strip())
            elif found:
                break
        return " ".join(found)


def signal_text(number):
    return "signal %d (%s)" % (number, signal.strsignal(number))


class Outcome:
    """How the processes ended. config: the one that was in work, None: none was; why: "" if all
    went well."""

    def __init__(self):
        self.config, self.why, self.code, self.doing = None, "", 0, ""


def describe_end(status, child, outcome):
    if status == 0:
        return
    outcome.code = max(status, 0)
    first = child.first_words()
    if not outcome.doing and first:
        outcome.why = "did not start: " + first
        return
    last = ([line for line in child.words() if line.strip("-")] or [""])[-1]
    doing, said = outcome.doing or "starting", ": " + last if last else ""
    if status < 0:
        outcome.why = "crashed while %s: %s%s" % (doing, signal_text(-status), said)
    else:
        outcome.why = "ended while %s, with status %d%s" % (doing, status, said)


def read_record(line, count):
    """A launcher may put words of its own before a record, and lines of others between them."""
    at = line.find('{"config": ')
    try:
        record = json.loads(line[at:]) if at >= 0 else None
    except ValueError:
        return None
    if isinstance(record, dict) and isinstance(record["config"],
                                               int) and 0 <= record["config"] < count:
        return record
    return None


def run_measure(command, batches, patience, progress, heard):
    """Start psg measure, and wait for the end: all that was started has ended by then.

    batches: lists of lines, of configurations that take turns; heard(record): called for each of
    its records patience: seconds without a record after which the processes are ended"""
    order = "\n".join("".join(json.dumps(line) + "\n" for line in batch)
                      for batch in batches).encode()
    count, outcome = sum(map(len, batches)), Outcome()
    try:
        child = Child(command, order)
    except OSError as error:
        outcome.why = "did not start: %s: %s" % (command[0], error.strerror)
        return outcome
    silent = False
    for line in child.lines(patience, progress):
        silent = line is None
        record = None if silent else read_record(line, count)
        if record is None:
            os.write(child.said.fileno(), (line or
                                           "").encode())  # at the end of what it says itself
            continue
        if "doing" in record:
            outcome.config, outcome.doing = record["config"], record["doing"]
        heard(record)
    if silent:
        child.ask_to_end()
    describe_end(child.reap(), child, outcome)
    if silent:
        outcome.why = "was still %s after %d s without a sign" % (outcome.doing or
                                                                  "starting", patience)
    if os.environ.get("STARPU_SILENT") != "1":
        os.write(2, "\n".join(child.words()).encode())
    child.said.close()
    return outcome


def info(psg, patience, progress, *arguments, command="info"):
    """What psg info says, of a process of its own: CUDA starts there."""
    try:
        child = Child([psg, command, "--json", "-", *arguments])
    except OSError as error:
        raise Failure(FAILED, "no process to measure in: %s" % error.strerror) from None
    outcome = Outcome()
    lines = list(child.lines(patience, progress))
    silent = lines[-1:] == [None]
    if silent:
        child.ask_to_end()
        outcome.why = "was still starting after %d s without a sign" % patience
    describe_end(child.reap(), child, outcome)
    child.said.close()
    if outcome.why:
        raise Failure(2 if outcome.code == 2 else FAILED,
                      "the workers cannot be found: %s" % outcome.why)
    return json.loads("".join(lines))
