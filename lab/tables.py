"""Rows of texts under fixed columns, and the files that have them: CSV by RFC 4180, and JSON. What
a process measured is added to a file under its lock, to what the file has at that moment: several
processes may write one file."""

import json
import math
import os
import re
import sys

from outputs import JSON, Lock, Output, try_output
from words import FAILED, USAGE, Failure

FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n\0]*))(,|\r?\n|\Z)')


def number_text(value):
    """As files have it; "" where it is not known."""
    return "" if value is None or math.isnan(value) else "%.12g" % value


class Table:
    """rows: dictionaries from column to text. texts: columns of words, the others have numbers.
    identity: rows that are the same in all of these columns are the same measurement."""

    def __init__(self, columns, texts, identity):
        self.columns, self.texts, self.identity = columns, texts, identity
        self.rows = []

    def new(self, **cells):
        return {**dict.fromkeys(self.columns, ""), **cells}

    def key(self, row):
        return tuple(row[column] for column in self.identity)

    def place(self, row):
        """Where this very row stands; the end where it does not."""
        return next((at for at, other in enumerate(self.rows) if other is row), len(self.rows))


# ---------------------------------------------------------------------------------------------- CSV


def csv_fields(text):
    """Every field with what ends it and the number of the line that its record begins in; None: it
    is broken."""
    at, line, begins = 0, 1, 1
    while True:
        found = FIELD.match(text, at)
        if found is None:
            yield None, None, begins
            return
        quoted, plain, end = found.groups()
        yield plain if quoted is None else quoted.replace('""', '"'), end.replace("\r", ""), begins
        line += text.count("\n", at, found.end())
        at = found.end()
        if end != ",":
            begins = line
        if not end:
            return


def read_csv(table, text):
    """Add the rows. Whatever is no such file is a ValueError with words."""
    fields, width = csv_fields(text), len(table.columns)
    if not text:
        return
    for number, column in enumerate(table.columns, 1):
        field, end, _ = next(fields)
        if field != column:
            raise ValueError("its column %d is '%.60s' instead of '%s'" %
                             (number, field or text[:60], column))
        if end != ("," if number < width else "\n"):
            ends = {",": "goes on", "\n": "ends"}.get(end, "does not end")
            raise ValueError("its first line %s after column %d, '%s'" % (ends, number, column))
    record = []
    for field, end, line in fields:
        if not record and field == "" and end == "":
            return
        record.append(field)
        if field is None or end != ("," if len(record) < width else "\n"):
            raise ValueError("line %d is no row of %d fields" % (line, width))
        if end == "\n":
            table.rows.append(dict(zip(table.columns, record)))
            record = []


def csv_text(table):
    def field(text):
        return '"%s"' % text.replace('"', '""') if re.search('[,"\r\n]', text) else text

    lines = [table.columns] + [[row[column] for column in table.columns] for row in table.rows]
    return "".join(",".join(map(field, line)) + "\n" for line in lines)


# --------------------------------------------------------------------------------------------- JSON


def json_value(table, column, text):
    if not text:
        return None
    if column in table.texts:
        return text
    if re.fullmatch("[-0-9]*", text):
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else None


def json_rows(table):
    return [{column: json_value(table, column, row[column])
             for column in table.columns} for row in table.rows]


def read_json(table, text):
    if not text:
        return
    root = json.loads(text)
    if not isinstance(root, dict) or root.get("command") != "bench" or not isinstance(
            root.get("rows"), list):
        raise ValueError("it is no object with the command bench and rows")
    for number, given in enumerate(root["rows"], 1):
        row = table.new()
        for column, value in (given.items() if isinstance(given, dict) else ()):
            if column not in row or isinstance(value, (bool, list, dict)):
                raise ValueError("its row %d has '%.60s', which is not known" % (number, column))
            row[column] = value if isinstance(
                value, str) else "%d" % value if isinstance(value, int) else number_text(value)
        table.rows.append(row)


# -------------------------------------------------------------------------------------------- files


