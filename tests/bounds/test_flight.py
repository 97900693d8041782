"""The bound by flights."""

from __future__ import annotations

from pavane.judge.certificates import proven
from pavane.model.collectives import broadcast, in_pieces, pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.told import bound_of, steps_of, words
from tests.optimum import optimum
from tests.problems import problem_of

LINEAR = Rules("tdm", ports=1, wrap=False)


def test_one_message_takes_its_flight_and_its_slots() -> None:
    """A packet of f slots along h channels ends h (r + l) + r + f slots after it starts."""
    rules = Rules("tdm", router_delay=3, link_delay=1, packet_slots=2, wrap=False)
    problem = Problem(network("line:4"), pairs([(0, 3)]), rules)
    assert steps_of(problem)["flight"] == 3 * (3 + 1) + 3 + 2 == optimum(problem)


def test_far_messages_count_more_than_near_ones() -> None:
    """Of messages 1, 5 and 6 channels far, the last two start before the flight of 6 slots."""
    problem = Problem(network("line:7"), pairs([(0, 1), (0, 5), (0, 6)]), LINEAR)
    bound = bound_of(problem, "flight")
    assert bound.certificate == {"sender": 0, "distance": 5}
    assert bound.figure == 6 + 2 == proven(problem, bound) == optimum(problem)
    assert words(problem, "flight") == (
        "processor 0 must send 2 messages, 1 a slot, to processors at least 5 channels away, and a flight takes 6 slots"
    )


def test_receivers_wait_for_what_comes_from_far() -> None:
    """What one processor receives from far arrives late, one after the other."""
    problem = Problem(network("line:7"), in_pieces(pairs([(1, 0), (5, 0), (6, 0)]), 2), LINEAR)
    assert bound_of(problem, "flight").certificate == {"receiver": 0, "distance": 5}
    assert steps_of(problem)["flight"] == 6 + 4


def test_relays_are_no_quicker() -> None:
    """All pieces of a broadcast must start before the flight to the farthest receiver."""
    line = network("line:4")
    problem = Problem(line, in_pieces(broadcast(line), 2), LINEAR)
    assert steps_of(problem)["flight"] == 4 + 2
    assert (optimum(problem) or 99) >= 6


def test_periods_have_no_ends() -> None:
    """Where the schedule wraps, a flight may be longer than the period."""
    assert "flight" not in steps_of(problem_of("line:4", "OAS", Rules("tdm")))
