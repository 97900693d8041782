"""Capacities as parallel channels: the same problem, and schedules that are read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.solvers.reductions import Chain
from pavane.solvers.reductions.unit_capacities import UNIT_CAPACITIES
from tests.checker import judge
from tests.strategies import problems_in_pieces, valid_case

LINK = Network("link", 2, [(0, 1), (1, 0)], [0, 0, 1], capacities=[3, 2])


def test_a_channel_is_as_many_parallel_ones_as_it_carries() -> None:
    """Ports, degrees and messages are the same."""
    problem = Problem(LINK, alltoall(LINK))
    spread, channel_of = UNIT_CAPACITIES.apply(problem)
    assert spread.network.channels.tolist() == [[0, 1]] * 3 + [[1, 0]] * 2
    assert channel_of.tolist() == [0, 0, 0, 1, 1]
    assert spread.network.capacities is None
    assert spread.injection.tolist() == problem.injection.tolist() == [3, 3, 2]
    assert spread.collective == problem.collective


@given(problems_in_pieces().filter(lambda problem: problem.network.capacities is not None), st.integers(0, 2**32 - 1))
def test_a_schedule_of_the_spread_problem_is_one_of_the_problem(problem: Problem, seed: int) -> None:
    """Whatever is valid over parallel channels is valid over one that carries as many, says either judge."""
    chain = Chain.of(problem, [UNIT_CAPACITIES])
    schedule = valid_case(chain.problem, seed, True).schedule
    gathered = chain.invert(schedule)
    assert verify(problem, gathered) == []
    assert judge(problem, gathered) == set()
    assert (gathered.num_steps, gathered.tco, len(gathered)) == (schedule.num_steps, schedule.tco, len(schedule))


def test_capacities_that_would_be_millions_of_channels_are_refused() -> None:
    """What does not fit is told in one line."""
    wide = Network("wide", 2, [(0, 1), (1, 0)] * 2, capacities=[1_000_000, 1_000_000, 1, 1])
    with pytest.raises(InputError, match="add up to 2,000,002; up to 2,000,000 can be expanded"):
        UNIT_CAPACITIES.apply(Problem(wide, alltoall(wide), Rules(ports=1)))
