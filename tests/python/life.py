"""Plans and the interpreter: threads, forks, the collector, Ctrl-C, the end of the program, and where the library is found."""

import _ctypes
import copy
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a fork cannot use GPUs of which its parent has used one

import numpy as np  # noqa: E402
import psg  # noqa: E402
import pytest  # noqa: E402
from reference import far, periodic, random  # noqa: E402

PATIENCE = float(os.environ.get("PSG_TEST_PATIENCE", "1"))


def in_thread(work, count):
    errors = []

    def run(m):
        try:
            work(m)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(m,)) for m in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def python(text, **environment):
    return subprocess.run([sys.executable, "-B", "-X", "dev", "-W", "error::ResourceWarning", "-c", text], capture_output=True,
                          text=True, timeout=60 * PATIENCE, env={**os.environ, **environment}, check=False)


def test_threads():
    """Several threads with a plan each, with one plan, and with more shapes than solve() keeps."""
    f = [random((5 + m, 6, 7), seed=m) for m in range(6)]
    expected = [periodic(g) for g in f]

    def own(m):
        with psg.Plan(f[m].shape) as plan:
            for _ in range(20):
                assert far(plan.solve(f[m]), expected[m]) <= 1e-12

    in_thread(own, 4)
    g = [random((24, 24, 24), seed=m) for m in range(4)]
    with psg.Plan((24, 24, 24)) as plan:
        in_thread(lambda m: [far(plan.solve(g[m]), periodic(g[m])) <= 1e-12 or 1 / 0 for _ in range(50)], 4)
    in_thread(lambda m: [far(psg.solve(f[(m + s) % 6]), expected[(m + s) % 6]) <= 1e-12 or 1 / 0 for s in range(12)], 4)
    psg.forget()


def test_collected():
    """A plan that nobody has is closed; arrays of a solve in flight live until it is waited for."""
    psg.forget()
    before = psg._plan.process.plans
    for _ in range(5):
        plan = psg.Plan((4, 4, 4))
        for _ in range(3):
            plan.submit(random((4, 4, 4)))
        gc.collect()
        plan.wait()
        del plan
    loop = [psg.Plan((4, 4, 4))]
    loop.append(loop)
    assert psg._plan.process.plans == before + 1
    del loop
    gc.collect()
    assert psg._plan.process.plans == before
    plan = psg.Plan((4, 4, 4))
    plan.close()
    plan.close()
    for use in (lambda: plan.solve(random((4, 4, 4))), plan.wait, plan.statistics, plan.events):
        with pytest.raises(psg.StateError, match="closed"):
            use()


class Fleeting:
    """Its memory lives as long as DLPack's capsule, and has other numbers then."""

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        room = (ctypes.c_double * 24)(*[1.0] * 24)
        kept.append(room)
        a = np.ctypeslib.as_array(ctypes.cast(room, ctypes.POINTER(ctypes.c_double)), (6, 4))
        weakref.finalize(a, ctypes.memset, room, 0xff, ctypes.sizeof(room))
        return a.__dlpack__()


kept = []


def test_capsules_are_held():
    """What an exporter made for a solve lives until the library has read it."""
    f = np.zeros((5, 6, 4))
    with psg.Plan(f.shape, bc="dirichlet", symbol="fd2") as plan:
        want = plan.solve(f, values={"z": (1, 0)})
        assert (plan.solve(f, values={"z": (Fleeting(), 0)}) == want).all()
        plan.submit(f, values={"z": (Fleeting(), 0)})
        assert (plan.wait() == want).all()


def test_out_of_many_is_held(monkeypatch):
    """Ctrl-C leaves the call to itself: what it writes to lives until it ends."""
    shape, alive, go_on = (2, 6, 5, 4), [True], threading.Event()

    class Out:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            memory = np.zeros(shape)
            weakref.finalize(memory, alive.clear)
            return memory.__dlpack__()

    real, seen = psg._plan.lib.psg_solve_many_arrays, []

    def waits(*arguments):
        go_on.wait(20 * PATIENCE)
        gc.collect()
        seen.append(bool(alive))
        return real(*arguments)

    monkeypatch.setattr(psg._plan.lib, "psg_solve_many_arrays", waits)
    with psg.Plan(shape[1:]) as plan:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            plan.solve_many(random(shape), out=Out())
        gc.collect()
        go_on.set()
        with plan._handle.turn:
            assert seen == [True]


def test_interrupted_start(monkeypatch):
    """Ctrl-C while the thread of a long solve starts leaves the call to it; where no thread starts, nothing is done."""
    f = random((9, 8, 7))
    with psg.Plan(f.shape) as plan:
        start = threading.Thread.start

        def interrupted(self):
            start(self)
            raise KeyboardInterrupt

        def none(self):
            raise RuntimeError("can't start new thread")

        for starting, error in ((interrupted, KeyboardInterrupt), (none, RuntimeError)):
            plan._seconds, calls = 1e9, plan._handle.calls
            monkeypatch.setattr(threading.Thread, "start", starting)
            with pytest.raises(error):
                plan.solve(f)
            monkeypatch.undo()
            assert plan._handle.calls == calls + (error is KeyboardInterrupt)
            for _ in range(3):
                assert far(plan.solve(f), periodic(f)) <= 1e-12


