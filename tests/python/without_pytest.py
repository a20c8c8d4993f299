"""Run tests of these files where there may be no pytest, as on a machine that was lent for its GPU.

    without_pytest.py FILE[::TEST] ...

The tests use of pytest no more than what is here. Exit status 77: all are skipped.
"""

import importlib
import itertools
import os
import re
import sys
import time
import traceback
import types


class Skipped(Exception):
    pass


class raises:
    def __init__(self, kind, match=""):
        self.kind, self.match = kind, match

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            raise AssertionError("no %s was raised" % self.kind.__name__)
        if not issubclass(kind, self.kind):
            return False
        assert re.search(self.match, str(error)), "%r is not in %r" % (self.match, str(error))
        return True


def skip(words, allow_module_level=False):
    raise Skipped(words)


def importorskip(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skipped(str(error)) from error


def parametrize(names, values, ids=None):
    """Of several on one function, each has all values of the others."""
    names = [name.strip() for name in names.split(",")]
    cases = [dict(zip(names, value if len(names) > 1 else (value,))) for value in values]

    def put(test):
        test.cases = [{**one, **other} for one, other in itertools.product(cases, getattr(test, "cases", [{}]))]
        return test
    return put


def run(argument):
    """Returns how many tests passed, and how many failed."""
    path, _, only = argument.partition("::")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    module = importlib.import_module(os.path.splitext(os.path.basename(path))[0])
    counts = [0, 0]
    for name, test in vars(module).items():
        if not name.startswith("test_") or test.__module__ != module.__name__ or only not in ("", name):
            continue
        began = time.monotonic()
        for case in getattr(test, "cases", [{}]):
            try:
                test(**case)
                counts[0] += 1
            except Skipped as why:
                print("%s %s is skipped: %s" % (name, case, why))
            except Exception:
                counts[1] += 1
                print("%s %s\n%s" % (name, case, traceback.format_exc()), flush=True)
        print("%s: %.1f s" % (name, time.monotonic() - began), flush=True)
    return counts


sys.modules["pytest"] = types.SimpleNamespace(
    raises=raises, skip=skip, importorskip=importorskip, mark=types.SimpleNamespace(parametrize=parametrize))
try:
    passed, failed = (sum(counts) for counts in zip(*map(run, sys.argv[1:])))
except Skipped as why:
    print("skipped: %s" % why)
    sys.exit(77)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0 or passed == 0)
