"""Certificates by growth and by distance: counted again, and refused where there is no message."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import named, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of

NOBODY, NO_NUMBER = "processor {} has no message", "is not a whole number"


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        *((number, NOBODY.format(number)) for number in (4, -1, 9, 10**9)),
        *((other, NO_NUMBER) for other in (True, 0.0, "0", None, [0])),
    ],
)
def test_growth_from_nobody_is_refused(origin: Any, text: str) -> None:
    """Growth must start at a processor that has a message, and what only looks like a number is refused."""
    with pytest.raises(InputError, match=text):
        proven(problem_of("mesh:3x3", "OAB"), Bound(2, "growth", {"origin": origin, "informed": [1]}))


@pytest.mark.parametrize(("source", "target"), [(1, 8), (0, 0), (0, 9), (8, 0), (-1, 3)])
def test_distance_needs_a_message(source: int, target: int) -> None:
    """Only a way that some message must go proves something."""
    rules = Rules(switching="store-and-forward")
    with pytest.raises(InputError, match=f"no message goes from {source} to {target}"):
        proven(problem_of("mesh:3x3", "OAB", rules), Bound(4, "distance", {"from": source, "to": target}))
    mesh = network("mesh:3x3")
    private = Problem(mesh, pairs([(0, 8)]), rules)
    with pytest.raises(InputError, match=f"no message goes from {source} to {target}"):
        proven(private, Bound(4, "distance", {"from": source, "to": target}))


def test_switches_count_under_store_and_forward() -> None:
    """A pure switch keeps a copy under store-and-forward, too, and tells all its neighbours in the next step."""
    hub = Network("hub", 5, [(0, r) for r in range(1, 5)] + [(r, 0) for r in range(1, 5)], [1, 2, 3, 4])
    for switching in ("wormhole", "store-and-forward"):
        problem = Problem(hub, named("OAB", hub), Rules(switching, 1))
        assert proven(problem, Bound(2, "growth", {"origin": 0})) == 2
