"""Processes for searches: Ctrl-C is the parent's to decide about, and it can ask them to stop with what they have."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue

from pavane.solvers import budget


class Processes(ProcessPoolExecutor):
    """A pool in which every budget is over once the parent says so."""

    def __init__(self, workers: int) -> None:
        self.is_stopped = RawValue(c_bool, False)
        super().__init__(workers, initializer=_begin, initargs=(self.is_stopped,))

    def stop(self) -> None:
        """Let searches that run end with the best so far, and drop those that wait."""
        self.is_stopped.value = True
        self.shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        """Stop, and wait until all have."""
        self.stop()
        self.shutdown()


def _begin(is_stopped: c_bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    budget.stop_when(lambda: is_stopped.value)
