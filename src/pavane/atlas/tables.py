"""The rows of an atlas as tables: for people, for spreadsheets, for JSON and for the page.

They have the claims of the file; a row is judged when it is opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pavane.atlas.atlas_file import NAMES, Figures
from pavane.model.collectives import kind_of
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

    def takes(self, row: Figures) -> bool:
        """Return whether a row is chosen."""
        return (
            (self.network is None or self.network.lower() in row.network.lower())
            and (self.collective is None or kind_of(self.collective) == row.collective)
            and (self.rules is None or self.rules.lower() in row.rules.lower())
            and (self.status is None or self.status == status_of(row))
        )


def status_of(row: Figures) -> Status:
    """Return what is known of a row's steps: proven the fewest, claimed so by a search through all, or open."""
    if row.is_proven:
        return "proven"
    return "claimed" if row.steps is not None and row.exhaustive == row.steps else "open"


def short_rules(rules: str) -> str:
    """Return rules in words without the defaults."""
    usual = ("wormhole", "full duplex", "minimal routing", "no combining")
    return ", ".join(part for part in rules.split(", ") if part not in usual) or rules


def listing(rows: Iterable[Figures]) -> Table:
    """Return rows as a table for people."""
    values = (
        [
            row.network,
            row.collective,
            short_rules(row.rules),
            row.bound,
            row.steps,
            status_of(row),
            row.key[:SHOWN_OF_KEY],
        ]
        for row in rows
    )
    return Table.of(HEADER, values, align="numbers", leading=2)


def as_objects(rows: Iterable[Figures]) -> list[dict[str, Any]]:
    """Return rows for JSON."""
    return [{**asdict(row), "canonical": bool(row.canonical), "status": status_of(row)} for row in rows]


def as_csv(rows: Iterable[Figures]) -> str:
    """Return rows as a table for spreadsheets."""
    records = ({**record, "canonical": str(record["canonical"])} for record in as_objects(rows))
    return Table.from_records(records, map(Column, (*NAMES, "status"))).csv()
