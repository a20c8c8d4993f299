"""PoissonGraph: lap(u) - lambda u = factor f in three dimensions by FFT, as a task graph on cores and GPUs.

    import numpy, psg
    u = psg.solve(numpy.random.rand(64, 64, 64), box=(1, 1, 1))

    with psg.Plan((64, 64, 64), box=(1, 1, 1), bc={"z": "dirichlet"}) as plan:
        plan.solve(f, out=u)

Arrays are [nz][ny][nx], x the last axis: shape, box, bc and points are in this order. psg.torch.solve() and psg.jax.solve()
differentiate. psg.options() lists the options by name.
"""

from ._errors import (ArgumentError, ArrayError, BackendError, DataError, DeviceError, Error, MeanError, OutOfMemoryError,
                      StateError, UnsupportedError)
from ._grid import good_length, points
from ._kept import forget, solve
from ._options import Option, options
from ._plan import Plan
from ._library import components, version as __version__

__all__ = ["ArgumentError", "ArrayError", "BackendError", "DataError", "DeviceError", "Error", "MeanError", "Option",
           "OutOfMemoryError", "Plan", "StateError", "UnsupportedError", "__version__", "components", "forget", "good_length",
           "options", "points", "solve"]
