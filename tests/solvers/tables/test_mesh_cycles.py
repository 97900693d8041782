"""Trees along a cycle of all routers of a mesh."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pavane.judge.rules import verify, verify_step
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.model.table_schedule import TableSchedule
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.mesh_cycles import cycle_trees, mesh_cycle
from tests.checker import judge
from tests.problems import problem_of
from tests.table_cases import disagreement, spoiled, written_out


@pytest.mark.parametrize(
    "sizes", [(2, 2), (4, 4), (3, 4), (6, 3), (2, 9), (3, 3, 2), (4, 3, 5), (2, 2, 2, 3), (1, 4, 3)]
)
def test_a_cycle_has_every_router_once_and_follows_links(sizes: tuple[int, ...]) -> None:
    """The next router of a cycle is a neighbour along one dimension, and none is missing."""
    cycle = mesh_cycle(sizes)
    assert cycle is not None
    assert sorted(cycle.tolist()) == list(range(int(np.prod(sizes))))
    places = np.stack(np.unravel_index(cycle, sizes))
    assert (np.abs(places - np.roll(places, -1, axis=1)).sum(axis=0) == 1).all()


@pytest.mark.parametrize("sizes", [(3, 3), (8,), (1, 6), (5, 3, 7)])
def test_meshes_without_a_cycle(sizes: tuple[int, ...]) -> None:
    """A line has no cycle, and a mesh of odd sides has one router more of one colour."""
    assert mesh_cycle(sizes) is None


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("spec", ["mesh:2x2", "mesh:3x4", "mesh:4x4", "mesh:2x7", "mesh:6x5"])
def test_an_allgather_takes_half_as_many_steps_as_routers(spec: str, switching: Any) -> None:
    """Corners receive two messages in every step; all judges accept the table, and the schedule that it gives."""
    problem = problem_of(spec, "AAB", switching=switching)
    result = solve(problem, form="table")
    assert isinstance(result.table, TableSchedule)
    assert (result.num_steps, result.status) == (problem.network.num_routers // 2, "optimal")
    schedule = result.table.expand(problem)
    assert sorted(schedule) == sorted(written_out(problem, result.table))
    assert verify(problem, schedule) == []
    assert not judge(problem, schedule)


@pytest.mark.parametrize(
    ("kind", "pieces", "rules", "steps"),
    [
        ("AAR", 1, {}, 6),
        ("ALLREDUCE", 1, {}, 12),
        ("AAB", 3, {}, 17),
        ("AAB", 1, {"ports": 1}, 11),
        ("AAB", 1, {"switching": "tdm", "wrap": False}, 18),
    ],
)
def test_other_collectives_and_rules(kind: str, pieces: int, rules: dict[str, Any], steps: int) -> None:
    """Sums go the same ways backwards; pieces, ports and slots are those of any table."""
    mesh = network("mesh:3x4")
    problem = Problem(mesh, in_pieces(named(kind, mesh), pieces), Rules(**rules))
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert result.num_steps == steps
    assert not judge(problem, result.table.expand(problem))
    assert result.bound is not None
    assert result.bound.steps <= steps


@pytest.mark.parametrize(("spec", "steps"), [("mesh:64x64", 2_048), ("mesh:128x128", 8_192)])
def test_large_meshes_are_at_the_bound(spec: str, steps: int) -> None:
    """A mesh whose copies are too many to list is solved by a table; steps that are written out are valid."""
    problem = problem_of(spec, "AAB")
    result = solve(problem)
    assert result.table is not None
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert verify_step(problem, result.table, 17) == (2 * problem.network.num_routers, [])


def test_two_judges_agree_on_spoiled_tables() -> None:
    """Tables whose translations keep some channels only are accepted exactly if the schedule is valid."""
    rng = random.Random(5)
    for number in range(150):
        problem = problem_of("mesh:3x4", rng.choice(("AAB", "AAR", "ALLREDUCE")), ports=rng.choice(("all", 1, 2)))
        table = cycle_trees(problem)
        assert table is not None
        assert disagreement(problem, spoiled(table, rng, 1 + number % 3)) is None


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("mesh:3x3", "AAB", {}),
        ("mesh:4x4", "AAS", {}),
        ("mesh:4x4", "AAB", {"duplex": "half"}),
        ("mesh:4x4", "AAB", {"combining": True}),
        ("torus:4x4", "AAB", {}),
        ("mesh:4x4*2", "AAB", {}),
        ("star:5", "AAB", {}),
    ],
)
def test_what_it_is_not_for(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table."""
    assert cycle_trees(problem_of(spec, kind, **rules)) is None
