"""The bound by moves: with few start-ups messages are moved several times."""

from __future__ import annotations

import pytest

from pavane.bounds.moves import bounds_by_moves
from pavane.bounds.occupancy import explain_occupancy, occupancy_bound, occupancy_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import alltoall, scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of


def test_moves_in_words() -> None:
    """On a ring of 8 three steps reach 3 targets directly, 3 over one relay and 1 over two: 12 moves an origin."""
    problem = problem_of("ring:8", "AAS", ports=1, combining=True)
    best = occupancy_bound(problem, 3)
    assert best == Bound(12, "moves", {"side": "origins", "moves": 96, "per-step": 8}, objective="tco", num_steps=3)
    assert explain_occupancy(problem, best) == (
        "in 3 steps too few targets are reached directly: messages must be moved 96 times in all, "
        "and a unit of occupancy moves 8"
    )


def test_far_targets_are_counted_under_store_and_forward() -> None:
    """Two targets two hops away cannot both be reached in two steps over one port."""
    where = network("line:5")
    problem = Problem(where, scatter(where, 2, [0, 4]), Rules("store-and-forward", 1, combining=True))
    with pytest.raises(InputError, match="no schedule has 2 start-ups: too many targets are far away"):
        occupancy_bounds(problem, 2)
    with pytest.raises(InputError, match="no schedule has 1 start-up: too many targets are far away"):
        list(bounds_by_moves(problem, 1))
    assert occupancy_bound(problem, 3).figure == 3
    around = Network("around", 3, [(0, 1), (1, 2), (2, 0)])
    stored = Problem(around, alltoall(around), Rules("store-and-forward", 1, combining=True))
    (moves,) = (bound for bound in occupancy_bounds(stored, 2) if bound.argument == "moves")
    assert moves.certificate == {"side": "origins", "moves": 3 * (1 + 2), "per-step": 3}
    assert proven(stored, moves) == moves.figure == 3


def test_switches_that_hold_messages_are_not_counted() -> None:
    """Where messages rest at pure switches, and for broadcasts, moves say nothing."""
    hub = Network("hub", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 2])
    stored = Problem(hub, alltoall(hub), Rules("store-and-forward", 1, combining=True))
    assert list(bounds_by_moves(stored, 3)) == []
    assert list(bounds_by_moves(problem_of("ring:4", "AAB", combining=True), 3)) == []
