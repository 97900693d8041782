"""First fit of many packets in slots does what first fit of few does."""

from typing import Any

import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import slot_first_fit
from pavane.solvers.greedy import Greedy

CASES: list[tuple[str, dict[str, Any]]] = [
    ("mesh:4x4", {"ports": 1}),
    ("torus:4x4", {"ports": 1, "packet_slots": 3, "router_delay": 2, "link_delay": 1, "wrap": False}),
    ("mesh:4x4", {"ports": 2, "duplex": "half"}),
    ("fat-octagon:2", {"packet_slots": 2}),
    ("ring:70,oneway", {"ports": 1}),
]


@pytest.mark.parametrize(("spec", "rules"), CASES)
def test_many_packets_are_placed_like_few(spec: str, rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel takes the same slots and paths as the walk over whole numbers, for delays beyond a word as well."""
    problem = Problem(network(spec), "alltoall", Rules("tdm", **rules))
    schedules = []
    for least in (0, problem.num_messages + 1):
        monkeypatch.setattr(slot_first_fit, "LEAST_PACKETS", least)
        schedules.append(Greedy()(problem, None, 3, Budget()).schedule)
    assert schedules[0] is not None
    assert schedules[0] == schedules[1]


def test_a_limit_that_is_too_short_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Placing ends when the time is over, with a note on the time that would suffice."""
    monkeypatch.setattr(slot_first_fit, "LEAST_PACKETS", 0)
    monkeypatch.setattr(slot_first_fit, "PACKETS_AT_A_TIME", 10)
    problem = Problem(network("mesh:4x4"), "alltoall", Rules("tdm", ports=1))
    result = Greedy()(problem, None, 0, Budget(deadline=0.0))
    assert result.schedule is None
    assert "too short" in result.notes[0]
