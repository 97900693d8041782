"""Filling along plans gives valid schedules, near the plan's load; it is reproducible, and ends when time is over."""

from math import ceil

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort
from pavane.solvers.large_scatter.path_ejection import PathEjection
from pavane.solvers.large_scatter.plan_filling import PlanFiller, can_fill_along_plan
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from tests.problems import problem_of

PROBES_PER_HOP = 10_000
"""Probes for each channel of a path, enough for any network."""


def fill_along_plan(
    problem: Problem, probes: int = 300_000, seed: int = 0, more: int = 1
) -> tuple[PlanFiller, PackedSchedule | None]:
    """Plan, and fill steps along the plan."""
    arrays, rng = ScatterArrays.of(problem), np.random.default_rng(seed)
    filler = PlanFiller.of(
        PathEjection(arrays, 10_000, RemainingEffort(None, 10**12), rng), 1, PROBES_PER_HOP, rng, Budget()
    )
    assert filler is not None
    goal = filler.plan.most_load + more
    return filler, filler.fill_steps(goal, 1000, probes, rng, Budget())


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("random-regular:32,4,1", Rules()),
        ("random-regular:24,3,2", Rules(duplex="half")),
        ("dragonfly:4,2", Rules()),
        ("hypercube:5", Rules()),
        ("torus:6x6", Rules()),
    ],
)
def test_schedules_are_valid_and_short(text: str, rules: Rules) -> None:
    """Every message gets a step, the judge agrees, and no more than a few steps are added to the plan's load."""
    problem = problem_of(text, "AAS", rules)
    filler, found = fill_along_plan(problem)
    assert found is not None
    result = Result(problem, ScatterArrays.of(problem).schedule(found))
    assert result.num_steps == found.num_steps
    assert filler.plan.most_load <= found.num_steps <= 1.15 * filler.plan.most_load + 2


def test_paths_are_free_where_they_abound() -> None:
    """Steps of a hypercube are filled along any shortest paths, those of a random network along the plan."""
    assert fill_along_plan(problem_of("hypercube:5"))[0].is_rich
    assert not fill_along_plan(problem_of("random-regular:32,4,1"))[0].is_rich


def test_several_messages_between_two_processors() -> None:
    """Pieces are queued one behind the other, and all get a step."""
    made = network("random-regular:16,3,1")
    problem = Problem(made, named("AAS", made, pieces=3))
    found = fill_along_plan(problem)[1]
    assert found is not None
    assert Result(problem, ScatterArrays.of(problem).schedule(found)).num_steps == found.num_steps


def test_too_many_steps_are_not_worth_it() -> None:
    """If the goal is not below the incumbent, no steps are filled."""
    problem = problem_of("random-regular:24,3,2")
    filler, rng = fill_along_plan(problem)[0], np.random.default_rng(0)
    goal = filler.plan.most_load
    assert filler.fill_steps(goal, goal, 1000, rng, Budget()) is None
    assert filler.fill_steps(goal, 1000, 1000, rng, Budget(deadline=0.0)) is None


def test_ports_and_orbits_are_left_to_path_ejection() -> None:
    """If a port binds, or a channel carries several messages in a step, steps are not filled along plans."""
    for rules, expected in ((Rules(), True), (Rules(duplex="half"), True), (Rules(ports=1), False)):
        assert can_fill_along_plan(ScatterArrays.of(problem_of("torus:4x4", "AAS", rules))) == expected


def test_rich_networks_with_uneven_loads_need_effort() -> None:
    """A large mesh is rich in paths, and busiest in its middle; with little effort path ejection does better."""
    arrays, rng = ScatterArrays.of(problem_of("mesh:9x9")), np.random.default_rng(0)
    ejection = PathEjection(arrays, 10_000, RemainingEffort(None, 10**12), rng)
    assert PlanFiller.of(ejection, 1, TUNING.least_drift_probes - 1, rng, Budget()) is None
    filler = PlanFiller.of(ejection, 1, TUNING.least_drift_probes, rng, Budget())
    assert filler is not None
    assert filler.is_rich
    assert filler.drifts


def test_a_torus_that_has_lost_a_link_comes_near_its_plan() -> None:
    """Steps are filled along any paths, and the plan follows; 32 * 32 messages cross the cut that has lost a link."""
    made = network("torus:8x8")
    kept = [pair for pair in made.channels.tolist() if sorted(pair) != [0, 1]]
    problem = Problem(net := Network("torus", 64, kept), named("AAS", net))
    filler, found = fill_along_plan(problem, 30_000_000)
    assert filler.drifts
    assert filler.plan.most_load == ceil(32 * 32 / 15)
    assert found is not None
    assert Result(problem, ScatterArrays.of(problem).schedule(found)).num_steps == found.num_steps
    assert found.num_steps <= 1.08 * filler.plan.most_load
