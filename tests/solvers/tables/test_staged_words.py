"""Stages of paths on cube-connected cycles: valid tables near the bound, written out and judged."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.search.tables import solve_by_table
from pavane.solvers.tables import staged_words
from pavane.solvers.tables.staged_words import word_stages
from pavane.symmetry.cayley import cayley_of
from tests.checker import judge
from tests.problems import problem_of


@pytest.mark.parametrize(("dimension", "num_steps"), [(3, 36), (4, 128)])
def test_written_out(dimension: int, num_steps: int) -> None:
    """The second judge accepts the schedule of all routers; it is within 7 % of the bound."""
    problem = problem_of(f"cube-connected-cycles:{dimension}", "AAS", Rules())
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert result.bound is not None
    assert (result.provenance.solver, result.num_steps) == ("word-stages", num_steps)
    assert num_steps <= 1.07 * result.bound.steps
    assert not judge(problem, result.table.expand(problem))


def test_pieces() -> None:
    """Pieces go one after the other."""
    network = problem_of("cube-connected-cycles:3").network
    result = solve_by_table(Problem(network, in_pieces(named("AAS", network), 2)))
    assert result is not None
    assert result.num_steps == 72


def test_few_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few routers are tried for the free slots of a stage, all have a path in the end."""
    monkeypatch.setattr(staged_words, "MOST_TRIED", 2)
    monkeypatch.setattr(staged_words, "BLOCK", 1)
    problem = problem_of("cube-connected-cycles:4", "AAS", Rules())
    result = solve_by_table(problem)
    assert result is not None
    assert result.table is not None
    assert not judge(problem, result.table.expand(problem))


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("star-graph:4", Rules()),
        ("torus:4x4", Rules()),
        ("cube-connected-cycles:3", Rules(ports=1)),
        ("cube-connected-cycles:3", Rules("store-and-forward")),
    ],
)
def test_refused(spec: str, rules: Rules) -> None:
    """Star graphs, whose clock has two phases only, networks that commute, few ports and stored messages have none."""
    problem = problem_of(spec, "AAS", rules)
    cayley = cayley_of(problem.network)
    assert cayley is not None
    assert word_stages(problem, cayley) is None


def test_phases_turn_within_their_kind() -> None:
    """In phase c every slot is c later, round the phases of its kind."""
    slots = np.array([[0b001_100]], dtype=np.uint64)
    assert staged_words._turned(slots, 2, 3).tolist() == [[0b001_100, 0b010_001, 0b100_010]]
