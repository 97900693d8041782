"""Columns: a schedule read by messages and written again is the same schedule."""

import pytest

from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from tests.problems import problem_of


@pytest.mark.parametrize("text", ["mesh:3x3", "kautz:2,2", "fat-octagon:2"])
def test_there_and_back(text: str) -> None:
    """Nothing is lost between a schedule and its columns."""
    problem = problem_of(text)
    schedule = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert schedule is not None
    assert ScatterArrays.of(problem).schedule(PackedSchedule.of(schedule)) == schedule
