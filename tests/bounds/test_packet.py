"""The bound by the slots of one packet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.bounds import explain, lower_bounds
from pavane.bounds.packet import NAME, make
from pavane.errors import InputError
from pavane.judge.certificates import proven, proven_message_times
from pavane.model.bound import Bound
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.synthesis import solve

WIDE = Network("wide", 2, [(0, 1), (1, 0)], capacities=[3, 3])
FIVE = Rules("tdm", packet_slots=5)


def test_a_period_is_not_shorter_than_a_packet() -> None:
    """A packet of five slots over a channel that carries three takes a period of five, which loads do not prove."""
    problem = Problem(WIDE, pairs([(0, 1)]), FIVE)
    best, *others = lower_bounds(problem)
    assert (best.figure, best.argument, best.certificate) == (5, NAME, {})
    assert max(bound.figure for bound in others) < 5
    assert proven(problem, best) == 5
    assert explain(problem, best) == "a packet has 5 slots, and in a shorter period it would meet itself"
    result = solve(problem)
    assert (result.num_steps, result.status) == (5, "optimal")


def test_where_it_says_nothing() -> None:
    """Packets of one slot, and schedules that do not repeat, have other bounds."""
    assert list(make(Problem(WIDE, pairs([(0, 1)]), Rules("tdm")))) == []
    assert list(make(Problem(WIDE, pairs([(0, 1)]), replace(FIVE, wrap=False)))) == []


def test_more_than_a_packet_is_not_proven() -> None:
    """The judge counts the slots itself, and knows that pieces do not multiply them."""
    problem = Problem(WIDE, pairs([(0, 1)]), FIVE)
    assert proven(problem, Bound(6, NAME, {})) == 5
    with pytest.raises(InputError, match="packets bound slots"):
        proven_message_times(problem, Bound(5, NAME, {}))
