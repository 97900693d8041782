"""The clock by which limits of time are kept: it stands still while kernels are compiled.

Compiling happens once, and what a search finds in ten seconds is not to depend on whether that was before. The clock
belongs to the process: whichever of its threads compiles, all wait for the compiler.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Listener = Callable[[str], None]
"""Hears what is being compiled, or waited for; an empty text when that is over."""

_guard = threading.Lock()
_stopped_for: list[str] = []
"""What the clock stands still for now."""
_stopped_at = 0.0
_seconds_before = 0.0
_listeners: list[Listener] = []


def now() -> float:
    """Return a moment in seconds: `time.monotonic()`, less the seconds in which kernels were compiled."""
    with _guard:
        return (_stopped_at if _stopped_for else time.monotonic()) - _seconds_before


def seconds_stopped() -> float:
    """Return the seconds for which the clock has stood still in this process."""
    with _guard:
        return _seconds_before + (time.monotonic() - _stopped_at if _stopped_for else 0.0)


@contextmanager
def stopped(what: str) -> Iterator[None]:
    """Stop the clock until the block ends, and tell those who listen what for."""
    stop(what)
    try:
        yield
    finally:
        go_on(what)


def stop(what: str) -> None:
    """Stop the clock; it goes on when all who have stopped it let it."""
    global _stopped_at
    with _guard:
        if not _stopped_for:
            _stopped_at = time.monotonic()
        _stopped_for.append(what)
    tell(what)


def go_on(what: str) -> None:
    """Let the clock go on after a stop."""
    global _seconds_before
    with _guard:
        _stopped_for.remove(what)
        if not _stopped_for:
            _seconds_before += time.monotonic() - _stopped_at
        others = _stopped_for[-1] if _stopped_for else ""
    tell(others)


def hear_alone(listener: Listener) -> None:
    """Tell one listener and no other from now on: a process that works for another has inherited its listeners."""
    _listeners[:] = [listener]


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell a listener why the clock stands still, until the block ends."""
    _listeners.append(listener)
    try:
        yield
    finally:
        with suppress(ValueError):
            _listeners.remove(listener)


def tell(what: str) -> None:
    """Tell those who listen in this process what is compiled, here or by a process that works for it."""
    for listener in _listeners:
        listener(what)
