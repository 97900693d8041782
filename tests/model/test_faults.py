"""Faults: which there are, and what each leaves of a problem."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall
from pavane.model.faults import (
    Disconnected,
    Fault,
    faulty,
    single_faults,
    usual_kind,
)
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network

KAUTZ = network("kautz:3,2")
TWINS = Network("twins", 3, [(0, 1), (0, 1), (1, 0), (1, 0), (1, 2), (2, 1)])


def test_what_can_fail() -> None:
    """One-way channels fail alone by default, links as a whole; parallel ones are told apart by number."""
    assert usual_kind(KAUTZ) == "channel"
    assert usual_kind(network("ring:4")) == "link"
    assert len(single_faults(KAUTZ)) == 36
    assert len(single_faults(KAUTZ, "link")) == 30
    assert [f.name for f in single_faults(TWINS)] == ["0-1", "0-1 (2)", "1-2"]
    assert [f.name for f in single_faults(TWINS, "router")] == ["router 0", "router 1", "router 2"]


def test_routers_and_processors_leave_the_collective() -> None:
    """A router takes its processor along; a processor leaves its router as a pure switch."""
    ring = network("ring:5")
    problem = Problem(ring, alltoall(ring))
    without_router = faulty(problem, Fault("router 2", routers=(2,)))
    assert (without_router.network.num_routers, without_router.num_messages) == (4, 12)
    without_processor = faulty(problem, Fault("processor 2", processors=(2,)))
    assert (without_processor.network.num_routers, without_processor.num_messages) == (5, 12)
    some = Problem(ring, Collective("MNS", (1, 3), (2, 4)))
    left = faulty(some, Fault("processor 2", processors=(2,))).collective
    assert (left.senders, left.receivers) == ((1, 2), (3,))


def test_a_fault_may_disconnect() -> None:
    """The line says what has no way to whom."""
    path = network("mesh:3")
    with pytest.raises(Disconnected, match="0-1 disconnects AAS: processor"):
        faulty(Problem(path, alltoall(path)), single_faults(path)[0])


def test_pieces_and_sizes_stay_with_their_messages() -> None:
    """What is left of a collective is numbered anew, its sizes with it; a message of a lost processor is gone."""
    ring = network("ring:5")
    whole = Collective("AAS", tuple(range(5)), tuple(range(5)), pieces=2, sizes=((0, 1, 3), (1, 2, 4), (4, 3, 0)))
    left = faulty(Problem(ring, whole), Fault("processor 1", processors=(1,)))
    assert (left.collective.pieces, left.collective.sizes) == (2, ((3, 2, 0),))
    assert left.num_messages == 2 * 11
    gathered = Collective("AAR", tuple(range(5)), tuple(range(5)), sizes=((1, 2), (3, 5)))
    assert faulty(Problem(ring, gathered), Fault("router 1", routers=(1,))).collective.sizes == ((2, 5),)
    listed = Collective("PAIRS", pairs=((0, 1), (3, 4)), sizes=((3, 4, 2),))
    lost = faulty(Problem(ring, listed), Fault("processor 0", processors=(0,))).collective
    assert (lost.pairs, lost.sizes) == (((2, 3),), ((2, 3, 2),))


def test_messages_of_no_units_are_nothing_to_send() -> None:
    """Where a fault leaves messages of size 0 alone, nothing is left, and no way is missing."""
    ring = network("ring:4")
    listed = Collective("PAIRS", pairs=((0, 1), (2, 3)), sizes=((2, 3, 0),))
    with pytest.raises(Disconnected, match="processor 0 leaves PAIRS nothing to send"):
        faulty(Problem(ring, listed), Fault("processor 0", processors=(0,)))


def test_a_fault_takes_a_whole_channel() -> None:
    """Whatever a channel carries is gone with it; the others keep their capacities."""
    wide = Network("wide", 3, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)], capacities=[4, 4, 2, 2, 1, 1])
    problem = Problem(wide, alltoall(wide), Rules(duplex="half"))
    link = single_faults(wide)[0]
    left = faulty(problem, link)
    assert (link.name, left.network.capacity.tolist()) == ("0-1", [2, 2, 1, 1])
    assert left.rules == problem.rules
