"""The papers' tables, redone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.solvers import SOLVERS
from pavane.studies.papers import TABLES, Line, Ours, Table, redone, table_named
from pavane.studies.papers.gecco07 import octagon_as_printed
from pavane.studies.papers.gecco08 import broadcast_as_printed, scattered_as_printed, seconds_printed
from pavane.studies.papers.problems import problem
from pavane.studies.papers.table import mark_of, steps_line
from pavane.studies.papers.table_lines import markdown_lines, text_lines
from pavane.studies.trials import study
from pavane.workers.crew import Alone

PAGE = Path(__file__).parents[3] / "docs" / "papers.md"

QUICK = ("gecco07 3", "gecco07 4", "gecco07 fig7", "gecco08 1", "gecco08 2", "gecco08 3", "gecco08 4", "noc 2b")
"""Tables that take about a second."""


def lines(name: str) -> list[Line]:
    """Redo a table."""
    return list(table_named(*name.split()).redo(Ours()))


def test_every_table_of_the_papers_is_there() -> None:
    """gecco07 Tables 1 to 5 and Fig. 7, gecco08 Tables 1 to 8, noc Tables 1 to 4 with both its Tables 2."""
    assert {table.name for table in TABLES} == {
        *(f"gecco07 {n}" for n in ("1", "2", "3", "4", "5", "fig7")),
        *(f"gecco08 {n}" for n in range(1, 9)),
        *(f"noc {n}" for n in ("1", "2", "2b", "3", "4")),
    }


@pytest.mark.parametrize(
    ("reached", "printed", "lower", "mark"),
    [
        (9, 10, 9, "better"),
        (10, 10, 9, "equal"),
        (11, 10, 9, "worse"),
        (None, 10, 9, "worse"),
        (28, 16, 28, "cannot be as printed"),
        (None, 16, 28, "cannot be as printed"),
        (5, None, 5, "new"),
    ],
)
def test_marks_compare(reached: int | None, printed: int | None, lower: int, mark: str) -> None:
    """Fewer steps are better; what lies below a proven bound cannot be."""
    assert mark_of(reached, printed, lower) == mark


def test_the_printed_schedules_are_judged() -> None:
    """The schedules that the papers print pass the judge, in the papers' numbers of steps."""
    assert octagon_as_printed().num_steps == 4
    assert scattered_as_printed().num_steps == 7
    assert broadcast_as_printed().num_steps == 4


@pytest.mark.parametrize(
    ("text", "seconds"), [("<1s", 1), ("57s", 57), ("9m17s", 557), ("2h2m", 7320), ("4d5h", 363600)]
)
def test_printed_times_are_read(text: str, seconds: int) -> None:
    """Days, hours, minutes and seconds as gecco08 Table 7 has them."""
    assert seconds_printed(text) == seconds


@pytest.mark.parametrize("name", QUICK)
def test_nothing_is_worse_than_the_papers(name: str) -> None:
    """In the quick tables every figure is equal, better, new, or proven impossible."""
    assert all(line.mark in ("equal", "better", "new", "cannot be as printed") for line in lines(name))


def test_a_papers_algorithm_redoes_a_figure() -> None:
    """With a method and seeds a line has a success rate with its interval, and the median of evaluations."""
    ours = Ours(SOLVERS["umda"], seeds=3, evaluations=20_000)
    line = steps_line("octagon, OAS", problem("octagon", "OAS"), ours, bound=3, value=3)
    assert line.facts["success"] == "100 %"
    assert line.facts["runs"] == 3
    assert line.facts["evaluations"] > 0
    assert line.mark == "equal"


def test_a_method_that_cannot_says_so() -> None:
    """A figure that the method does not do is left empty with a reason, and does not stop the table."""
    line = steps_line("octagon, AAB", problem("octagon", "AAB"), Ours(SOLVERS["ejection"]), bound=3, value=3)
    assert (line.ours, line.mark) == ("-", "")
    assert "ejection" in line.note


