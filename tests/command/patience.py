"""How long a test waits: time limits are for an idle machine, and longer where the machine is busy.

A test that is killed by its limit on a busy machine says nothing about psg.
"""

import os


def factor():
    """By how much a limit is longer: what PSG_TEST_PATIENCE in the environment says (ctest sets it, see
    tests/CMakeLists.txt), or what the load of the machine needs now, whichever is more."""
    given = float(os.environ.get("PSG_TEST_PATIENCE") or 1)
    return max(1.0, given, 1 + os.getloadavg()[0] / (os.cpu_count() or 1))


def patience(seconds):
    """The limit in seconds of what takes less than `seconds` on an idle machine."""
    return seconds * factor()
