"""Redone tables as text and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pavane.io.notation import aligned

MOST_LETTERS = 70
"""Longer reasons are cut in text tables; Markdown and JSON have them whole."""


def text_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield an aligned table and a line that counts the marks."""
    names = _names(rows)
    table = [names, *([_cell(row.get(name), MOST_LETTERS) for name in names] for row in rows)]
    yield from aligned(table)
    yield _counts(rows)


def markdown_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a Markdown table and a line that counts the marks."""
    names = _names(rows)
    yield ""
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(_cell(row.get(name), None).replace('|', '/') for name in names)} |"
    yield ""
    yield _counts(rows)


def _names(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the columns that hold anything, readings and notes last."""
    last = ("reading", "note")
    every = list(dict.fromkeys(name for row in rows for name in row if name not in last))
    return [name for name in (*every, *last) if any(row.get(name) not in (None, "") for row in rows)]


def _cell(value: Any, widest: int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text if widest is None or len(text) <= widest else text[: widest - 3] + "..."


def _counts(rows: Sequence[dict[str, Any]]) -> str:
    marks = Counter(row["mark"] for row in rows if row["mark"])
    return f"{len(rows)} figures: " + ", ".join(f"{count} {mark}" for mark, count in marks.items())
