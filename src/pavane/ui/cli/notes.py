"""Notes on stderr, one line each: what a file leaves to say is said once, however often it is read."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pavane.errors import printable
from pavane.io.files import Note
from pavane.ui.cli.flags import with_flags

_said: list[str] = []
"""What files left to say in this call."""

_quiet: list[bool] = []
"""Whether this call was asked to be quiet."""


def heed_quiet(asked: bool) -> None:
    """Let notes and progress of this call be left out from here on, if that is asked for."""
    if asked:
        _quiet.append(True)


def is_quiet() -> bool:
    """Say whether notes and progress are left out."""
    return bool(_quiet)


def notes_said() -> list[str]:
    """Return what files have left to say so far, in the words of the command line."""
    return list(_said)


def note(text: str) -> None:
    """Tell the user something that is neither data nor an error."""
    if is_quiet():
        return
    with suppress(OSError):  # no answer is lost for a note
        print(f"pavane: note: {with_flags(printable(' '.join(text.split())))}", file=sys.stderr)


def tell_once(text: str) -> None:
    """Tell what a file leaves to say, unless that was said in this call."""
    if text not in _said:
        _said.append(text)
        note(text)


@contextmanager
def shown_notes() -> Iterator[None]:
    """Print what reading a file leaves to say; other warnings go their way."""
    _said.clear()
    _quiet.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("always", Note)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if not issubclass(category, Note):
                others(message, category, *rest, **named)
            else:
                tell_once(with_flags(str(message)))

        warnings.showwarning = show
        yield
