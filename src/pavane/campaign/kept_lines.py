"""A file of finished work, a JSON line each, so that a study can be gone on with; one process writes it at a time.

A line is written with its end or not at all; what has none was cut off by a crash, and is removed under the lock.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Generic, Self, TypeVar

import msgspec

from pavane.errors import InputError

L = TypeVar("L", bound=msgspec.Struct)

LOCK_SECONDS = 5.0
"""How long the lock is waited for: processes of a study that was killed hold it until they have ended, too."""


class KeptLines(Generic[L]):
    """The lines of one kind in a file, old ones and those added; the file is locked until this is closed."""

    def __init__(self, path: Path, kind: type[L], noun: str, note: Callable[[str], None]) -> None:
        self.path, self._kind, self._noun = path, kind, noun
        try:
            os.makedirs(path.parent, exist_ok=True)
            self._file: BinaryIO = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed by `close`)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"{path}: {noun}s cannot be kept there: {reason}") from None
        try:
            self._lock()
            self.lines = self._read(note)
        except BaseException:
            self.close()
            raise

    def add(self, line: L) -> None:
        """Append a line in one write."""
        text = json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode() + b"\n"
        self._file.write(text)
        self.lines.append(line)  # before an interrupt can come while the disk is waited for
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let others write; children that hold the file open, too, keep nobody out."""
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lock(self) -> None:
        """Keep other processes out, where the system and the disk can."""
        try:
            import fcntl
        except ImportError:
            return
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > until:
                    raise InputError(
                        f"{self.path}: another process writes {self._noun}s there now; wait for it, or name another "
                        "folder"
                    ) from None
                time.sleep(0.1)
            except OSError:
                return  # some network disks have no locks

    def _read(self, note: Callable[[str], None]) -> list[L]:
        self._file.seek(0)
        text = self._file.read()
        found = _decoded(text, self.path, self._kind, self._noun)
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            self._file.truncate(whole)
            note(f"{self.path}: its last line was cut off and is ignored; that {self._noun} is made again")
        return found


def lines_in(path: Path, kind: type[L], noun: str) -> list[L]:
    """Return the whole lines of a file, which somebody may be writing."""
    try:
        return _decoded(path.read_bytes(), path, kind, noun)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None


def _decoded(text: bytes, path: Path, kind: type[L], noun: str) -> list[L]:
    found = []
    for number, line in enumerate(text.rpartition(b"\n")[0].splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=kind))
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                reason = str(error).splitlines()[0]
                raise InputError(
                    f"{path}, line {number}: no {noun} stands there ({reason}); delete it, or name another folder"
                ) from None
    return found
