"""Files as bytes with a name, the notes about them, and writing that replaces a file as a whole or not at all."""

from __future__ import annotations

import gzip
import mmap
import os
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Literal

import msgspec

from pavane.errors import InputError, printable, shortened

MAPPED_BYTES = 64 * 2**20
"""Larger files are mapped into memory and read on access."""

MOST_NETWORK_BYTES = 256 * 2**20
"""Larger network files are refused: 4 million channels fit into a quarter of it."""

MOST_UNPACKED_BYTES = 2 * 2**30
"""Files that unpack to more are refused: they are read as a whole."""

HEAD_BYTES = 4096
"""Most formats are recognized by this many bytes."""

SCHEDULE_FORMAT = "pavane/schedule/1"

PLANS_FORMAT: Literal["pavane/plans/1"] = "pavane/plans/1"
"""The format of the index of a folder of schedules with start times, one for each range of sizes."""

INDEX = "index.json"
"""The name of that index."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PACKED_MARK = b"\x1f\x8b"
"""The first bytes of a gzip file."""


class Note(UserWarning):
    """Something that was left out of a file, or read in a notable way; the command line prints it to stderr."""


_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)
"""The list in which this thread collects its notes; None where they are warnings."""


@contextmanager
def collect_notes() -> Iterator[list[str]]:
    """Collect the notes of this thread in a list instead of warning; filters of warnings belong to the process."""
    notes: list[str] = []
    token = _collected.set(notes)
    try:
        yield notes
    finally:
        _collected.reset(token)


def note(text: str) -> None:
    """Report something notable: a warning, or an entry of the notes that this thread collects."""
    line = printable(text)
    notes = _collected.get()
    if notes is None:
        warnings.warn(line, Note, stacklevel=3)
    elif line not in notes:
        notes.append(line)


class Keys(msgspec.Struct):
    """The keys that distinguish kinds of JSON files; their values are not decoded."""

    format: Any = None
    network: msgspec.Raw = msgspec.Raw()
    nodes: msgspec.Raw = msgspec.Raw()

    @property
    def format_text(self) -> str:
        """Return in words which format the file names."""
        return "says no format" if self.format is None else f"says format {str(self.format)[:40]!r}"


@dataclass(frozen=True, eq=False)
class File:
    """The bytes of a file and its name in errors and notes; `str` of it is that name."""

    name: str
    data: memoryview

    @classmethod
    def of(cls, data: bytes | mmap.mmap, name: str | Path) -> File:
        """Return a file of bytes, without a byte order mark; an empty one is refused."""
        view = memoryview(data)
        if not len(view):
            raise InputError(f"{name}: the file is empty")
        return cls(str(name), view[3:] if bytes(view[:3]) == BYTE_ORDER_MARK else view)

    def __str__(self) -> str:
        return printable(self.name)

    def note(self, text: str) -> None:
        """Report something about the file that does not prevent reading it."""
        note(f"{self}: {text}")

    @property
    def stem(self) -> str:
        """Return the name without folder and ending, as text that can be printed and written again."""
        text = os.fsencode(Path(self.name.removesuffix(".gz")).stem).decode(errors="replace")
        return "".join(each if each.isprintable() else "\ufffd" for each in text)

    @cached_property
    def head(self) -> str:
        """The first bytes as text; what is not UTF-8 is replaced."""
        return bytes(self.data[:HEAD_BYTES]).decode(errors="replace")

    @property
    def head_lines(self) -> list[str]:
        """Return the lines that are complete in the head."""
        lines = self.head.split("\n")
        return lines if len(self.data) <= HEAD_BYTES else lines[:-1]

    @property
    def first(self) -> str:
        """Return the first character other than white space."""
        return bytes(self.data[:HEAD_BYTES]).lstrip()[:1].decode(errors="replace")

    @cached_property
    def keys(self) -> Keys | None:
        """The distinguishing keys of a JSON object; None for anything else."""
        if self.first != "{":
            return None
        try:
            return msgspec.json.decode(self.data, type=Keys)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None


def path_of(path: object) -> Path:
    """Return the path of a file; refuse anything that is not a path."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise InputError(f"`path` is {shortened(path)}; name a file, like 'schedule.json'")
    return Path(path)


def open_file(path: str | Path) -> File:
    """Open a file, unpacked if it is packed (gzip); a large one is mapped into memory and read on access."""
    try:
        _refuse_irregular(path)
        with open(path, "rb") as file:
            if file.peek(2)[:2] == PACKED_MARK:
                return File.of(_unpacked(file, path), path)
            large = os.fstat(file.fileno()).st_size > MAPPED_BYTES
            return File.of(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if large else file.read(), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None


def is_plan_folder(path: str | Path) -> bool:
    """Return whether a path is a folder of plans, or the index of one."""
    if os.path.isdir(path):
        return os.path.isfile(Path(path) / INDEX)
    if not os.path.isfile(path):
        return False
    keys = open_file(path).keys
    return keys is not None and bool(keys.format == PLANS_FORMAT)


def _unpacked(file: BinaryIO, path: str | Path) -> bytes:
    """Return the whole content of a packed file."""
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            data = packed.read(MOST_UNPACKED_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: it is packed (gzip) and cannot be unpacked: {error}") from None
    if len(data) > MOST_UNPACKED_BYTES:
        raise InputError(f"{path}: it unpacks to more than {MOST_UNPACKED_BYTES // 2**20:,} MiB; unpack it with gunzip")
    return data


def _refuse_irregular(path: str | Path) -> None:
    """Refuse directories, pipes and devices; os.path returns False where pathlib raises, as for a forbidden folder."""
    if os.path.exists(path) and not os.path.isfile(path):
        what = "a directory" if os.path.isdir(path) else "not a regular file"
        raise InputError(f"{path}: it is {what}; name a file")


def refuse_unless_schedule_or_small(file: File) -> None:
    """Refuse a file as large as only a schedule may be, unless it begins like one; the rest is not read."""
    if not (file.first == "{" and SCHEDULE_FORMAT in file.head):
        refuse_if_large(file)


def refuse_if_large(file: File) -> None:
    """Refuse a file larger than any network needs."""
    size = len(file.data)
    if size > MOST_NETWORK_BYTES:
        raise InputError(
            f"{file}: {size / 2**20:,.0f} MiB are too many for a network or problem; "
            f"at most {MOST_NETWORK_BYTES // 2**20} MiB are read"
        )


def refuse_unwritable(path: str | Path) -> None:
    """Refuse a file that cannot be written, before the work that fills it."""
    _refuse_irregular(path)
    target = Path(path)
    if not os.path.isdir(target.parent):
        raise InputError(f"{path}: cannot be written: there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written: no permission in directory {target.parent}")


def _sync_folder(folder: Path) -> None:
    """Flush the names of a folder to the disk, where the system can."""
    with suppress(OSError):  # some systems open no folders, and some file systems sync none
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Write a file under a temporary name beside it and rename it when all is written."""
    refuse_unwritable(path_of(path))
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary: Path | None = None
    try:
        beside = target.parent / f".{target.name[:40]}.{token_hex(4)}"
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        temporary = beside
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power cut might leave an empty file under the name
        os.replace(temporary, target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
