"""Exchanges along the lines of a mesh: all of a line in the fewest steps, and all of a mesh at its bisection bound."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.search.synthesis import solve
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.meshes import exchange_starts, line_exchanges
from tests.problems import problem_of


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 13, 24, 25])
def test_an_exchange_uses_no_channel_twice(size: int) -> None:
    """All messages of a line run without waiting, in n^2 // 4 steps, and meet on no channel."""
    starts = exchange_starts(size)
    uses = [
        (origin < target, hop if origin < target else -hop, int(starts[origin, target]) + abs(hop - origin))
        for origin in range(size)
        for target in range(size)
        for hop in range(origin, target, 1 if origin < target else -1)
    ]
    assert len(set(uses)) == len(uses)
    assert {step for _, _, step in uses} == set(range(size * size // 4))


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        ("mesh:4x4", 16),
        ("mesh:5x5", 30),
        ("mesh:3x8", 48),
        ("mesh:9x4", 80),
        ("mesh:64x64", 65_536),
        ("mesh:256x256", 4_194_304),
        ("mesh:4x4x4", 64),
        ("mesh:4x4x4x4", 256),
        ("line:100", 2_500),
    ],
)
def test_meshes_at_the_bound(spec: str, steps: int) -> None:
    """Tables of meshes have as many steps as must cross the middle channels, and are proven optimal."""
    result = solve_by_table(problem_of(spec, "AAS", switching="store-and-forward"))
    assert result is not None
    assert (result.num_steps, result.status) == (steps, "optimal")


def test_all_rectangles() -> None:
    """All meshes of two dimensions have a table, but for those of two rows of odd length."""
    for few in range(2, 13):
        for many in range(few, 13):
            table = line_exchanges(problem_of(f"mesh:{few}x{many}", "AAS", switching="store-and-forward"))
            assert (table is None) == (few == 2 and many % 2 == 1)


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("mesh:4x4", "AAS", {}),
        ("mesh:4x4", "AAS", {"switching": "store-and-forward", "ports": 1}),
        ("mesh:4x4", "AAS", {"switching": "store-and-forward", "duplex": "half"}),
        ("mesh:4x4", "AAB", {"switching": "store-and-forward"}),
        ("torus:4x4", "AAS", {"switching": "store-and-forward"}),
        ("mesh:2x3x4", "AAS", {"switching": "store-and-forward"}),
        ("mesh:4x4*2", "AAS", {"switching": "store-and-forward"}),
    ],
)
def test_what_it_is_not_for(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table."""
    assert line_exchanges(problem_of(spec, kind, **rules)) is None


def test_solve_uses_it_where_messages_are_too_many_to_list() -> None:
    """A problem of more messages than can be listed is solved by a table, without further options."""
    problem = problem_of("mesh:100x100", "AAS", switching="store-and-forward")
    result = solve(problem)
    assert result.table is not None
    assert result.num_steps == 250_000
    assert set(result.table.expand_step(problem, 7).steps.tolist()) == {7}
