"""Notes on stderr, one line each: what a file leaves to say is said once, however often it is read."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pavane.cli.flags import with_flags
from pavane.errors import printable
from pavane.formats.file_notes import Note


def note(text: str) -> None:
    """Tell the user something that is neither data nor an error."""
    with suppress(OSError):  # no answer is lost for a note
        print(f"pavane: note: {with_flags(printable(' '.join(text.split())))}", file=sys.stderr)


@contextmanager
def shown_notes() -> Iterator[None]:
    """Print what reading a file leaves to say; other warnings go their way."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", Note)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if not issubclass(category, Note):
                others(message, category, *rest, **named)
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.showwarning = show
        yield
