"""A plugin of coverage that writes down what was reached twice a second, in processes that other processes have made.

Those of the server have no other end than being killed, and what they alone do would seem never to be done.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from typing import Any

from coverage import Coverage

PAUSE = 0.5
"""Seconds between two writings."""

_turn = threading.RLock()
"""A process that ends writes, too: one after the other."""


def coverage_init(_: Any, options: Any) -> None:
    """Begin, in every process that is watched."""
    save = Coverage.save

    def save_in_turn(watcher: Coverage) -> None:
        with _turn:
            save(watcher)

    setattr(Coverage, "save", save_in_turn)  # noqa: B010 (an assignment is what mypy refuses)
    threading.Thread(target=_keep, daemon=True).start()


def _keep() -> None:
    time.sleep(PAUSE)
    while multiprocessing.parent_process() is not None:
        watcher = Coverage.current()
        if watcher is not None:
            watcher.save()
        time.sleep(PAUSE)
