"""Certificates of bounds on several collectives at once prove what the makers claim, and forged ones do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.bounds import explain, lower_bounds
from pavane.bounds.several import of_some
from pavane.bounds.steps import counted_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly
from pavane.model.bound import Bound
from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, gather, in_pieces, pairs, reduce_scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.several import as_one
from pavane.networks import network

STORED = Rules(switching="store-and-forward")
PASSED = Rules(switching="store-and-forward", switches="pass")
LINES = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 4], [1, 5], [2, 6], [3, 7]]

CASES = {
    "rows and columns": Problem(network("mesh:2x4"), tuple(map(allgather, LINES))),
    "mixed": Problem(
        network("ring:6"), (allgather(range(6)), allreduce(range(6)), alltoall(range(3)), reduce_scatter(range(4)))
    ),
    "half duplex": Problem(network("ring:6"), (alltoall(range(6)), broadcast([2, 3, 4])), Rules(duplex="half")),
    "one port": Problem(network("torus:3x3"), (gather(range(9)), alltoall(range(4))), Rules(ports=1)),
    "switches": Problem(
        network("rails:2,4"), tuple(allreduce(range(4 * box, 4 * box + 4)) for box in range(2)), PASSED
    ),
    "stored": Problem(network("fat-tree:4"), (allgather(range(4)), alltoall(range(4))), STORED),
    "copying": Problem(
        network("nvl:4"), (allreduce(range(4)), in_pieces(allgather(range(4)), 30)), Rules(switches="copy")
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_claimed_is_proven(name: str) -> None:
    """Every bound is proven by its certificate, to the fraction, and explained."""
    problem = CASES[name]
    bounds = lower_bounds(problem)
    assert {bound.argument for bound in bounds} >= {"alone", "joint-cut", "joint-ports", "joint-volume"}
    for bound in bounds:
        exactly = proven_exactly(problem, bound)
        assert exactly == (bound.figure if bound.exact is None else bound.exact)
        assert explain(problem, bound)


def test_a_processor_that_cannot_send_has_a_bound_on_what_it_receives() -> None:
    """Nothing needs to be carried where no channel is."""
    one_way = Network("one way", 3, [(2, 0), (0, 1), (2, 1), (0, 2)], (0, 1, 2))
    problem = Problem(one_way, (pairs([(0, 1)]), pairs([(2, 1)])), Rules(ports=1))
    assert proven_exactly(problem, Bound(2, "joint-ports", {"processor": 1})) == 2


def test_loads_of_all_add_up() -> None:
    """Two equal alltoalls over one cut take twice the steps of one there."""
    ring = network("ring:6")
    two = Problem(ring, (alltoall(ring), alltoall(ring)))
    assert proven_exactly(two, Bound(1, "joint-cut", {"routers": [0, 1, 2]})) == 2 * 9 / 2


def test_united_collectives_are_bounded_as_one() -> None:
    """A bound of private collectives as one problem is one of the whole; others cannot be united."""
    ring = network("ring:6")
    problem = Problem(ring, (alltoall(ring), alltoall(ring), allgather(ring)))
    best = counted_bounds(as_one(problem, (0, 1))[0])[0]
    assert proven_exactly(problem, of_some((0, 1), best)) == best.exact
    with pytest.raises(InputError, match="differ in kind or members"):
        proven_exactly(problem, of_some((0, 2), best))


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (Bound(9, "joint-cut", {}), "no known kind"),
        (Bound(9, "joint-cut", {"routers": [99]}), "routers that do not exist"),
        (Bound(9, "joint-cut", {"routers": [0, 1, 2, 3, 4, 5]}), "nothing can carry"),
        (Bound(9, "joint-ports", {"processor": 6}), "no processor 6"),
        (Bound(9, "joint-transfers", {"classes": [[0, 1, 2], [2, 3, 4, 5]]}), "in none or in several"),
        (Bound(9, "alone", {"collective": 7, "argument": "cut", "certificate": {}}), "no collective 7"),
        (Bound(9, "united", {"collectives": [], "argument": "cut", "certificate": {}}), "no collectives"),
        (Bound(9, "alone", {"collective": 0, "argument": "exhaustive", "certificate": {}}), "no known kind"),
        (Bound(9, "hope", {}), "no known kind"),
    ],
)
def test_forged_certificates_prove_nothing(bound: Bound, said: str) -> None:
    """What a certificate does not show is refused in words."""
    with pytest.raises(InputError, match=said):
        proven_exactly(CASES["mixed"], bound)


def test_loads_prove_nothing_under_combining() -> None:
    """One transfer may carry all messages then; trees that count once are not counted as transfers."""
    combined = replace(CASES["rows and columns"], rules=Rules(combining=True))
    with pytest.raises(InputError, match="not start-ups of several collectives"):
        proven_exactly(combined, Bound(1, "joint-volume", {}))
    assert {bound.argument for bound in lower_bounds(combined)} == {"alone"}
    with pytest.raises(InputError, match="copy and add"):
        proven_exactly(CASES["copying"], Bound(1, "joint-transfers", {"classes": [[0], [1], [2], [3]]}))
