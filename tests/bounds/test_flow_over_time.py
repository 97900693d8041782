"""The bound by flow over time: its figures, its words, and that it never claims too much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from pavane.bounds import counted_bounds, explain, lower_bounds
from pavane.bounds.flow_over_time import best_flow
from pavane.jit import clock
from pavane.judge.certificates import proven
from pavane.model.collectives import in_pieces
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import ndv2
from tests.bounds.tiny import BROADCAST, tiny_problems_in_pieces
from tests.optimum import optimum
from tests.problems import problem_of

STORED: dict[str, Any] = {"switching": "store-and-forward"}


def cut(where: str | Network, kind: str, pieces: int, **rules: Any) -> Problem:
    """Return a collective under store-and-forward with messages in some pieces."""
    whole = problem_of(where, kind, **STORED, **rules)
    return Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("dgx-1", {2: 2, 7: 3, 13: 4, 19: 5}),
        ("octagon", {4: 3, 7: 4}),
        ("petersen", {3: 3, 6: 4}),
        ("heawood", {2: 3, 4: 4, 7: 5}),
        ("kautz:3,2", {4: 3, 7: 4}),
        ("ring:8", {4: 5}),
        ("mesh:4x4", {4: 7, 6: 8}),
        ("torus:4x4", {8: 5, 12: 6}),
    ],
)
def test_figures(name: str, figures: dict[int, int]) -> None:
    """A broadcast from one processor takes as many steps as its pieces need to flow to the farthest, and no fewer."""
    for pieces, steps in figures.items():
        problem = cut(name, "OAB", pieces)
        bound = best_flow(problem, 0)
        assert bound is not None
        assert bound.figure == steps == proven(problem, bound)
        assert best_flow(problem, steps) is None
        assert lower_bounds(problem)[0].figure == steps
        backwards = dual(problem)
        assert backwards.collective.kind == "AOR"
        assert lower_bounds(backwards)[0].figure == steps
        assert proven(backwards, bound) == steps


def test_ports_count_at_both_ends() -> None:
    """With one port the root sends a piece a step, and the last has its way to go; so it is where all gather."""
    assert best_flow(cut("line:4", "OAB", 5, ports=1), 0) is not None
    for kind, steps in (("OAB", 7), ("AOR", 7)):
        assert lower_bounds(cut("line:4", kind, 5, ports=1))[0].figure == steps
    # Both neighbours of a ring's far end could send to it, but it takes one piece a step.
    bound = best_flow(cut("ring:4", "OAB", 4, ports=1), 0)
    assert bound is not None
    assert bound.figure == 5


def test_many_origins() -> None:
    """All that must reach one processor is one flow, whoever sends it: over a cable, then across a box."""
    problem = cut(ndv2(2), "AAB", 4)
    bound = best_flow(problem, 32)
    assert bound is not None
    assert bound.figure == 34 == proven(problem, bound)


def test_words() -> None:
    """It says what must arrive, and how much can."""
    problem = cut("mesh:4x4", "OAB", 6)
    bound = best_flow(problem, 7)
    assert bound is not None
    said = "6 pieces must reach processor 15, a channel a step; in 7 steps at most 4 can"
    assert explain(problem, bound) == said
    assert explain(dual(problem), bound) == f"read backwards: {said}"


def test_nothing_is_claimed_where_it_says_nothing() -> None:
    """Private messages, wormholes, combining and single messages have no flow over time to bound."""
    for problem in (
        cut("line:4", "OAS", 3),
        problem_of("line:4", "AAB"),
        cut("line:4", "OAB", 3, combining=True),
        cut("line:4", "OAB", 1),
    ):
        assert best_flow(problem, 0) is None
    assert best_flow(cut("line:4", "OAB", 3), 0, clock.now()) is None


@given(tiny_problems_in_pieces(kinds=BROADCAST))
def test_never_above_the_optimum(drawn: Problem) -> None:
    """On tiny problems with pieces, sizes and capacities it is proven, and not above the true optimum."""
    rules = drawn.rules
    problem = Problem(
        drawn.network,
        drawn.collective,
        Rules("store-and-forward", rules.ports, rules.duplex, rules.routing),
    )
    bound = best_flow(problem, 0)
    if bound is None:
        return
    assert proven(problem, bound) == bound.figure
    best = optimum(problem, most_tried=5_000)
    assert best is None or bound.figure <= best
    assert best is None or counted_bounds(problem)[0].figure <= best
