"""The rules of running sums: allreduces by hand that obey them, and the smallest that break one."""

from __future__ import annotations

import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, reduce_broadcast
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from tests.allreduces import AROUND, CUBE, DOUBLING, LINE, OVERLAP, OVERLAPPING, RING, Hop, hops
from tests.checker import in_short, judge

IN_THE_MIDDLE = Problem(LINE, reduce_broadcast(LINE, 1))
TO_AND_FRO = [(0, 0, 1, 0), (0, 2, 1, 0), (1, 1, 0, 0), (1, 1, 2, 0)]
"""Both ends send what they have to the middle, and get the sum."""


@pytest.mark.parametrize(
    ("problem", "listed"),
    [(RING, AROUND), (CUBE, DOUBLING), (OVERLAP, OVERLAPPING), (IN_THE_MIDDLE, TO_AND_FRO)],
    ids=["ring", "recursive doubling", "overlap", "one part"],
)
def test_allreduces_by_hand(problem: Problem, listed: list[Hop]) -> None:
    """Ring, recursive doubling, phases that overlap and a sum in the middle are allreduces; without any hop none is."""
    schedule = hops(problem, listed)
    assert verify(problem, schedule) == []
    assert judge(problem, schedule) == set()
    for left_out in range(len(listed)):
        schedule = hops(problem, listed[:left_out] + listed[left_out + 1 :])
        found = verify(problem, schedule, most=100)
        assert "never-delivered" in {violation.rule for violation in found}
        assert in_short(found) == judge(problem, schedule)


def test_what_is_lacking_is_counted() -> None:
    """Who is not told the sum has his own contribution alone."""
    (found,) = verify(IN_THE_MIDDLE, hops(IN_THE_MIDDLE, TO_AND_FRO[:-1]))
    assert found.rule == "never-delivered"
    assert found.text.endswith("that processor 2 has in the end lacks 2 of 3 contributions")


@pytest.mark.parametrize(
    ("more", "step"),
    [
        ((2, 0, 1, 0), 2),  # the whole sum, to who has it
        ((1, 0, 1, 0), 1),  # the same contribution once more
    ],
)
def test_what_comes_twice_counts_twice(more: Hop, step: int) -> None:
    """A sum that has contributions in common with what is there, and does not contain it, is wrong."""
    listed = TO_AND_FRO if step == 2 else [(0, 0, 1, 0), (0, 2, 1, 0), (2, 1, 0, 0), (2, 1, 2, 0)]
    schedule = hops(IN_THE_MIDDLE, [*listed, more])
    (found,) = verify(IN_THE_MIDDLE, schedule)
    assert (found.rule, found.step) == ("delivered-twice", step)
    assert "would count twice" in found.text
    assert in_short([found]) == judge(IN_THE_MIDDLE, schedule)


def test_two_sums_of_one_step_have_nothing_in_common() -> None:
    """The sum of 0 and 1 comes to 2 together with that of 1 alone: 1 would count twice."""
    problem = Problem(RING.network, reduce_broadcast(RING.network))
    schedule = hops(problem, [(0, 0, 1, 0), (1, 1, 2, 0), (1, 0, 2, 0), (2, 2, 0, 0), (2, 2, 1, 0)])
    assert [(v.rule, v.step) for v in verify(problem, schedule)] == [("delivered-twice", 1)]


def test_who_has_no_sum_sends_none() -> None:
    """A processor that contributes nothing has nothing to send before anything comes to it."""
    problem = Problem(LINE, reduce_broadcast(LINE, 0, [0, 2]), Rules(switching="store-and-forward"))
    there = [(0, 2, 1, 0), (1, 1, 0, 0), (2, 0, 1, 0), (3, 1, 2, 0)]
    assert verify(problem, hops(problem, there)) == []
    early = hops(problem, [(0, 1, 0, 0), (0, 2, 1, 0), (1, 1, 0, 0), (2, 0, 1, 0), (3, 1, 2, 0)])
    (found,) = verify(problem, early)
    assert (found.rule, found.step) == ("not-held", 0)
    assert "has no sum at the sender to send on" in found.text
    assert in_short([found]) == judge(problem, early)


def test_a_larger_sum_takes_the_place_of_a_smaller() -> None:
    """What contains all that is there may come, and brings the rest; who has less may send what he has to others."""
    problem = Problem(LINE, reduce_broadcast(LINE, 2))
    schedule = hops(problem, [(0, 0, 1, 0), (1, 1, 2, 0), (2, 2, 1, 0), (3, 1, 0, 0)])
    assert verify(problem, schedule) == []


def test_a_sum_is_sent_as_it_is_when_the_step_begins() -> None:
    """What arrives in a step goes on in the next: sent in the same step it is not in the sum."""
    schedule = hops(IN_THE_MIDDLE, [(0, 0, 1, 0), (0, 2, 1, 0), (0, 1, 0, 0), (1, 1, 2, 0)])
    assert {v.rule for v in verify(IN_THE_MIDDLE, schedule)} == {"never-delivered"}


def test_channels_and_ports_carry_what_they_do_elsewhere() -> None:
    """Two pieces do not share a channel, nor a port, in a step; and no step is empty."""
    crowded = hops(OVERLAP, [(min(step, 2), tail, head, part) for step, tail, head, part in OVERLAPPING])
    assert "channel-capacity" in {v.rule for v in verify(OVERLAP, crowded)}
    one_port = Problem(OVERLAP.network, OVERLAP.collective, Rules(ports=1))
    assert {v.rule for v in verify(one_port, hops(one_port, OVERLAPPING))} == {"port-capacity"}
    late = hops(OVERLAP, [(step + 1, tail, head, part) for step, tail, head, part in OVERLAPPING])
    assert [v.rule for v in verify(OVERLAP, late)] == ["empty-step"]


def test_pieces_have_sums_of_their_own() -> None:
    """Of a part in two pieces each has its sum, and a transfer without combining carries one of them."""
    problem = Problem(LINE, in_pieces(reduce_broadcast(LINE, 1), 2))
    both = [(step + 2 * piece, tail, head, piece) for step, tail, head, _ in TO_AND_FRO for piece in range(2)]
    assert verify(problem, hops(problem, both)) == []
    combined = Problem(LINE, problem.collective, Rules(combining=True))
    transfers = [Transfer(t.start, t.sender, t.receiver, t.path, (0, 1)) for t in hops(IN_THE_MIDDLE, TO_AND_FRO)]
    schedule = Schedule.from_transfers(transfers)
    assert verify(combined, schedule) == []
    assert {v.rule for v in verify(problem, schedule)} == {"carries-several"}
