"""A crew of processes on this machine, each handed one call at a time.

Processes of our own rather than a pool of the standard library: one that the system kills must cost its own call only,
and all must end with their parent. Ctrl-C and SIGTERM are the parent's to decide about; it can ask the others to stop
with what they have.
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
from pavane.parallel.dispatch import answers_of
from pavane.parallel.pool import ContactHere, Hearing, Lost

T = TypeVar("T")

ENDING = (signal.SIGINT, signal.SIGTERM)
"""What asks a program to end; whether its workers do is the parent's to decide."""


class Processes:
    """As many processes as are needed, up to `size`, from the first call on until the crew is let go.

    One that is lost is not replaced while there are others: where memory is short, fewer get further.
    """

    grace = None

    def __init__(self, size: int, shared: Any) -> None:
        self.size, self.shared = size, shared
        self._stopping = multiprocessing.Event()
        self._workers: dict[Connection, BaseProcess] = {}
        self._number_on: dict[Connection, int] = {}
        self._most = size
        """How many processes there may be now."""

    def answers(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        hear: Hearing | None = None,
    ) -> Iterator[tuple[int, T | Lost]]:
        """Yield the number of each call and its answer, in the order of the calls or as they come."""
        self._stopping.clear()
        return answers_of(self, function, calls, in_order, hear)

    @property
    def are_busy(self) -> bool:
        """Whether calls are being worked on."""
        return bool(self._number_on)

    @property
    def are_free(self) -> bool:
        """Whether a process has nothing to do, or one more may be started."""
        return len(self._number_on) < max(len(self._workers), self._most)

    @property
    def are_stopping(self) -> bool:
        """Whether they have been asked to stop."""
        return self._stopping.is_set()

    def hand(self, number: int, function: Callable[..., Any], call: tuple[Any, ...]) -> None:
        """Give a call to a process that has nothing to do, or to a new one."""
        line = next((line for line in self._workers if line not in self._number_on), None) or self._started()
        self._number_on[line] = number
        # A process that is gone by now shows when its answer is waited for.
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send((function, call))

    def come(self, hear: Hearing | None, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait for news and answers, pass the news on, and yield the answers that have come."""
        for line in wait(list(self._number_on), seconds):
            assert isinstance(line, Connection)
            try:
                kind, content = line.recv()
            except (EOFError, ConnectionResetError):
                kind, content = "answer", self._lost(line)
            if kind == "compiling":
                clock.tell(content)
                continue
            if kind == "news":
                if hear is not None:
                    hear(self._number_on[line], content)
                continue
            number = self._number_on.pop(line)
            if kind == "error":
                raise content
            yield number, content

    def stop(self) -> None:
        """Ask the calls that are being worked on to end with what they have."""
        self._stopping.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def _lost(self, line: Connection) -> Lost:
        process = self._workers.pop(line)
        process.join()
        line.close()
        self._most = max(1, self._most - 1)
        return Lost(f"its process ended with code {process.exitcode}; killed, or out of memory?")

    def _started(self) -> Connection:
        kernel_cache()  # chosen here, so that what one process compiles serves all
        ours, theirs = multiprocessing.Pipe()
        arguments = (theirs, [ours, *self._workers], self._stopping, self.shared)
        process = multiprocessing.Process(target=_work, args=arguments, daemon=True)
        with _undisturbed():  # the process inherits this, and lets them come when it ignores them
            process.start()
        theirs.close()  # so that the end of the process is the end of the line
        self._workers[ours] = process
        return ours

    def drop(self) -> None:
        """Let all processes go; those that work on a call are ended."""
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
def _undisturbed() -> Iterator[None]:
    """Let signals that ask to end wait until the block ends, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(line: Connection, others: list[Connection], stopping: Event, shared: Any) -> None:
    """Answer calls until there is none left, or nobody to report to."""
    for number in ENDING:  # sent to the whole group, by a terminal or by `timeout`, they are for the parent
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    for other in others:  # a fork holds these ends open, too, and nobody would see the parent go
        other.close()
    threading.Thread(target=end_with_the_parent, daemon=True).start()
    guard = threading.Lock()  # whichever thread compiles tells so

    def send(kind: str, content: Any) -> None:
        with guard:
            line.send((kind, content))

    def tell_of_compiling(what: str) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it shows when the answer is sent
            send("compiling", what)

    clock.hear_alone(tell_of_compiling)
    contact = ContactHere(stopping.is_set, lambda news: send("news", news))
    try:
        while (asked := line.recv()) is not None:
            function, call = asked
            try:
                send("answer", function(shared, contact, *call))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                send("error", error)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def end_with_the_parent() -> None:
    """End this process when its parent has ended, however that was: nobody is left to take an answer."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
