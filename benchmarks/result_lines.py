"""Tables of results: every line is measured in a separate process, and lines that are not measured again stay."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

Case = TypeVar("Case")

Key = tuple[str, str]
"""What a line begins with: its first two entries."""


def measure_lines(
    results: Path, header: str, cases: Sequence[Case], measured: Callable[[Case], str], key: Callable[[Case], Key]
) -> int:
    """Measure the cases whose networks are named on the command line, or all; write the table after each."""
    lines: multiprocessing.SimpleQueue[str] = multiprocessing.SimpleQueue()
    known = results.read_text().splitlines()[2:] if results.exists() else []
    rows = {tuple(row.split(" | ")[:2]): row for row in known}
    print(header, flush=True)
    for case in cases:
        if sys.argv[1:] and key(case)[0] not in [f"| `{name}`" for name in sys.argv[1:]]:
            continue
        process = multiprocessing.Process(target=_measure, args=(measured, case, lines))
        process.start()
        process.join()
        if process.exitcode:
            return 1
        rows[key(case)] = line = lines.get()
        print(line, flush=True)
        partial = results.with_suffix(".partial")
        listed = [rows[key(each)] for each in cases if key(each) in rows]
        partial.write_text("\n".join((header, *listed)) + "\n")
        os.replace(partial, results)
    return 0


def _measure(measured: Callable[[Case], str], case: Case, lines: multiprocessing.SimpleQueue[str]) -> None:
    lines.put(measured(case))
