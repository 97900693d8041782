"""Writes the incumbent to disk during a search, so that a killed run leaves its best schedule."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pavane.errors import PavaneError
from pavane.ui.cli.notes import note
from pavane.ui.cli.signals import WORDS

if TYPE_CHECKING:
    from typing import TypeAlias

    from pavane.judge.result import Result

    OnImprovement: TypeAlias = Callable[[Result], None] | None
    """Called with each new incumbent."""

FIRST_AFTER = 1.0
"""Seconds before the first incumbent is written: most searches end earlier and write their result."""

BETWEEN = 1.0
"""Seconds between two writes."""

_writing = threading.Lock()
"""Held while a file is written. No process is forked then: in its copy the lock would stay held."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_writing.acquire, after_in_parent=_writing.release, after_in_child=_writing.release)


@contextmanager
def write_incumbents(write: Callable[[list[Result]], None] | None) -> Iterator[OnImprovement]:
    """Yield the callback for new incumbents; a thread passes them to `write` soon after, several at once.

    When the block ends, nothing more is written. If writing fails, this is noted once, and the search continues.
    """
    if write is None:
        yield None
        return
    writer = _Writer(write)
    try:
        yield writer.take
    finally:
        writer.end()


class _Writer:
    """A queue of results, and the thread that writes them."""

    def __init__(self, write: Callable[[list[Result]], None]) -> None:
        self._write = write
        self._waiting: list[Result] = []
        self._lock = threading.Lock()
        self._came, self._ended = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._is_noted = False

    def take(self, result: Result) -> None:
        """Queue a result; it is written now, or when the last write is long enough ago."""
        with self._lock:
            self._waiting.append(result)
        self._came.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Write nothing more, and wait for a write that is under way."""
        self._ended.set()
        self._came.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, WORDS)  # the main thread handles them
        pause = FIRST_AFTER
        while not self._ended.wait(pause):
            self._came.wait()
            self._came.clear()
            with _writing:
                self._write_waiting()
            pause = BETWEEN

    def _write_waiting(self) -> None:
        with self._lock:
            results, self._waiting = self._waiting, []
        if not results or self._ended.is_set():
            return
        try:
            self._write(results)
        except (PavaneError, OSError) as error:
            if not self._is_noted:
                note(f"{error}; the search continues, and the best schedule is written at its end")
                self._is_noted = True