def test_tables_come_in_order_whatever_the_processes() -> None:
    """Two processes give the same lines as one, but for the seconds."""
    tables = [table_named("gecco08", number) for number in ("4", "1", "2")]

    def told(processes: int) -> list[list[tuple[str, str, str]]]:
        return [[(line.where, line.ours, line.mark) for line in made] for _, made in redone(tables, Ours(), processes)]

    assert told(1) == told(2)


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupt_keeps_the_tables_that_are_finished(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are yielded, then the interrupt goes on; no other table is begun."""
    began = []

    def redo(name: str) -> Callable[[Ours], Iterator[Line]]:
        def lines(_: Ours) -> Iterator[Line]:
            began.append(name)
            if len(began) > number:
                raise KeyboardInterrupt
            yield Line(name, "1", "1")

        return lines

    tables = tuple(Table("fake", name, name, redo(name)) for name in "abc")
    monkeypatch.setattr("pavane.studies.papers.TABLES", tables)
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        made.extend(table.number for table, _ in redone(tables, Ours()))
    assert made == list("abc"[:number])
    assert began == list("abc"[: number + 1])


def test_a_finished_table_behind_an_unfinished_one_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes begin with the last tables; at an interrupt those are yielded without the first."""

    class Crew(Alone):
        def answers(self, *arguments: Any, **options: Any) -> Iterator[tuple[int, Any]]:
            yield 0, [Line("c", "1", "1")]
            raise KeyboardInterrupt

    monkeypatch.setattr("pavane.studies.papers.crew_of", lambda _, shared: Crew(shared))
    tables = [table_named("gecco08", number) for number in ("1", "2", "4")]
    made: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        made.extend(table.number for table, _ in redone(tables, Ours(), processes=2))
    assert made == ["4"]


def test_a_study_that_was_interrupted_ends_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A success rate over fewer seeds than asked for is no figure."""
    part = study(problem("octagon", "OAS"), [SOLVERS["umda"]], num_steps=3, seeds=1, evaluations=20_000)
    part = replace(part, seeds=(0, 1))
    monkeypatch.setattr("pavane.studies.trials.study", lambda *_, **__: part)
    with pytest.raises(KeyboardInterrupt):
        steps_line("octagon, OAS", problem("octagon", "OAS"), Ours(SOLVERS["umda"], seeds=2), bound=3, value=3)


def test_unknown_tables_are_refused() -> None:
    """An unknown paper or table gets one line with what there is."""
    with pytest.raises(InputError, match="gecco07, gecco08, noc"):
        table_named("gecco09", "1")
    with pytest.raises(InputError, match="fig7"):
        table_named("gecco07", "9")


def test_tables_are_written_with_a_count_of_marks() -> None:
    """Text and Markdown end with the number of figures of each mark; columns without content are left out."""
    rows = [Line("a", "3", "3", "equal", {"x": None}).columns(), Line("b", "4", "3", "better", {"x": None}).columns()]
    for written in (list(text_lines(rows)), list(markdown_lines(rows))):
        assert written[-1] == "2 figures: 1 equal, 1 better"
        assert "x" not in re.split(r"[\s|]+", " ".join(written[:3]))


VARYING = {"seconds", "times faster", "method"}


def on_page(name: str) -> list[dict[str, str]]:
    """Return the rows of a table on the documentation page."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"^## {name}: .*?\n\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert found is not None, name
    header, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in found[1].split("\n"))
    return [dict(zip(header, row, strict=True)) for row in body]


@pytest.mark.parametrize("name", QUICK)
def test_the_page_is_fresh(name: str) -> None:
    """docs/papers.md says what the command says now; the remedy is `python docs/redo_papers.py`."""
    rows = [line.columns() for line in lines(name)]
    header, _, *body = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in markdown_lines(rows) if line.startswith("|")
    ]
    fresh = [dict(zip(header, row, strict=True)) for row in body]

    def stable(table: list[dict[str, str]]) -> list[dict[str, str]]:
        return [{key: value for key, value in row.items() if key not in VARYING} for row in table]

    assert stable(on_page(name)) == stable(fresh)


def test_the_page_has_every_table() -> None:
    """No table is missing from docs/papers.md, and none has a figure that is worse than the paper's."""
    for table in TABLES:
        assert on_page(table.name)
        if table.name != "gecco08 7":  # seconds depend on the machine
            assert not [row for row in on_page(table.name) if row["mark"] == "worse"], table.name
