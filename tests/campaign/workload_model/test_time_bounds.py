"""The least time of a communication: start-ups, message times and hops that no schedule goes below."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from pavane.campaign.workload_model.groups import Layout
from pavane.campaign.workload_model.time_bounds import combining, time_bound
from pavane.jit import clock
from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.timing import Costs, predicted, profile
from tests.strategies import Case, cases


def test_figures_by_hand() -> None:
    """On a ring of 4 with two ports 3 cannot be reached in 1 start-up; 16 hops share 8 channels; 2 are the farthest."""
    bound = time_bound(Problem(network("ring:4"), "alltoall"))
    assert (bound.start_ups, bound.message_times, bound.hops) == (2, Fraction(2), 2)
    costs = Costs(startup=1.0, per_byte=0.1, per_hop=0.01)
    assert bound.seconds(costs, 5) == pytest.approx(bound.start_ups + 2 * 5 * 0.1 + 2 * 0.01)


@pytest.mark.parametrize("name", ["broadcast", "reduce", "allgather", "reduce-scatter", "allreduce", "gather"])
def test_every_pattern_is_bounded(name: str) -> None:
    """Broadcasts, reductions, sums and private messages all have a bound above 0."""
    bound = time_bound(Problem(network("mesh:2x3"), name, Rules(ports=1)))
    assert bound.start_ups >= 1
    assert bound.message_times > 0
    assert bound.hops == 3


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_rows_and_columns_of_a_grid_are_bounded_alike(groups: str) -> None:
    """In every row of 8, 16 messages go from one half to the other over one channel; no time is needed to see it."""
    where = network("mesh:8x8")
    lines = Layout(8, 8).groups(groups)
    problem = Problem(where, pairs([(a, b) for line in lines for a in line for b in line if a != b]))
    assert time_bound(problem, deadline=clock.now()).message_times == 16


@given(cases(wanted=lambda problem: not problem.rules.has_slots))
@settings(suppress_health_check=list(HealthCheck), max_examples=25)
def test_no_schedule_is_faster(case: Case) -> None:
    """A schedule that was grown at random takes as long at least, whatever start-ups, bytes and hops cost."""
    about = profile(case.schedule, case.problem.collective.pieces)
    bound = time_bound(case.problem)
    assert combining(case.problem).rules.combining
    for costs in (Costs(1.0, 0.0), Costs(0.0, 1.0), Costs(0.0, 0.0, 1.0), Costs(1.0, 1.0, 1.0)):
        assert bound.seconds(costs, 8) <= predicted(costs, 8, about) * (1 + 1e-9)
