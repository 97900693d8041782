"""A pool of the workers of any `concurrent.futures.Executor`, for example those of dask and of mpi4py.

Tasks and what they share travel as bytes, with the version of the sources of the sender, so that nothing is unpickled
by other sources. A worker unpickles a shared value once.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pavane.errors import InputError
from pavane.parallel.dispatch import DispatchingPool
from pavane.parallel.tasks import LocalContext, OnUpdate, PoolLost, WorkerLost
from pavane.text import VERSION

LOOK_SECONDS = 0.5
"""The interval between two counts of the workers."""

WAIT_SECONDS = 60.0
"""How long a pool without workers is waited for before it is given up."""


@dataclass(frozen=True)
class RemoteWorkers:
    """An executor, and what a pool needs to know about its workers."""

    executor: Executor
    name: str
    """Names the executor in errors."""
    count: Callable[[], int]
    """Returns how many tasks can run at a time now; raises an error if the executor is lost."""
    stop: Callable[[str], None] = lambda _: None
    """Calls `stop_tasks` on all workers; without it tasks run until their limits."""


class ExecutorPool(DispatchingPool):
    """All workers of an executor, up to `most`; a task is sent when a worker is free, with the seconds left then."""

    grace = 5.0
    is_stopping = False

    def __init__(self, remote: RemoteWorkers, most: int | None, shared: Any) -> None:
        super().__init__()
        self._remote, self._most, self._shared = remote, most, pickle.dumps(shared)
        self._token = ""
        self._count = 0
        self._next_look = self._last_seen = time.monotonic()

    @property
    def size(self) -> int:
        """Return how many tasks run at a time now."""
        if time.monotonic() >= self._next_look:
            self._look()
        return self._count if self._most is None else min(self._count, self._most)

    def restart(self) -> None:
        """Prepare for new tasks; their updates are not transmitted."""
        self._token, self.is_stopping = secrets.token_hex(8), False

    @property
    def has_free_worker(self) -> bool:
        """Whether a worker is idle."""
        return len(self._running) < self.size

    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to a free worker."""
        call = pickle.dumps((function, task))
        try:
            future = self._remote.executor.submit(run_task, source_version(), self._token, self._shared, call)
        except Exception as error:
            raise self._lost() from error
        self._running[future] = number

    def wait(self, seconds: float | None) -> Iterable[Future[bytes]]:
        """Wait for results, for half a second at most, and return the futures that have one."""
        limit = LOOK_SECONDS if seconds is None else min(seconds, LOOK_SECONDS)
        if not self._running:
            time.sleep(limit)
            return []
        done = wait(self._running, limit, FIRST_COMPLETED).done
        if not done:
            self._look()
        return done

    def receive(self, events: Iterable[Future[bytes]], on_update: OnUpdate | None) -> Iterator[tuple[int, Any]]:
        """Yield the results; a future that fails otherwise than by its task has lost its worker."""
        for future in events:
            number = self._running.pop(future)
            try:
                kind, content = pickle.loads(future.result())
            except (CancelledError, BrokenExecutor) as error:
                raise self._lost() from error
            except Exception as error:
                why = " ".join(f"{type(error).__name__}: {error}".split()).partition(". ")[0]
                kind, content = "result", WorkerLost(f"a worker of {self._remote.name} is lost: {why}")
            if kind == "differs":
                raise InputError(
                    f"a worker of {self._remote.name} has pavane {content}, and this is pavane {source_version()}; "
                    "install the same version everywhere"
                )
            if kind == "error":
                raise content
            yield number, content

    def stop(self) -> None:
        """Request the running tasks to stop and return their best results so far."""
        self.is_stopping = True
        self._remote.stop(self._token)

    def drop(self) -> None:
        """Stop the running tasks and abandon them."""
        self.stop()
        for future in self._running:
            future.cancel()
        self._running.clear()

    def close(self) -> None:
        """Stop the running tasks and abandon them."""
        if self.is_busy:
            self.drop()

    def _look(self) -> None:
        """Count the workers; raise PoolLost if the executor is lost, or has had no worker for long."""
        try:
            self._count = self._remote.count()
        except Exception as error:
            raise self._lost() from error
        now = time.monotonic()
        self._next_look = now + LOOK_SECONDS
        if self._count:
            self._last_seen = now
        elif now - self._last_seen > WAIT_SECONDS:
            raise PoolLost(f"{self._remote.name} has no workers any more; {_AGAIN}")

    def _lost(self) -> PoolLost:
        return PoolLost(f"{self._remote.name} is lost; {_AGAIN}")


_AGAIN = (
    "start it and its workers, and run the same command again (with a file of runs, finished runs are not repeated)"
)


# -- in a worker

_stopped: deque[str] = deque(maxlen=1_000)
"""The tokens of pools whose tasks should stop."""

polls: list[Callable[[], None]] = []
"""Called before a task checks whether to stop, in workers that receive such requests only when they look."""


def stop_tasks(token: str) -> None:
    """Request the tasks of a pool in this process to stop and return their best results so far."""
    _stopped.append(token)


def run_task(sources: str, token: str, shared: bytes, call: bytes) -> bytes:
    """Run a task; return `result` or `error` with its value, or `differs` with the version here, pickled."""
    if sources != source_version():
        return pickle.dumps(("differs", source_version()))

    def is_stopped() -> bool:
        for poll in polls:
            poll()
        return token in _stopped

    try:
        function, task = pickle.loads(call)
        result = function(_unpickled(shared), LocalContext(is_stopped, lambda update: None), *task)
        return pickle.dumps(("result", result))
    except Exception as error:
        return pickle.dumps(("error", error))


@cache
def source_version() -> str:
    """Return version and digest of pavane's sources here: equal sources give equal results."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{VERSION} ({digest.hexdigest()[:12]})"


@lru_cache(maxsize=4)
def _unpickled(content: bytes) -> Any:
    return pickle.loads(content)
