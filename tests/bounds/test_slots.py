"""Bounds by loads, in the slots of tdm."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pavane.bounds import fractional_bound, lower_bounds
from pavane.judge.certificates import proven, proven_message_times
from pavane.model.collectives import alltoall, in_pieces, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.told import bound_of, steps_of, words
from tests.optimum import optimum
from tests.problems import problem_of

LINEAR = Rules("tdm", ports=1, wrap=False)


@pytest.mark.parametrize(("spec", "slots"), [("mesh:6x6", 56), ("mesh:8x8", 130), ("mesh:10x10", 252)])
def test_a_cut_takes_a_slot_before_and_after_it(spec: str, slots: int) -> None:
    """With unit delays the middle of a mesh is used neither in the first slot nor in the last."""
    problem = problem_of(spec, "AAS", LINEAR)
    bound = bound_of(problem, "bisection")
    assert (bound.figure, bound.exact) == (slots, Fraction(slots - 2))
    assert proven(problem, bound) == slots


def test_ports_wait_for_the_shortest_flight() -> None:
    """A port sends nothing in the last slots and receives nothing in the first: N - 1 packets and a flight of 2."""
    steps = steps_of(problem_of("torus:4x4", "AAS", LINEAR))
    assert steps["injection"] == steps["ejection"] == 17
    slow = problem_of("torus:4x4", "AAS", Rules("tdm", ports=1, wrap=False, router_delay=3, link_delay=1))
    assert steps_of(slow)["injection"] == 15 + 4 + 3


def test_a_far_channel_is_used_late_and_left_early() -> None:
    """The slots before and after a channel are those of the messages that can use it."""
    line = network("line:7")
    problem = Problem(line, pairs([(0, 6)]), Rules("tdm", wrap=False))
    # All six channels together are used once each, in slots 1 to 6 of 8.
    assert steps_of(problem)["injection"] == 8
    assert lower_bounds(problem)[0].figure == 8 == optimum(problem)


def test_ports_fill_channels_hop_by_hop() -> None:
    """One port a router fills four channels in four hops, and drains them as slowly: 5 slots more than the loads."""
    steps = steps_of(problem_of("torus:8x8", "AAS", LINEAR))
    assert steps["sum-of-distances"] == 64 + 5
    all_ports = Rules("tdm", wrap=False)
    assert steps_of(problem_of("torus:8x8", "AAS", all_ports))["sum-of-distances"] == 64 + 2
    assert steps_of(problem_of("ring:16", "AAS", LINEAR))["sum-of-distances"] == 32 + 3


@pytest.mark.parametrize(("wrap", "slots"), [(True, 9), (False, 11)])
def test_a_packet_is_not_split(wrap: bool, slots: int) -> None:
    """Five packets of 3 slots over two channels take 9 slots, not 15 / 2; and a flight of 2 where nothing wraps."""
    two = Network("two channels", 2, [(0, 1), (0, 1), (1, 0)])
    rules = Rules("tdm", ports=2, packet_slots=3, wrap=wrap)
    problem = Problem(two, in_pieces(pairs([(0, 1)]), 5), rules)
    bound = bound_of(problem, "router")
    assert (bound.figure, bound.exact) == (slots, Fraction(15, 2))
    assert proven(problem, bound) == slots


def test_pieces_scale_without_the_ends() -> None:
    """The slots at the ends of a schedule do not grow with the pieces, so message times leave them out."""
    ring = network("ring:4")
    problem = Problem(ring, in_pieces(alltoall(ring), 3), Rules("tdm", ports=1, packet_slots=2, wrap=False))
    fractional = fractional_bound(problem)
    assert fractional is not None
    assert fractional.per_message == Fraction(6)
    assert proven_message_times(problem, fractional.bound) == 6
    assert fractional.bound.figure > 6


def test_words_speak_of_slots() -> None:
    """The explanation counts packets a slot, and names the slots that are of no use."""
    assert words(problem_of("mesh:4x4", "AAS", LINEAR), "injection") == (
        "processor 0 must send 15 messages, 1 a slot, none in the last 2 slots"
    )
    assert words(problem_of("torus:4x4", "AAS", LINEAR), "sum-of-distances") == (
        "the messages need 512 channel uses in all, and a slot offers 64, none in the first slot and the last slot, "
        "and ports fill and drain them hop by hop"
    )
    wrapped = problem_of("torus:4x4", "AAS", Rules("tdm", ports=1, packet_slots=3))
    assert words(wrapped, "injection") == "processor 0 must send 15 messages, 1 every 3 slots"
