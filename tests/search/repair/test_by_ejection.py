"""Repair of scatter by ejection search, of whole paths and of hops."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.model.collectives import named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.repair import repair
from pavane.search.repair.by_ejection import place_hops, place_paths, supports_hops
from pavane.search.repair.timetable import Hop
from pavane.search.synthesis import solve
from tests.checker import judge
from tests.problems import problem_of


@pytest.mark.parametrize("rules", [Rules(routing="any"), Rules(routing="any", ports=1)], ids=str)
def test_the_old_path_is_among_those_to_choose_from(rules: Rules) -> None:
    """A message that came the long way round keeps it, though a search would not list such a path."""
    ring = network("ring:5")
    ends = ring.channels.tolist()
    way_round = tuple(ends.index([a, b]) for a, b in ((0, 4), (4, 3), (3, 2), (2, 1)))
    problem = Problem(ring, pairs([(0, 1), (0, 2)]), rules)
    transfers = place_paths(problem, 2, {0: Hop(1, 0, 1, way_round)}, 0, 0, 4.0, Budget())
    assert transfers is not None
    (kept,) = [transfer for transfer in transfers if transfer.messages == (0,)]
    assert (kept.step, kept.path) == (1, way_round)


def test_time_that_is_over_leaves_nothing() -> None:
    """Messages that have no step yet make no schedule."""
    assert place_paths(problem_of("ring:6", "AAS"), 1, {}, 0, 0, 4.0, Budget(deadline=0.0)) is None


def stored(spec: str | Network, **rules: Any) -> Problem:
    """Return all-to-all scatter under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named("AAS", made), Rules("store-and-forward", **rules))


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("torus:4x4", {}),
        ("torus:4x4", {"ports": 1}),
        ("hypercube:3", {"duplex": "half"}),
        ("dgx-a100:2", {"switches": "pass"}),
        ("ring:4*2", {"ports": 2}),
    ],
)
def test_a_lost_channel_moves_few_messages(spec: str, rules: dict[str, Any]) -> None:
    """A schedule without slack that loses a channel is repaired at once, in few steps more, and mostly stays."""
    problem = stored(spec, **rules)
    schedule = solve(problem).schedule
    assert schedule is not None
    repaired = repair(problem, schedule, [0])
    assert repaired.result.schedule is not None
    assert not judge(repaired.result.problem, repaired.result.schedule)
    assert repaired.num_kept > repaired.num_before // 2
    anew = solve(repaired.result.problem).num_steps
    assert anew is not None
    assert repaired.result.num_steps is not None
    assert repaired.result.num_steps <= max(schedule.num_steps, anew) + 1


def test_parallel_channels_are_for_others() -> None:
    """Where channels are parallel it would not know which one a transfer had."""
    assert supports_hops(stored("ring:4"))
    assert not supports_hops(stored(Network("parallel", 2, [(0, 1), (0, 1), (1, 0)])))
    assert not supports_hops(Problem(network("ring:4"), named("AAS", network("ring:4"))))


def test_time_that_is_over_leaves_no_hops() -> None:
    """Messages that have not arrived make no schedule."""
    assert place_hops(stored("ring:6"), 3, {}, 0, 4.0, Budget(deadline=0.0)) is None


def test_more_ways_than_can_be_listed_are_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it finds nothing, and somebody else mends."""
    monkeypatch.setattr("pavane.search.repair.by_ejection.MOST_WAYS", 1)
    assert place_hops(stored("ring:6"), 9, {}, 0, 4.0, Budget()) is None
