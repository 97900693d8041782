"""Writes docs/papers.md: every table of the seed papers, redone. Takes a few minutes: `python docs/redo_papers.py`."""

from __future__ import annotations

import os
from pathlib import Path

from pavane.studies.papers import TABLES, Line, Ours, Table, redone
from pavane.studies.papers.table_lines import markdown_lines

PAGE = Path(__file__).parent / "papers.md"

INTRODUCTION = """# The papers' tables, redone

Every table of the three papers that this project starts from, computed anew by `pavane paper all`. Each line has the
paper's figure, ours, and a mark:

* **better**: fewer steps, a higher lower bound, or less time than the paper;
* **equal**: the same;
* **worse**: we do not reach what the paper reports;
* **cannot be as printed**: a proof says so; the line or its note says which;
* **new**: the paper has no figure for it.

Two numbers with a slash, like 9/10, are a lower bound and what was reached; one number is both, so it is proven
optimal. In the tables of noc a pair is start-ups/TCO. Seconds are those of one core of a small machine and change from
run to run; everything else is checked by the tests.

The papers are:

* **gecco07**: J. Jaros, M. Ohlidal, V. Dvorak, An Evolutionary Approach to Collective Communication Scheduling, GECCO
  2007;
* **gecco08**: J. Jaros, V. Dvorak, An Evolutionary Design Technique for Collective Communications on Optimal
  Diameter-Degree Networks, GECCO 2008;
* **noc**: on collective communications of networks on chip: hierarchical rings and meshes, with message combining.

`pavane paper gecco08 6` redoes one table, `--method umda --seeds 20` redoes it with the papers' own algorithms and
counts successes; the [studies](studies.md) page tells more.
"""


def page(tables: list[tuple[Table, list[Line]]]) -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for table, lines in tables:
        body = "\n".join(markdown_lines([line.columns() for line in lines]))
        parts.append(f"## {table.name}: {table.title}\n{body}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(list(redone(TABLES, Ours(), os.cpu_count() or 1))), encoding="utf-8")
