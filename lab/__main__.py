"""The laboratory: what `psg bench` and `psg tune` do. psg reads the command line and starts

    python3 lab bench|tune REQUEST

where REQUEST is an object of JSON: the command line, and what the library knows (app/lab.c)."""

import json
import sys

import outputs
import words


def run(command, request):
    """The exit code of psg."""
    outputs.install_signals()
    if command == "tune":
        from tune import main
    else:
        from bench import main
    code = words.DONE
    try:
        main(json.loads(request))
    except words.Failure as failure:
        words.message(failure.words)
        code = failure.code
    except MemoryError:
        words.message("out of memory")
        code = words.FAILED
    try:
        sys.stdout.flush()
    except OSError as error:  # output that did not get where it was sent is a failure
        words.message("stdout cannot be written: %s" % error.strerror)
        code = code or words.FAILED
    return code


if len(sys.argv) == 3 and sys.argv[1] in ("bench", "tune"):
    sys.exit(run(*sys.argv[1:]))
sys.exit("psg: the laboratory is started by psg bench and psg tune alone")
