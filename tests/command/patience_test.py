"""A limit grows with PSG_TEST_PATIENCE and with the load of the machine, and never shrinks."""

import os

import patience


def limit(given, load, cores):
    os.environ["PSG_TEST_PATIENCE"] = given
    os.getloadavg = lambda: (load, 0.0, 0.0)
    os.cpu_count = lambda: cores
    return patience.patience(10)


for given, load, cores, seconds in (("", 0, 2, 10), ("1", 0, 2, 10), ("0.1", 0, 2, 10), ("4", 0, 2, 40), ("4", 20, 2, 110),
                                    ("1", 20, 2, 110), ("1", 20, 20, 20), ("1", 20, None, 210)):
    found = limit(given, load, cores)
    assert abs(found - seconds) < 1e-9, (given, load, cores, found)
