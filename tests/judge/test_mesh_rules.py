"""The judge of mesh tables: each rule refuses the smallest table that breaks it, and it agrees with the other judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.mesh_table import MeshTable
from tests.checker import judge
from tests.model.test_mesh_table import mesh_case
from tests.problems import problem_of


def changed(table: MeshTable, dimension: int, where: tuple[int, int], start: int) -> MeshTable:
    """Return a table with another start of one leg."""
    starts = [column.copy() for column in table.starts]
    starts[dimension][where] = start
    return replace(table, starts=tuple(starts))


def moved(table: MeshTable, dimension: int, displacement: int, first: int) -> MeshTable:
    """Return a table in which a displacement goes in another exchange."""
    firsts = table.firsts.copy()
    firsts[dimension, displacement] = first
    return replace(table, firsts=firsts)


@pytest.mark.parametrize("spec", ["mesh:64x64", "mesh:63x63", "mesh:40x56", "mesh:12x12x12"])
def test_large_meshes_are_accepted(spec: str) -> None:
    """Valid tables of meshes of any size have no violations."""
    problem, table = mesh_case(spec)
    assert verify(problem, table) == []


def test_each_rule() -> None:
    """A table that breaks one rule is refused with the name of that rule."""
    problem, table = mesh_case("mesh:4x4")
    assert verify(problem, table) == []
    spoiled = {
        "two legs meet at router 0": changed(table, 0, (0, 1), int(table.starts[0][0, 2])),
        "starts before its exchange": changed(table, 1, (2, 1), -1),
        "overlap": moved(table, 0, 5, int(table.firsts[0, 5]) + 1),
        "have one place in the exchange": moved(table, 0, 5, int(table.firsts[0, 6])),
        "leaves the schedule": moved(table, 1, 5, 16),
        "its legs along 0 and 1 overlap": moved(table, 0, 5, int(table.firsts[1, 5])),
        "step 16: no transfer": replace(table, num_steps=17),
        "step 0: no transfer": replace(table, num_steps=2 * 10**14, firsts=table.firsts + 10**14),
        "do not make the 16 routers": replace(table, sizes=(4, 5)),
        "an entry for each pair": replace(table, starts=table.starts[:1]),
        "an entry for each dimension and displacement": replace(table, firsts=table.firsts[:1]),
    }
    for text, each in spoiled.items():
        assert any(text in violation.text for violation in verify(problem, each)), text


def test_other_networks_and_problems() -> None:
    """A table of a mesh is refused for a network without its links, and has no meaning for other rules."""
    _, table = mesh_case("mesh:4x4")
    ring = problem_of("ring:16", "AAS", switching="store-and-forward")
    assert verify(ring, table)[0].text == "no channel leads from router 0 to router 4"
    other: list[dict[str, Any]] = [{}, {"switching": "store-and-forward", "ports": 1}]
    for rules in other:
        with pytest.raises(InputError, match="a mesh table is for alltoall among all processors"):
            verify(problem_of("mesh:4x4", "AAS", **rules), table)


@pytest.mark.parametrize("spec", ["mesh:3x4", "mesh:4x4", "mesh:3x3x3"])
def test_spoiled_tables(spec: str) -> None:
    """What the judge of mesh tables accepts, the judge of schedules accepts, too; most spoiled ones are refused."""
    problem, table = mesh_case(spec)
    rng = np.random.default_rng(5)
    num_refused = 0
    for _ in range(60):
        axis = int(rng.integers(len(table.sizes)))
        if rng.random() < 0.5:
            where = tuple(rng.choice(table.sizes[axis], 2, replace=False).tolist())
            spoiled = changed(table, axis, where, int(rng.integers(table.starts[axis].max() + 1)))
        else:
            first = int(rng.choice(table.firsts[axis]))
            spoiled = moved(table, axis, int(rng.integers(1, table.num_processors)), first)
        if verify(problem, spoiled):
            num_refused += 1
        else:
            schedule = spoiled.expand(problem)
            assert verify(problem, schedule) == []
            assert judge(problem, schedule) == set()
    assert num_refused > 20
