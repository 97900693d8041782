"""Holds back interrupts (Ctrl-C, SIGTERM) while a block of code must not be left half-way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

HELD = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
"""The signals whose handlers raise KeyboardInterrupt; the command line sets an alarm to raise it a little later."""


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Delay interrupts until the block ends; in threads other than the main one they are not raised anyway."""
    usual = {number: signal.getsignal(number) for number in HELD}
    held = {number: handler for number, handler in usual.items() if callable(handler)}
    if not held or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    for number in held:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])
