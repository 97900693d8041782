"""The method `auto`: which solvers are tried, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.search.synthesis import synthesize
from pavane.solvers.broadcast.rarest_first import RarestFirst
from tests.problems import problem_of


def test_a_broadcast_under_restricted_routing_is_decided() -> None:
    """A square that lost a side is told in two steps, which first fit does not find."""
    torn = network("torus:2x2").without(links=[(1, 3)])
    rules = Rules(ports=1, duplex="half", routing="north-last")
    result = synthesize(Problem(torn, named("OAB", torn, root=1), rules))
    assert (result.num_steps, result.status) == (2, "optimal")


@pytest.mark.parametrize(
    ("name", "kind", "rules", "steps"),
    [
        ("mesh:3x4", "OAB", {"routing": "west-first"}, 2),
        ("mesh:3x4", "OAB", {"routing": "dimension-order", "ports": 1}, 4),
        ("mesh:2x4", "AAB", {"routing": "north-last", "duplex": "half"}, 6),
        ("torus:3x3", "AOR", {"routing": "north-last", "ports": 1}, 4),
        ("hierarchical-rings:4,4", "AAB", {}, 8),
    ],
)
def test_small_broadcasts_are_proven_optimal(name: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Small broadcasts and reductions end with as many steps as are proven to be needed."""
    result = synthesize(problem_of(name, kind, **rules))
    assert (result.num_steps, result.status) == (steps, "optimal")


@pytest.mark.parametrize("kind", ["AAB", "AAR"])
def test_many_pieces_of_broadcasts_are_spread_a_few_at_a_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What 2 pieces do in 7 steps on a ring of 8, 500 do in 1,750: rarest first never sees more than 12 of each."""
    seen: list[int] = []
    find = RarestFirst.find

    def noted(solver: RarestFirst, problem: Problem, *rest: Any) -> Schedule | None:
        seen.append(problem.num_messages)
        return find(solver, problem, *rest)

    monkeypatch.setattr(RarestFirst, "find", noted)
    ring = network("ring:8")
    result = synthesize(Problem(ring, named(kind, ring, pieces=500)))
    assert (result.num_steps, result.status) == (1_750, "optimal")
    assert max(seen) <= 12 * 8
