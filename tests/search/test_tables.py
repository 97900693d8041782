"""Which problems are solved by a table, and what is returned."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.search.options import SearchOptions
from pavane.search.size import is_table_wanted
from pavane.search.synthesis import solve
from pavane.search.tables import is_table_enough, solve_by_table
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "rules", "is_wanted"),
    [
        ("mesh:100x100", {"switching": "store-and-forward"}, True),
        ("mesh:64x64", {"switching": "store-and-forward"}, True),
        ("torus:64x64", {}, True),
        ("mesh:32x32", {"switching": "store-and-forward"}, False),
        ("torus:4x4", {}, False),
    ],
)
def test_tables_of_what_takes_long_to_write_out(spec: str, rules: dict[str, Any], is_wanted: bool) -> None:
    """A table is preferred where a schedule is too large, or would take long to build and judge."""
    assert is_table_wanted(problem_of(spec, "AAS", **rules)) == is_wanted


def test_solve_prefers_a_table() -> None:
    """A schedule that would take a minute to build is given by a table at once, and is proven optimal."""
    result = solve(problem_of("mesh:64x64", "AAS", switching="store-and-forward"))
    assert (result.schedule, result.num_steps, result.status) == (None, 65_536, "optimal")


def test_no_table() -> None:
    """Networks without a known table, and limits below the steps of the table, give none."""
    assert solve_by_table(problem_of("star:5", "AAS")) is None
    problem = problem_of("mesh:4x4", "AAS", switching="store-and-forward")
    assert solve_by_table(problem, 15) is None
    result = solve_by_table(problem, 16)
    assert result is not None
    assert result.num_steps == 16


def test_a_table_far_above_the_bound_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule is searched for where it can be written out and the table is far above the bound, unless requested."""
    monkeypatch.setattr("pavane.search.synthesis.is_table_wanted", lambda problem, seconds: True)
    far, near = problem_of("mesh:2x3x4", "AAB"), problem_of("torus:6x6")
    table = solve(far, form="table")
    assert table.schedule is None
    found = solve(far)
    assert found.schedule is not None
    assert found.num_steps is not None
    assert table.num_steps is not None
    assert found.num_steps < table.num_steps
    assert not is_table_enough(table)
    assert is_table_enough(solve(near, form="table"), 60.0)
    assert solve(near).schedule is None
    monkeypatch.setattr("pavane.search.tables.is_table_needed", lambda problem, seconds: True)
    assert is_table_enough(table)


def test_a_time_limit_is_also_for_fewer_steps_than_those_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit a search begins with a table of 12 steps, bound 8, which is near enough without."""
    monkeypatch.setattr("pavane.search.synthesis.is_table_wanted", lambda problem, seconds: True)
    monkeypatch.setattr("pavane.search.tables.MOST_ABOVE_BOUND", 1.5)
    deep = problem_of("mesh:2x3x4", "AAB")
    assert solve(deep).num_steps == 12
    found = solve(deep, SearchOptions(seconds=600.0))
    assert (found.num_steps, found.table) == (8, None)
    assert found.is_optimal


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_a_table_is_kept_where_a_search_finds_no_fewer_steps(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | None
) -> None:
    """The table is the answer, with the name of what made it, also where an interrupt (Ctrl-C) ends the search."""

    def search(*args: object, **settings: object) -> None:
        if error is not None:
            raise error

    monkeypatch.setattr("pavane.search.synthesis.is_table_wanted", lambda problem, seconds: True)
    monkeypatch.setattr("pavane.search.fewest_steps._go", search)
    kept = solve(problem_of("mesh:2x3x4", "AAB"), SearchOptions(seconds=60.0))
    assert (kept.schedule, kept.num_steps, kept.provenance.solver) == (None, 12, "cycle-trees")
    assert kept.bound is not None
    assert kept.interrupted == (error is not None)


def test_a_table_is_the_answer_where_a_search_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no table was wanted first it is made in the end, but for a chosen method or fewer steps than it has."""
    monkeypatch.setattr("pavane.search.fewest_steps._go", lambda *args, **settings: None)
    monkeypatch.setattr("pavane.search.fewest_steps._answer_late", lambda search: None)
    problem = problem_of("mesh:2x3x4", "AAB")
    found = solve(problem, SearchOptions(seconds=60.0))
    assert (found.num_steps, found.provenance.solver) == (12, "cycle-trees")
    assert solve(problem, SearchOptions(seconds=60.0), method="greedy").num_steps is None
    assert solve(problem, SearchOptions(seconds=60.0), num_steps=11).num_steps is None


def test_a_table_is_the_answer_where_no_schedule_can_be_built_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By counting, a schedule of 552 messages takes 552 s here; a table has an answer within 10, above the bound."""
    monkeypatch.setattr("pavane.search.size.LEAST_MESSAGES_MEASURED", 1)
    monkeypatch.setattr("pavane.search.size.SECONDS_PER_MESSAGE", 1.0)
    monkeypatch.setattr("pavane.search.size.LONGEST_WRITTEN_OUT", 1e9)
    odd = problem_of("mesh:2x3x4", "AAB")
    assert not is_table_wanted(odd)
    result = solve(odd, SearchOptions(seconds=10.0))
    assert (result.schedule, result.provenance.solver) == (None, "cycle-trees")
    assert result.num_steps == 12
    assert solve(odd, SearchOptions(seconds=1000.0)).schedule is not None
