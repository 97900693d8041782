"""Packing: valid on networks of every sort, shorter than first fit, repeatable, and at an end when time is."""

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from pavane.bounds.channel_prices import priced_by_load
from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.arrays import Ints
from pavane.model.collectives import alltoall, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.path_ejection import PathEjection
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.problems import problem_of
from tests.strategies import problems_in_pieces

QUICK = Packing(most_cells=20_000_000)


def steps(problem: Problem, solver: Packing = QUICK, seed: int = 0) -> int:
    """Return the number of steps that a solver takes when nothing stops it."""
    result = solver(problem, None, seed, Budget())
    assert result.schedule is not None
    return result.schedule.num_steps


@given(tiny_problems(kinds=PRIVATE, combining=(False,)))
def test_answers_what_it_supports(problem: Problem) -> None:
    """It answers every problem that it supports, never with more steps than first fit with its repacks left out."""
    made = replace(problem, rules=replace(problem.rules, switching="wormhole"))
    if QUICK.supports(made):
        first = FirstFit(repacks=0)(made, None, 0, Budget()).num_steps
        assert first is not None
        assert steps(made, Packing(most_cells=1_000_000)) <= first


@given(problems_in_pieces(tiny_problems(kinds=PRIVATE, combining=(False,))))
def test_answers_pieces_and_capacities(problem: Problem) -> None:
    """Pieces, sizes and capacities are counted."""
    steps(replace(problem, rules=replace(problem.rules, switching="wormhole")), Packing(most_cells=1_000_000))


@pytest.mark.parametrize("symmetric", [False, True])
def test_wide_channels(symmetric: bool) -> None:
    """Filling, pushing and orbits count capacities: a torus of channels for two takes half the steps of a plain one."""
    made = network("torus:4x4")
    wide = Network("wide", made.routers, made.channels, capacities=np.full(made.num_channels, 2))
    problem = Problem(wide, named("AAS", wide, pieces=3))
    assert steps(problem, Packing(most_cells=200_000_000, symmetric=symmetric)) == 12


def test_the_bound_of_dragonflies() -> None:
    """A dragonfly of 114 routers takes 39 steps on shortest paths, which is the bound; first fit takes more."""
    problem = problem_of("dragonfly:6,3")
    bound = priced_by_load(problem)
    assert bound is not None
    assert bound.figure == 39
    first = FirstFit()(problem, None, 0, Budget()).num_steps
    assert first is not None
    assert first > 39
    assert Packing()(problem, 39, 0, Budget()).num_steps == 39


def test_random_network_of_96_routers() -> None:
    """A random network of degree 4 comes within 1.08 of the bound by prices on channels."""
    problem = problem_of("random-regular:96,4,1")
    bound = priced_by_load(problem)
    assert bound is not None
    assert bound.figure <= steps(problem, Packing(most_cells=200_000_000)) <= 1.08 * bound.figure


@pytest.mark.parametrize("seed", range(3))
def test_fat_trees_with_one_port(seed: int) -> None:
    """A fat tree carries every permutation, so one port and P processors take P - 1 steps."""
    assert steps(problem_of("fat-tree:4", "AAS", Rules(ports=1)), Packing(), seed) == 15


def test_evaluations_repeat() -> None:
    """The same seed and evaluations give the same schedule, and more evaluations none that is longer."""
    problem = problem_of("levi")
    found = [QUICK(problem, None, 1, Budget(evaluations=number)).schedule for number in (4000, 4000, 40_000)]
    assert found[0] == found[1]
    counts = [schedule.num_steps for schedule in found if schedule is not None]
    assert len(counts) == 3
    assert counts[2] <= counts[0]


def test_transfers_are_shortest_paths() -> None:
    """Every transfer runs along a shortest path, also where any routing is allowed, if detours are of no use."""
    made = network("spidergon:16")
    problem = Problem(made, alltoall(made), Rules(routing="any"))
    schedule = QUICK(problem, None, 0, Budget()).schedule
    assert schedule is not None
    lengths = made.distances[made.router_of[schedule.senders], made.router_of[schedule.receivers]]
    assert (np.diff(schedule.path_offsets) == lengths).all()


@pytest.mark.parametrize(("text", "shortest", "most"), [("kautz:2,4", 45, 43), ("de-bruijn:2,5", 81, 72)])
def test_detours_where_they_help(text: str, shortest: int, most: int) -> None:
    """Where any routing is allowed there are fewer steps than shortest paths need."""
    made = network(text)
    bound = priced_by_load(Problem(made, alltoall(made)))
    assert bound is not None
    assert bound.figure == shortest
    problem = Problem(made, alltoall(made), Rules(routing="any"))
    assert Packing(most_cells=1_000_000_000)(problem, most, 0, Budget()).schedule is not None


def test_no_strides_are_refused() -> None:
    """Without any stride there would be no way to go."""
    with pytest.raises(InputError, match="strides 0"):
        Packing(strides=0)


def test_packing_fills_a_hypercube() -> None:
    """Packing comes within one step of the bound of a hypercube of 64 routers."""
    result = Packing(most_cells=2_000_000_000)(problem_of("hypercube:6"), None, 0, Budget())
    assert result.num_steps in (32, 33)


# -- from a schedule


def test_starts_from_a_schedule() -> None:
    """Given a schedule it returns one that is no longer, and no shorter than requested."""
    problem = problem_of("mesh:4x4")
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    packing = replace(QUICK, start=start, enough=start.num_steps - 1)
    result = packing(problem, None, 0, Budget())
    assert result.num_steps in (start.num_steps, start.num_steps - 1)
    unchanged = packing(problem, None, 0, Budget.of(seconds=0)).schedule
    assert unchanged == start


def test_an_interrupt_reports_the_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during path ejection reports the best schedule so far, and is raised again."""
    problem = problem_of("torus:5x5")
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    thorough = Packing(most_cells=500_000_000)
    short = thorough(problem, None, 0, Budget()).num_steps
    assert short is not None
    assert short < start.num_steps
    insert, num_calls = PathEjection.insert, count(1)

    def interrupted(self: PathEjection, draft: PackedSchedule, weights: Ints, budget: Budget, **limits: Any) -> bool:
        if next(num_calls) == 3:
            raise KeyboardInterrupt
        return insert(self, draft, weights, budget, **limits)

    monkeypatch.setattr(PathEjection, "insert", interrupted)
    kept: list[Schedule] = []
    with pytest.raises(KeyboardInterrupt):
        replace(thorough, start=start, enough=1)(problem, None, 0, Budget(on_schedule=kept.append))
    assert kept[0].num_steps < start.num_steps
    assert not verify(problem, kept[0])


def test_a_schedule_with_detours_is_not_used() -> None:
    """Steps are removed along shortest paths, so the search then starts from first fit."""
    made = network("ring:4")
    problem = Problem(made, alltoall(made), Rules(routing="any"))
    start = FirstFit(repacks=0)(problem, None, 0, Budget()).schedule
    assert start is not None
    longer = next(one for one in start if len(one.path) == 1)
    around, at = [], longer.sender
    while at != longer.receiver:
        at_next = (at - 1) % 4 if (longer.sender + 1) % 4 == longer.receiver else (at + 1) % 4
        around.append(made.channels.tolist().index([at, at_next]))
        at = at_next
    detoured = [one for one in start if one != longer]
    detoured.append(longer._replace(start=start.num_steps, path=tuple(around)))
    at_hand = Schedule.from_transfers(detoured)
    assert not verify(problem, at_hand)
    found = replace(QUICK, start=at_hand, enough=start.num_steps)(problem, None, 0, Budget())
    assert found.num_steps == start.num_steps
