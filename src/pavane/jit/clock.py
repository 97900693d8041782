"""The clock of time limits, which is paused while kernels are compiled.

Compiling happens once, and the result of a search of ten seconds must not depend on whether it happened before. The
clock belongs to the process: whichever of its threads compiles, all wait for the compiler.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Listener = Callable[[str], None]
"""Called with the name of what is compiled, or waited for; with an empty text when that is over."""

_guard = threading.Lock()
_paused_for: list[str] = []
"""What the clock is paused for now."""
_paused_at = 0.0
_seconds_before = 0.0
_listeners: list[Listener] = []


def now() -> float:
    """Return the time in seconds: `time.monotonic()`, less the seconds in which kernels were compiled."""
    with _guard:
        return (_paused_at if _paused_for else time.monotonic()) - _seconds_before


@contextmanager
def paused(reason: str) -> Iterator[None]:
    """Pause the clock until the block ends, and report the reason to the listeners."""
    pause(reason)
    try:
        yield
    finally:
        resume(reason)


def pause(reason: str) -> None:
    """Pause the clock; it resumes when every pause has ended."""
    global _paused_at
    with _guard:
        if not _paused_for:
            _paused_at = time.monotonic()
        _paused_for.append(reason)
    report(reason)


def resume(reason: str) -> None:
    """End a pause."""
    global _seconds_before
    with _guard:
        _paused_for.remove(reason)
        if not _paused_for:
            _seconds_before += time.monotonic() - _paused_at
        other = _paused_for[-1] if _paused_for else ""
    report(other)


def report_only_to(listener: Listener) -> None:
    """Report to one listener only from now on: a worker process has inherited the listeners of its parent."""
    _listeners[:] = [listener]


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Report to a listener why the clock is paused, until the block ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        with suppress(ValueError):
            _listeners.remove(listener)


def report(reason: str) -> None:
    """Report to the listeners of this process what is compiled, here or by one of its workers."""
    for listener in _listeners:
        listener(reason)
