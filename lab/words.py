"""What the laboratory says: errors with the exit code of the command, notes, sizes, and
progress."""

import os
import sys
import time

DONE, FAILED, USAGE = 0, 1, 2


class Failure(Exception):
    """The command ends with this code, after these words on stderr."""

    def __init__(self, code, words):
        super().__init__(words)
        self.code, self.words = code, words


def clean(text, kept=""):
    """The text with ? in place of what would control a terminal: names come from files."""
    return "".join(c if c in kept or c.isprintable() else "?" for c in text)


def message(words):
    """A line on stderr at once; on a terminal a line of progress gives way to it."""
    start = "\r\033[K" if sys.stderr.isatty() else ""
    os.write(2, ("%spsg: %s\n" % (start, clean(words))).encode(errors="replace"))


def bytes_text(count):
    """1.50 GiB and the like."""
    units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    unit = 0
    while count >= 1024 and unit + 1 < len(units):
        count /= 1024
        unit += 1
    return ("%.2f %s" if unit else "%.0f %s") % (count, units[unit])


def many(count, one, more):
    return one if count == 1 else more


class Notes:
    """Remarks on one run, for stderr and for the JSON file."""

    def __init__(self, quiet):
        self.quiet, self.texts = quiet, []

    def add(self, words):
        self.texts.append(clean(words))
        if not self.quiet:
            message("note: " + words)


class Progress:
    """A line on a terminal, or every 15 seconds a line of a log, that says what is done. Whoever
    waits calls look()."""

    def __init__(self, wanted):
        self.wanted, self.terminal = wanted, sys.stderr.isatty()
        self.since, self.text, self.drawn = time.monotonic(), "", False
        self.every = 0.25 if self.terminal else 15
        self.next = 1 if self.terminal else 15

    def step(self, text):
        self.text = text

    def wait(self):
        """Seconds until there is something to say."""
        return max(0.0, self.since + self.next - time.monotonic()) if self.wanted else 1e6

    def look(self):
        seconds = time.monotonic() - self.since
        if not self.wanted or seconds < self.next:
            return
        if self.text:
            start, end = ("\r\033[K", "") if self.terminal else ("", "\n")
            os.write(2, ("%spsg: %s, %.0f s%s" % (start, clean(self.text), seconds, end)).encode())
            self.drawn = True
        self.next = self.every * (seconds // self.every + 1)

    def stop(self):
        if self.drawn and self.terminal:
            os.write(2, b"\r\033[K")
        self.wanted = False
