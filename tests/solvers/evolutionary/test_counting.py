"""Searches that count conflicts tell them while they go on."""

import pytest

from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS


@pytest.mark.parametrize("method", ["umda", "ga", "mboa", "hgsa"])
def test_conflicts_are_reported_as_they_fall(method: str) -> None:
    """Whoever gave the budget hears of evaluations made and conflicts left, in the order of the trace."""
    made = network("octagon")
    told: list[tuple[int, int]] = []
    budget = Budget(
        evaluations=20_000, on_conflicts=lambda evaluations, conflicts: told.append((evaluations, conflicts))
    )
    result = SOLVERS[method](Problem(made, named("AAB", made)), 3, 0, budget)
    assert result.run is not None
    assert told == list(result.run.trace)
    assert told


def test_the_progress_of_a_search_has_the_conflicts() -> None:
    """The progress that a terminal or a page shows carries the conflicts of the attempt that runs."""
    made = network("octagon")
    seen: list[Progress] = []
    solve(Problem(made, named("AAS", made)), SearchOptions(on_progress=seen.append), method="umda", num_steps=4)
    assert any(now.conflicts is not None for now in seen)
