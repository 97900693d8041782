"""Lines of at most a given width: the rest of a long line continues below the beginning of its text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

LEAST_TEXT = 24
"""Columns that a text needs to be set below its beginning; with less room it continues further to the left."""


def wrap(line: str, width: int) -> Iterator[str]:
    """Yield a line as lines of at most `width` columns, broken between words; a longer word stays whole."""
    if len(line) <= width:
        yield line
        return
    # Hyphens occur in paths and names, so that only blanks separate words.
    yield from textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * _text_column(line, width),
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def _text_column(line: str, width: int) -> int:
    """Return the column where the text of a line begins: behind its last gap that leaves room for a text."""
    gaps = [match.end() for match in re.finditer(r"(?<=\S) {2,}(?=\S)", line)]
    margin = len(line) - len(line.lstrip()) + 2
    return next((gap for gap in reversed(gaps) if gap <= width - LEAST_TEXT), min(margin, width // 2))
