"""Certificates by cuts: counted again, and refused where they name what does not exist."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce
from pavane.model.problem import Problem
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
