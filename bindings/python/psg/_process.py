"""What the interpreter knows about the library."""

from __future__ import annotations

import os
import threading
from typing import Any

from ._errors import StateError


class Process:
    """What the interpreter knows about the library: how many plans there are, and whether it is a fork of one with plans."""

    def __init__(self) -> None:
        self.plans = 0
        self.lock = threading.Lock()
        self.forked = False
        self.cuda = False  # a plan may have begun with CUDA
        self.left_cuda = False  # and that was in the process of which this one is a fork
        self.collective: list[Any] = []  # handles of plans with processes, in the order in which they were made
        os.register_at_fork(after_in_child=self.after_fork)

    def after_fork(self) -> None:
        self.lock = threading.Lock()
        self.forked = self.forked or self.plans > 0
        self.left_cuda = self.cuda
        self.plans = 0
        self.collective = []

    def count(self, change: int) -> None:
        with self.lock:
            self.plans += change

    def check(self, gpus: bool) -> None:
        """May this process make a plan? @param gpus  one that may use GPUs"""
        if self.left_cuda and gpus:
            raise StateError("this process is a fork of one that may have used CUDA, which a fork cannot use: say gpus=0, or "
                             "let multiprocessing use 'spawn'")
        if self.forked:
            raise StateError("this process is a fork of one that had plans, and StarPU's threads are not here: " + FORKED)


process = Process()
FORKED = ("close the plans before os.fork() (psg.forget() closes those of psg.solve()), or let multiprocessing use 'spawn'")
