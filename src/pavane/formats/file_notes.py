"""Notes: what a file says and a network cannot, told once and in one line."""

from __future__ import annotations

import warnings

from pavane.errors import printable
from pavane.formats.files import File


class Note(UserWarning):
    """Something of a file that was left out, or read in a way worth knowing; the command line prints it to stderr."""


def note(file: File, text: str) -> None:
    """Tell the user something about a file that does not keep it from being read."""
    warnings.warn(printable(f"{file}: {text}"), Note, stacklevel=2)
