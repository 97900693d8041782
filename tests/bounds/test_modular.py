"""The bound by full ports of a period."""

from __future__ import annotations

import pytest

from pavane.bounds import lower_bounds
from pavane.judge.certificates import proven
from pavane.model.collectives import alltoall, in_pieces, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.told import steps_of, words
from tests.optimum import optimum
from tests.problems import problem_of

ONE_PORT = Rules("tdm", ports=1)


@pytest.mark.parametrize(("size", "slots"), [(3, 9), (4, 16), (5, 25), (6, 36), (7, 49)])
def test_two_way_tori_need_as_many_slots_as_routers(size: int, slots: int) -> None:
    """On two-way tori of 3x3 to 7x7 the flights do not add up to periods of N - 1 slots, so N are needed."""
    problem = problem_of(f"torus:{size}x{size}", "AAS", ONE_PORT)
    best = lower_bounds(problem)[0]
    assert (best.argument, best.figure, best.certificate["period"]) == ("modular", slots, slots - 1)
    assert proven(problem, best) == slots


def test_where_flights_add_up_nothing_is_proven() -> None:
    """On a complete network all flights are 2 slots, and N - 1 slots are enough."""
    problem = problem_of("complete:4", "AAS", ONE_PORT)
    assert "modular" not in steps_of(problem)
    assert optimum(problem) == 3


def test_ports_that_are_not_full_prove_nothing() -> None:
    """Where the channels need more slots than the ports, ports have idle slots."""
    assert steps_of(problem_of("ring:8", "AAS", ONE_PORT))["sum-of-distances"] == 8
    assert "modular" not in steps_of(problem_of("torus:4x4", "OAS", ONE_PORT))


def test_words_name_the_period_and_the_remainder() -> None:
    """The explanation says which period is impossible, and what flights add up to."""
    assert words(problem_of("torus:4x4", "AAS", ONE_PORT), "modular") == (
        "in a period of 15 slots all ports of 16 senders and of their receivers would be full, so that all flights add "
        "up to 0 modulo 15, but they add up to 2"
    )


def test_each_group_of_senders_counts_alone() -> None:
    """Senders and receivers that share no messages with others are a group of their own; one is enough."""
    two = Network("two rings", 8, [(a, b) for base in (0, 4) for i in range(4) for a, b in _both(base, i)])
    inside = [(base + a, base + b) for base in (0, 4) for a in range(4) for b in range(4) if a != b]
    ring, other = inside[:12], inside[12:]
    assert steps_of(Problem(two, pairs(ring), ONE_PORT))["modular"] == 4
    assert steps_of(Problem(two, pairs(inside), ONE_PORT))["modular"] == 4
    assert steps_of(Problem(two, pairs(ring + other[:1]), ONE_PORT))["modular"] == 4
    assert "modular" not in steps_of(Problem(two, pairs(ring[1:]), ONE_PORT))


def _both(base: int, i: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two channels of a link of a ring of four."""
    here, there = base + i, base + (i + 1) % 4
    return (here, there), (there, here)


@pytest.mark.parametrize("packet_slots", [1, 2])
def test_packets_of_several_slots(packet_slots: int) -> None:
    """Where the sum is not 0 modulo N - 1, packets of f slots need a slot more than N - 1 packets take."""
    problem = problem_of("ring:4", "AAS", Rules("tdm", ports=1, packet_slots=packet_slots))
    assert steps_of(problem)["modular"] == 3 * packet_slots + 1


def test_ports_of_capacity_two() -> None:
    """Two ports that are full add up as one does: on a ring of four in pieces, 3 slots for 6 packets are too few."""
    rules = Rules("tdm", ports=2)
    problem = Problem(network("ring:4"), in_pieces(alltoall(network("ring:4")), 2), rules)
    assert (steps_of(problem)["injection"], steps_of(problem)["modular"]) == (3, 4)


def test_any_routing_says_nothing() -> None:
    """Where packets may take detours, the sum of flights is not known."""
    assert "modular" not in steps_of(problem_of("ring:4", "AAS", Rules("tdm", ports=1, routing="any")))
