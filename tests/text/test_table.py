"""One table in all its forms."""

from __future__ import annotations

import csv
import io
import re
import sys
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.text.table import Column, Table, escape_markdown

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]))
CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
WORDS = st.text("abc0123.,", min_size=1, max_size=30)


def rows_of(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[Any]]]:
    """Return rows of equally many cells, the first of them titles."""
    return st.integers(1, 6).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6)
    )


TIMES = Table(
    [
        Column("name", "network"),
        Column("time", "seconds", align="right", unit="ns", text="{:.1f}".format),
        Column("proven", missing=""),
    ],
    [["a|b", 2.0, True], ["long name", 10.5, None], ["*", None, False]],
)


def test_text() -> None:
    """Columns are two blanks apart, and a unit follows every value; None is a dash unless the column has another."""
    assert list(TIMES.lines()) == [
        "name          time  proven",
        "a|b         2.0 ns  yes",
        "long name  10.5 ns",
        "*                -  no",
    ]
    assert next(TIMES.lines(indent=2, gap=" ")) == "  name         time proven"


@pytest.mark.parametrize(("cell", "line"), [("2 ns", "    2 ns"), ("3/4", "3/4"), ("1,024", "   1,024"), ("-", "-")])
def test_numbers_are_aligned_to_the_right(cell: str, line: str) -> None:
    """A column of numbers, with or without a unit, is aligned to the right if all its cells are numbers."""
    table = Table.of(["0", "time"], [["0", "10.25 ns"], ["1", cell]], align="numbers")
    assert list(table.lines())[-1] == f"1  {line}"


