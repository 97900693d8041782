"""Opening and writing files so that nothing is lost and nothing large is swallowed by mistake."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pavane.errors import InputError

MAPPED_BYTES = 64 * 2**20

MOST_NETWORK_BYTES = 256 * 2**20
"""Larger network files are refused: 4 million channels fit into a quarter of it."""

SCHEDULE_FORMAT = "pavane/schedule/1"


def content(path: str | Path) -> memoryview:
    """Return what a file says, without a byte order mark; a large one is mapped and read as it is looked at."""
    try:
        _refuse_irregular(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not size:
                raise InputError(f"{path}: the file is empty")
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size > MAPPED_BYTES else file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    view = memoryview(whole)
    return view[3:] if bytes(view[:3]) == b"\xef\xbb\xbf" else view


def stem(path: Path) -> str:
    """Return the name of a file without its ending, as text that can be written again."""
    return os.fsencode(path.stem).decode(errors="replace")


def _refuse_irregular(path: str | Path) -> None:
    """Refuse directories, pipes and devices; os.path answers no where pathlib raises, as for a forbidden folder."""
    if os.path.exists(path) and not os.path.isfile(path):
        what = "a directory" if os.path.isdir(path) else "no regular file"
        raise InputError(f"{path}: it is {what}; name a file")


def refuse_if_nonsense(path: str | Path, view: memoryview) -> None:
    """Refuse a file that only a schedule needs, unless it begins like one; its bytes are not looked at."""
    if SCHEDULE_FORMAT.encode() not in bytes(view[:4096]):
        refuse_if_large(path, view)


def refuse_if_large(path: str | Path, view: memoryview) -> None:
    """Refuse a network file that no network needs."""
    if len(view) > MOST_NETWORK_BYTES:
        raise InputError(
            f"{path}: {len(view) / 2**20:,.0f} MiB are too many for a network or problem; "
            f"at most {MOST_NETWORK_BYTES // 2**20} MiB are read"
        )


def refuse_unwritable(path: str | Path) -> None:
    """Refuse a file that could not be written, before the work that fills it."""
    _refuse_irregular(path)
    target = Path(path)
    if not os.path.isdir(target.parent):
        raise InputError(f"{path}: cannot be written: there is no directory {target.parent}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written: no permission in directory {target.parent}")


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Write a file under a temporary name beside it and rename it when all is written."""
    refuse_unwritable(path)
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp makes private files; give the mode that any new file of this user gets.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
