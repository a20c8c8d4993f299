"""Under mpirun: the processes of an mpi4py communicator give one process' answer, and close plans in one order.

    mpi.py

What one process refuses, all refuse: the others do not wait for it.
"""

import gc
import os
import sys
import warnings
import weakref

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


def boxes():
    """Pencils along x, of which the processes are a row; a process without points."""
    shape = (6, 7, 5)
    f = random(shape)
    expected = periodic(f)
    for without in (False, True):
        ranks = world.size - 1 if without and world.size > 1 else world.size
        ends = [7 * r // ranks for r in range(ranks + 1)] + [7]
        y0, y1 = ends[world.rank], ends[world.rank + 1]
        with psg.Plan(shape, comm=world, gpus=0, lo=(0, y0, 0), local=(6, y1 - y0, 5)) as plan:
            check(plan.lo == (0, y0, 0) or y1 == y0, plan.lo)
            check(np.prod(plan.local_shape) == 30 * (y1 - y0), plan.local_shape)
            mine = f[:, y0:y1] if y1 > y0 else np.empty(plan.local_shape)
            u = plan.solve(np.ascontiguousarray(mine))
            check(y1 == y0 or far(u, expected[:, y0:y1]) <= 1e-12, "boxes")
    whole = "a whole number for each axis"
    for wrong, words in (((0, 0, 0), "overlap" if world.size > 1 else ""), ((0, 0), whole),
                         (None, whole), ((0, 1, 0), "from point 1 on")):
        try:
            psg.Plan(shape, comm=world, gpus=0, lo=wrong, local=shape).close()
            check(not words, "boxes that are wrong were taken: %s" % (wrong,))
        except psg.ArgumentError as error:
            check(words and words in str(error), error)


def few_axes():
    """The first axis is shared out; of one axis the first process has all points."""
    for shape in ((9, 8), (1, 8), (8,)):
        f = random(shape)
        with psg.Plan(shape, bc="dirichlet", gpus=0) as plan:
            expected = plan.solve(f)
        with psg.Plan(shape, bc="dirichlet", gpus=0, comm=world) as plan:
            own = tuple(slice(lo, lo + n) for lo, n in zip(plan.lo, plan.local_shape))
            counted = world.allreduce(int(np.prod(plan.local_shape)))
            check(counted == f.size, "%d points of %s" % (counted, shape))
            u = plan.solve(np.ascontiguousarray(f[own]))
            check(u.size == 0 or far(u, expected[own]) <= 1e-12, shape)


def free_sides(**options):
    """A sheet has all of z, whose columns come from all processes. The digits are those of one process."""
    shape = (13, 6, 8)
    f = random(shape)
    for bc in ({"z": "free"}, {"z": ("dirichlet", "free")}, {"z": ("free", "neumann")}, "free",
               {"y": "free", "x": "dirichlet"}, {"z": "free", "x": "free"}):
        with psg.Plan(shape, bc=bc, gpus=0, effort="estimate") as plan:
            expected = plan.solve(f)
        with psg.Plan(shape, bc=bc, gpus=0, comm=world, effort="estimate", **options) as plan:
            mine = np.ascontiguousarray(f[plan.lo[0]:plan.lo[0] + plan.local_shape[0]])
            u = np.concatenate(world.allgather(plan.solve(mine)))
        check(far(u, expected) <= 1e-15, "%s, %s: %.1e" % (bc, options, far(u, expected)))


def modes(**options):
    """A process has the modes of its rows ky. What one process gives that none has, all refuse."""
    for shape in ((9, 7, 8), (2, 5, 6), (7, 1, 5), (5, 6)):
        f = random(shape)
        u = psg.solve(f, gpus=0, lambda_=0.5)
        psg.forget()
        whole = np.fft.rfftn(f), np.fft.rfftn(u)
        with psg.Plan(shape, comm=world, gpus=0, lambda_=0.5, effort="estimate", **options) as plan:
            own = tuple(slice(lo, lo + n) for lo, n in zip(plan.lo, plan.local_shape))
            mine, u = np.ascontiguousarray(f[own]), u[own]
            n, lo = plan.modes_shape()
            rows = tuple(slice(first, first + count) for first, count in zip(lo, n))
            from_, to = (np.ascontiguousarray(modes[rows]) for modes in whole)
            check(world.allreduce(from_.size) == whole[0].size, "modes are missing")

            def same(got, want, words):
                close = got.size == 0 or np.abs(got - want).max() <= 1e-13 * np.abs(want).max()
                check(got.shape == want.shape and close, "%s of %s, %s" % (words, shape, options))

            for _ in range(3):
                same(plan.modes(mine), to, "f to modes")
                same(plan.solve(f_modes=from_), u, "modes to u")
                same(plan.modes(f_modes=from_), to, "modes to modes")
                exchange = plan.statistics()["stage"]["exchange"]
                check(exchange == {"tasks": 0, "seconds": 0}, "modes to modes: %s" % exchange)
                for given in ({"f": mine}, {"f_modes": from_}):
                    beside = np.empty(plan.local_shape)
                    same(plan.modes(u=beside, **given), to, "modes beside u")
                    same(beside, u, "u beside modes")
            last = world.rank == world.size - 1
            bad = from_.copy()
            if last and bad.size > 0:
                bad.flat[-1] = np.inf
            if world.allreduce(int(last and bad.size > 0)) > 0:
                error = raised(lambda: plan.modes(f_modes=bad))
                place = ",".join(str(n - 1) for n in reversed(whole[0].shape))
                place = place if f.ndim == 3 else ""
                right = isinstance(error, psg.DataError) and place in str(error)
                check(right, "a mode that is Inf: %r" % error)
            if world.size > 1:
                for call in (lambda: plan.solve(f_modes=from_),
                             lambda: plan.modes(f_modes=from_, u=np.empty(plan.local_shape))):
                    error = raised(call if last else lambda: plan.modes(f_modes=from_))
                    check(isinstance(error, psg.ArgumentError), "u of one process: %r" % error)
            same(plan.modes(mine), to, "after errors")


def kernels():
    """What one process gives as a kernel that is none, all refuse, and the plan is closed."""
    shape = (13, 6, 8)
    f, kernel = random(shape), random([n + 1 for n in shape])
    options = {"bc": "free", "gpus": 0, "effort": "estimate"}
    expected = psg.solve(f, kernel=kernel, **options)
    psg.forget()
    with psg.Plan(shape, comm=world, kernel=kernel, **options) as plan:
        mine = np.ascontiguousarray(f[plan.lo[0]:plan.lo[0] + plan.local_shape[0]])
        u = np.concatenate(world.allgather(plan.solve(mine)))
        check(far(u, expected) <= 1e-14, "a kernel: %.1e" % far(u, expected))
        for bad in (kernel[:, ::-1], kernel[1:]):
            try:
                plan.set_kernel(bad if world.rank == world.size - 1 else kernel)
                check(False, "a wrong kernel was taken")
            except psg.ArgumentError as error:
                check("kernel" in str(error), error)
        plan.solve(mine)
    try:
        psg.Plan(shape, comm=world, kernel=kernel[1:], **options)
        check(False, "a plan has a wrong kernel")
    except psg.ArgumentError:
        check(psg._plan.process.plans == 0, "a plan was left")


class Interrupted:
    """Ctrl-C comes while the binding looks at it."""

    def __dlpack_device__(self):
        raise KeyboardInterrupt


def raised(call):
    try:
        call()
    except (Exception, KeyboardInterrupt) as error:
        return error
    return None


def refused(odd, what, bad, good):
    """One process calls bad(), the others good()."""
    error = raised(bad if world.rank == odd else good)
    check(error is not None, "%s of process %d was taken" % (what, odd))
    said = world.bcast(str(error), odd)
    if world.rank != odd:
        check(isinstance(error, psg.Error), "%s of process %d: %r" % (what, odd, error))
        check("process %d: " % odd in str(error) and " ".join(said.split())[-40:] in str(error), "%s: %s, and there %s" % (what, error, said))


def refusals(odd):
    shape = (6, 5, 4)
    f = random(shape)
    with psg.Plan(shape, comm=world, gpus=0, symbol="fd2") as plan:
        mine = np.ascontiguousarray(f[plan.lo[0]:plan.lo[0] + plan.local_shape[0]])
        fixed, pair = mine.copy(), np.stack([mine, mine])
        fixed.flags.writeable = False
        for what, *given in (("float32", mine.astype("f4")), ("a shape", mine[:, :, :-1]), ("rank 2", mine[0]), ("no array", None),
                             ("a list", mine.tolist()), ("a mask", np.ma.array(mine)), ("Fortran's order", np.asfortranarray(mine)),
                             ("reversed", mine[:, ::-1]), ("broadcast", np.broadcast_to(1.0, mine.shape)),
                             ("Ctrl-C", Interrupted()), ("out of float32", mine, mine.astype("f4")), ("out that is fixed", mine, fixed)):
            refused(odd, what, lambda: plan.solve(*given), lambda: plan.solve(mine))
            refused(odd, what, lambda: plan.submit(*given), lambda: plan.submit(mine))
            refused(odd, what, lambda: plan.gradient(given[0], u=(given + [None])[1]), lambda: plan.gradient(mine))
        for named in (dict(lambda_="x"), dict(lambda_=-1), dict(factor=mine), dict(factor=0), dict(mean="no"), dict(lamda=1),
                      dict(values={"z": 1}), dict(values={"w": 1}), dict(values={"x": mine}), dict(epsilon=mine[0]),
                      dict(tolerance=1), dict(epsilon=mine, iterations=-1)):
            refused(odd, named, lambda: plan.solve(mine, **named), lambda: plan.solve(mine))
        for given in (pair[0], pair[:, :, ::-1], pair.astype("f4"), pair[:0], pair.transpose(0, 1, 3, 2)):
            refused(odd, "several of shape %s" % (given.shape,), lambda: plan.solve_many(given), lambda: plan.solve_many(pair))
        error = raised(lambda: plan.solve_many(pair[:1] if world.rank == odd else pair))
        check("number of right-hand sides is not that of process 0" in str(error), error)
        refused(odd, "out of a gradient", lambda: plan.gradient(mine, (None, None, fixed)),
                lambda: plan.gradient(mine, (None, None, mine.copy())))
        started = plan.submit(mine)  # beside one in flight
        refused(odd, "a second one", lambda: plan.submit(mine[:, 1:]), lambda: plan.submit(mine))
        error = raised(lambda: plan.solve(mine[:, 1:] if world.rank == odd else mine))
        check(isinstance(error, psg.Error), "a solve beside one in flight")
        check(plan.wait() is started and isinstance(raised(plan.wait), psg.StateError), "what was in flight before")
        check(far(plan.solve(mine), started) <= 1e-14, "a solve after all")
    good = dict(shape=shape, comm=world, gpus=0)
    for wrong in (dict(shape=(4, 4)), dict(shape=(4, 4, 2.5)), dict(shape=(0, 4, 4)), dict(shape=None), dict(dtype="f2"),
                  dict(dtype="frob"), dict(box=(1, 2)), dict(box=0), dict(box="x"), dict(bc="wet"), dict(bc={"y": ("free", "neumann")}), dict(points="no"),
                  dict(frob=1), dict(graph="no"), dict(lambda_=-1), dict(precision="f32"), dict(gpu_ids="x"), dict(policy="no\0"),
                  dict(time_limit=-1), dict(time_limit="x")):
        refused(odd, wrong, lambda: psg.Plan(**{**good, **wrong}), lambda: psg.Plan(**good))
        refused(odd, wrong, lambda: psg.Plan(**{**good, **wrong}), lambda: psg.Plan(**good, time_limit=60))


def main():
    together((7, 6, 5))
    together((12, 4, 6), lambda_=2.0, exchange="alltoall")
    together((2, 5, 4))  # three processes: one has no plane
    few_axes()
    boxes()
    kernels()
    modes()
    free_sides()
    if world.size > 1:
        modes(exchange="mpi", segment_planes=1, sheets=64)
        modes(exchange="alltoall")
        free_sides(exchange="mpi")
        free_sides(exchange="alltoall")
    with psg.Plan((6, 6, 6), comm=MPI.COMM_SELF) as plan:
        check(plan.local_shape == (6, 6, 6), "alone")
        check(far(plan.solve(random((6, 6, 6))), periodic(random((6, 6, 6)))) <= 1e-12, "alone")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = psg.Plan((6, 6, 6), comm=world)
        held = weakref.ref(plan.submit(np.zeros(plan.local_shape)))
        if world.rank == 0:
            del plan  # elsewhere it lives on: the collector must not make a collective call
            gc.collect()
        check(held() is not None, "u of a solve in flight was freed")
        check((len(caught) == 1) == (world.rank == 0), "the warning: %s" % caught)
    together((5, 4, 3))
    if world.size > 1:
        for odd in (0, world.size - 1):
            refusals(odd)
    print("ok")


main()
