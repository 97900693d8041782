"""Dispatch loop of all pools with several workers: assigns tasks, and retries the task of a lost worker.

Each pool brings its own transport of tasks and results.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from pavane.jit.interrupts import held_interrupts
from pavane.parallel.pool import Pool
from pavane.parallel.tasks import OnUpdate, WorkerLost

T = TypeVar("T")

MAX_TRIES = 2
"""How often a task runs before it is given up: a worker may die for a reason that has nothing to do with its task."""


class DispatchingPool(Pool):
    """A pool whose workers run one task each."""

    grace: float | None = None
    """The seconds in which results are still accepted after an interrupt; None: no limit."""

    def __init__(self) -> None:
        self._running: dict[Any, Any] = {}
        """The task of each busy worker."""

    @property
    def is_busy(self) -> bool:
        """Whether tasks are running."""
        return bool(self._running)

    @property
    @abstractmethod
    def has_free_worker(self) -> bool:
        """Whether one more task can be submitted now."""

    @property
    @abstractmethod
    def is_stopping(self) -> bool:
        """Whether the workers have been requested to stop."""

    @abstractmethod
    def restart(self) -> None:
        """Prepare for new tasks after the workers may have been requested to stop."""

    @abstractmethod
    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to a free worker."""

    @abstractmethod
    def wait(self, seconds: float | None) -> Iterable[Any]:
        """Wait for events, for some seconds at most, and return them, possibly none."""

    @abstractmethod
    def receive(self, events: Iterable[Any], on_update: OnUpdate | None) -> Iterable[tuple[int, Any]]:
        """Pass on the updates among the events, and yield the results with the numbers of their tasks."""

    @abstractmethod
    def drop(self) -> None:
        """Abandon the running tasks."""

    def results(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        on_update: OnUpdate | None = None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        """Yield the number of each task and its result, in the order of the tasks or of completion."""
        self.restart()
        return self._dispatch(function, tasks, in_order, on_update)

    def _dispatch(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        in_order: bool,
        on_update: OnUpdate | None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        waiting = deque(range(len(tasks)))
        tries = Counter[int]()
        finished: dict[int, T | WorkerLost] = {}
        following = 0

        # A task that was recorded and not sent, or received and not recorded, would be awaited for ever: interrupts
        # are raised before or after, and while the pool waits.
        def collect(seconds: float | None = None) -> None:
            events = self.wait(seconds)
            with held_interrupts():
                for number, result in self.receive(events, on_update):
                    tries[number] += 1
                    if isinstance(result, WorkerLost) and tries[number] < MAX_TRIES and not self.is_stopping:
                        waiting.appendleft(number)
                    else:
                        finished[number] = result

        def submit() -> None:
            with held_interrupts():
                while waiting and self.has_free_worker:
                    number = waiting.popleft()
                    self.submit(number, function, tasks[number])

        try:
            while waiting or self.is_busy:
                submit()
                collect()
                while following in finished or (finished and not in_order):
                    number = following if in_order else next(iter(finished))
                    following += 1
                    submit()
                    yield number, finished.pop(number)
        except KeyboardInterrupt:
            self.stop()
            if in_order:
                until = None if self.grace is None else time.monotonic() + self.grace
                while self.is_busy and (until is None or time.monotonic() < until):
                    collect(None if until is None else max(0.0, until - time.monotonic()))
                yield from sorted(finished.items())
            raise
        finally:
            if self.is_busy:
                self.drop()
