"""Mesh tables: exchanges along lines, written out whole, by step and by message."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem
from pavane.solvers.tables.meshes import line_exchanges
from tests.problems import problem_of


def mesh_case(spec: str) -> tuple[Problem, MeshTable]:
    """Return all-to-all by store-and-forward on a mesh, and its table."""
    problem = problem_of(spec, "AAS", switching="store-and-forward")
    table = line_exchanges(problem)
    assert table is not None
    return problem, table


def test_what_does_not_fit_is_refused() -> None:
    """Steps that do not exist and schedules too large to write out are refused, and single steps of these are not."""
    problem, table = mesh_case("mesh:128x128")
    with pytest.raises(InputError, match="has 268,419,072 messages, and schedules of at most 50,000,000 "):
        table.expand(problem)
    with pytest.raises(InputError, match="so there is no step 524288"):
        table.expand_step(problem, 524288)
    step = table.expand_step(problem, 300_000)
    assert 0 < len(step) <= problem.network.num_channels
    assert len(set(step.path_channels.tolist())) == len(step)
