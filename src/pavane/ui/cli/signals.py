"""Ctrl-C (SIGINT) and SIGTERM: the first ends a command with its best result so far, the second ends it at once.

Batch systems, containers, service managers and `timeout` send SIGTERM and wait a little before they kill.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
"""The words of notes and errors for a command that a signal has ended."""

SAME_REQUEST = 0.2
"""Seconds within which signals are one request: `timeout` sends its own to a process, and then to its whole group."""

AT_ONCE = 1.0
"""Seconds that are left to remove unfinished files when a second request comes."""

BETWEEN_LOOKS = 0.05
"""Seconds after which an interrupt that came during an import tries again."""

IMPORTING = "<frozen importlib._bootstrap>"
"""The file of the functions that import modules."""

_requests: list[tuple[int, float]] = []
"""The signals received, each with its time."""


def heed_signals(handler: Callable[[int, FrameType | None], None] | None = None) -> None:
    """Handle both signals: raise KeyboardInterrupt, or call the given handler.

    A shell that starts a command in the background makes it ignore Ctrl-C; here it is handled all the same.
    """
    if handler is None:
        # At exit Python restores the default handlers, and a late signal would change the exit code.
        atexit.register(_ignore_signals)
    for number in WORDS:
        signal.signal(number, handler or _heed)


def exit_at_signals(code: int) -> None:
    """End the process with a known exit code at the next signal."""
    heed_signals(lambda *_: os._exit(code))


def _ignore_signals() -> None:
    for number in WORDS:
        signal.signal(number, signal.SIG_IGN)


def ended_by() -> str:
    """Return how a command was ended: interrupted, or terminated."""
    return WORDS[signal.Signals(_requests[0][0])] if _requests else WORDS[signal.SIGINT]


def _heed(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if _requests and now - _requests[-1][1] < SAME_REQUEST:
        return
    _requests.append((number, now))
    if len(_requests) > 2:
        os._exit(1)
    if len(_requests) == 2:
        end = threading.Timer(AT_ONCE, os._exit, (1,))
        end.daemon = True
        end.start()
    _raise(number, frame)


def _raise(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt once no import is under way: compiled modules break, or raise other errors."""
    if hasattr(signal, "setitimer") and _is_importing(frame):
        signal.signal(signal.SIGALRM, _raise)
        signal.setitimer(signal.ITIMER_REAL, BETWEEN_LOOKS)
        return
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether the command line, or a function that it has called, is importing a module."""
    while frame is not None and frame.f_globals.get("__name__") != "pavane.ui.cli":
        if frame.f_code.co_filename == IMPORTING:
            return True
        frame = frame.f_back
    return False
