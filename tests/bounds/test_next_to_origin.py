"""The bound of a broadcast in pieces by a receiver next to the origin."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.bounds import explain, next_to_origin
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network


def broadcast(spec: str, pieces: int, kind: str = "OAB", **rules: Any) -> Problem:
    """Return a broadcast, or a reduction, where all routers copy."""
    made = network(spec)
    return Problem(made, in_pieces(named(kind, made), pieces), Rules(**({"multicast": True} | rules)))


@pytest.mark.parametrize(
    ("spec", "pieces", "steps"), [("torus:4x4", 8, 3), ("mesh:4x4", 8, 5), ("octagon", 8, 4), ("ring:4", 2, 2)]
)
@pytest.mark.parametrize("kind", ["OAB", "AOR"])
def test_by_hand(spec: str, pieces: int, steps: int, kind: str) -> None:
    """One piece comes to a neighbour in the first step; the others take as many as the origin's channels carry."""
    problem = broadcast(spec, pieces, kind)
    (bound,) = next_to_origin.make(broadcast(spec, pieces))
    assert bound.steps == steps == proven_steps(problem, bound)
    assert "of 2 messages" in explain(problem, bound) or pieces != 2


def test_other_paths_and_several_origins_have_no_such_bound() -> None:
    """Where paths are free a neighbour has as many ways as channels, and others' messages come from elsewhere."""
    assert not [*next_to_origin.make(broadcast("torus:4x4", 8, routing="any"))]
    assert not [*next_to_origin.make(broadcast("torus:4x4", 8, "AAB"))]
    for problem, receiver, text in (
        (broadcast("torus:4x4", 8, routing="any"), 1, "along shortest paths"),
        (broadcast("torus:4x4", 8, "AAB"), 1, "single origin"),
        (broadcast("torus:4x4", 8), 0, "single origin"),
        (broadcast("torus:4x4", 8), 10, "no channel leads"),
    ):
        with pytest.raises(InputError, match=text):
            proven_steps(problem, Bound(9, "next-to-origin", {"receiver": receiver}))
