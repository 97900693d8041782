"""Notes: what a file says and a network cannot, told once and in one line."""

from __future__ import annotations

import warnings
from pathlib import Path


class Note(UserWarning):
    """Something of a file that was left out, or read in a way worth knowing; the command line prints it to stderr."""


def note(path: Path, text: str) -> None:
    """Tell the user something about a file that does not keep it from being read."""
    warnings.warn(f"{path}: {text}", Note, stacklevel=2)
