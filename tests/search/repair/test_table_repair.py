"""Repair of tables: what is left is a table again, or refused with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane import repair
from pavane.errors import InputError
from pavane.jit import clock
from pavane.model.problem import Rules
from pavane.model.repaired_table import RepairedTable
from pavane.search.repair import may_repair_table, repaired_by_table
from pavane.search.tables import solve_by_table
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
    """Sums, slots, other tables, other problems and losses that separate are refused, each with a reason."""
    for kind, rules in (("AAR", Rules()), ("AAS", Rules("tdm"))):
        problem = problem_of("torus:4x4", kind, rules)
        found = solve_by_table(problem)
        assert found is not None
        with pytest.raises(InputError, match="are not repaired"):
            repair(problem, found.table, [0])  # type: ignore[arg-type]
    mesh = problem_of("mesh:4x4", "AAS", STORED)
    found = solve_by_table(mesh)
    assert found is not None
    with pytest.raises(InputError, match="tables of exchanges, trees along lines and paths are not repaired"):
        repair(mesh, found.table, [0])  # type: ignore[arg-type]
    cube = problem_of("mesh:16x16x16", "AAB", Rules())
    found = solve_by_table(cube)
    assert found is not None
    assert found.table is not None
    assert may_repair_table(cube, found.table)  # it is not written out
    with pytest.raises(InputError, match="tables of exchanges, trees along lines and paths are not repaired"):
        repair(cube, found.table, [0])
    torus = problem_of("torus:4x4", "AAS", Rules())
    found = solve_by_table(torus)
    assert found is not None
    with pytest.raises(InputError, match="for lost channels only"):
        repair(torus, found.table, [0], num_steps=9)  # type: ignore[arg-type]