class Files:
    """The files of psg bench. New rows are added to those of a file."""

    def __init__(self, table, csv, json_path, force, notes):
        self.table, self.force, self.notes = table, force, notes
        self.csv_to_stdout, self.json_to_stdout = csv == "-", json_path == "-"
        self.csv = None if self.csv_to_stdout else csv
        self.json = None if self.json_to_stdout else json_path
        self.main = self.csv if self.csv is not None else self.json
        self.updated = False
        # first: what is no file may have no end
        if self.csv is not None:
            try_output(self.csv)
        if self.json is not None:
            try_output(self.json, None if force else JSON)
        if self.main is not None:
            self.stamp = self.stamp_of(self.main)
            table.rows = self.read(self.main)
        if self.csv is not None and self.json is not None:
            self.read(self.json)  # so that a foreign one is found before the work

    @staticmethod
    def stamp_of(name):
        """Which file was read or written last: it need not be read again where nobody has replaced
        it."""
        try:
            found = os.stat(name)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def read(self, path):
        """The rows of a file; one that is not there has none, and neither has a foreign one that is
        to be replaced."""
        rows = Table(self.table.columns, self.table.texts, self.table.identity)
        is_csv = path == self.csv
        try:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                (read_csv if is_csv else read_json)(rows, file.read())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Failure(FAILED, "%s: cannot be read: %s" % (path, error.strerror)) from None
        except (ValueError, RecursionError) as wrong:
            if self.force:
                return []
            raise Failure(
                USAGE,
                "%s: not a %sfile of psg bench, or of another version: %s; it is left as "
                "it is. --force replaces it" % (path, "" if is_csv else "JSON ", wrong)) from None
        return rows.rows

    def json_text(self, rows):
        table = Table(self.table.columns, self.table.texts, self.table.identity)
        table.rows = rows
        root = {"command": "bench", "rows": json_rows(table), "notes": self.notes.texts}
        return json.dumps(root, indent=2) + "\n"

    def update(self, apply):
        """apply(read_again) puts rows into the table, which is written then."""
        if self.main is None:
            apply(False)
            return
        failed = None
        try:
            self.update_main(apply)
        except Failure as failure:
            failed = failure
        if self.csv is not None and self.json is not None:
            self.save_json()
        if failed is not None:
            raise failed

    def update_main(self, apply):
        try:
            output = Output(self.main)
        except Failure:
            apply(False)  # what was measured is shown all the same
            raise
        try:
            with Lock(self.main, output.name):
                changed, failed = self.stamp_of(output.name) != self.stamp, None
                try:
                    if changed:
                        self.table.rows = self.read(self.main)
                except Failure as failure:
                    changed, failed = False, failure
                apply(changed)
                if failed is not None:
                    raise failed
                output.write(
                    csv_text(self.table) if self.csv is not None else self.json_text(self.table.rows
                                                                                     ))
                self.stamp, self.updated = self.stamp_of(output.name), True
        finally:
            output.discard()

    def save_json(self):
        """The JSON file beside a CSV file: the table's rows after those that are other
        measurements."""
        output = Output(self.json)
        try:
            with Lock(self.json, output.name):
                ours = {self.table.key(row) for row in self.table.rows}
                others = [row for row in self.read(self.json) if self.table.key(row) not in ours]
                output.write(self.json_text(others + self.table.rows))
        finally:
            output.discard()

    def finish(self, well):
        """well: nothing has failed until now; stdout gets the rows in any case."""
        if self.csv_to_stdout:
            sys.stdout.write(csv_text(self.table))
        elif self.json_to_stdout:
            sys.stdout.write(self.json_text(self.table.rows))
        if not well:
            return
        if self.json is not None and self.csv is not None:
            self.save_json()
        elif self.json is not None and self.updated and self.notes.texts:
            self.update_main(lambda read_again: None)

    def leave_stdout(self):
        return not self.csv_to_stdout and not self.json_to_stdout


def note_old(dates, rows, path, notes):
    """That rows need not be measured, because a file has them. rows: all; 0: not said"""
    days = sorted(date[:10] for date in dates)
    if not days:
        return
    count, of = len(days), " of %d" % rows if rows else ""
    to = " to " + days[-1] if days[-1] != days[0] else ""
    notes.add(
        "%s: %d%s row%s %s there already, of %s%s, and not measured now; --again measures all anew"
        % (path, count, of, "s" if
           (rows or count) > 1 else "", "were" if count > 1 else "was", days[0] or
           "an unknown day", to))
