"""A pool of remote workers: on other machines, or in processes of an MPI job.

A transport knows the workers and carries bytes. The pool packs tasks, sends what they share once to each worker, and
gives each worker one task at a time, so that the seconds left are right when a task begins and a worker that joins
late receives a task at once.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from pavane.parallel.dispatch import DispatchingPool
from pavane.parallel.remote_worker import Reply, TaskMessage, source_version
from pavane.parallel.tasks import OnUpdate, WorkerLost

GRACE = 5.0
"""The seconds in which results are still accepted after an interrupt."""


class Transport(Protocol):
    """Carries tasks to remote workers and replies back; it serves one pool at a time."""

    @property
    def num_workers(self) -> int:
        """Return the number of workers that may receive tasks now."""
        ...

    def free(self) -> Sequence[str]:
        """Return the idle workers."""
        ...

    def send(self, worker: str, message: TaskMessage) -> None:
        """Send a task to an idle worker."""
        ...

    def replies(self, seconds: float | None) -> Sequence[tuple[str, Reply | WorkerLost]]:
        """Wait for replies, for some seconds at most, and return them with their workers.

        It returns without any as soon as a worker has joined, or after a while. If no worker is left and no other
        will join, it raises `PoolLost`.
        """
        ...

    def refuse(self, worker: str, version: str) -> None:
        """Send no more tasks to a worker whose sources differ."""
        ...

    def stop(self, token: str) -> None:
        """Request all workers to stop the tasks of a token and return their best results so far."""
        ...


class SharedBytes(NamedTuple):
    """The value that all tasks of a pool share, as bytes."""

    digest: str
    content: bytes


def pack(shared: Any) -> SharedBytes:
    """Pack the value that tasks share."""
    content = pickle.dumps(shared)
    return SharedBytes(hashlib.sha256(content).hexdigest(), content)


class RemotePool(DispatchingPool):
    """All remote workers that are available at a time, up to `most`."""

    grace = GRACE
    is_stopping = False

    def __init__(self, transport: Transport, most: int | None, shared: SharedBytes) -> None:
        super().__init__()
        self._transport, self._most, self._shared = transport, most, shared
        self._token = ""

    @property
    def size(self) -> int:
        """Return how many tasks run at a time now."""
        available = max(1, self._transport.num_workers)
        return available if self._most is None else min(available, self._most)

    def restart(self) -> None:
        """Prepare for new tasks; updates of remote tasks are not transmitted."""
        self._token, self.is_stopping = secrets.token_hex(8), False

    @property
    def has_free_worker(self) -> bool:
        """Whether a worker is idle."""
        return (self._most is None or len(self._running) < self._most) and bool(self._transport.free())

    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to an idle worker."""
        self._send(self._transport.free()[0], number, function, task, None)

    def wait(self, seconds: float | None) -> Sequence[tuple[str, Reply | WorkerLost]]:
        """Wait for replies, and return them with their workers."""
        return self._transport.replies(seconds)

    def receive(
        self, events: Iterable[tuple[str, Reply | WorkerLost]], on_update: OnUpdate | None
    ) -> Iterator[tuple[int, Any]]:
        """Yield the results among replies."""
        for worker, reply in events:
            if worker not in self._running:
                continue  # the reply to an abandoned task
            number, function, task = self._running.pop(worker)
            if isinstance(reply, WorkerLost):
                yield number, reply
            elif reply.kind == "missing":
                self._send(worker, number, function, task, self._shared.content)
            elif reply.kind == "differs":
                self._transport.refuse(worker, reply.content.decode())
                yield number, WorkerLost(f"the worker at {worker} has a different version of pavane")
            elif reply.kind == "error":
                raise pickle.loads(reply.content)
            else:
                yield number, pickle.loads(reply.content)

    def stop(self) -> None:
        """Request the running tasks to stop and return their best results so far."""
        self.is_stopping = True
        self._transport.stop(self._token)

    def drop(self) -> None:
        """Stop the running tasks and abandon them; a worker is idle when its task has ended."""
        self.stop()
        self._running.clear()

    def close(self) -> None:
        """Stop the running tasks and abandon them."""
        if self.is_busy:
            self.drop()

    def _send(
        self, worker: str, number: int, function: Callable[..., Any], task: tuple[Any, ...], shared: bytes | None
    ) -> None:
        # Packed now: a budget is sent as the seconds that are left.
        call = pickle.dumps((function, task))
        self._running[worker] = number, function, task
        message = TaskMessage(source_version(), self._token, self._shared.digest, shared, call, self.is_stopping)
        self._transport.send(worker, message)
