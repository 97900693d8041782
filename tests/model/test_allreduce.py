"""The parts of an allreduce: its phases, what its contributions must do, and what becomes of what arrives."""

from __future__ import annotations

import pytest

from pavane.model.allreduce import arrivals, contributions, is_added, phases
from pavane.model.collectives import allreduce, in_pieces, named, reduce_broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.allreduces import AROUND, CUBE, DOUBLING, OVERLAP, OVERLAPPING, RING, Hop, hops

RING_OF_4 = network("ring:4")


def test_phases_of_parts() -> None:
    """All parts: a reduce-scatter and an allgather, whose messages have the numbers of the parts."""
    whole = Problem(RING_OF_4, in_pieces(allreduce(RING_OF_4), 2))
    before, after = phases(whole)
    assert (before.collective.kind, after.collective.kind) == ("AAR", "AAB")
    assert whole.labels.tolist() == before.labels.tolist() == after.labels.tolist()


def test_phases_of_one_part() -> None:
    """One part: a reduction to the root, and a broadcast from it."""
    before, after = phases(Problem(RING_OF_4, reduce_broadcast(RING_OF_4, 2)))
    assert (before.collective.kind, before.collective.receivers) == ("AOR", (2,))
    assert (after.collective.kind, after.collective.senders, after.collective.receivers) == ("OAB", (2,), (0, 1, 3))


def test_contributions_are_gathered() -> None:
    """Who gets a sum has heard from all members, as in an allgather that combines."""
    asked = contributions(Problem(RING_OF_4, allreduce(RING_OF_4, [0, 2, 3]), Rules(ports=1)))
    assert (asked.collective.kind, asked.collective.senders) == ("MNB", (0, 2, 3))
    assert asked.rules == Rules(ports=1, combining=True)


@pytest.mark.parametrize(
    ("problem", "listed", "num_added", "num_complete"),
    [(RING, AROUND, 6, 6), (CUBE, DOUBLING, 8, 0), (OVERLAP, OVERLAPPING, 6, 6)],
    ids=["ring", "recursive doubling", "overlap"],
)
def test_what_becomes_of_what_arrives(problem: Problem, listed: list[Hop], num_added: int, num_complete: int) -> None:
    """A sum of some is added to what is there, the sum of all takes its place."""
    found = arrivals(problem, hops(problem, listed))
    assert (found.added.sum(), found.complete.sum()) == (num_added, num_complete)
    assert not (found.added & found.complete).any()
    assert is_added(problem, hops(problem, listed)).tolist() == found.added.tolist()


def test_who_has_nothing_adds_nothing() -> None:
    """The first sum that comes to who contributes nothing takes the place of nothing."""
    line = OVERLAP.network
    problem = Problem(line, reduce_broadcast(line, 0, [0, 2]))
    found = arrivals(problem, hops(problem, [(0, 2, 1, 0), (1, 1, 0, 0), (2, 0, 1, 0), (3, 1, 2, 0)]))
    assert found.added.tolist() == [False, True, False, False]
    assert found.complete.tolist() == [False, False, True, True]


def test_digests() -> None:
    """They are those of the canonical JSON, on every machine: the number of parts is part of the problem."""
    parts, one = Problem(RING_OF_4, allreduce(RING_OF_4)), Problem(RING_OF_4, reduce_broadcast(RING_OF_4))
    assert parts.digest() == Problem(network("ring:4"), allreduce(RING_OF_4, range(4))).digest()
    assert parts.digest() == "61f60492db6976c685702a579b574df0f782447ca9704423f867ce5f82bd4e46"
    assert one.digest() == "2f5a5b6a315cd0131959e4b2175e71eebf99edad30a22e6e6e8fc4a06f9404ba"


def test_the_root_of_some_members_is_one_of_them() -> None:
    """Where nobody names it, the part is named after the first member."""
    assert named("reduce-broadcast", RING_OF_4, senders=[2, 3]) == reduce_broadcast(RING_OF_4, 2, [2, 3])
    assert named("reduce-broadcast", RING_OF_4) == reduce_broadcast(RING_OF_4, 0)
