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
