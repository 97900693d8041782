"""Certificates on when packets of tdm are where prove what they claim, and others prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of

TDM, LINEAR = Rules("tdm", 1), Rules("tdm", 1, wrap=False)


def proven_slots(problem: Problem, argument: str, **certificate: Any) -> int:
    """Return what the judge proves by a certificate."""
    return proven(problem, Bound(99, argument, certificate))


def test_full_ports_are_counted_again() -> None:
    """A period in which ports are not full, and senders whose receivers have other messages, prove nothing."""
    ring = problem_of("ring:4", "AAS", TDM)
    everyone = [0, 1, 2, 3]
    assert proven_slots(ring, "modular", period=3, senders=everyone) == 4
    for period, senders, text in (
        (4, everyone, "not all ports are full in 4 slots"),
        (3, [0, 1], "their receivers have messages of others, too"),
        (3, [], "it names no processors"),
        (3, [0, 9], "such that do not exist: 4 are there"),
    ):
        with pytest.raises(InputError, match=text):
            proven_slots(ring, "modular", period=period, senders=senders)


def test_full_ports_prove_their_period_where_flights_add_up() -> None:
    """On a complete network full ports prove no more than the load."""
    assert proven_slots(problem_of("complete:4", "AAS", TDM), "modular", period=3, senders=[0, 1, 2, 3]) == 3


@pytest.mark.parametrize("rules", [LINEAR, Rules("tdm", 1, routing="any")])
def test_full_ports_are_about_periods_and_known_lengths(rules: Rules) -> None:
    """Without wrap, or where paths may be longer, full ports prove nothing."""
    with pytest.raises(InputError, match="full ports bound periods of private messages only"):
        proven_slots(problem_of("ring:4", "AAS", rules), "modular", period=3, senders=[0, 1, 2, 3])


@pytest.mark.parametrize(
    ("argument", "certificate"),
    [("flight", {"sender": 0, "distance": 1}), ("sum-of-flights", {"senders": [0]}), ("postal", {"origin": 0})],
)
def test_flights_end_within_the_schedule_only_without_wrap(argument: str, certificate: dict[str, Any]) -> None:
    """Where the schedule repeats, packets end in the next period."""
    kind = {"postal": "OAB"}.get(argument, "OAS")
    assert proven_slots(problem_of("ring:4", kind, LINEAR), argument, **certificate) >= 4
    with pytest.raises(InputError, match=r"do not wrap|bounds broadcasts only"):
        proven_slots(problem_of("ring:4", "OAS", TDM), argument, **certificate)


def test_a_flight_is_that_of_a_message() -> None:
    """Only messages of a processor that go as far count."""
    problem = Problem(network("line:4"), pairs([(0, 1), (0, 3)]), LINEAR)
    assert proven_slots(problem, "flight", sender=0, distance=3) == 5
    assert proven_slots(problem, "flight", sender=0, distance=2) == 4
    assert proven_slots(problem, "flight", receiver=3, distance=3) == 5
    for certificate in ({"sender": 0, "distance": 4}, {"sender": 1, "distance": 1}, {"sender": 0, "distance": -1}):
        with pytest.raises(InputError, match="has no messages of that distance"):
            proven_slots(problem, "flight", **certificate)


def test_growth_in_steps_says_nothing_about_slots() -> None:
    """What bounds steps by growth or distance is refused under tdm."""
    for argument in ("growth", "distance"):
        with pytest.raises(InputError, match="not slots of broadcasts"):
            proven_slots(problem_of("ring:4", "OAB", LINEAR), argument, origin=0)
