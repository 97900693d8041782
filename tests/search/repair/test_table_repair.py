"""Repair of tables: what is left is a table again, or refused with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane import repair
from pavane.errors import InputError
from pavane.jit import clock
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Rules
from pavane.model.repaired_table import RepairedTable
from pavane.search.repair import may_repair_table, repaired_by_table
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.mesh_trees import trees_of_mesh
from tests.problems import problem_of
from tests.repair_cases import repaired

STORED = Rules("store-and-forward")


def test_it_is_found_from_the_whole_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem with faults gets the table of the whole one, repaired; all of its making and judging is timed."""
    whole = problem_of("torus:6x6", "AAS", Rules())
    left = replace(whole, network=whole.network.without(links=[(0, 1)]))
    ticks = iter(range(1000))
    monkeypatch.setattr(clock, "now", lambda: float(next(ticks)))
    result = repaired_by_table(left, whole)
    assert result is not None
    assert result.problem.network.name == "torus:6x6 less 0-1"
    assert result.provenance.seconds == next(ticks) - 1
    assert result.num_steps == 34
    assert repaired_by_table(left, whole, num_steps=33) is None


def test_a_second_fault() -> None:
    """A repaired table is repaired again: its list is made again, for all lost channels."""
    problem = problem_of("torus:6x6", "AAS", Rules())
    left, table = repaired(problem, [0])
    again = repair(left, table, [4])
    assert isinstance(again.result.table, RepairedTable)
    assert again.result.table.lost.tolist() == [0, 5]
    assert again.result.table.num_listed > table.num_listed
    assert again.num_before == again.num_kept + again.num_changed == 1260


def test_refusals() -> None:
    """Tables of sums, slots, other tables, other problems and losses that separate are refused, each with a reason."""
    for kind, rules in (("AAR", Rules()), ("AAS", Rules("tdm"))):
        problem = problem_of("torus:4x4", kind, rules)
        found = solve_by_table(problem)
        assert found is not None
        with pytest.raises(InputError, match="are not repaired"):
            repair(problem, found.table, [0])  # type: ignore[arg-type]
    mesh = problem_of("mesh:4x4", "AAS", STORED)
    found = solve_by_table(mesh)
    assert found is not None
    with pytest.raises(InputError, match="tables of exchanges and of paths are not repaired"):
        repair(mesh, found.table, [0])  # type: ignore[arg-type]
    torus = problem_of("torus:4x4", "AAS", Rules())
    found = solve_by_table(torus)
    assert found is not None
    with pytest.raises(InputError, match="for lost channels only"):
        repair(torus, found.table, [0], num_steps=9)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
def test_trees_along_lines(kind: str) -> None:
    """Trees stay trees, also after a second fault, and near the bound: all but what a lost link cuts is as it was."""
    problem = problem_of("mesh:5x5x5", kind)
    trees = trees_of_mesh(problem)
    assert trees is not None
    assert not may_repair_table(problem, trees)  # this small it is written out
    once = repair(problem, trees, [0, int(problem.network.opposite[0])])
    table = once.result.table
    assert isinstance(table, RepairedTable)
    assert once.steps_before == trees.num_steps
    num_phases = 2 if kind == "ALLREDUCE" else 1
    assert once.num_changed == num_phases * table.num_listed
    assert 62 <= table.num_steps // num_phases <= 66  # a corner receives 124 messages over two channels
    left = once.result.problem
    again = repair(left, table, [2, int(left.network.opposite[2])]).result.table
    assert isinstance(again, RepairedTable)
    assert len(again.lost) == 4


def test_large_meshes_are_repaired_as_trees() -> None:
    """Also where an allgather goes along a cycle, whose loss cuts far more copies, lines are repaired."""
    for spec in ("mesh:64x64", "mesh:16x16x16"):
        whole = problem_of(spec, "AAB")
        left = replace(whole, network=whole.network.without(links=[(0, 1)]))
        result = repaired_by_table(left, whole)
        assert result is not None
        assert isinstance(result.table, RepairedTable)
        assert isinstance(result.table.table, MeshTrees)
        assert may_repair_table(left, result.table)
        assert result.bound is not None
        assert result.num_steps is not None
        assert result.num_steps <= result.bound.steps + 20


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_no_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is over first, there is no table, and a note says what helps."""
    whole = problem_of("torus:6x6", kind, Rules())
    left = replace(whole, network=whole.network.without(links=[(0, 1)]))
    ticks = iter(range(1000))
    monkeypatch.setattr(clock, "now", lambda: float(next(ticks)))
    result = repaired_by_table(left, whole, seconds=1.0)
    assert result is not None
    assert (result.table, result.status) == (None, "unknown")
    assert "takes longer than the 1 s that are left; give more time" in result.notes[0]
    found = solve_by_table(whole)
    assert found is not None
    with pytest.raises(InputError, match="takes longer than the 1 s that are left; give more time"):
        repair(whole, found.table, [0], seconds=1.0)  # type: ignore[arg-type]
