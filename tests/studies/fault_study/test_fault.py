"""Faults: which there are, and what each leaves of a problem."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.studies.fault_study import Disconnected, Fault, double_faults, faulty, single_faults, usual_kind

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


def test_pairs_of_faults_are_drawn_with_the_seed() -> None:
    """All pairs where they are few; else a sample without doubles, the same for the same seed."""
    singles = single_faults(KAUTZ)
    assert len(double_faults(singles[:5], 100)) == 10
    drawn = double_faults(singles, 50, seed=3)
    assert drawn == double_faults(singles, 50, seed=3)
    assert drawn != double_faults(singles, 50, seed=4)
    assert len({fault.channels for fault in drawn}) == 50
    assert all(len(fault.channels) == 2 for fault in drawn)
    every = {fault.channels for fault in double_faults(singles, 1000)}
    assert {fault.channels for fault in double_faults(singles, 629)} <= every
    assert len(every) == 630


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
