"""Notes on stderr, one line each; the note of a file is printed once, however often it is read."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pavane.errors import printable
from pavane.io.files import Note
from pavane.ui.cli.flags import with_flags
from pavane.ui.cli.signals import ended_by

_said: list[str] = []
"""The notes of files in this call."""

_quiet: list[bool] = []
"""Whether -q was given in this call."""


def heed_quiet(is_given: bool) -> None:
    """Leave out notes and progress of this call from now on if -q is given."""
    if is_given:
        _quiet.append(True)


def is_quiet() -> bool:
    """Return whether notes and progress are left out."""
    return bool(_quiet)


def notes_said() -> list[str]:
    """Return the notes of files so far, in the words of the command line."""
    return list(_said)


def note(text: str) -> None:
    """Print a note: neither data nor an error."""
    if is_quiet():
        return
    with suppress(OSError):  # a note that cannot be printed is no error
        print(f"pavane: note: {with_flags(printable(' '.join(text.split())))}", file=sys.stderr)


def note_end(notes: Iterable[str], interrupted: bool, name: str = "best") -> None:
    """Print the notes of a search, and whether a signal has ended it."""
    for text in notes:
        note(text)
    if interrupted:
        note(f"{ended_by()}: this is the {name} so far")


def print_once(text: str) -> None:
    """Print the note of a file, unless it was printed in this call."""
    if text not in _said:
        _said.append(text)
        note(text)


@contextmanager
def shown_notes() -> Iterator[None]:
    """Print the notes of files; other warnings are shown as usual."""
    _said.clear()
    _quiet.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("always", Note)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if not issubclass(category, Note):
                others(message, category, *rest, **named)
            else:
                print_once(with_flags(str(message)))

        warnings.showwarning = show
        yield
