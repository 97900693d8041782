"""Files that hold the best so far while a search goes on: who kills it finds what it had a few seconds before."""

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

    Better: TypeAlias = Callable[[Result], None] | None
    """Whom a search tells of better results; None: nobody."""

FIRST_AFTER = 1.0
"""Seconds before which nothing is written: most searches are over by then, and write their answer."""

BETWEEN = 1.0
"""Seconds between two writings."""

_writing = threading.Lock()
"""Held while a file is written. No process is forked then: its copy of what the writer holds would stay held."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_writing.acquire, after_in_parent=_writing.release, after_in_child=_writing.release)


@contextmanager
def kept(write: Callable[[list[Result]], None] | None) -> Iterator[Better]:
    """Yield whom a search tells of better results; a thread has them written, those that have come since, soon after.

    When the block ends, nothing more is written. What cannot be written is noted once, and the search goes on.
    """
    if write is None:
        yield None
        return
    keeper = _Keeper(write)
    try:
        yield keeper.take
    finally:
        keeper.end()


class _Keeper:
    """Results that wait to be written, and the thread that does so."""

    def __init__(self, write: Callable[[list[Result]], None]) -> None:
        self._write = write
        self._waiting: list[Result] = []
        self._lock = threading.Lock()
        self._came, self._ended = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._is_noted = False

    def take(self, result: Result) -> None:
        """Let a result be written at once, or when the last writing is long enough ago."""
        with self._lock:
            self._waiting.append(result)
        self._came.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Let nothing more be written, and wait for what is being written."""
        self._ended.set()
        self._came.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, WORDS)  # so that they come to who heeds them
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
                note(f"{error}; the search goes on, and the best is written at its end")
                self._is_noted = True