@given(rows_of(WORDS))
def test_columns_start_or_end_one_below_the_other(rows: list[list[str]]) -> None:
    """Each cell stands in the columns of the terminal that its widest cell takes."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for align in ("left", "right"):
        table = Table([Column(title, align=align) for title in rows[0]], rows[1:])
        for row, line in zip(rows, table.lines(), strict=True):
            start = 0
            for cell, width in zip(row, widths, strict=True):
                part = line[start : start + width]
                assert part.rstrip() == cell if align == "left" else part.lstrip() == cell
                start += width + 2


def test_a_table_without_titles_has_no_header() -> None:
    """Neither in text nor in HTML."""
    table = Table.of(["", ""], [["routers", 4], ["channels", 8]])
    assert list(table.lines()) == ["routers   4", "channels  8"]
    assert table.html() == "<table><tr><td>routers</td><td>4</td></tr><tr><td>channels</td><td>8</td></tr></table>"
    assert list(Table.of([], []).lines()) == []


@given(rows_of(WORDS), st.integers(20, 200), st.integers(1, 2))
def test_a_wide_table_becomes_several(rows: list[list[str]], width: int, leading: int) -> None:
    """Each part has the leading columns; together the parts have every other column once, in order."""
    table = Table.of(rows[0], rows[1:], leading=leading)
    parts = "\n".join(table.lines(width)).split("\n\n")
    if all(len(line) <= width for line in table.lines()):
        assert parts == ["\n".join(table.lines())]
    words = [part.split() for part in parts]
    assert sum(len(part) for part in words) == len(rows) * (
        min(leading, len(rows[0])) * len(parts) + max(0, len(rows[0]) - leading)
    )
    if all(len(cell) <= 8 for row in rows for cell in row):
        assert max(len(line) for part in parts for line in part.split("\n")) <= max(width, 28)


def test_the_last_column_continues_below_its_beginning() -> None:
    """A long text at the end of a row is wrapped."""
    table = Table.of(["solver", "about"], [["greedy", "first fit over " * 4]])
    lines = list(table.lines(40))
    assert lines[1].startswith("greedy  first fit")
    assert lines[2].startswith("        over" if lines[1].endswith("fit") else "        first")
    assert max(map(len, lines)) <= 40


@given(rows_of(CELLS))
def test_csv_read_back_has_the_cells(rows: list[list[Any]]) -> None:
    """None is empty, booleans are true and false, and all other cells are what `str` returns."""
    table = Table.of([f"c{number}" for number in range(len(rows[0]))], rows)
    head, *back = csv.reader(io.StringIO(table.csv()))
    assert head == table.titles
    assert back == [
        ["" if value is None else str(value).lower() if isinstance(value, bool) else str(value) for value in row]
        for row in rows
    ]


def test_programs_get_values_by_keys() -> None:
    """Records, CSV and data frames have the values, not their texts; a column without a key has its title."""
    assert TIMES.records()[1] == {"network": "long name", "seconds": 10.5, "proven": None}
    assert TIMES.csv().splitlines()[:2] == ["network,seconds,proven", "a|b,2.0,true"]
    pytest.importorskip("pandas")
    frame = TIMES.dataframe()
    assert list(frame) == ["network", "seconds", "proven"]
    assert frame["seconds"].tolist()[:2] == [2.0, 10.5]


def test_a_data_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pandas is missing, the error says how to install it."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="a data frame needs pandas; install it with: pip install pandas"):
        TIMES.dataframe()


def test_records() -> None:
    """Keys become columns in the order of their first occurrence; columns without any value can be left out."""
    records: list[dict[str, Any]] = [{"a": 1, "b": ""}, {"c": Fraction(1, 2), "a": 0}]
    table = Table.from_records(records)
    assert table.titles == ["a", "b", "c"]
    assert table.cells() == [["1", "", "-"], ["0", "-", "1/2"]]
    assert table.without_empty_columns().records() == [{"a": 1, "c": None}, {"a": 0, "c": Fraction(1, 2)}]
    assert Table.from_records(records, [Column("C", "c")]).records() == [{"c": None}, {"c": Fraction(1, 2)}]


def test_markdown() -> None:
    """Columns of numbers are aligned to the right; the rule may be tight, and cells may be Markdown already."""
    assert list(TIMES.markdown()) == [
        "| name | time | proven |",
        "| --- | ---: | --- |",
        "| a\\|b | 2.0 ns | yes |",
        "| long name | 10.5 ns |  |",
        "| \\* | - | no |",
    ]
    tight = list(TIMES.markdown(escape=str, tight_rule=True))
    assert tight[1:3] == ["|---|---:|---|", "| a|b | 2.0 ns | yes |"]


@given(rows_of(TEXTS))
def test_markdown_shows_every_cell_unchanged(rows: list[list[str]]) -> None:
    """Bars do not separate cells and stars do not emphasize: without its backslashes every cell is as it was."""
    for row, line in zip(rows, list(Table.of(["x"] * len(rows[0]), rows).markdown())[2:], strict=True):
        cells = re.findall(r" ((?:[^\\|]|\\.)*?) \|", line.removeprefix("|"))
        assert [re.sub(r"\\(.)", r"\1", cell) for cell in cells] == row
        assert not re.search(r"(?<!\\)(\\\\)*\*", line)
    assert escape_markdown("a\nb") == "a b"


class Cells(HTMLParser):
    """The texts of all cells of an HTML table."""

    def __init__(self) -> None:
        """Start without cells."""
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Begin a cell."""
        if tag in ("td", "th"):
            self.found.append("")

    def handle_data(self, data: str) -> None:
        """Add text to the cell."""
        self.found[-1] += data


@given(rows_of(TEXTS))
def test_html_read_back_has_the_cells(rows: list[list[str]]) -> None:
    """Signs of HTML are escaped, in titles too, unless the texts are HTML already."""
    reader = Cells()
    titles = [f"<{number}>" for number in range(len(rows[0]))]
    reader.feed(Table.of(titles, rows).html())
    assert reader.found == [cell for row in (titles, *rows) for cell in row]
    assert "<td><b>1</b></td>" in Table.of(["a"], [["<b>1</b>"]]).html(escape=str)


def test_rows_have_a_cell_for_each_column() -> None:
    """A row with too few or too many cells is an error, in every form."""
    for row in (["a"], ["a", "b", "c"]):
        table = Table.of(["x", "y"], [row])
        for render in (Table.lines, Table.markdown, Table.html, Table.records):
            with pytest.raises(ValueError, match="zip"):
                list(render(table))
