"""Judges the tables that S4NoC ships: `python -m benchmarks.shipped_tables FOLDER`.

FOLDER is a clone of github.com/t-crest/s4noc, or any folder with .shd files in it; the tables are not part of this
project. Each one is judged as published, without wrap, and with the smallest period in which it wraps.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pavane.io.files import collect_notes, open_file
from pavane.io.formats.s4noc import read_schedule
from pavane.judge.rules import verify


def main(folder: Path) -> None:
    """Print a line for every table."""
    print("| table | network | without wrap | wrapped period | verdict |\n|---|---|---|---|---|")
    for path in sorted(folder.rglob("*.shd"), key=lambda path: (path.stat().st_size, path.name)):
        with collect_notes():
            claims = [read_schedule(open_file(path), wrap=wrap) for wrap in (False, True)]
        valid = not any(verify(claim.problem, claim.schedule) for claim in claims)
        periods = " | ".join(str(claim.schedule.num_steps) for claim in claims)
        print(f"| {path.name} | {claims[0].problem.network.name} | {periods} | {'valid' if valid else 'invalid'} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
