"""A psg_plan of the library: who uses it, which arrays it has, and who frees it."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
from collections import deque
from typing import Any, Callable, TypeVar, cast

from ._errors import ArgumentError, StateError
from ._library import Array, SolveArgs, check, lib, refuse
from ._options import Chosen
from ._process import FORKED, process

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Handle:
    """A psg_plan of the library, and whose turn it is to use it. It outlives its Plan where other
    processes have to close it, too."""

    def __init__(self) -> None:
        self.plan = ctypes.c_void_p()
        self.flights: deque[tuple[Any, Any]] = deque()  # u, and what holds the memory, of each solve that is not waited for
        self.calls = 0  # that were handed to the library
        self.pid = os.getpid()
        self.turn = threading.Lock()
        self.collective = False

    def create(self, grid: Any, chosen: Chosen) -> None:
        process.count(1)
        try:
            check(lib.psg_plan_create(ctypes.byref(self.plan), ctypes.byref(grid), ctypes.byref(chosen.options)))
        except BaseException:
            process.count(-1)
            raise
        self.collective = chosen.options.comm is not None
        if self.collective:
            process.collective.append(self)

    def destroy(self) -> None:
        """When the call that uses the plan has ended. In a fork nothing: the plan is the
        parent's."""
        if self.pid != os.getpid():
            return
        with self.turn:
            if self.plan:
                lib.psg_plan_destroy(self.plan)
                self.plan = ctypes.c_void_p()
                self.flights.clear()
                process.count(-1)
                if self.collective:
                    process.collective.remove(self)

    def check(self) -> None:
        if self.pid != os.getpid():
            raise StateError("the plan is of process %d, of which this process is a fork: %s" % (self.pid, FORKED))
        if not self.plan:
            raise StateError("the plan is closed")

    def use(self, call: Callable[[], T], long: bool) -> T:
        """One call at a time. A long call of the main thread runs in a thread of its own, because
        Python takes signals between two steps of the main thread: Ctrl-C leaves the call to itself,
        and the next use of the plan waits for its end."""
        if self.pid != os.getpid():
            self.check()  # nobody will give the turn back here
        if not long or threading.current_thread() is not threading.main_thread():
            with self.turn:
                self.calls += 1
                return call()
        return apart(self, call)

    def refuse(self, error: BaseException) -> None:
        """Of several processes: the others wait for this one in the call that it does not make."""
        if self.collective and self.plan and self.pid == os.getpid():
            self.use(lambda: refuse(self.plan, None, error), True)

    def submit(self, function: Any, f: Array, u: Array, args: SolveArgs, flight: tuple[Any, Any]) -> None:
        """The memory is held from before the solve: Ctrl-C may come between any two steps."""
        self.flights.append(flight)
        try:
            check(function(self.plan, 1, f, u, args))
        except BaseException:
            if lib.psg_plan_in_flight(self.plan) < len(self.flights):
                self.flights.pop()
            raise

    def wait(self) -> Any:
        """@return u of the oldest solve in flight"""
        self.drop_ended()
        out = self.flights[0][0] if self.flights else None
        try:
            check(lib.psg_wait(self.plan))
        finally:
            self.drop_ended()
        return out

    def drop_ended(self) -> None:
        while len(self.flights) > lib.psg_plan_in_flight(self.plan):
            self.flights.popleft()


def refuse_plan(comm: Any, error: BaseException) -> None:
    """As Handle.refuse(), of a plan that is not made."""
    try:
        options = Chosen({}, None, comm).options
    except ArgumentError:  # comm is no communicator: nobody waits
        return
    Handle().use(lambda: refuse(None, ctypes.byref(options), error), True)


def collective(method: F) -> F:
    """What a process refuses, or is interrupted in, before the library has the call, it refuses for
    all."""

    @functools.wraps(method)
    def refusing(self: Any, *given: Any, **named: Any) -> Any:
        handle = self._handle
        calls = handle.calls
        try:
            return method(self, *given, **named)
        except BaseException as error:
            if handle.calls == calls:
                handle.refuse(error)
            raise

    return cast(F, refusing)


def apart(handle: Handle, call: Callable[[], T]) -> T:
    """The thread takes the turn and gives it back: whoever waits here may be interrupted at each
    step, also in start()."""
    outcome: list[Any] = []
    done = threading.Lock()
    done.acquire()

    def run() -> None:
        try:
            with handle.turn:
                outcome.append((True, call()))
        except BaseException as error:
            outcome.append((False, error))
        finally:
            done.release()

    thread = threading.Thread(target=run, name="psg", daemon=True)
    handle.calls += 1
    try:
        thread.start()
    except RuntimeError:  # there is no thread, and the library does not get the call
        handle.calls -= 1
        raise
    done.acquire()
    well, result = outcome[0]
    if not well:
        raise result
    return result  # type: ignore[no-any-return]


@atexit.register
def close_collective() -> None:
    """All processes close the plans that are left in the same order, before mpi4py ends MPI."""
    for handle in list(process.collective):
        handle.destroy()
