"""A file of finished work, one JSON line for each task, from which a campaign resumes; one process writes it at a time.

A line is written with its end or not at all. A last line without an end was cut off by a crash, and is removed under
the lock.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Generic, Self, TypeVar

import msgspec

from pavane.errors import InputError

L = TypeVar("L", bound=msgspec.Struct)

LOCK_SECONDS = 5.0
"""Seconds to wait for the lock: the processes of a campaign that was killed hold it until they have ended."""


class FinishedLines(Generic[L]):
    """The lines of a file, and those that are added; the file is locked until this is closed.

    Without a path the lines are in memory only.
    """

    def __init__(self, path: Path | None, kind: type[L], noun: str, note: Callable[[str], None]) -> None:
        self.path, self._kind, self._noun = path, kind, noun
        self.lines: list[L] = []
        self._file: BinaryIO | None = None
        if path is None:
            return
        try:
            os.makedirs(path.parent, exist_ok=True)
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed by `close`)
        except OSError as error:
            raise InputError(f"{path}: {noun}s cannot be stored there: {_reason(error)}") from None
        try:
            self._lock(self._file)
            self.lines = self._read(self._file, note)
        except BaseException:
            self.close()
            raise

    def add(self, line: L) -> None:
        """Append a line in one write."""
        if self._file is None:
            self.lines.append(line)
            return
        text = json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode() + b"\n"
        self._file.write(text)
        self.lines.append(line)  # before an interrupt can occur while the disk writes
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Release the lock, even if child processes have the file open, too."""
        if self._file is None:
            return
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _lock(self, file: BinaryIO) -> None:
        """Exclude other processes, if the system and the disk support locks."""
        try:
            import fcntl
        except ImportError:
            return
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > until:
                    raise InputError(
                        f"{self.path}: another process writes {self._noun}s there now; wait for it, or name another "
                        "file"
                    ) from None
                time.sleep(0.1)
            except OSError:
                return  # some network disks have no locks

    def _read(self, file: BinaryIO, note: Callable[[str], None]) -> list[L]:
        assert self.path is not None
        file.seek(0)
        text = file.read()
        lines = _decode(text, self.path, self._kind, self._noun)
        end = text.rfind(b"\n") + 1
        if end < len(text):
            file.truncate(end)
            note(f"{self.path}: its last line was cut off and is ignored; that {self._noun} is made again")
        return lines


def read_lines(path: Path, kind: type[L], noun: str) -> list[L]:
    """Return the complete lines of a file, which another process may be writing."""
    try:
        return _decode(path.read_bytes(), path, kind, noun)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _decode(text: bytes, path: Path, kind: type[L], noun: str) -> list[L]:
    lines = []
    for number, line in enumerate(text.rpartition(b"\n")[0].splitlines(), 1):
        if line.strip():
            try:
                lines.append(msgspec.json.decode(line, type=kind))
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                reason = str(error).splitlines()[0]
                raise InputError(
                    f"{path}, line {number}: not a {noun} ({reason}); delete it, or name another file"
                ) from None
    return lines
