"""Certificates by cuts, of one collective and of several: counted again, and refused where they show nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pavane.bounds import explain, lower_bounds
from pavane.bounds.several import of_some
from pavane.bounds.steps import counted_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven, proven_exactly
from pavane.model.bound import Bound
from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, gather, in_pieces, pairs, reduce_scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.several import as_one
from pavane.networks import network
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("argument", "certificate", "text"),
    [
        ("router", {"routers": [-1]}, "it names routers that do not exist: 9 are there"),
        ("router", {"routers": [0, 9]}, "it names routers that do not exist: 9 are there"),
        ("cut", {"routers": [0.0]}, "0.0 is not a whole number"),
        ("cut", {"routers": [True]}, "True is not a whole number"),
        ("cut", {"routers": 5}, "cannot be read"),
        ("cut", {"routers": []}, "nothing can carry what it counts"),
        ("cut", {"routers": list(range(9))}, "nothing can carry what it counts"),
        ("ejection", {"processor": -1}, "there is no processor -1"),
        ("ejection", {"processor": 9}, "there is no processor 9"),
        ("ejection", {"processor": "1"}, "'1' is not a whole number"),
    ],
)
def test_cuts_of_what_does_not_exist(argument: str, certificate: dict[str, Any], text: str) -> None:
    """Routers and processors that do not exist, and cuts that nothing crosses, are refused by name."""
    with pytest.raises(InputError, match=f"the certificate of bound '{argument}' cannot be read") as refusal:
        proven(problem_of("mesh:3x3", "AAB"), Bound(3, argument, certificate))
    assert text in str(refusal.value)


@pytest.mark.parametrize(("duplex", "steps"), [("full", 2), ("half", 3)])
def test_a_router_named_twice_is_one_router(duplex: Any, steps: int) -> None:
    """A cut is a set: who lists a router twice counts nothing twice."""
    problem = problem_of("ring:6", "AAB", duplex=duplex)
    for routers in ([0, 1, 2], [2, 0, 1, 1, 0]):
        assert proven(problem, Bound(9, "cut", {"routers": routers})) == steps


def test_by_hand() -> None:
    """Arrivals, volume and crossings of a line of four come to what one counts by hand."""
    problem = problem_of("line:4", "AAB")
    assert proven(problem, Bound(9, "ejection", {"processor": 0})) == 3
    assert proven(problem, Bound(9, "volume", {})) == 2
    assert proven(problem, Bound(9, "cut", {"routers": [0, 1, 2]})) == 3
    combining = problem_of("line:4", "AAS", ports=1, combining=True)
    assert proven(combining, Bound(9, "crossing", {"routers": [0, 1]})) == 2


@pytest.mark.parametrize(
    ("certificate", "text"),
    [
        ({"sender": 9}, "processor 9 sends nothing"),
        ({"routers": [[0, 10]]}, "it names routers that do not exist: 9 are there"),
        ({"routers": [[3, 3]]}, "it names routers that do not exist: 9 are there"),
        ({"routers": [[-1, 3]]}, "it names routers that do not exist: 9 are there"),
        ({"routers": [[0, 2.5]]}, "2.5 is not a whole number"),
        ({"routers": [[0, 9]]}, "nothing can carry what it counts"),
    ],
)
def test_runs_of_what_does_not_exist(certificate: dict[str, Any], text: str) -> None:
    """Runs of routers that do not exist, and cuts that nothing crosses, are refused."""
    with pytest.raises(InputError, match=text):
        proven(problem_of("mesh:3x3", "AAS"), Bound(3, "counted-cut", certificate))


@pytest.mark.parametrize(("kind", "steps"), [("AAS", 6), ("AAB", 1), ("ALLREDUCE", 3)])
def test_runs_are_sets(kind: str, steps: int) -> None:
    """What leaves a row of a mesh is counted for every kind of message; a router in two runs is in the set once."""
    problem = problem_of("mesh:3x3", kind)
    for routers in ([[0, 3], [1, 3]], [2, [0, 2]]):
        assert proven(problem, Bound(0, "cut", {"routers": routers})) == steps


def test_of_others_nothing_is_proven() -> None:
    """Cuts without members on one side, and processors that are no members, prove no step of an allreduce."""
    mesh = network("mesh:3x3")
    problem = Problem(mesh, allreduce(mesh, [0, 1, 2]))
    assert proven(problem, Bound(9, "separation", {"routers": [0, 1, 2]})) == 0
    assert proven(problem, Bound(9, "own-part", {"processor": 8})) == 0


# -- several collectives

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
