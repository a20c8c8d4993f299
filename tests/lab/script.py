"""Runs a script of lab/plots as a command of its own, without a start of Python: this process has matplotlib, and forks."""

import os
import runpy
import sys
import tempfile
import traceback

import matplotlib.pyplot  # noqa: F401


def leave(script, arguments):  # of the child
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    status = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        status = end.code or 0
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run(script, *arguments):
    """The exit status of the script, what it printed, and its errors."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as error:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(error.fileno(), 2)
            leave(script, arguments)
        _, status = os.waitpid(child, 0)
        for file in (out, error):
            file.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), error.read()
