"""Writes papers/tables.md, which reproduces every table of the papers. `make papers` runs it in five to ten minutes.

With names of tables, like "noc 3", it reproduces only these. `make check-papers` reproduces all tables and compares
them with the page instead of writing it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from papers.table_lines import markdown_lines
from papers.tables import TABLES, PaperLine, RedoOptions, redone
from papers.verdicts import MEANINGS
from pavane.text import VERSION

PAGE = Path(__file__).parent / "tables.md"

NAMES = [table.name for table in TABLES]
"""The names of all tables."""

TIMED = {"gecco08 7", "noc 4"}
"""Tables whose figures are seconds, or results within a time limit: they differ from run to run."""

QUICK = "Every run of the tests reproduces this table and compares it with this page."
LONG = "The tests do not reproduce this table; `make check-papers` does."

INTRODUCTION = """# The papers' tables, reproduced

Every table of the three papers on which this project is based, computed again by `python -m papers all`. The column
*paper*, and columns that begin with *paper's*, contain the papers' figures: quoted, or their formulas evaluated.
Everything else is computed by pavane. Each line compares the two with one word:

{marks}

Two numbers with a slash, like 9/10, are a lower bound and the number reached; a single number is both, so it is proven
optimal. A rate in brackets, like (60 %), is the paper's success rate. In Tables 2b, 3 and 4 of noc a pair is
start-ups/TCO.

`make papers` reproduces every table and writes this page; it takes five to ten minutes on two cores.
`python -m papers.redo "noc 3"` reproduces a single table. Below each heading is the date of its table, and whether
every run of the tests reproduces and compares it. `make check-papers` reproduces and compares all of them. Seconds are
those of one core; they, and results within a number of seconds (noc 4), change from run to run.

The papers are:

* **gecco07**: J. Jaros, M. Ohlidal, V. Dvorak, An Evolutionary Approach to Collective Communication Scheduling, GECCO
  2007;
* **gecco08**: J. Jaros, V. Dvorak, An Evolutionary Design Technique for Collective Communications on Optimal
  Diameter-Degree Networks, GECCO 2008;
* **noc**: on collective communications of networks on chip: hierarchical rings and meshes, with message combining.

`python -m papers gecco08 6` reproduces one table, `--method umda --seeds 20` does so with the papers' own algorithms
and counts successes; see [success rates](studies.md). The questions that the papers leave to future research are
answered under [open questions](open-questions.md).

The tables below use all solvers of pavane. With gecco08's own algorithm and settings, runs of a hundred million
evaluations reach its steps for AAS on Levi 30 (31 steps, 50 of 132 runs) and Kautz 36 (34 steps, 21 of 132). On
hypercube 32 (16 steps) none of 132 runs succeeds, and at least 41 conflicts are left. MBOA, gecco07's algorithm,
reaches 17 steps for AAS on mesh 4x4 in 200 of 200 runs of a million evaluations, and 8 steps on hypercube 16 in 4 of
132 runs of a hundred million (12 of 132 with its remedy for stagnation), where the paper reports 25 % and 30 %. HGSA,
its other algorithm, reaches the bound of AAB on hypercubes 8, 16 and 32 in all of 200 runs (paper 100 %), on 32 with a
hundred million moves, and on hypercube 64 in none of as many (80 %). With one port it reaches the paper's steps only if
ports are counted by what a processor absorbs. The
[page on studies](studies.md#runs-as-long-as-the-papers) has the details, and
[a table of all rows](studies.md#all-rows-of-the-papers) with what is measured and what is not.
"""


def introduction() -> str:
    """Return the introduction of the page."""
    marks = ";\n".join(f"* **{word}**: {meaning}" for word, meaning in MEANINGS.items())
    return INTRODUCTION.format(marks=f"{marks}.")


def part(heading: str, about: str, lines: list[PaperLine]) -> str:
    """Return the section of a table."""
    body = "\n".join(markdown_lines([line.columns() for line in lines]))
    return f"## {heading}\n\n{about}\n{body}\n"


def fresh(names: list[str], processes: int) -> Iterator[tuple[str, str]]:
    """Reproduce tables, and yield the name and the section of each as soon as it is ready."""
    when = f"Computed on {date.today().isoformat()} with pavane {VERSION}."
    tables = [table for table in TABLES if table.name in names]
    for table, lines in redone(tables, RedoOptions(), processes, in_order=False):
        about = f"{QUICK if table.is_quick else LONG} {when}"
        yield table.name, part(f"{table.name}: {table.title}", about, lines)


def parts_of(page: str) -> dict[str, str]:
    """Return the sections of a page by the names of their tables."""
    parts = re.findall(r"^## .*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    return {text[3:].split("\n")[0].split(":")[0]: text.rstrip("\n") + "\n" for text in parts}


def page_of(parts: dict[str, str]) -> str:
    """Return the page with these sections."""
    return "\n".join([introduction(), *(parts[name] for name in NAMES if name in parts)])


def rows_of(text: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the rows of a page, or of some of its sections, by heading and then by the cell `where`."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for name, body in parts_of(text).items():
        cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in body.split("\n") if line.startswith("|")]
        rows = [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]
        found[name] = {f"{row['where']} ({row.get('routing', '')})": row for row in rows}
    return found


def differences(page: str, redone_parts: str) -> Iterator[str]:
    """Yield the differences between a page and new sections; of timed tables only the printed figures are compared."""
    old, new = rows_of(page), rows_of(redone_parts)
    for name in dict.fromkeys((*old, *new)):
        for where in dict.fromkeys((*old.get(name, {}), *new.get(name, {}))):
            was, is_now = (rows.get(name, {}).get(where, {}) for rows in (old, new))
            for column in ("paper",) if name in TIMED else ("paper", "ours", "mark", "reading"):
                before, now = was.get(column, ""), is_now.get(column, "")
                if before != now:
                    yield f"{name}: {where}: {column} is {now!r}, and the page has {before!r}"


def main() -> int:
    """Write the page, or compare with it."""
    parser = argparse.ArgumentParser(description="Reproduce the papers' tables and write papers/tables.md.")
    parser.add_argument("names", nargs="*", metavar="TABLE", help='a table like "noc 3"; all by default')
    parser.add_argument("--check", action="store_true", help="compare with the page instead of writing it")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="number of processes")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"unknown table {unknown[0]!r}: expected one of {', '.join(NAMES)}")
    differ = False
    for name, text in fresh(options.names or NAMES, options.workers):
        old = parts_of(PAGE.read_text(encoding="utf-8"))
        found = list(differences(old.get(name, ""), text))
        differ |= bool(found)
        print(f"{name}: {len(found)} figures differ from the page", *found, sep="\n  ", file=sys.stderr, flush=True)
        if not options.check:
            PAGE.write_text(page_of({**old, name: text}), encoding="utf-8")
    return 1 if differ and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
