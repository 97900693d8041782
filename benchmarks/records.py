"""Best known schedules: `python -m benchmarks.records --check` judges all records, `--add FILE...` adds better ones.

records/records.csv has a row for each problem: the file of its schedule, bound, steps, status, solver and source. All
but the source is derived from the file, whose schedule and certificates the judge checks whenever it is read.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pavane.errors import PavaneError
from pavane.io import read_schedule, write_schedule
from pavane.judge.result import Result
from pavane.text import VERSION, counted

FOLDER = Path(__file__).resolve().parent.parent / "records"
COLUMNS = ("file", "network", "collective", "rules", "bound", "steps", "status", "solver", "source")
MOST_BYTES = 2 * 2**20
"""Of all schedule files together."""

Row = dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.records")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="judge every schedule and compare it with its row")
    action.add_argument(
        "--add", nargs="+", type=Path, metavar="FILE", help="schedule files; kept where they are better"
    )
    options = parser.parse_args(arguments)
    if options.add:
        for file in options.add:
            print(add(file))
        return 0
    rows = read_rows()
    problems = [*wrong_rows(rows), *wrong_folder(rows)]
    print("\n".join([*problems, f"{counted(len(rows), 'record')}, {len(problems)} wrong"]))
    return 1 if problems else 0


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """Return the rows of the table."""
    with open(folder / "records.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def wrong_rows(rows: Iterable[Row], folder: Path = FOLDER) -> Iterator[str]:
    """Yield a line for each row whose schedule is refused, or does not have the figures of the row."""
    for row in rows:
        try:
            found = row_of(read_schedule(folder / row["file"]).result(), row["source"])
        except PavaneError as error:
            yield f"{row['file']}: {error}"
            continue
        differs = [f"{name} is {found[name]}, not {row[name]}" for name in COLUMNS if found[name] != row[name]]
        if differs:
            yield f"{row['file']}: {', '.join(differs)}"


def wrong_folder(rows: Iterable[Row], folder: Path = FOLDER) -> Iterator[str]:
    """Yield a line for each file without a row, and one where the files are too large."""
    files = {path.name: path.stat().st_size for path in folder.glob("*.json.gz")}
    yield from (f"{name}: it has no row" for name in sorted(files.keys() - {row["file"] for row in rows}))
    if sum(files.values()) > MOST_BYTES:
        yield f"{folder}: {sum(files.values()):,} bytes of schedules; at most {MOST_BYTES:,} are kept"


def row_of(result: Result, source: str) -> Row:
    """Return the row of a result."""
    problem = result.problem
    network = re.sub(r"[^A-Za-z0-9.]+", "-", problem.network.name)
    values = (
        f"{network}-{problem.collective.kind}-{problem.digest()[:8]}.json.gz",
        *(problem.network.name, problem.collective.kind, str(problem.rules)),
        *(str(result.bound.figure if result.bound else ""), str(result.num_steps or ""), result.status),
        *(result.provenance.solver, source),
    )
    return dict(zip(COLUMNS, values, strict=True))


def add(file: Path, folder: Path = FOLDER) -> str:
    """Keep a schedule if its problem has none, or one of more steps, or a lower bound; return what was done."""
    try:
        result = read_schedule(file).result()
    except PavaneError as error:
        return f"{file}: refused: {error}"
    if result.problem.rules.combining:
        return f"{file}: not kept: records count steps, and under combining the TCO counts, too"
    rows, new = read_rows(folder), row_of(result, f"pavane {VERSION}, seed {result.provenance.seed}")
    known = next((row for row in rows if row["file"] == new["file"]), None)
    if known is not None and _rank(new) <= _rank(known):
        return f"{file}: not better than {known['file']} with {known['steps']} steps and a bound of {known['bound']}"
    write_schedule(folder / new["file"], result)
    kept = sorted([*(row for row in rows if row is not known), new], key=lambda row: row["file"])
    with open(folder / "records.csv", "w", encoding="utf-8", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    return f"{file}: {'added' if known is None else 'replaced'}: {new['file']}"


def _rank(row: Row) -> tuple[int, int]:
    return -int(row["steps"]), int(row["bound"] or 0)


if __name__ == "__main__":
    sys.exit(main())
