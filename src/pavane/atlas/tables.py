"""The rows of an atlas as tables: for people, for spreadsheets, for JSON and for the page.

They have the claims of the file, unless its rows were judged; a row is judged when it is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pavane.atlas.atlas_file import NAMES, Figures
from pavane.model.collectives import kind_of
from pavane.model.messages import kind_title
from pavane.text.table import Column, Table

Status = Literal["proven", "claimed", "open"]

HEADER = ("network", "collective", "rules", "bound", "steps", "status", "key")

SHOWN_OF_KEY = 12


@dataclass(frozen=True)
class AtlasFilter:
    """A choice of rows."""

    network: str | None = None
    """A part of the name of the network."""
    collective: str | None = None
    rules: str | None = None
    """A part of the rules in words."""
    status: Status | None = None

    @property
    def needs_judge(self) -> bool:
        """Whether only judged rows can be chosen: nothing else is proven."""
        return self.status == "proven"

    def takes(self, row: Figures, *, is_judged: bool = False) -> bool:
        """Return whether a row is chosen."""
        return (
            (self.network is None or self.network.lower() in row.network.lower())
            and (self.collective is None or kind_of(self.collective) == row.collective)
            and (self.rules is None or self.rules.lower() in row.rules.lower())
            and (self.status is None or self.status == status_of(row, is_judged=is_judged))
        )


def status_of(row: Figures, *, is_judged: bool = False) -> Status:
    """Return whether a row's steps are the fewest: proven, which only the judge can say, claimed, or open.

    An exhaustive search leaves a claim also where the row is judged: it has no certificate.
    """
    if row.is_closed and is_judged:
        return "proven"
    return "claimed" if row.is_closed or (row.steps is not None and row.exhaustive == row.steps) else "open"


def short_rules(rules: str) -> str:
    """Return rules in words without the defaults."""
    usual = ("wormhole", "full duplex", "minimal routing", "no combining")
    return ", ".join(part for part in rules.split(", ") if part not in usual) or rules


def has_slots(row: Figures) -> bool:
    """Return whether the steps of a row are slots of a table."""
    return row.rules.startswith("tdm")


def status_counts(rows: Sequence[Figures], *, is_judged: bool = False) -> str:
    """Return how many rows are proven, and how many are claimed to be optimal, in words."""
    counts = Counter(status_of(row, is_judged=is_judged) for row in rows)
    if is_judged:
        return f"{counts['proven']:,} proven, {counts['claimed']:,} claimed"
    return f"{counts['claimed']:,} claimed"


def listing(rows: Iterable[Figures], *, is_judged: bool = False) -> Table:
    """Return rows as a table for people."""
    values = (
        [
            row.network,
            kind_title(row.collective),
            short_rules(row.rules),
            row.bound,
            f"{row.steps} slots" if row.steps is not None and has_slots(row) else row.steps,
            status_of(row, is_judged=is_judged),
            row.key[:SHOWN_OF_KEY],
        ]
        for row in rows
    )
    return Table.of(HEADER, values, align="numbers", leading=2)


def as_objects(rows: Iterable[Figures], *, is_judged: bool = False) -> list[dict[str, Any]]:
    """Return rows for JSON."""
    return [
        {**asdict(row), "canonical": bool(row.canonical), "status": status_of(row, is_judged=is_judged)} for row in rows
    ]


def as_csv(rows: Iterable[Figures], *, is_judged: bool = False) -> str:
    """Return rows as a table for spreadsheets."""
    records = ({**record, "canonical": str(record["canonical"])} for record in as_objects(rows, is_judged=is_judged))
    return Table.from_records(records, map(Column, (*NAMES, "status"))).csv()
