"""Filling: valid schedules of even networks, none of others; repeatable."""

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.free_filling import can_fill, fill
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from tests.problems import problem_of


def filled(problem: Problem, moves: int, seed: int = 0, fewer_than: int = 1000) -> PackedSchedule | None:
    """Fill the steps of a problem."""
    return fill(ScatterArrays.of(problem), fewer_than, moves, np.random.default_rng(seed), Budget())


@pytest.mark.parametrize("text", ["torus:6x6", "hypercube:5", "ring:9", "complete:6"])
def test_schedules_of_even_networks(text: str) -> None:
    """Every message gets a step and a shortest path, and the judge agrees."""
    problem = problem_of(text)
    found = filled(problem, 100)
    assert found is not None
    schedule = ScatterArrays.of(problem).schedule(found)
    assert Result(problem, schedule).num_steps == found.num_steps


def test_uneven_networks_are_left_to_pushing() -> None:
    """A mesh, whose middle carries the most, is not filled; nor is what cannot be shorter than what is at hand."""
    assert filled(problem_of("mesh:5x5"), 10) is None
    assert filled(problem_of("torus:6x6"), 10, fewer_than=27) is None


def test_parallel_channels_stand_for_capacities() -> None:
    """Channels that carry several messages in a step are filled as well; the judge counts them."""
    made = network("torus:4x4")
    wide = Network("wide", made.routers, made.channels, capacities=np.full(made.num_channels, 3))
    problem = Problem(wide, named("AAS", wide, pieces=3))
    found = filled(problem, 300)
    assert found is not None
    assert Result(problem, ScatterArrays.of(problem).schedule(found)).num_steps == found.num_steps <= 10


def test_channels_alone() -> None:
    """Ports that bind and links in one direction at a time are not for it."""
    for rules, expected in ((Rules(), True), (Rules(ports=1), False), (Rules(duplex="half"), False)):
        problem = problem_of("torus:4x4", "AAS", rules)
        assert can_fill(ScatterArrays.of(problem)) == expected
