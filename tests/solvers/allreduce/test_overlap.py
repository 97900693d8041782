"""Phases that overlap: transfers move to earlier steps, and what they mean stays."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.model.allreduce import phases
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce.overlap import earlier, overlapped
from pavane.solvers.joining import joined, turned_round
from pavane.workers.budget import Budget
from tests.checker import judge
from tests.problems import problem_of


def in_two_phases(problem: Problem) -> Schedule:
    """Return first fit of the broadcast, turned round and joined."""
    spreading = phases(problem)[1]
    spread = SOLVERS["greedy"](spreading, None, 0, Budget()).schedule
    assert spread is not None
    return joined(turned_round(spreading, spread), spread)


@pytest.mark.parametrize("rules", [Rules("store-and-forward"), Rules("store-and-forward", ports=1), Rules()])
@pytest.mark.parametrize("spec", ["line:6", "star:5", "mesh:3x3"])
def test_overlap_is_valid_and_never_longer(spec: str, rules: Rules) -> None:
    """No transfer comes later than it was when each moves to the first step that it can."""
    problem = problem_of(spec, "allreduce", rules)
    whole = in_two_phases(problem)
    moved = earlier(problem, whole, np.arange(len(whole)))
    assert not judge(problem, moved)
    assert moved.num_steps <= whole.num_steps
    better = overlapped(problem, whole, np.random.default_rng(0), 1, Budget())
    assert not judge(problem, better)
    assert better.num_steps <= moved.num_steps


def test_a_line_gains_by_overlap() -> None:
    """On a line sums spread on one side while others are still gathered."""
    made = network("line:6")
    problem = Problem(made, in_pieces(named("allreduce", made), 2), Rules("store-and-forward"))
    whole = in_two_phases(problem)
    assert overlapped(problem, whole, np.random.default_rng(0), 1, Budget()).num_steps < whole.num_steps
