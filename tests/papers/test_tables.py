"""The papers' tables, redone."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from papers.table_lines import markdown_lines, text_lines
from papers.tables import TABLES, PaperLine, PaperTable, RedoOptions, redone, table_named
from papers.verdicts import MEANINGS

from papers import redo
from pavane.errors import InputError, PavaneError
from pavane.parallel.pool import SerialPool
from pavane.parallel.pools import Workers
from pavane.parallel.tasks import WorkerLost


@cache
def lines(name: str) -> list[PaperLine]:
    """Redo a table."""
    return list(table_named(*name.split()).redo(RedoOptions()))


QUICK = [table.name for table in TABLES if table.is_quick]


def test_every_table_of_the_papers_is_there() -> None:
    """gecco07 Tables 1 to 5 and Fig. 7, gecco08 Tables 1 to 8, noc Tables 1 to 4 with both its Tables 2."""
    assert {table.name for table in TABLES} == {
        *(f"gecco07 {n}" for n in ("1", "2", "3", "4", "5", "fig7")),
        *(f"gecco08 {n}" for n in range(1, 9)),
        *(f"noc {n}" for n in ("1", "2", "2b", "3", "4")),
    }


def test_tables_may_come_as_they_are_finished() -> None:
    """Not in order: each table once."""
    tables = [table_named("gecco08", number) for number in ("4", "2")]
    made = {table.name: len(lines) for table, lines in redone(tables, RedoOptions(), 2, in_order=False)}
    assert made == {"gecco08 4": 2, "gecco08 2": 12}


def test_tables_come_in_order_whatever_the_processes() -> None:
    """Two processes give the same lines as one, but for the seconds."""
    tables = [table_named("gecco08", number) for number in ("4", "1", "2")]

    def told(processes: int) -> list[list[tuple[str, str, str]]]:
        return [
            [(line.where, line.ours, line.mark) for line in made]
            for _, made in redone(tables, RedoOptions(), processes)
        ]

    assert told(1) == told(2)


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupt_keeps_the_tables_that_are_finished(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are yielded, then the interrupt goes on; no other table is begun."""
    began = []

    def redo(name: str) -> Callable[[RedoOptions], Iterator[PaperLine]]:
        def lines(_: RedoOptions) -> Iterator[PaperLine]:
            began.append(name)
            if len(began) > number:
                raise KeyboardInterrupt
            yield PaperLine(name, "1", "1")

        return lines

    tables = tuple(PaperTable("fake", name, name, redo(name)) for name in "abc")
    monkeypatch.setattr("papers.tables.TABLES", tables)
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        made.extend(table.number for table, _ in redone(tables, RedoOptions()))
    assert made == list("abc"[:number])
    assert began == list("abc"[: number + 1])


def test_a_finished_table_behind_an_unfinished_one_is_not_lost() -> None:
    """Several processes begin with the last tables; at an interrupt those are yielded without the first."""

    class LossyPool(SerialPool):
        def results(self, *arguments: Any, **options: Any) -> Iterator[tuple[int, Any]]:
            yield 0, [PaperLine("c", "1", "1")]
            raise KeyboardInterrupt

    tables = [table_named("gecco08", number) for number in ("1", "2", "4")]
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        made.extend(
            table.number for table, _ in redone(tables, RedoOptions(), Workers(2, lambda _, shared: LossyPool(shared)))
        )
    assert made == ["4"]


def test_unknown_tables_are_refused() -> None:
    """An unknown paper or table gets one line with what there is."""
    with pytest.raises(InputError, match="gecco07, gecco08, noc"):
        table_named("gecco09", "1")
    with pytest.raises(InputError, match="fig7"):
        table_named("gecco07", "9")


def test_tables_are_written_with_a_count_of_marks() -> None:
    """Text and Markdown end with the number of figures of each mark; columns without content are left out."""
    rows = [
        PaperLine("a", "3", "3", "equal", {"x": None}).columns(),
        PaperLine("b", "4", "3", "better", {"x": None}).columns(),
    ]
    for written in (list(text_lines(rows)), list(markdown_lines(rows))):
        assert written[-1] == "2 figures: 1 equal, 1 better"
        assert "x" not in re.split(r"[\s|]+", " ".join(written[:3]))


VARYING = {"seconds", "times faster", "method"}


def test_a_table_that_is_lost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, with what became of it."""
    monkeypatch.setattr("papers.tables._lines", lambda *_: WorkerLost("its process was killed"))
    with pytest.raises(PavaneError, match="table noc 1 was lost: its process was killed"):
        list(redone([table_named("noc", "1")], RedoOptions()))


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, dict[str, str]]]:
    """Return the rows of the documentation page."""
    found: dict[str, dict[str, dict[str, str]]] = redo.rows_of(redo.PAGE.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", QUICK)
def test_the_page_is_fresh(name: str, rows: dict[str, dict[str, dict[str, str]]]) -> None:
    """papers/tables.md says what the command says now; the remedy is `make papers`."""
    table = table_named(*name.split())
    fresh = redo.rows_of(redo.part(f"{name}: {table.title}", redo.QUICK, lines(name)))

    def stable(table: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        return {where: {key: told for key, told in row.items() if key not in VARYING} for where, row in table.items()}

    assert stable(rows[name]) == stable(fresh[name])


def test_the_page_agrees_with_the_list_of_tables() -> None:
    """Its parts are the tables, in their order; each says whether the tests redo it, and from which run it comes."""
    parts = re.findall(r"^## (.+)\n\n(.+)\n", redo.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading, _ in parts] == [f"{table.name}: {table.title}" for table in TABLES]
    for name, (_, about) in zip(redo.NAMES, parts, strict=True):
        told = redo.QUICK if name in QUICK else redo.LONG
        assert re.search(re.escape(told) + r" Computed on \d{4}-\d\d-\d\d with pavane \d+\.\d+\.\d+\.$", about), name


def test_the_page_begins_as_its_script_says() -> None:
    """Words and marks are explained as they are in the code, and no more is called checked than the tests redo."""
    text = redo.PAGE.read_text(encoding="utf-8")
    assert text == redo.page_of(redo.parts_of(text))
    assert "checked by the tests" not in text


def test_the_page_has_every_figure(rows: dict[str, dict[str, dict[str, str]]]) -> None:
    """All marks are explained, what cannot be names its reading, and nothing but seconds is worse than the papers."""
    for name, table in rows.items():
        assert table
        for where, row in table.items():
            assert row["mark"] in MEANINGS, where
            assert row["mark"] != "worse" or name == "gecco08 7", where
            assert row["mark"] != "cannot be as printed" or row["reading"], where


def test_a_page_that_says_other_is_told_apart() -> None:
    """Every figure and every mark counts; of timed tables only what the paper prints does."""

    def part(name: str, ours: str) -> str:
        made: str = redo.part(f"{name}: title", "about", [PaperLine("here", "3", ours, "equal")])
        return made

    assert list(redo.differences(part("noc 1", "3"), part("noc 1", "3"))) == []
    assert list(redo.differences(part("noc 1", "3"), part("noc 1", "4"))) == [
        "noc 1: here (): ours is '4', and the page has '3'"
    ]
    assert len(list(redo.differences("", part("noc 1", "3")))) == 3
    assert list(redo.differences(part("noc 4", "3 ns"), part("noc 4", "4 ns"))) == []
