"""Tables of packed paths are valid on all networks whose translations commute, and near the bound on large ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.bounds.translated import table_bounds
from pavane.judge.rules import verify
from pavane.solvers.tables.staged_paths import path_stages
from pavane.symmetry.cayley import cayley_of
from tests.problems import problem_of
from tests.solvers.tables.judged import judged_table

TORI = ["torus:3x5", "torus:5x5", "torus:3x3x3"]
CHORDAL = ["circulant:13,1,5", "circulant:30,1,4", "gaussian:3,4", "eisenstein:2,3"]


@pytest.mark.parametrize("spec", [*TORI, *CHORDAL])
def test_small_tables_written_out(spec: str) -> None:
    """Both judges accept the table, also that of two pieces, which takes twice as many steps."""
    problem = problem_of(spec)
    table = judged_table("path-stages", problem)
    halves = replace(problem, collective=replace(problem.collective, pieces=2))
    assert judged_table("path-stages", halves).num_steps == 2 * table.num_steps


@pytest.mark.parametrize(
    ("spec", "ratio"), [("circulant:100,1,9", 1.05), ("circulant:420,1,20", 1.12), ("torus:9x15", 1.1)]
)
def test_near_the_bound(spec: str, ratio: float) -> None:
    """Stages are nearly full where they are short."""
    problem = problem_of(spec)
    cayley = cayley_of(problem.network)
    assert cayley is not None
    table = path_stages(problem, cayley)
    assert table is not None
    assert verify(problem, table) == []
    assert table.num_steps <= ratio * table_bounds(problem, cayley)[0].steps


@pytest.mark.parametrize("spec", ["ring:9", "hypercube:3", "torus:2x5", "star-graph:4", "circulant:10,1,5"])
def test_not_for_one_pair_of_kinds_or_links_without_a_way(spec: str) -> None:
    """Rings have tables of their own; kinds that lead back, and translations that do not commute, have no such pair."""
    problem = problem_of(spec)
    cayley = cayley_of(problem.network)
    assert cayley is not None
    assert path_stages(problem, cayley) is None


def test_not_where_stages_would_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prime number of routers has stages of as many steps only, which are too long to fill on large networks."""
    monkeypatch.setattr("pavane.solvers.tables.staged_paths.MOST_WORK", 100)
    problem = problem_of("circulant:13,1,5")
    cayley = cayley_of(problem.network)
    assert cayley is not None
    assert path_stages(problem, cayley) is None
