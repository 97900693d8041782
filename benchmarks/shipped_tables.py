"""Judges the tables that S4NoC ships: `python -m benchmarks.shipped_tables FOLDER`.

FOLDER is a clone of github.com/t-crest/s4noc, or any folder with .shd files in it; the tables are not part of this
project. Each one is judged as published, without wrap, and with the smallest period in which it wraps.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pavane.io import read_schedule
from pavane.io.files import collect_notes
from pavane.judge.rules import verify
from pavane.model.slots import wrapped


def main(folder: Path) -> None:
    """Print a line for every table."""
    print("| table | network | without wrap | wrapped period | verdict |\n|---|---|---|---|---|")
    for path in sorted(folder.rglob("*.shd"), key=lambda path: (path.stat().st_size, path.name)):
        with collect_notes():
            claim = read_schedule(path)
        tables = [(claim.problem, claim.schedule), wrapped(claim.problem, claim.schedule)]
        valid = not any(verify(*table) for table in tables)
        periods = " | ".join(str(schedule.num_steps) for _, schedule in tables)
        print(f"| {path.name} | {claim.problem.network.name} | {periods} | {'valid' if valid else 'invalid'} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
