"""Dispatch loop of all pools with several workers; each pool brings its own transport of tasks and results."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from pavane.parallel.tasks import OnUpdate, WorkerLost

T = TypeVar("T")

MAX_TRIES = 2
"""How often a task runs before it is given up: a worker may die for a reason that has nothing to do with its task."""


class PoolBackend(Protocol):
    """What the dispatch loop needs of a pool: workers that run one task each."""

    @property
    def grace(self) -> float | None:
        """Return the seconds in which results are still accepted after an interrupt; None: no limit."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether tasks are running."""
        ...

    @property
    def has_free_worker(self) -> bool:
        """Whether one more task can be submitted now."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the workers have been asked to stop."""
        ...

    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to a free worker."""
        ...

    def collect(self, on_update: OnUpdate | None, seconds: float | None) -> Iterable[tuple[int, Any]]:
        """Wait for events, for some seconds at most; return the results that have arrived, possibly none."""
        ...

    def stop(self) -> None:
        """Ask the running tasks to stop and return their best results so far."""
        ...

    def drop(self) -> None:
        """Abandon the running tasks."""
        ...


def dispatch_tasks(
    backend: PoolBackend,
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    in_order: bool,
    on_update: OnUpdate | None,
) -> Iterator[tuple[int, T | WorkerLost]]:
    """Yield the number of each task and its result, in the order of the tasks or of completion."""
    waiting = deque(range(len(tasks)))
    tries = Counter[int]()
    finished: dict[int, T | WorkerLost] = {}
    following = 0

    def collect(seconds: float | None = None) -> None:
        for number, result in backend.collect(on_update, seconds):
            tries[number] += 1
            if isinstance(result, WorkerLost) and tries[number] < MAX_TRIES and not backend.is_stopping:
                waiting.appendleft(number)
            else:
                finished[number] = result

    def submit() -> None:
        while waiting and backend.has_free_worker:
            number = waiting.popleft()
            backend.submit(number, function, tasks[number])

    try:
        while waiting or backend.is_busy:
            submit()
            collect()
            while following in finished or (finished and not in_order):
                number = following if in_order else next(iter(finished))
                following += 1
                submit()
                yield number, finished.pop(number)
    except KeyboardInterrupt:
        backend.stop()
        if in_order:
            until = None if backend.grace is None else time.monotonic() + backend.grace
            while backend.is_busy and (until is None or time.monotonic() < until):
                collect(None if until is None else max(0.0, until - time.monotonic()))
            yield from sorted(finished.items())
        raise
    finally:
        if backend.is_busy:
            backend.drop()
