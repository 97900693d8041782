"""The bound by an exhaustive search, in words."""

from __future__ import annotations

from pavane.bounds import explain
from pavane.model.bound import Bound
from tests.problems import problem_of


def test_words() -> None:
    """It says which schedules there are none of."""
    problem = problem_of("ring:4", "AAS")
    assert explain(problem, Bound(3, "exhaustive", {})) == "a search through all schedules of 2 steps found none"
    assert explain(problem, Bound(2, "exhaustive", {})) == "a search through all schedules of 1 step found none"


def test_words_of_slots() -> None:
    """Of a table of slots it names every smaller period."""
    problem = problem_of("ring:4", "AAS", switching="tdm")
    text = "a search through all tables of at most 2 slots found none"
    assert explain(problem, Bound(3, "exhaustive", {})) == text
