"""Sums backwards and allreduces in two phases, by trees where routers copy and add."""

import pytest

from pavane.model.problem import Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from tests.solvers.timed.test_tree_greedy import STORED, timed_problem
from tests.timed_checker import is_valid


@pytest.mark.parametrize(
    ("kind", "end"), [("OAB", 1_256), ("AOR", 1_256), ("AAB", 2_368), ("AAR", 2_368), ("ALLREDUCE", 700 + 4 * 556)]
)
def test_collectives_through_one_switch_are_proven(kind: str, end: int) -> None:
    """Through one NVSwitch every collective ends at its bound: an allreduce sends and receives all data once."""
    problem = timed_problem(network("nvl:4"), kind, Rules(switches="copy"))
    result = solve(problem, SearchOptions(seconds=300))
    assert (result.finish, result.status) == (end, "optimal")
    assert result.schedule is not None
    assert is_valid(problem, result.schedule)
    assert not result.notes


@pytest.mark.parametrize("kind", ["AAR", "ALLREDUCE"])
def test_sums_go_by_trees_backwards(kind: str) -> None:
    """Reductions are broadcasts by trees read backwards, and an allreduce is both, on boxes with rails."""
    problem = timed_problem(network("rails:2,2"), kind, STORED, size=10)
    result = solve(problem, SearchOptions(seconds=2))
    assert result.schedule is not None
    assert is_valid(problem, result.schedule)
    assert result.bound is not None
    assert result.bound.argument == "timed-cut"
    assert not result.notes


def test_a_schedule_without_copies_counts_as_well() -> None:
    """Where no copy helps, the schedule of routers that only pass messages on is found."""
    problem = timed_problem(network("ring:4"), "AAB", Rules(multicast=True))
    plain = timed_problem(network("ring:4"), "AAB", Rules())
    finish = solve(problem, SearchOptions(seconds=3)).finish
    best = solve(plain, SearchOptions(seconds=3)).finish
    assert finish is not None
    assert best is not None
    assert finish <= best
