"""Under mpirun: the processes of an mpi4py communicator give one process' answer, and close plans in one order.

    mpi.py
"""

import gc
import os
import sys
import warnings

from mpi4py import MPI

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402
import psg  # noqa: E402
from reference import far, periodic, random  # noqa: E402

world = MPI.COMM_WORLD


def check(condition, words):
    if not condition:
        print("rank %d: %s" % (world.rank, words), file=sys.stderr, flush=True)
        world.Abort(1)


def together(shape, **options):
    options = {"gpus": 0, **options}
    f = random(shape)
    with psg.Plan(shape, comm=world, **options) as plan:
        first, planes = plan.lo[0], plan.local_shape[0]
        check(plan.lo[1:] == (0, 0) and plan.local_shape[1:] == shape[1:], "the box is %s, %s" % (plan.lo, plan.local_shape))
        check(world.allreduce(planes) == shape[0], "planes are missing")
        mine = np.ascontiguousarray(f[first:first + planes])
        u = plan.solve(mine)
        parts = world.allgather(u)
        check(far(np.concatenate(parts), periodic(f, lambda_=options.get("lambda_", 0))) <= 1e-12, shape)
        check(plan.statistics()["ranks"] == world.size, "ranks")
        other = plan.submit(2 * mine)
        check(plan.wait() is other and np.allclose(other, 2 * u, atol=1e-14), "submit")
        try:
            plan.solve(f[first:first + planes, :, :-1])
            check(False, "a wrong shape was taken")
        except psg.ArgumentError as error:
            check("shape" in str(error), error)


def main():
    together((7, 6, 5))
    together((12, 4, 6), lambda_=2.0, exchange="alltoall")
    together((2, 5, 4))  # three processes: one has no plane
    with psg.Plan((6, 6, 6), comm=MPI.COMM_SELF) as plan:
        check(plan.local_shape == (6, 6, 6), "alone")
        check(far(plan.solve(random((6, 6, 6))), periodic(random((6, 6, 6)))) <= 1e-12, "alone")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = psg.Plan((6, 6, 6), comm=world)
        if world.rank == 0:
            del plan  # elsewhere it lives on: the collector must not make a collective call
            gc.collect()
        check((len(caught) == 1) == (world.rank == 0), "the warning: %s" % caught)
    together((5, 4, 3))
    print("ok")


main()
