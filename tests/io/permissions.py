"""Who may read what: root is made an ordinary user for a while, so that closed files are closed to it, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def closed(directory: Path) -> Iterator[None]:
    """Close a directory to the user for the time of the block."""
    is_root = os.geteuid() == 0
    directory.chmod(0)
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        directory.chmod(0o700)
