"""Processes for searches: Ctrl-C is the parent's to decide about, and it can ask them to stop with what they have."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor
from contextlib import suppress
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue
from typing import Any, TypeVar

from pavane.workers import budget

T = TypeVar("T")


class Processes(ProcessPoolExecutor):
    """A pool in which every budget is over once the parent says so."""

    def __init__(self, workers: int) -> None:
        self.is_stopped = RawValue(c_bool, False)
        super().__init__(workers, initializer=_begin, initargs=(self.is_stopped,))

    def answers(self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        """Yield the number of each call and its answer, in their order, and end the processes.

        At an interrupt those that run are asked to stop, and answer with the best so far, before it goes on.
        """
        answered = 0
        try:
            tasks = [self.submit(function, *call) for call in calls]
            try:
                for task in tasks:
                    found = task.result()
                    answered += 1
                    yield answered - 1, found
            except KeyboardInterrupt:
                self._stop()
                for number, task in enumerate(tasks[answered:], answered):
                    with suppress(CancelledError):
                        yield number, task.result()
                raise
        finally:
            self._stop()
            self.shutdown()

    def _stop(self) -> None:
        """Let searches that run end with the best so far, and drop those that wait."""
        self.is_stopped.value = True
        self.shutdown(wait=False, cancel_futures=True)


def _begin(is_stopped: c_bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    budget.stop_when(lambda: is_stopped.value)
