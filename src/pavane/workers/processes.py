"""A crew of processes on this machine, each handed one call at a time.

Processes of our own rather than a pool of the standard library: one that the system kills must cost its own call only,
and all must end with their parent. Ctrl-C is the parent's to decide about; it can ask the others to stop with what they
have.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from types import TracebackType
from typing import Any, Self, TypeVar

from pavane.kernels.private_folder import cache_folder
from pavane.workers.crew import ContactHere, Hearing, Lost

T = TypeVar("T")

MOST_TRIES = 2
"""How often a call is made before it is given up: a process may be lost through no fault of its call."""


class Processes:
    """As many processes as are needed, up to `size`, from the first call on until the crew is let go.

    One that is lost is not replaced while there are others: where memory is short, fewer get further.
    """

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
        waiting = deque(range(len(calls)))
        tries = Counter[int]()
        answered: dict[int, T | Lost] = {}
        following = 0
        self._stopping.clear()

        def take_in() -> None:
            for number, answer in self._come(hear):
                tries[number] += 1
                if isinstance(answer, Lost) and tries[number] < MOST_TRIES and not self._stopping.is_set():
                    waiting.appendleft(number)
                else:
                    answered[number] = answer

        def hand_out() -> None:
            for line in [line for line in self._workers if line not in self._number_on][: len(waiting)]:
                self._hand(line, waiting.popleft(), function, calls)
            while waiting and len(self._workers) < self._most:
                self._hand(self._started(), waiting.popleft(), function, calls)

        try:
            while waiting or self._number_on:
                hand_out()
                take_in()
                while following in answered or (answered and not in_order):
                    number = following if in_order else next(iter(answered))
                    following += 1
                    hand_out()
                    yield number, answered.pop(number)
        except KeyboardInterrupt:
            self.stop()
            if in_order:
                while self._number_on:
                    take_in()
                yield from sorted(answered.items())
            raise
        finally:
            if self._number_on:
                # Nobody waits for these any more.
                self._dismiss_all()

    def stop(self) -> None:
        """Ask the calls that are being worked on to end with what they have."""
        self._stopping.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._dismiss_all()

    def _hand(
        self, line: Connection, number: int, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]
    ) -> None:
        self._number_on[line] = number
        # A process that is gone by now shows when its answer is waited for.
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send((function, calls[number]))

    def _come(self, hear: Hearing | None) -> Iterator[tuple[int, Any]]:
        """Wait for news and answers, pass the news on, and yield the answers that have come."""
        for line in wait(list(self._number_on)):
            assert isinstance(line, Connection)
            try:
                kind, content = line.recv()
            except (EOFError, ConnectionResetError):
                kind, content = "answer", self._lost(line)
            if kind == "news":
                if hear is not None:
                    hear(self._number_on[line], content)
                continue
            number = self._number_on.pop(line)
            if kind == "error":
                raise content
            yield number, content

    def _lost(self, line: Connection) -> Lost:
        process = self._workers.pop(line)
        process.join()
        line.close()
        self._most = max(1, self._most - 1)
        return Lost(f"its process ended with code {process.exitcode}; killed, or out of memory?")

    def _started(self) -> Connection:
        cache_folder()  # chosen here, so that what one process compiles serves all
        ours, theirs = multiprocessing.Pipe()
        arguments = (theirs, [ours, *self._workers], self._stopping, self.shared)
        process = multiprocessing.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()  # so that the end of the process is the end of the line
        self._workers[ours] = process
        return ours

    def _dismiss_all(self) -> None:
        for line, process in self._workers.items():
            if line in self._number_on:
                process.terminate()
            else:
                with suppress(BrokenPipeError, ConnectionResetError):
                    line.send(None)
        for line, process in self._workers.items():
            process.join()
            line.close()
        self._workers.clear()
        self._number_on.clear()


def _work(line: Connection, others: list[Connection], stopping: Event, shared: Any) -> None:
    """Answer calls until there is none left, or nobody to report to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:  # a fork holds these ends open, too, and nobody would see the parent go
        other.close()
    threading.Thread(target=end_with_the_parent, daemon=True).start()
    contact = ContactHere(stopping.is_set, lambda news: line.send(("news", news)))
    try:
        while (asked := line.recv()) is not None:
            function, call = asked
            try:
                line.send(("answer", function(shared, contact, *call)))
            except (BrokenPipeError, ConnectionResetError):
                return
            except Exception as error:
                line.send(("error", error))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def end_with_the_parent() -> None:
    """End this process when its parent has ended, however that was: nobody is left to take an answer."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
