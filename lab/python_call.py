"""How much longer psg.solve() and Plan.solve() take than the call of the library that they make, in turns.

    PYTHONPATH=bindings/python PSG_LIBRARY=build/libpsg.so python3 lab/python_call.py [N]...

Arrays are CuPy's where CuPy finds a GPU, else NumPy's. Each line has medians in microseconds.
"""

import ctypes
import statistics
import sys
import time

import numpy
import psg
from psg import _kept
from psg._library import lib

try:
    import cupy
    cupy.cuda.runtime.getDeviceCount()
    arrays = cupy
except Exception:  # no package, or no GPU
    arrays = numpy

ROUNDS = {True: 2000, False: 600}  # of small and of large grids


def address(x):
    return ctypes.c_void_p(x.data.ptr if arrays is not numpy else x.ctypes.data)


for n in [int(word) for word in sys.argv[1:]] or [64, 256]:
    f = arrays.asarray(numpy.random.default_rng(1).standard_normal((n, n, n)))
    u = arrays.empty_like(f)
    for _ in range(2):
        psg.solve(f, u)
    plan = next(reversed(_kept.plans.values()))
    handle, from_, to = plan._handle.plan, address(f), address(u)
    calls = {"C": lambda: lib.psg_solve(handle, from_, to), "psg.solve": lambda: psg.solve(f, u),
             "plan.solve": lambda: plan.solve(f, u)}
    times = {name: [] for name in calls}
    for _ in range(ROUNDS[n <= 64]):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    median = {name: 1e6 * statistics.median(values) for name, values in times.items()}
    print("%s %d^3: C %.1f us, psg.solve %.1f more, plan.solve %.1f more"
          % (arrays.__name__, n, median["C"], median["psg.solve"] - median["C"], median["plan.solve"] - median["C"]))
psg.forget()
