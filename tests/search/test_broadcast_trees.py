"""Scatters and gathers along the trees of broadcasts."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces
from pavane.model.problem import Problem
from pavane.search.broadcast_trees import along_broadcast, broadcast_of
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import solve
from tests.problems import problem_of


@pytest.mark.parametrize("kind", ["OAS", "AOG"])
@pytest.mark.parametrize(
    ("where", "switching", "start_ups"),
    [
        ("mesh:4x4", "wormhole", 4),
        ("ring:7,oneway", "wormhole", 3),
        ("kautz:3,2", "wormhole", 4),
        ("star:5", "wormhole", 3),
        ("star:5", "store-and-forward", 4),
        ("mesh:3x3*2", "store-and-forward", 5),
    ],
)
def test_as_many_start_ups_as_the_broadcast(kind: str, where: str, switching: str, start_ups: int) -> None:
    """The judge accepts what goes along the tree, and every message of a step is needed further on."""
    problem = problem_of(where, kind, switching=switching, ports=1, combining=True)
    broadcast = broadcast_of(problem)
    assert broadcast is not None
    found = solve(broadcast, SearchOptions(evaluations=1000)).schedule
    assert found is not None
    schedule = Result(problem, along_broadcast(problem, found)).schedule
    assert schedule is not None
    assert schedule.num_steps == found.num_steps == start_ups
    assert schedule.tco >= problem.num_messages


@pytest.mark.parametrize("where", ["mesh:8x8", "hierarchical-rings:4,4,4"])
def test_a_broadcast_that_doubles_gives_the_least(where: str) -> None:
    """Where the informed double in every step, start-ups and TCO are both the least."""
    (point,) = pareto_front(problem_of(where, "OAS", ports=1, routing="any", combining=True)).points
    assert (point.start_ups, point.tco) == (6, 63)


def test_other_problems_have_no_such_broadcast() -> None:
    """Several senders, pieces, and messages that are not private."""
    scatter = problem_of("mesh:2x2", "OAS", combining=True)
    cut = Problem(scatter.network, in_pieces(scatter.collective, 2), scatter.rules)
    for problem in (cut, problem_of("mesh:2x2", "AAS", combining=True), problem_of("mesh:2x2", "OAB", combining=True)):
        assert broadcast_of(problem) is None
