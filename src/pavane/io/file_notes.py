"""Notes: what a file says and a network cannot, told once and in one line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pavane.errors import printable
from pavane.io.files import File


class Note(UserWarning):
    """Something of a file that was left out, or read in a way worth knowing; the command line prints it to stderr."""


_kept: ContextVar[list[str] | None] = ContextVar("kept", default=None)
"""Where this thread collects its notes; None where they are warnings."""


def note(file: File, text: str) -> None:
    """Tell the user something about a file that does not keep it from being read."""
    told = printable(f"{file}: {text}")
    kept = _kept.get()
    if kept is None:
        warnings.warn(told, Note, stacklevel=2)
    elif told not in kept:
        kept.append(told)


@contextmanager
def kept_notes() -> Iterator[list[str]]:
    """Collect the notes of this thread in a list instead; filters of warnings are the whole process's."""
    kept: list[str] = []
    before = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(before)
