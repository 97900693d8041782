"""A background pool for short CPU-bound requests: reading files, drawing pictures, judging schedules.

They run in processes beside the server, a few at a time, each with a time limit. A request is refused when too many
wait. Results are cached, as long as there is room.
"""

from __future__ import annotations

import pickle
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from pavane.errors import InputError, PavaneError
from pavane.ui.web.limits import Busy, ServerLimits
from pavane.ui.web.subprocess_worker import SubprocessWorker

LOOK = 0.5
"""Seconds between two looks whether the server is ending."""


class ShortTasks:
    """The processes that run short tasks, and their cached results."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self._free: queue.LifoQueue[SubprocessWorker | None] = queue.LifoQueue()
        for _ in range(limits.short_tasks):
            self._free.put(None)
        self._lock = threading.Lock()
        self._waiting = 0
        self._is_ending = threading.Event()
        self._running: set[SubprocessWorker] = set()
        self._brought: OrderedDict[Hashable, bytes] = OrderedDict()
        self._turns: dict[Hashable, tuple[threading.Lock, int]] = {}

    def do(self, work: Callable[..., Any], *arguments: Any, key: Hashable = None) -> Any:
        """Return what a function of a module returns, called in another process; with a key it is remembered.

        Raises:
            PavaneError: What the function raises, that it takes too long, or (Busy) that too many wait.
        """
        with self._in_turn(key):
            brought = self._remembered(key) or self._fetched((work, arguments))
            if key is not None:
                self._remember(key, brought)
        kind, answer = pickle.loads(brought)
        if kind != "done":
            raise InputError(answer)
        return answer

    @contextmanager
    def _in_turn(self, key: Hashable) -> Iterator[None]:
        """Run equal tasks one after the other: the result of the first serves those that wait for it."""
        if key is None:
            yield
            return
        with self._lock:
            turn, waiting = self._turns.get(key, (threading.Lock(), 0))
            self._turns[key] = turn, waiting + 1
        try:
            with turn:
                yield
        finally:
            with self._lock:
                turn, waiting = self._turns.pop(key)
                if waiting > 1:
                    self._turns[key] = turn, waiting - 1

    def _fetched(self, task: tuple[Callable[..., Any], tuple[Any, ...]]) -> bytes:
        """Return the answer of a process."""
        process = self._next_process()
        try:
            if process is None:
                process = SubprocessWorker(_run_tasks, self.limits)
                self._running.add(process)
                if self._is_ending.is_set():
                    process.kill()
            return self._run(process, task)
        except BaseException:
            if process is not None:
                self._running.discard(process)
                process.end()
                process = None
            raise
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End all processes; requests that wait are answered that the server ends."""
        self._is_ending.set()
        for process in list(self._running):
            process.kill()

    def _next_process(self) -> SubprocessWorker | None:
        """Wait for a turn; return the process that is free, None where one has yet to be started."""
        with self._lock:
            if self._waiting >= self.limits.short_tasks_waiting + self.limits.short_tasks:
                raise Busy("server busy; retry in a minute")
            self._waiting += 1
        last = time.monotonic() + self.limits.short_task_seconds
        try:
            while not self._is_ending.is_set() and time.monotonic() < last:
                try:
                    process = self._free.get(timeout=LOOK)
                except queue.Empty:
                    continue
                if not self._is_ending.is_set():
                    return process
                self._free.put(process)
        finally:
            with self._lock:
                self._waiting -= 1
        raise Busy("the server is ending" if self._is_ending.is_set() else "server busy; retry in a minute")

    def _run(self, process: SubprocessWorker, task: tuple[Callable[..., Any], tuple[Any, ...]]) -> bytes:
        """Return what a process answers; one that does not answer in time is ended."""
        try:
            process.send(task)
            if process.pipe.poll(self.limits.short_task_seconds):
                return process.pipe.recv_bytes()
        except (EOFError, OSError):
            raise Busy(
                "the server is ending"
                if self._is_ending.is_set()
                else "it ended unexpectedly, perhaps out of memory; the command line has no such limit"
            ) from None
        raise TaskTimeout(
            f"it takes more than {self.limits.short_task_seconds:g} s; the command line has no such limit"
        )

    def _remembered(self, key: Hashable) -> bytes | None:
        with self._lock:
            if key is None or key not in self._brought:
                return None
            self._brought.move_to_end(key)
            return self._brought[key]

    def _remember(self, key: Hashable, brought: bytes) -> None:
        with self._lock:
            self._brought[key] = brought
            while sum(map(len, self._brought.values())) > self.limits.cached:
                self._brought.popitem(last=False)


class TaskTimeout(PavaneError):
    """A task takes too long."""


def _run_tasks(pipe: Connection, _: ServerLimits) -> None:
    """Run every task that comes through the pipe; an error is sent as its result."""
    while True:
        try:
            work, arguments = pipe.recv()
        except EOFError:
            return
        try:
            answer = "done", work(*arguments)
        except PavaneError as error:
            answer = "refused", str(error)
        except MemoryError:
            answer = "refused", "it needs more memory than the server gives; the command line has no such limit"
        pipe.send_bytes(pickle.dumps(answer))
