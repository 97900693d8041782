"""Schedule files on the command line: told from other files, read, and judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InvalidSchedule

if TYPE_CHECKING:
    from pavane.judge.result import Result


def is_schedule(path: str | Path) -> bool:
    """Tell whether there is a file, and whether it is meant to be a schedule, ours or of others."""
    from pavane.io.readers import holds_schedule

    return os.path.isfile(path) and holds_schedule(path)


def read_result(file: Path) -> Result:
    """Read and judge a schedule; what is wrong names the file."""
    from pavane.io import read_schedule

    try:
        return read_schedule(file).result()
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{file}: {error}") from None
