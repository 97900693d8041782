"""Locks that show which servers on one file of results run; the system releases those of ended servers."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without such locks: all other servers count as ended
    fcntl = None  # type: ignore[assignment]

MOST_SERVERS = 1_000


class ServerLock:
    """The smallest number that no running server on this file of results has."""

    def __init__(self, store: str | Path) -> None:
        self._store = store
        for self.number in range(MOST_SERVERS):
            held = self._locked(self.number)
            if held is not None:
                self._file = held
                return
        raise OSError(f"{MOST_SERVERS} servers work on {store} already")

    def is_held(self, number: int) -> bool:
        """Return whether a server with this number runs."""
        if number == self.number:
            return True
        file = self._locked(number)
        if file is None:
            return True
        os.close(file)
        return False

    def _locked(self, number: int) -> int | None:
        """Return the locked file of a number; None where another server has locked it."""
        file = os.open(f"{self._store}-server-{number}", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return None
        return file

    def close(self) -> None:
        """Release the number."""
        os.close(self._file)
