"""What exports write of the schedules of random problems does the same as the schedule, interpreted or run."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.io.formats.test_conformance import CHECKS

from pavane.errors import InputError
from pavane.io.exports import EXPORTS
from pavane.judge.result import Result
from pavane.ui.notebook.exporting import exported

COMPILED = {"mpi-c", "simgrid"}
"""Exports whose programs start processes: they are run of one schedule in `RARELY`."""

RARELY = 100


def wrong_exports(result: Result | Result | Result, number: int) -> Iterator[str]:
    """Yield the exports of a schedule that do something else, or are refused in other than one line."""
    for name, check in CHECKS.items():
        if name in COMPILED and number % RARELY:
            continue
        try:
            files = exported(result, EXPORTS[name], None, "it")
        except InputError as error:
            if not re.fullmatch(".{20,}", str(error)):
                yield f"crash: {name} refuses in other than one line: {error}"
            continue
        with TemporaryDirectory() as folder:
            try:
                check(result, files, Path(folder))
            except Exception:
                yield f"invalid: {name} does something else: {traceback.format_exc(limit=-3)}"
