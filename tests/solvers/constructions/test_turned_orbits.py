"""Turned packets in blocks: slot tables of square tori without an idle slot."""

from __future__ import annotations

import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.turned_orbits import TurnedOrbits


def problem_of(spec: str, **rules: object) -> Problem:
    """All-to-all scatter in slots."""
    return Problem(network(spec), "alltoall", Rules("tdm", **rules))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "period"), [("torus:3x3", 3), ("torus:5x5", 15), ("torus:6x6", 27), ("torus:8x8", 64), ("torus:5x5x5", 75)]
)
def test_every_channel_is_busy_in_every_slot(spec: str, period: int) -> None:
    """The period is the sum of distances over the channels of a router; linear tables take two slots of ports more."""
    for wrap, slots in ((True, period), (False, period + 2)):
        problem = problem_of(spec, wrap=wrap)
        result = TurnedOrbits()(problem, None, 0, Budget())
        assert result.num_steps == slots
        assert result.schedule is not None
        assert len(result.schedule.path_channels) == period * problem.network.num_channels


def test_a_shorter_period_than_it_makes_is_not_found() -> None:
    """A number of steps means at most that many."""
    problem = problem_of("torus:5x5")
    assert TurnedOrbits()(problem, 14, 0, Budget()).schedule is None
    assert TurnedOrbits()(problem, 20, 0, Budget()).num_steps == 15


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("torus:4x5", {}),
        ("mesh:4x4", {}),
        ("torus:4x4", {"ports": 1}),
        ("torus:4x4", {"router_delay": 2}),
        ("torus:4x4", {"packet_slots": 2}),
        ("torus:4x4", {"duplex": "half"}),
    ],
)
def test_what_turns_do_not_keep_is_not_supported(spec: str, rules: dict[str, object]) -> None:
    """Sides must be equal, ports unlimited, and a packet one slot on each channel, one after the other."""
    assert TurnedOrbits().supports(problem_of("torus:4x4"))
    assert not TurnedOrbits().supports(problem_of(spec, **rules))


def test_time_that_is_over_ends_it() -> None:
    """No window is searched then."""
    assert TurnedOrbits()(problem_of("torus:4x4"), None, 0, Budget(deadline=0.0)).schedule is None
