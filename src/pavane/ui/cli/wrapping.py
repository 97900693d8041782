"""Lines that fit the terminal: what is longer goes on in the next line, below where its text begins.

Only what a terminal shows is folded; programs that read what is printed get every line whole.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress

LEAST_TEXT = 24
"""Columns that a text needs to be set below its beginning; where fewer are left it goes on further to the left."""

LEAST_WIDTH = 20
"""Terminals that say they are narrower are not believed."""


def terminal_width() -> int | None:
    """Return how many columns the terminal has to which data are printed; None where they go elsewhere."""
    if not sys.stdout.isatty():
        return None
    with suppress(OSError, ValueError):  # what stands for stdout in a program may have no number
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
        if columns:
            return max(LEAST_WIDTH, columns)
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns)


def folded(line: str, width: int) -> Iterator[str]:
    """Yield a line as lines of at most `width` columns, broken between words; a longer word stays whole."""
    if len(line) <= width:
        yield line
        return
    hanging = _text_column(line, width)
    # Hyphens stand in paths and names, and only blanks part words.
    yield from textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def _text_column(line: str, width: int) -> int:
    """Return the column where the text of a line begins: behind its last gap that leaves room for a text."""
    gaps = [match.end() for match in re.finditer(r"(?<=\S) {2,}(?=\S)", line)]
    margin = len(line) - len(line.lstrip()) + 2
    return next((gap for gap in reversed(gaps) if gap <= width - LEAST_TEXT), min(margin, width // 2))


def blocks(table: list[list[str]], width: int, leading: int = 1) -> Iterator[list[list[str]]]:
    """Yield a table as tables of some of its columns that fit, each behind the leading columns; their order stays."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    margin = sum(widths[:leading]) + 2 * (leading - 1)
    chosen: list[int] = []
    last = len(widths) - 1
    for column in range(leading, len(widths)):
        # The last column may be folded, if there is room for it.
        needed = min(widths[column], LEAST_TEXT) if column == last else widths[column]
        if chosen and margin + sum(widths[each] + 2 for each in chosen) + 2 + needed > width:
            yield [[*row[:leading], *(row[each] for each in chosen)] for row in table]
            chosen = []
        chosen.append(column)
    yield [[*row[:leading], *(row[each] for each in chosen)] for row in table]
