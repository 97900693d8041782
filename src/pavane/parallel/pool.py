"""Pools run tasks and yield their results, in this process or elsewhere; searches do not depend on which.

A task whose worker dies runs once more. If that worker dies, too, the result is `WorkerLost`, and the other tasks
continue.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self, TypeVar

from pavane.parallel.tasks import LocalContext, OnUpdate, WorkerLost

T = TypeVar("T")


class Pool(ABC):
    """A set of workers that run tasks; at the end of its `with` block it is closed."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return how many tasks run at a time."""

    @abstractmethod
    def results(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        on_update: OnUpdate | None = None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        """Yield the number of each task and its result, in the order of the tasks or of completion.

        At an interrupt (Ctrl-C) the running tasks are requested to stop; in order, their results are yielded before the
        interrupt is raised again.
        """

    @abstractmethod
    def stop(self) -> None:
        """Request the running tasks to stop and return their best results so far."""

    def close(self) -> None:  # noqa: B027 (a pool without processes has nothing to close)
        """Abandon the running tasks."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class SerialPool(Pool):
    """Runs tasks one after the other in this process; an interrupt is raised as it is."""

    size = 1

    def __init__(self, shared: Any) -> None:
        self.shared = shared
        self.is_stopped = False

    def results(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        on_update: OnUpdate | None = None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        """Yield the results in the order of the tasks; each task runs when its result is requested."""
        for number, task in enumerate(tasks):
            context = LocalContext(lambda: self.is_stopped, _reporter(number, on_update))
            yield number, function(self.shared, context, *task)

    def stop(self) -> None:
        """Request the running task to stop."""
        self.is_stopped = True


def _reporter(number: int, on_update: OnUpdate | None) -> Callable[[Any], None]:
    return (lambda update: None) if on_update is None else (lambda update: on_update(number, update))
