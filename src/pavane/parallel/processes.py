"""A pool of processes on this machine that run one task at a time.

The pools of the standard library do not fit: if the system kills a worker, only its own task may be lost, and all
workers must end with their parent. The parent alone handles Ctrl-C and SIGTERM; it can ask the workers to stop and
return their best results so far.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from types import TracebackType
from typing import Any, Self, TypeVar

from pavane.jit import clock
from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.dispatch import dispatch_tasks
from pavane.parallel.tasks import LocalContext, OnUpdate, WorkerLost

T = TypeVar("T")

END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a program to end; workers ignore them, because the parent handles them."""


class ProcessPool:
    """As many processes as are needed, up to `size`, from the first task until the pool is closed.

    A lost process is not replaced while others are left: if memory is short, fewer processes get further.
    """

    grace = None

    def __init__(self, size: int, shared: Any) -> None:
        self.size, self.shared = size, shared
        self._stopping = multiprocessing.Event()
        self._workers: dict[Connection, BaseProcess] = {}
        self._number_on: dict[Connection, int] = {}
        self._most = size
        """The maximum number of processes now."""

    def results(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        on_update: OnUpdate | None = None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        """Yield the number of each task and its result, in the order of the tasks or of completion."""
        self._stopping.clear()
        return dispatch_tasks(self, function, tasks, in_order, on_update)

    @property
    def is_busy(self) -> bool:
        """Whether tasks are running."""
        return bool(self._number_on)

    @property
    def has_free_worker(self) -> bool:
        """Whether a process is idle, or one more may be started."""
        return len(self._number_on) < max(len(self._workers), self._most)

    @property
    def is_stopping(self) -> bool:
        """Whether the processes have been asked to stop."""
        return self._stopping.is_set()

    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to an idle process, or to a new one."""
        line = next((line for line in self._workers if line not in self._number_on), None) or self._start()
        self._number_on[line] = number
        # A process that has died is noticed when its result is awaited.
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send((function, task))

    def collect(self, on_update: OnUpdate | None, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait for updates and results, pass the updates on, and yield the results that have arrived."""
        for line in wait(list(self._number_on), seconds):
            assert isinstance(line, Connection)
            try:
                kind, content = line.recv()
            except (EOFError, ConnectionResetError):
                kind, content = "result", self._lost(line)
            if kind == "compiling":
                clock.tell(content)
                continue
            if kind == "update":
                if on_update is not None:
                    on_update(self._number_on[line], content)
                continue
            number = self._number_on.pop(line)
            if kind == "error":
                raise content
            yield number, content

    def stop(self) -> None:
        """Ask the running tasks to stop and return their best results so far."""
        self._stopping.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def _lost(self, line: Connection) -> WorkerLost:
        process = self._workers.pop(line)
        process.join()
        line.close()
        self._most = max(1, self._most - 1)
        return WorkerLost(f"its process ended with code {process.exitcode}; killed, or out of memory?")

    def _start(self) -> Connection:
        kernel_cache()  # chosen here, so that all processes share what one compiles
        ours, theirs = multiprocessing.Pipe()
        arguments = (theirs, [ours, *self._workers], self._stopping, self.shared)
        process = multiprocessing.Process(target=_work, args=arguments, daemon=True)
        with _signals_blocked():  # the process inherits this, and unblocks them once it ignores them
            process.start()
        theirs.close()  # so that the connection closes when the process ends
        self._workers[ours] = process
        return ours

    def drop(self) -> None:
        """End all processes; those that run a task are killed."""
        for line, process in self._workers.items():
            if line in self._number_on:
                process.kill()
            else:
                with suppress(BrokenPipeError, ConnectionResetError):
                    line.send(None)
        for line, process in self._workers.items():
            process.join()
            line.close()
        self._workers.clear()
        self._number_on.clear()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Delay the signals that ask to end until the block ends, if the system supports that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(line: Connection, others: list[Connection], stopping: Event, shared: Any) -> None:
    """Run tasks until there are no more, or the parent has ended."""
    for number in END_SIGNALS:  # a terminal or `timeout` sends them to the whole group; the parent handles them
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, END_SIGNALS)
    for other in others:  # a fork inherits these ends; left open, they would hide the end of the parent
        other.close()
    threading.Thread(target=exit_with_parent, daemon=True).start()
    guard = threading.Lock()  # any thread may report that it compiles

    def send(kind: str, content: Any) -> None:
        with guard:
            line.send((kind, content))

    def report_compiling(kernel: str) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # noticed when the result is sent
            send("compiling", kernel)

    clock.hear_alone(report_compiling)
    context = LocalContext(stopping.is_set, lambda update: send("update", update))
    try:
        while (request := line.recv()) is not None:
            function, task = request
            try:
                send("result", function(shared, context, *task))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                send("error", error)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def exit_with_parent() -> None:
    """End this process when its parent has ended for any reason: its result is not needed any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
