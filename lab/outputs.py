"""Files that appear whole or not at all, the lock of a file that several processes write, and the
signals that end all."""

import errno
import fcntl
import os
import re
import signal
import socket
import stat
import struct
import sys
import time

from words import FAILED, USAGE, Failure, message

# What the handler of signals removes and ends.
temporary = set()
before_end = []
# How files of psg begin, and what they are called.
JSON = ('{\n  "command": "', "a report of psg")
RECORD = ("machine ", "a machine of psg")


def end_by_signal(number, _):
    for name in temporary:
        try:
            os.unlink(name)
        except OSError:
            pass
    for end in before_end:
        end()
    if number != signal.SIGPIPE:
        os.write(2, (b"\n" if sys.stderr.isatty() else b"") + b"psg: interrupted\n")
    os._exit(128 + number)


def install_signals():
    """psg has blocked them until now."""
    numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
    for number in numbers:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end_by_signal)
    signal.signal(signal.SIGPIPE, end_by_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def mark():
    """In the names of all temporary files of this machine, and of this process' space of
    numbers."""
    try:
        space = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        space = 0
    return ".psg-%s-%x-" % (socket.gethostname()[:32], space)


def remove_left(folder):
    """Temporary files of runs that were killed."""
    for name in os.listdir(folder):
        found = re.fullmatch(r"\..*%s(\d+)-\d+" % re.escape(mark()), name)
        try:
            if found and int(found.group(1)) > 0:
                os.kill(int(found.group(1)), 0)
        except ProcessLookupError:
            os.unlink(os.path.join(folder, name))
        except OSError:
            pass


class Output:
    """An empty temporary file beside `path`, which commit() gives its name.

    kind: a file that is there already is refused unless it is empty or begins so; None: any may be
    replaced."""

    def __init__(self, path, kind=None):
        self.path, self.name, self.temporary = path, os.path.realpath(path) if path else "", None
        try:
            self.check_existing(kind)
            folder, base = os.path.split(self.name)
            remove_left(folder)
            name = "%s/.%s%s%d-%d" % (folder, base[:150], mark(), os.getpid(),
                                      time.monotonic_ns() // 1000)
            temporary.add(name)
            self.temporary = name
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            if self.mode is not None:
                os.chmod(name, self.mode)
        except OSError as error:
            self.discard()
            raise Failure(FAILED, "%s: cannot be written: %s" % (path, error.strerror)) from None

    def check_existing(self, kind):
        """It may be replaced only if it is a file, and ours to write, and of psg."""
        self.mode = None
        if not self.path or self.path.endswith("/"):
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        try:
            found = os.stat(self.name)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(found.st_mode):
            raise Failure(FAILED,
                          "%s: not a regular file, cannot be replaced by the output" % self.path)
        if not os.access(self.name, os.W_OK):
            raise Failure(FAILED, "%s: %s" % (self.path, os.strerror(errno.EACCES)))
        self.mode = found.st_mode & 0o777
        if kind is None:
            return
        try:
            with open(self.name, "rb") as file:
                text = file.read(len(kind[0]))
        except OSError as error:
            raise Failure(
                FAILED, "%s: cannot be read: %s; --force replaces it" %
                (self.path, error.strerror)) from None
        if text and text != kind[0].encode():
            raise Failure(
                USAGE,
                "%s: is there already and is not %s; it is left as it is. --force replaces it" %
                (self.path, kind[1]))

    def write(self, text):
        """All of it, and give it the name."""
        try:
            with open(self.temporary, "w", encoding="utf-8", errors="surrogateescape",
                      newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.rename(self.temporary, self.name)
        except OSError as error:
            self.discard()
            raise Failure(FAILED,
                          "%s: cannot be written: %s" % (self.path, error.strerror)) from None
        temporary.discard(self.temporary)
        self.temporary = None

    def discard(self):
        if self.temporary is not None:
            try:
                os.unlink(self.temporary)
            except OSError:
                pass
            temporary.discard(self.temporary)
            self.temporary = None


def try_output(path, kind=None):
    """That something is in the way of writing a file is found before the work is done."""
    Output(path, kind).discard()


# --------------------------------------------------------------------------------------------- lock

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


class Lock:
    """One process at a time reads a file, adds to it and puts the new one in its place: of one
    machine, or of several that share a file system. Of the kinds of locks fcntl()'s are taken: NFS
    passes them to the server, and the kernel releases them when their process ends, however it
    ends.

    Who holds the lock removes the lock file before the release. So whoever gets the lock looks
    whether the name still stands for the file that he has locked, and begins again if it does
    not."""

    told = False  # that a file system has no locks

    def __init__(self, path, name):
        """path: as it is shown; name: of the file, links followed."""
        folder, base = os.path.split(name)
        self.path, self.name, self.file = path, "%s/.%s.psg-lock" % (folder, base[:200]), -1

    def __enter__(self):
        try:
            self.take()
        except OSError as error:
            opened = self.file >= 0
            self.close()
            if not opened or error.errno not in NO_LOCKS:
                raise Failure(
                    FAILED, "%s: no lock for it (%s): %s" %
                    (self.path, self.name, error.strerror)) from None
            if not Lock.told:
                message(
                    "note: %s: its file system has no locks (%s): rows are lost where "
                    "several psg write it at the same time" % (self.path, error.strerror))
                Lock.told = True
        temporary.add(self.name)
        return self

    def __exit__(self, *_):
        try:
            os.unlink(self.name)
        except OSError:
            pass
        temporary.discard(self.name)
        self.close()

    def close(self):
        if self.file >= 0:
            os.close(self.file)
        self.file = -1

    def take(self):
        since, said = time.monotonic(), False
        while True:
            if self.file < 0:
                self.file = os.open(self.name, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held = True
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                    raise
                held = False
            there = self.is_still_there()
            if held and there:
                return
            if not held:
                if not said and time.monotonic() - since > 2:
                    message("%s: waiting for another psg%s that writes it" %
                            (self.path, self.holder()))
                    said = True
                time.sleep(0.005)
            if not there:
                self.close()

    def is_still_there(self):
        try:
            return os.path.samestat(os.fstat(self.file), os.stat(self.name))
        except OSError:
            return False

    def holder(self):
        """In words; "": nobody any more, or a process of another machine."""
        layout = "hhqqi4x"
        asked = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        try:
            kind, _, _, _, process = struct.unpack(layout,
                                                   fcntl.fcntl(self.file, fcntl.F_GETLK, asked))
        except (OSError, struct.error):
            return ""
        return ", process %d," % process if kind != fcntl.F_UNLCK and process > 0 else ""
