"""The rows of an atlas as tables: for people, for spreadsheets, for JSON and for the page.

They say what the file says; whoever opens a row has it judged.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pavane.atlas.atlas_file import NAMES, Figures
from pavane.model.collectives import kind_of

Status = Literal["proven", "claimed", "open"]

HEADER = ("network", "collective", "rules", "bound", "steps", "status", "key")

SHOWN_OF_KEY = 12


@dataclass(frozen=True)
class AtlasFilter:
    """Which rows are meant."""

    network: str | None = None
    """What the name of the network has in it."""
    collective: str | None = None
    rules: str | None = None
    """What the rules in words have in them."""
    status: Status | None = None

    def takes(self, row: Figures) -> bool:
        """Say whether a row is meant."""
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
    """Return rules in words without what holds where nobody says more."""
    usual = ("wormhole", "full duplex", "minimal routing", "no combining")
    return ", ".join(part for part in rules.split(", ") if part not in usual) or rules


def lines_of(rows: Iterable[Figures]) -> Iterator[list[str]]:
    """Yield the cells of a table for people, the header first."""
    yield list(HEADER)
    for row in rows:
        bound, steps = ("-" if figure is None else str(figure) for figure in (row.bound, row.steps))
        yield [
            row.network,
            row.collective,
            short_rules(row.rules),
            bound,
            steps,
            status_of(row),
            row.key[:SHOWN_OF_KEY],
        ]


def as_objects(rows: Iterable[Figures]) -> list[dict[str, Any]]:
    """Return rows for JSON."""
    return [{**asdict(row), "canonical": bool(row.canonical), "status": status_of(row)} for row in rows]


def as_csv(rows: Iterable[Figures]) -> str:
    """Return rows as a table for spreadsheets."""
    text = io.StringIO()
    table = csv.DictWriter(text, [*NAMES, "status"], lineterminator="\n")
    table.writeheader()
    table.writerows(as_objects(rows))
    return text.getvalue()
