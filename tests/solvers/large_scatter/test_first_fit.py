"""First fit for large networks: valid, close to greedy, reproducible, and limited in time."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given

from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.greedy import Greedy
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.windowed_first_fit import WindowedFirstFit
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.problems import examples, problem_of
from tests.strategies import problems_in_pieces

SMALL = sorted(made.name for made in examples() if made.num_processors <= 16)


def steps(problem: Problem, solver: FirstFit | Greedy, seed: int = 0) -> int:
    """Return the number of steps that a solver takes when nothing stops it."""
    result = solver(problem, None, seed, Budget())
    assert result.schedule is not None
    assert result.num_steps is not None
    return result.num_steps


@pytest.mark.parametrize("text", SMALL[::2])
def test_is_close_to_greedy(text: str) -> None:
    """With every port model and duplex it takes at most a step in ten more than greedy, and mostly fewer."""
    made = network(text)
    choices: list[tuple[int | Literal["all"], Literal["full", "half"]]] = [("all", "full"), (1, "full"), (2, "half")]
    # Larger networks take the choices in turn.
    for ports, duplex in choices if made.num_processors <= 8 else choices[SMALL.index(text) % 3 :][:1]:
        problem = Problem(made, alltoall(made), Rules(ports=ports, duplex=duplex))
        assert steps(problem, FirstFit()) <= 1.1 * steps(problem, Greedy()) + 1


@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_answers_what_it_supports(problem: Problem) -> None:
    """It answers every problem that it supports: fat routers, switches, parallel channels, any members."""
    rules = replace(problem.rules, switching="wormhole")
    steps(replace(problem, rules=rules), FirstFit(repacks=2))


@given(problems_in_pieces(tiny_problems(kinds=PRIVATE, combining=(False,))))
def test_answers_pieces_and_capacities(problem: Problem) -> None:
    """Pieces, sizes and capacities are counted, full steps or not, with time to continue or without."""
    asked = replace(problem, rules=replace(problem.rules, switching="wormhole"))
    steps(asked, FirstFit(repacks=2))
    in_haste = WindowedFirstFit()(asked, None, 0, Budget.of(seconds=0))
    assert in_haste.schedule is not None


def test_capacities_are_as_good_as_parallel_channels() -> None:
    """A network of wide channels takes no more steps than the same one of parallel channels, or hardly more."""
    made = network("mesh:4x4")
    wide = Network("wide", made.routers, made.channels, capacities=np.full(made.num_channels, 3))
    parallel = Network("parallel", made.routers, np.repeat(made.channels, 3, axis=0))
    counts = [steps(Problem(one, alltoall(one)), FirstFit()) for one in (wide, parallel)]
    assert counts[0] <= 1.1 * counts[1] + 1


def test_repacking_never_makes_it_longer() -> None:
    """More repacks give no more steps."""
    problem = problem_of("mesh:4x4")
    counts = [steps(problem, FirstFit(repacks=repacks), seed=1) for repacks in (0, 1, 2, 4, 8)]
    assert counts == sorted(counts, reverse=True)


def test_more_steps_than_the_first_table_has() -> None:
    """A one-way ring of 36 needs 630 steps, more than the table of full steps starts with."""
    problem = problem_of("ring:36,oneway")
    assert 630 <= steps(problem, FirstFit(repacks=0)) <= 700


def test_random_regular_256() -> None:
    """On a random network of 256 routers and degree 4 it is within 1.17 of the bound by hop count, 281."""
    problem = problem_of("random-regular:256,4,1")
    assert steps(problem, FirstFit(repacks=2)) <= 1.17 * 281


@pytest.mark.parametrize("solver", [FirstFit(), Packing()])
def test_too_little_time_is_reported(solver: FirstFit | Packing, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the limit is too short for a first schedule, a note says which would suffice."""
    probing = replace(TUNING, least_hops_probed=0)
    monkeypatch.setattr("pavane.solvers.large_scatter.windowed_first_fit.TUNING", probing)
    monkeypatch.setattr(
        "pavane.solvers.large_scatter.windowed_first_fit._seconds_to_judge", lambda arrays, packed: 5000.0
    )
    found = solver(problem_of("torus:4x4"), None, 0, Budget.of(seconds=100))
    assert found.schedule is None
    assert "takes about" in found.notes[0]


def test_a_first_schedule_that_is_short_enough_is_the_answer() -> None:
    """With a time limit, windowed first fit is the answer if it has few enough steps."""
    problem = problem_of("torus:4x4")
    assert FirstFit()(problem, 200, 0, Budget.of(seconds=100)).schedule is not None
