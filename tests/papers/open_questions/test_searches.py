"""Searches of open questions, and how figures are written."""

from typing import Any

import pytest
from papers.open_questions.searches import figures, is_proven, listed, proof_of, solved, written
from papers.problems import problem

from pavane.bounds import counted_bounds
from pavane.errors import InvalidSchedule
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions


def test_a_schedule_of_a_stricter_problem_is_taken_over() -> None:
    """Shortest paths are paths: no search is worse than what is known already."""
    shortest = solved(problem("mesh:4x4", "AAS", ports=1), SearchOptions())
    longer = solved(problem("mesh:4x4", "AAS", ports=1, routing="any"), SearchOptions(seconds=0.001), shortest)
    assert (shortest.num_steps, longer.num_steps) == (16, 16)
    assert longer.problem.rules.routing == "any"


def test_what_is_taken_over_is_judged() -> None:
    """A schedule of a problem that forbids less is refused."""
    longer = solved(problem("kautz:3,3", "OAS", routing="any"), SearchOptions())
    with pytest.raises(InvalidSchedule):
        solved(problem("kautz:3,3", "OAS"), SearchOptions(), longer)


def test_there_is_always_a_schedule() -> None:
    """Where the time is too short first fit has one, and the bounds stay."""
    found = figures(solved(problem("kautz:3,3", "AAS"), SearchOptions(seconds=1e-6)))
    assert found["steps"] >= found["bound"] > 0
    assert found["checked"]


def test_first_fit_answers_where_a_search_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule is first fit's, the bounds are those of both."""

    def search(asked: Problem, *options: Any, **settings: Any) -> Result:
        if settings.get("method") == "greedy":
            return find_or_interrupt(asked, *options, **settings)
        return Result(asked, None, counted_bounds(asked))

    monkeypatch.setattr("papers.open_questions.searches.find_or_interrupt", search)
    found = solved(problem("octagon", "AAS"), SearchOptions())
    assert found.provenance.solver == "greedy"
    assert found.bound is not None
    assert (found.bound.figure, found.schedule is None) == (4, False)


def test_figures_are_written_as_on_the_page_of_tables() -> None:
    """One number where it is proven, else bound and steps."""
    assert written({"bound": 7, "steps": 7}) == "7"
    assert written({"bound": 7, "steps": 9}) == "7/9"
    assert written(None) == ""
    assert is_proven({"bound": 7, "steps": 7})
    assert not is_proven({"bound": 7, "steps": 9})


def test_what_is_open_is_named() -> None:
    """Figures are counted, and those without a proof are listed."""
    done, still = ({"bound": 7, "steps": steps, "checked": True} for steps in (7, 9))
    assert proof_of([("a", done)]) == "All 1 figure are proven optimal: a lower bound that the judge checks meets each."
    assert "(in 1 of them by a search through all schedules instead)" in proof_of([("a", {**done, "checked": False})])
    said = proof_of([("a", done), ("b", still), ("c", still)])
    assert said.startswith("1 of 3 figures are proven optimal")
    assert said.endswith("Open are b: 7/9 and c: 7/9.")


def test_words_are_joined_as_in_a_sentence() -> None:
    """A comma between most, an and before the last."""
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
