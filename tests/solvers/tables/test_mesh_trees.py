"""Trees along the lines of a mesh: few steps above the bound, in any number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.judge.rules import verify_step
from pavane.model.mesh_trees import MeshTrees
from pavane.search.synthesis import solve
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.mesh_trees import line_trees
from tests.checker import judge
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        *(("line:50", 0), ("mesh:3x3", 1), ("mesh:3x5", 2), ("mesh:5x5", 2), ("mesh:7x5", 2), ("mesh:31x31", 8)),
        *(("mesh:255x255", 64), ("mesh:99x301", 79)),
        *(("mesh:3x3x3", 1), ("mesh:4x4x4", 2), ("mesh:8x8x8", 5), ("mesh:16x16x16", 6), ("mesh:32x32x32", 13)),
        *(("mesh:3x3x3x3", 4), ("mesh:8x8x8x8", 5)),
    ],
)
def test_steps_above_the_bound(spec: str, more: int) -> None:
    """A corner receives over one channel for each dimension; the table takes few steps more than it needs."""
    result = solve_by_table(problem_of(spec, "AAB"))
    assert result is not None
    assert isinstance(result.table, MeshTrees)
    longer = [size for size in result.table.sizes if size > 1]
    assert result.bound is not None
    assert result.bound.steps == -(-(result.table.num_routers - 1) // len(longer))
    assert result.num_steps == result.bound.steps + more


@pytest.mark.parametrize("side", [7, 9, 13, 21, 41, 63])
def test_squares_of_odd_sides_are_a_quarter_of_a_side_above_the_bound(side: int) -> None:
    """The slots of the first half of a side are used by every other message."""
    table = line_trees(problem_of(f"mesh:{side}x{side}", "AAB"))
    assert table is not None
    assert table.num_steps <= (side * side - 1) // 2 + side // 4 + 2


def test_narrow_meshes() -> None:
    """On narrow meshes no table is more than a quarter above the bound."""
    for few, many in ((3, 99), (5, 99), (3, 999), (9, 99)):
        table = line_trees(problem_of(f"mesh:{few}x{many}", "AAB"))
        assert table is not None
        assert table.num_steps <= 1.25 * (few * many - 1) / 2


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
def test_reductions_go_the_same_ways(kind: str, switching: Any) -> None:
    """A reduce-scatter takes as many steps as an allgather, an allreduce twice as many; the second judge agrees."""
    problem = problem_of("mesh:5x3", kind, switching=switching)
    result = solve(problem, form="table")
    assert result.table is not None
    assert result.num_steps == (18 if kind == "ALLREDUCE" else 9)
    assert judge(problem, result.table.expand(problem)) == set()


@pytest.mark.parametrize("spec", ["mesh:255x255", "mesh:32x32x32"])
def test_large_meshes_are_solved_by_a_table(spec: str) -> None:
    """A mesh whose copies are too many to list is solved by a table; steps that are written out are valid."""
    problem = problem_of(spec, "AAB")
    result = solve(problem)
    assert isinstance(result.table, MeshTrees)
    assert result.bound is not None
    assert result.num_steps is not None
    assert result.num_steps <= 1.005 * result.bound.steps
    assert verify_step(problem, result.table, 1_700)[1] == []


def test_all_classes_are_on_all_lines_alike() -> None:
    """With equal sides each line has as many messages of each class, but for one."""
    table = line_trees(problem_of("mesh:8x8x8", "AAB"))
    assert table is not None
    classes = table.first_axes.reshape(8, 8, 8)
    for axis in range(3):
        counts = np.stack([(classes == each).sum(axis=axis) for each in range(3)])
        assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("mesh:4x4", "AAB", {}),
        ("mesh:3x3", "AAS", {}),
        ("mesh:3x3", "AAB", {"duplex": "half"}),
        ("mesh:3x3", "AAB", {"ports": 1}),
        ("mesh:3x3", "AAB", {"combining": True}),
        ("mesh:3x3", "AAB", {"switching": "tdm", "wrap": False}),
        ("torus:3x3", "AAB", {}),
        ("mesh:3x3*2", "AAB", {}),
        ("star:5", "AAB", {}),
    ],
)
def test_what_it_is_not_for(spec: str, kind: str, rules: dict[str, Any]) -> None:
    """Other networks, collectives and rules have no such table; even meshes of two dimensions have a cycle."""
    assert line_trees(problem_of(spec, kind, **rules)) is None
