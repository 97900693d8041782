"""What stops on the way require of ports."""

from __future__ import annotations

import numpy as np

from pavane.bounds.stops import Stops
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.problems import problem_of


def stored(ports: int) -> Rules:
    """Return store-and-forward with a number of ports."""
    return Rules(switching="store-and-forward", ports=ports)


def test_ports_as_wide_as_the_channels_are_left_out() -> None:
    """On a ring two ports carry all that two channels bring; one port does not."""
    narrow, wide = (Stops(problem_of("ring:5", "AAS", stored(ports))) for ports in (1, 2))
    assert (narrow.num_ports, wide.num_ports) == (10, 0)
    assert narrow.own.tolist() == [4] * 10
    assert narrow.capacity.tolist() == [1] * 10


def test_messages_inside_a_router_take_ports_too() -> None:
    """A processor that sends to its neighbour on one router may have too few ports, however many channels there are."""
    fat = Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1])
    stops = Stops(Problem(fat, pairs([(0, 1), (0, 2)]), Rules(switching="store-and-forward")))
    assert stops.senders.tolist() == [0]
    assert stops.receivers.tolist() == [1]
    assert stops.own.tolist() == [2, 1]


def test_a_stop_takes_the_cheapest_processors() -> None:
    """Of three processors on a fat router the two cheapest share what stops; a pure switch asks for nothing."""
    line = Network("line", 4, [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)], [0, 1, 1, 1, 3])
    stops = Stops(Problem(line, pairs([(0, 4)]), stored(1)))
    assert stops.senders.tolist() == [0, 1, 2, 3]
    assert stops.receivers.tolist() == [1, 2, 3]
    prices = np.array([5, 1, 2, 3, 2, 1, 1])
    assert stops.tolls(prices).tolist() == [5, 3, 0, 0]
    loads = stops.loads(prices, np.array([0.0, 8.0, 8.0, 0.0]))
    assert loads.tolist() == [1, 4, 4, 0, 4, 4, 0]
