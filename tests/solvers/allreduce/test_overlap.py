"""Phases that overlap: transfers move to earlier steps, and what they mean stays."""

import numpy as np
import pytest

from pavane.model.allreduce import phases
from pavane.model.collectives import in_pieces, named
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce.overlap import move_earlier, overlap_phases, shuffle_order
from pavane.solvers.allreduce_phases import join_schedules, reduction_of
from tests.checker import judge
from tests.problems import problem_of


def in_two_phases(problem: Problem) -> Schedule:
    """Return first fit of the broadcast, turned round and joined."""
    spreading = phases(problem)[1]
    spread = SOLVERS["greedy"](spreading, None, 0, Budget()).schedule
    assert spread is not None
    return join_schedules(reduction_of(spreading, spread), spread)


@pytest.mark.parametrize("rules", [Rules("store-and-forward"), Rules("store-and-forward", ports=1), Rules()])
@pytest.mark.parametrize("spec", ["line:6", "star:5", "mesh:3x3"])
def test_overlap_is_valid_and_never_longer(spec: str, rules: Rules) -> None:
    """No transfer comes later than it was when each moves to the first step that it can."""
    problem = problem_of(spec, "allreduce", rules)
    whole = in_two_phases(problem)
    moved = move_earlier(problem, whole, np.arange(len(whole)))
    assert not judge(problem, moved)
    assert moved.num_steps <= whole.num_steps
    better = overlap_phases(problem, whole, np.random.default_rng(0), 1, Budget())
    assert not judge(problem, better)
    assert better.num_steps <= moved.num_steps


def test_a_line_gains_by_overlap() -> None:
    """On a line sums spread on one side while others are still gathered."""
    made = network("line:6")
    problem = Problem(made, in_pieces(named("allreduce", made), 2), Rules("store-and-forward"))
    whole = in_two_phases(problem)
    assert overlap_phases(problem, whole, np.random.default_rng(0), 1, Budget()).num_steps < whole.num_steps


def meeting_at_a_switch() -> Problem:
    """Return an allreduce in which the sums of two processors of one router meet at a switch in one step."""
    channels = [(0, 1), (1, 0), (0, 3), (0, 1), (3, 0), (1, 2), (2, 3), (1, 0), (3, 1), (1, 3)]
    drawn = Network("drawn", 4, channels, (0, 1, 2, 2), capacities=(1, 1, 1, 1, 1, 5, 2, 1, 2, 2))
    members = tuple(range(4))
    return Problem(drawn, Collective("ALLREDUCE", members, members[:1]), Rules("store-and-forward", ports=3))


def phases_by_greedy(problem: Problem, seed: int) -> Schedule:
    """Return both phases as first fit makes them, joined."""
    gathered, spread = (SOLVERS["greedy"](phase, None, seed, Budget()).schedule for phase in phases(problem))
    assert gathered is not None
    assert spread is not None
    return join_schedules(gathered, spread)


@pytest.mark.parametrize("seed", range(20))
def test_sums_that_come_together_do_not_wait_for_each_other(seed: int) -> None:
    """Whatever the order within a step, none comes later than it was."""
    problem, rng = meeting_at_a_switch(), np.random.default_rng(seed)
    whole = phases_by_greedy(problem, seed)
    moved = move_earlier(problem, whole, shuffle_order(problem, whole, rng))
    assert not judge(problem, moved)
    better = overlap_phases(problem, whole, rng, 1, Budget())
    assert not judge(problem, better)
    assert better.num_steps <= whole.num_steps


def test_what_finds_no_step_leaves_all_as_it_was() -> None:
    """An order that makes a transfer wait for what it came with is no reason to fail."""
    problem = meeting_at_a_switch()
    whole = phases_by_greedy(problem, 0)
    moved = move_earlier(problem, whole, np.lexsort((-np.arange(len(whole)), whole.starts)))
    assert not judge(problem, moved)


def test_the_largest_schedules_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moving each of many transfers through many steps would take too long."""
    problem = problem_of("line:6", "allreduce", switching="store-and-forward")
    whole = in_two_phases(problem)
    monkeypatch.setattr("pavane.solvers.allreduce.overlap.MOST_MOVES", len(whole))
    assert overlap_phases(problem, whole, np.random.default_rng(0), 1, Budget()) is whole
