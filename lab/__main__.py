"""The laboratory: what `psg bench` and `psg tune` do. psg reads the command line and starts

    python3 lab bench|tune NUMBER

where NUMBER is that of an open file with a request, one object of JSON."""

import json
import os
import sys

import outputs
import words


def run(command, number):
    """The exit code of psg."""
    outputs.install_signals()
    with os.fdopen(int(number), encoding="utf-8") as file:
        request = json.load(file)
    if command == "tune":
        from tune import main
    else:
        from bench import main
    code = words.DONE
    try:
        main(request)
    except words.Failure as failure:
        words.message(failure.words)
        code = failure.code
    except MemoryError:
        words.message("out of memory")
        code = words.FAILED
    try:
        sys.stdout.flush()
    except OSError as error:  # output that did not get where it was sent is a failure, whatever it said
        words.message("stdout cannot be written: %s" % error.strerror)
        code = code or words.FAILED
    return code


if len(sys.argv) == 3 and sys.argv[1] in ("bench", "tune"):
    status = run(*sys.argv[1:])
    os._exit(status) if sys.stdout.closed else sys.exit(status)
sys.exit("psg: the laboratory is started by psg bench and psg tune alone")
