"""Ctrl-C (SIGINT) and SIGTERM: either ends a command with the best it has, and a second one ends it at once.

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
"""What notes and errors say of a command that a signal has ended."""

SAME_REQUEST = 0.2
"""Seconds within which signals are one request: `timeout` sends its own to a process, and then to its whole group."""

AT_ONCE = 1.0
"""Seconds that are left to remove unfinished files when a second request comes."""

BETWEEN_LOOKS = 0.05
"""Seconds after which an interrupt that came during an import tries again."""

IMPORTING = "<frozen importlib._bootstrap>"
"""Where functions stand that import modules."""

_requests: list[tuple[int, float]] = []
"""The signals that have come, each with its moment."""


def heed_signals(handler: Callable[[int, FrameType | None], None] | None = None) -> None:
    """Let both signals raise KeyboardInterrupt, or do what a handler of their own does.

    A shell that starts us in the background lets Ctrl-C be ignored; there it is heeded, too.
    """
    if handler is None:
        # In the very end Python gives signals back to the system, and one that comes then would change the exit code.
        atexit.register(_ignore_signals)
    for number in WORDS:
        signal.signal(number, handler or _heed)


def exit_at_signals(code: int) -> None:
    """Let both signals end the process with a code that is known by now."""
    heed_signals(lambda *_: os._exit(code))


def _ignore_signals() -> None:
    for number in WORDS:
        signal.signal(number, signal.SIG_IGN)


def ended_by() -> str:
    """Say how a command was ended: interrupted, or terminated."""
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
    """Raise KeyboardInterrupt, when no module is half imported: compiled ones break, or make other errors of it."""
    if hasattr(signal, "setitimer") and _is_importing(frame):
        signal.signal(signal.SIGALRM, _raise)
        signal.setitimer(signal.ITIMER_REAL, BETWEEN_LOOKS)
        return
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Say whether the command line, or what it has called, imports a module now."""
    while frame is not None and frame.f_globals.get("__name__") != "pavane.ui.cli":
        if frame.f_code.co_filename == IMPORTING:
            return True
        frame = frame.f_back
    return False
