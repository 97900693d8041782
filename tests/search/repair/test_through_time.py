"""Mending store-and-forward scatter by ejection search through time."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.repair import repair
from pavane.search.repair.through_time import pushed_through_time, suits
from pavane.search.synthesis import solve
from tests.checker import judge


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
    """A schedule without slack that loses a channel is mended at once, in few steps more, and mostly stays."""
    problem = stored(spec, **rules)
    schedule = solve(problem).schedule
    assert schedule is not None
    mended = repair(problem, schedule, [0])
    assert mended.result.schedule is not None
    assert not judge(mended.result.problem, mended.result.schedule)
    assert mended.num_kept > mended.num_before // 2
    anew = solve(mended.result.problem).num_steps
    assert anew is not None
    assert mended.result.num_steps is not None
    assert mended.result.num_steps <= max(schedule.num_steps, anew) + 1


def test_parallel_channels_are_for_others() -> None:
    """Where channels are parallel it would not know which one a transfer had."""
    assert suits(stored("ring:4"))
    assert not suits(stored(Network("parallel", 2, [(0, 1), (0, 1), (1, 0)])))
    assert not suits(Problem(network("ring:4"), named("AAS", network("ring:4"))))


def test_time_that_is_over_leaves_nothing() -> None:
    """Messages that have not arrived make no schedule."""
    assert pushed_through_time(stored("ring:6"), 3, {}, 0, 4.0, Budget(deadline=0.0)) is None


def test_more_ways_than_can_be_listed_are_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it finds nothing, and somebody else mends."""
    monkeypatch.setattr("pavane.search.repair.through_time.MOST_WAYS", 1)
    assert pushed_through_time(stored("ring:6"), 9, {}, 0, 4.0, Budget()) is None
