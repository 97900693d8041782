"""Columns: a schedule read by messages and written again is the same schedule."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays


@pytest.mark.parametrize("text", ["mesh:3x3", "kautz:2,2", "fat-octagon:2"])
def test_there_and_back(text: str) -> None:
    """Nothing is lost between a schedule and its columns."""
    problem = Problem(network(text), alltoall(network(text)))
    schedule = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert schedule is not None
    assert ScatterArrays.of(problem).schedule(PackedSchedule.of(schedule)) == schedule
