"""Redone tables as text and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pavane.text.table import Column, Table, value_text

MOST_LETTERS = 70
"""Longer reasons are cut in text tables; Markdown and JSON have them whole."""

LAST = ("reading", "note")
"""The last columns of every table."""


def text_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield an aligned table and a line that counts the verdicts."""
    yield from _table(rows, MOST_LETTERS).lines()
    yield _counts(rows)


def markdown_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a Markdown table and a line that counts the verdicts."""
    yield ""
    yield from _table(rows, None).markdown(escape=lambda text: text.replace("|", "/"), tight_rule=True)
    yield ""
    yield _counts(rows)


def _table(rows: Sequence[dict[str, Any]], widest: int | None) -> Table:
    """Return the rows as a table of the columns that hold anything."""

    def cut(value: Any) -> str:
        text = value_text(value)
        return text if widest is None or len(text) <= widest else text[: widest - 3] + "..."

    names = dict.fromkeys(name for row in rows for name in row if name not in LAST)
    columns = [Column(name, text=cut, missing="") for name in (*names, *LAST)]
    return Table.from_records(rows, columns).without_empty_columns()


def _counts(rows: Sequence[dict[str, Any]]) -> str:
    verdicts = Counter(row["mark"] for row in rows if row["mark"])
    return f"{len(rows)} figures: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
