"""Small types shared by all pools: the context of a task, and what stands for a lost worker or pool.

A task is a call `function(shared, context, *arguments)`: `shared` is common to all tasks of a pool, the context lets
the task report updates and see whether it should stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pavane.errors import PavaneError

OnUpdate = Callable[[int, Any], None]
"""Called with the number of a task and an update that the task reports before its result."""


@dataclass(frozen=True)
class WorkerLost:
    """Result of a task whose worker has died: killed, or out of memory."""

    why: str


class PoolLost(PavaneError):
    """All workers of a pool are lost, and no others will join."""


class TaskContext(Protocol):
    """The connection of a running task to the process that submitted it."""

    def is_stopped(self) -> bool:
        """Whether to stop now and return the best result so far."""
        ...

    def report(self, update: Any) -> None:
        """Report an update before the result is available; remote workers drop it."""
        ...


@dataclass(frozen=True)
class LocalContext:
    """The context of a task that runs in the submitting process or in a child of it."""

    is_stopped: Callable[[], bool]
    report: Callable[[Any], None]
