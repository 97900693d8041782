"""Tables: columns with titles, rows of values, and every form in which a table is printed or written.

Rows hold values (numbers, texts, None), not their texts. CSV, records and data frames have the values, by the keys of
the columns; text, Markdown and HTML have the texts that the columns make of them.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pavane.errors import InputError
from pavane.text.wrapping import LEAST_TEXT, wrap

if TYPE_CHECKING:
    import pandas

Align = Literal["left", "right", "numbers"]
"""`numbers` aligns a column to the right if all its cells are numbers, with or without a unit, and else to the left."""

NUMBER = re.compile(r"[\d.,]+( \w+)?")


def value_text(value: Any) -> str:
    """Return the text of a value: yes or no for a boolean, and what `str` returns for others."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def escape_markdown(text: str) -> str:
    """Return a text as a cell of a Markdown table that shows it unchanged."""
    return re.sub(r"([\\|*])", r"\\\1", text.replace("\n", " "))


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    key: str = ""
    """The name in CSV, records and data frames; by default the title."""
    align: Align = "left"
    unit: str = ""
    """Follows the text of every value."""
    text: Callable[[Any], str] = value_text
    """Returns the text of a value that is not None, for example `"{:,}".format`."""
    missing: str = "-"
    """The text of None."""

    @property
    def name(self) -> str:
        """Return the key, or the title if there is none."""
        return self.key or self.title

    def cell(self, value: Any) -> str:
        """Return the text of a value."""
        if value is None:
            return self.missing
        return f"{self.text(value)} {self.unit}" if self.unit else self.text(value)


@dataclass(frozen=True)
class Table:
    """Columns and rows of values; a table without any title has no header."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    leading: int = 1
    """Columns that are repeated in each part of a table that is too wide for one."""

    @classmethod
    def of(
        cls, titles: Iterable[str], rows: Iterable[Sequence[Any]], *, align: Align = "left", leading: int = 1
    ) -> Table:
        """Return a table whose columns differ in their titles only."""
        return cls([Column(title, align=align) for title in titles], list(rows), leading)

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], columns: Iterable[Column] | None = None) -> Table:
        """Return a row for each record: the given columns, or one for each key in the order of first occurrence."""
        records = list(records)
        if columns is None:
            columns = map(Column, dict.fromkeys(key for record in records for key in record))
        columns = list(columns)
        return cls(columns, [[record.get(column.name) for column in columns] for record in records])

    def without_empty_columns(self) -> Table:
        """Return the table without columns in which every value is None or an empty text."""
        filled = [at for at in range(len(self.columns)) if any(row[at] not in (None, "") for row in self.rows)]
        rows = [[row[at] for at in filled] for row in self.rows]
        return Table([self.columns[at] for at in filled], rows, self.leading)

    # -- for people

    @property
    def titles(self) -> list[str]:
        """Return the titles of all columns."""
        return [column.title for column in self.columns]

    def cells(self) -> list[list[str]]:
        """Return the texts of all values, row by row."""
        return [[column.cell(value) for column, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def lines(self, width: int | None = None, *, indent: int = 0, gap: str = "  ") -> Iterator[str]:
        """Yield lines with aligned columns, without blanks at their ends.

        Args:
            width: No line is longer, except for long words. Columns for which there is no room go into further parts,
                each behind the leading columns; the last column may continue below its beginning.
            indent: Blanks in front of every line.
            gap: What separates columns.
        """
        texts = [self.titles, *self.cells()] if any(self.titles) else self.cells()
        columns = [
            _pad(column, cells, has_title=any(self.titles))
            for column, cells in zip(self.columns, zip(*texts, strict=True), strict=False)
        ]
        for number, part in enumerate(self._parts(columns, width and width - indent, len(gap))):
            if number:
                yield ""
            for cells in zip(*part, strict=True):
                line = f"{'':{indent}}{gap.join(cells)}".rstrip()
                yield from (line,) if width is None else wrap(line, width)

    def _parts(self, columns: list[list[str]], width: int | None, gap: int) -> Iterator[list[list[str]]]:
        """Yield the columns in parts that fit the width, each behind the leading columns."""
        part, rest = columns[: self.leading], columns[self.leading :]
        for number, column in enumerate(rest, 1):
            # The last column may be wrapped, if there is room for it.
            needed = min(len(column[0]), LEAST_TEXT) if number == len(rest) else len(column[0])
            used = sum(len(cells[0]) + gap for cells in part)
            if width is not None and len(part) > self.leading and used + needed > width:
                yield part
                part = columns[: self.leading]
            part.append(column)
        yield part

    def markdown(self, *, escape: Callable[[str], str] = escape_markdown, tight_rule: bool = False) -> Iterator[str]:
        """Yield the lines of a Markdown table.

        Args:
            escape: Makes a cell of a text; `str` where texts are Markdown already.
            tight_rule: Write the line below the header without blanks.
        """
        marks = ["---" if column.align == "left" else "---:" for column in self.columns]
        rule = f"|{'|'.join(marks)}|" if tight_rule else f"| {' | '.join(marks)} |"
        head, *rows = (f"| {' | '.join(map(escape, cells))} |" for cells in (self.titles, *self.cells()))
        yield from (head, rule, *rows)

    def html(self, *, escape: Callable[[str], str] = html.escape) -> str:
        """Return an HTML table; `escape` makes the content of a cell of its text, and is `str` for texts in HTML."""
        titles = "".join(f"<th>{html.escape(title)}</th>" for title in self.titles)
        head = f"<tr>{titles}</tr>" if any(self.titles) else ""
        rows = ("".join(f"<td>{escape(text)}</td>" for text in cells) for cells in self.cells())
        return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    # -- for programs

    def csv(self) -> str:
        """Return the values as CSV below the keys: None is empty, booleans are true and false."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(column.name for column in self.columns)
        for row in self.rows:
            writer.writerow(str(value).lower() if isinstance(value, bool) else value for value in row)
        return text.getvalue()

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, for JSON."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def dataframe(self) -> pandas.DataFrame:
        """Return a pandas data frame.

        Raises:
            InputError: If pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("a data frame needs pandas; install it with: pip install pandas") from None
        frame: pandas.DataFrame = pandas.DataFrame(
            {column.name: [row[at] for row in self.rows] for at, column in enumerate(self.columns)}
        )
        return frame


def _pad(column: Column, cells: Sequence[str], *, has_title: bool) -> list[str]:
    """Return the cells of a column with blanks that make all of one width."""
    width = max(map(len, cells))
    below = cells[1:] if has_title else cells
    is_right = column.align == "right" or (column.align == "numbers" and all(map(NUMBER.fullmatch, below)))
    return [cell.rjust(width) if is_right else cell.ljust(width) for cell in cells]
