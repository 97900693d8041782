"""Tables of the papers that several tests look at, redone once."""

from __future__ import annotations

from functools import cache

from papers.tables import PaperLine, RedoOptions, table_named


@cache
def lines(name: str) -> list[PaperLine]:
    """Redo a table."""
    return list(table_named(*name.split()).redo(RedoOptions()))
