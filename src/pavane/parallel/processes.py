"""A pool of processes on this machine that run one task at a time.

The pools of the standard library do not fit: if the system kills a worker, only its own task may be lost, and all
workers must end with their parent. The parent alone handles Ctrl-C and SIGTERM; it can request the workers to stop and
return their best results so far.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from pavane.jit import clock
from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.dispatch import DispatchingPool
from pavane.parallel.tasks import LocalContext, OnUpdate, WorkerLost

END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that request a program to end; workers ignore them, because the parent handles them."""


class ProcessPool(DispatchingPool):
    """As many processes as are needed, up to `size`, from the first task until the pool is closed.

    A lost process is not replaced while others are left: if memory is short, fewer processes get further.
    """

    size = 1

    def __init__(self, size: int, shared: Any) -> None:
        super().__init__()
        self.size, self.shared = size, shared
        # Without a lock, which a process that is killed would hold for ever.
        self._stopping = multiprocessing.RawValue("b", 0)
        self._workers: dict[Connection, BaseProcess] = {}
        self._most = size
        """The maximum number of processes now."""

    def restart(self) -> None:
        """Prepare for new tasks after the processes may have been requested to stop."""
        self._stopping.value = 0

    @property
    def has_free_worker(self) -> bool:
        """Whether a process is idle, or one more may be started."""
        return len(self._running) < max(len(self._workers), self._most)

    @property
    def is_stopping(self) -> bool:
        """Whether the processes have been requested to stop."""
        return bool(self._stopping.value)

    def submit(self, number: int, function: Callable[..., Any], task: tuple[Any, ...]) -> None:
        """Send a task to an idle process, or to a new one."""
        line = next((line for line in self._workers if line not in self._running), None) or self._start()
        self._running[line] = number
        # A process that has died is noticed when its result is awaited.
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send((function, task))

    def wait(self, seconds: float | None) -> list[Any]:
        """Wait for updates and results, and return the connections on which some have arrived."""
        return wait(list(self._running), seconds)

    def receive(self, events: Iterable[Connection], on_update: OnUpdate | None) -> Iterator[tuple[int, Any]]:
        """Receive from connections, pass the updates on, and yield the results."""
        for line in events:
            try:
                kind, content = line.recv()
            except (EOFError, ConnectionResetError):
                kind, content = "result", self._lost(line)
            if kind == "compiling":
                clock.report(content)
                continue
            if kind == "update":
                if on_update is not None:
                    on_update(self._running[line], content)
                continue
            number = self._running.pop(line)
            if kind == "error":
                raise content
            yield number, content

    def stop(self) -> None:
        """Request the running tasks to stop and return their best results so far."""
        self._stopping.value = 1

    def close(self) -> None:
        """End all processes."""
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
            if line in self._running:
                process.kill()
            else:
                with suppress(BrokenPipeError, ConnectionResetError):
                    line.send(None)
        for line, process in self._workers.items():
            process.join()
            line.close()
        self._workers.clear()
        self._running.clear()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Delay the signals that request an end until the block ends, if the system supports that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(line: Connection, others: list[Connection], stopping: Any, shared: Any) -> None:
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

    clock.report_only_to(report_compiling)
    context = LocalContext(lambda: bool(stopping.value), lambda update: send("update", update))
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
