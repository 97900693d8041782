"""Paths picked by an integer program, steps by ejection search."""

from __future__ import annotations

from pavane.solvers.ejection.routed import Routed
from pavane.workers.budget import Budget
from tests.problems import problem_of


def test_route_then_colour_beats_shortest_paths() -> None:
    """With detours Kautz 36 needs 32 steps; shortest paths need 34."""
    assert Routed()(problem_of("kautz:3,3", routing="any"), 32, 0, Budget()).num_steps == 32
