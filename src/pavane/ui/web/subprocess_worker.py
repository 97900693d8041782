"""A worker process of the server, which gets its tasks through a pipe.

Work that would block the server is done there, with a limit on memory; a process that does not answer is
ended, and another one takes its place.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.processes import exit_with_parent
from pavane.ui.web.limits import ServerLimits


class SubprocessWorker:
    """A process that calls a function with its end of a pipe and the limits of the server."""

    def __init__(self, work: Callable[[Connection, ServerLimits], None], limits: ServerLimits) -> None:
        kernel_cache()  # chosen here, so that what one process compiles serves those after it
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, limits, work), daemon=True)
        with contextlib.suppress(ImportError):  # of systems that have one; starting it would let interrupts come
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()
        with interrupts(signal.SIG_BLOCK):  # the process inherits this, and unblocks them when it can answer
            self._process.start()
        there.close()

    @property
    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process.is_alive()

    def send(self, task: Any) -> None:
        """Send a task."""
        self.pipe.send(task)

    def interrupt(self) -> None:
        """Interrupt it, as Ctrl-C interrupts a command."""
        if self._process.pid is not None and self.is_alive:
            os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kill the process; a reader of the pipe sees that it has ended."""
        self._process.kill()

    def end(self) -> None:
        """End the process and close the pipe."""
        self.kill()
        self._process.join(timeout=5)
        self.pipe.close()


@contextlib.contextmanager
def interrupts(how: int) -> Iterator[None]:
    """Block or unblock interrupts of this thread in a block, if the system supports it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(how, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, limits: ServerLimits, work: Callable[[Connection, ServerLimits], None]) -> None:
    """Work in the process: signals are the server's to heed, memory has a limit, and no server means the end."""
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()  # Ctrl-C in the terminal is for the server, which decides what becomes of its searches
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # so is what a service manager sends to all processes
    threading.Thread(target=exit_with_parent, daemon=True).start()
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    work(pipe, limits)