def test_interrupted_submit(monkeypatch):
    """Ctrl-C before, in and after the library's calls: what is in flight is held, and each wait has the u of its solve."""
    f = [random((6, 6, 6), seed=s) for s in range(3)]
    want = [periodic(g) for g in f]
    lib = psg._plan.lib
    for name in ("psg_submit_arrays", "psg_wait"):
        real = getattr(lib, name)
        for before in (True, False):
            done = []

            def interrupted(*arguments, real=real, before=before, done=done):
                if not before:
                    done.append(real(*arguments))
                raise KeyboardInterrupt

            with psg.Plan((6, 6, 6)) as plan:
                plan.solve(f[0])  # the next call is a short one, in this thread
                first = plan.submit(f[0])
                monkeypatch.setattr(lib, name, interrupted)
                with pytest.raises(KeyboardInterrupt):
                    plan.submit(f[1]) if name == "psg_submit_arrays" else plan.wait()
                monkeypatch.setattr(lib, name, real)
                assert done == [] if before else done == [0]
                gone = int(name == "psg_wait" and not before)
                more = [f[1]] if name == "psg_submit_arrays" and not before else []
                assert lib.psg_plan_in_flight(plan._handle.plan) == len(plan._handle.flights) == 1 + len(more) - gone
                last = plan.submit(f[2])
                if not gone:
                    assert plan.wait() is first and far(first, want[0]) <= 1e-12
                for _ in more:
                    assert far(plan.wait(), want[1]) <= 1e-12
                assert plan.wait() is last and far(last, want[2]) <= 1e-12
                with pytest.raises(psg.StateError, match="no solve"):
                    plan.wait()


def test_copies():
    with psg.Plan((4, 5, 6)) as plan:
        for make in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(psg.UnsupportedError, match=r"cannot be pickled or copied.*psg.Plan\(\(4, 5, 6\), ...\)"):
                make(plan)


def in_fork(work):
    """Run in a child that ends as programs end. @return what it says"""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


def refused(work):
    try:
        work()
    except psg.StateError as error:
        return str(error)
    return "nothing was refused"


def test_fork():
    f = random((6, 6, 6))
    psg.forget()
    with psg.Plan(f.shape) as plan:
        assert "psg.forget()" in in_fork(lambda: refused(lambda: plan.solve(f)))
        assert "spawn" in in_fork(lambda: refused(lambda: psg.Plan(f.shape)))
        assert "spawn" in in_fork(lambda: refused(lambda: psg.solve(f)))
        assert in_fork(lambda: plan.close() or "closed") == "closed"
        assert far(plan.solve(f), periodic(f)) <= 1e-12
    assert float(in_fork(lambda: str(far(psg.solve(f, gpus=0), periodic(f))))) <= 1e-12
    assert far(psg.solve(f), periodic(f)) <= 1e-12
    assert "psg.forget()" in in_fork(lambda: refused(lambda: psg.solve(f)))
    psg.forget()
    assert float(in_fork(lambda: str(far(psg.solve(f, gpus=0), periodic(f))))) <= 1e-12


def test_fork_and_gpus(monkeypatch):
    """CUDA cannot be used in a fork of a process that has used it."""
    psg.forget()
    monkeypatch.setattr(psg._plan.process, "cuda", True)
    monkeypatch.setattr(psg._plan, "CUDA", True)
    assert "gpus=0" in in_fork(lambda: refused(lambda: psg.Plan((4, 4, 4))))
    assert in_fork(lambda: psg.Plan((4, 4, 4), gpus=0).close() or "well") == "well"


def test_fork_ends():
    """A child with a parent's plan ends as a program ends, and its parent, too."""
    done = python("""
import os, sys, numpy, psg
plan = psg.Plan((4, 4, 4))
psg.solve(numpy.zeros((5, 5, 5)))
child = os.fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert (done.returncode, done.stdout) == (0, "7\n"), done


@pytest.mark.parametrize("end", ["", "plan.close()", "sys.exit(0)", "del plan", "plan.submit(f)", "plan.cycle = plan",
                                 "import threading; threading.Thread(target=lambda: plan.solve(f)).start()",
                                 "psg.solve(f); psg.solve(f, box=2)"])
def test_end(end):
    done = python("import sys, numpy, psg\nf = numpy.zeros((4, 4, 4))\nplan = psg.Plan(f.shape)\nplan.solve(f)\n" + end)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_interrupt(monkeypatch):
    """Ctrl-C ends the wait for a long solve at once; the plan can be used again, after the solve."""
    f = random((6, 6, 6))
    real = psg._plan.lib.psg_solve_arrays

    go_on = threading.Event()

    def slow(*arguments):
        go_on.wait(30 * PATIENCE)
        return real(*arguments)

    with psg.Plan(f.shape) as plan:
        monkeypatch.setattr(psg._plan.lib, "psg_solve_arrays", slow)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            plan.solve(f)
        assert plan._handle.turn.locked()
        go_on.set()
        assert far(plan.solve(f), periodic(f)) <= 1e-12 and plan.statistics()["solves"] == 2
    create = psg._plan.lib.psg_plan_create

    def slow_create(*arguments):
        time.sleep(0.5)
        return create(*arguments)

    monkeypatch.setattr(psg._plan.lib, "psg_plan_create", slow_create)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    before = psg._plan.process.plans
    with pytest.raises(KeyboardInterrupt):
        psg.Plan(f.shape)
    assert psg._plan.process.plans == before + 1
    limit = time.monotonic() + 20 * PATIENCE
    while psg._plan.process.plans > before and time.monotonic() < limit:
        time.sleep(0.01)
    assert psg._plan.process.plans == before


def test_library(tmp_path):
    """Where the library is not, the words name the places; a library of another version is refused."""
    done = python("import psg", PSG_LIBRARY="/nonexistent/libpsg.so")
    assert done.returncode == 1 and "ImportError" in done.stderr and "PSG_LIBRARY" in done.stderr, done
    assert "/nonexistent/libpsg.so" in done.stderr, done
    done = python("import psg", PSG_LIBRARY=_ctypes.__file__)
    assert done.returncode == 1 and "has no psg_" in done.stderr, done
