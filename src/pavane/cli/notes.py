"""Notes about files, on stderr: one line each, and each once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pavane.formats.foreign.file_notes import Note


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
                print(f"pavane: note: {' '.join(str(message).split())}", file=sys.stderr)

        warnings.showwarning = show
        yield
