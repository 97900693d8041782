"""Certificates that count loads prove slots: packets that fit, and those at the ends of a schedule that do not."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of


def proven_by(problem: Problem, channels: list[int], injection: list[int], ejection: list[int]) -> int:
    """Return what equal prices prove."""
    columns = {"channels": channels, "injection": injection, "ejection": ejection}
    return proven(
        problem,
        Bound(
            99,
            "prices",
            {key: [[1, *some]] for key, some in columns.items() if some}
            | {key: [] for key, some in columns.items() if not some},
        ),
    )


def test_the_slots_at_the_ends_are_counted_by_what_is_priced() -> None:
    """On a line of 4 from end to end a sender's port is free for the flight, and each channel for its part of it."""
    problem = Problem(network("line:4"), pairs([(0, 3)]), Rules("tdm", router_delay=2, link_delay=1, wrap=False))
    flight = 3 * 3 + 2
    assert proven_by(problem, [], [0], []) == flight + 1
    assert proven_by(problem, [], [], [3]) == flight + 1
    for first, second in ((0, 1), (1, 2), (2, 3)):
        channel = problem.network.channels.tolist().index([first, second])
        assert proven_by(problem, [channel], [], []) == flight + 1


def test_two_units_are_of_use_at_different_times() -> None:
    """Prices on the first channel and on the receiver's port sell together what each sells in its own slots."""
    problem = Problem(network("line:4"), in_pieces(pairs([(0, 3)]), 4), Rules("tdm", 1, wrap=False))
    assert proven_by(problem, [0], [], [3]) == 4 + 4


def test_packets_fit_into_lanes() -> None:
    """A unit of capacity 2 carries three packets of 2 slots in 3 slots of a period, and in 4 slots where it ends."""
    double = Network("double", 2, [(0, 1), (1, 0)], capacities=[2, 2])
    for wrap, slots in ((True, 3), (False, 4 + 2)):
        rules = Rules("tdm", ports=2, packet_slots=2, wrap=wrap)
        problem = Problem(double, in_pieces(pairs([(0, 1)]), 3), rules)
        assert proven_by(problem, [0], [], []) == slots


def test_channels_that_no_message_uses_sell_nothing() -> None:
    """A price on a channel that is on no shortest path neither helps nor harms."""
    problem = Problem(network("ring:5"), pairs([(0, 2)]), Rules("tdm", wrap=False))
    used = [problem.network.channels.tolist().index(ends) for ends in ([0, 1], [1, 2])]
    assert proven_by(problem, used, [], []) == proven_by(problem, list(range(10)), [], []) == 4


def test_ports_fill_channels() -> None:
    """With one port a router, all channels of a two-way torus are in use after four hops only."""
    torus = problem_of("torus:4x4", "AAS", Rules("tdm", 1, wrap=False))
    assert proven_by(torus, list(range(64)), [], []) == 8 + 5
    slow = problem_of("torus:4x4", "AAS", Rules("tdm", 1, wrap=False, router_delay=2))
    assert proven_by(slow, list(range(64)), [], []) == 8 + 5 * 2


def test_what_prices_nothing_proves_nothing() -> None:
    """An empty price list is refused in slots, too."""
    with pytest.raises(InputError, match="prices nothing proves nothing"):
        proven_by(problem_of("ring:4", "AAS", Rules("tdm", wrap=False)), [], [], [])
