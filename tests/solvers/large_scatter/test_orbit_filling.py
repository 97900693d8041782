"""Filling by orbits: valid schedules of networks with symmetries, at the bound of tori and hypercubes in disguise."""

import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.orbit_filling import can_fill_orbits, fill_by_orbits
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from tests.problems import problem_of
from tests.symmetry.test_automorphisms import shuffled


def in_disguise(text: str, seed: int = 1) -> Problem:
    """Return all-to-all scatter on a network whose routers have other numbers."""
    made = shuffled(network(text), seed)
    return Problem(made, alltoall(made))


def found(problem: Problem, enough: int, moves: int = 300_000, seed: int = 0) -> list[PackedSchedule]:
    """Fill by orbits with a number of moves."""
    return list(fill_by_orbits(ScatterArrays.of(problem), enough, 1000, moves, seed, Budget()))


@pytest.mark.parametrize("text", ["torus:6x6", "torus:5x5", "hypercube:5", "complete:6", "ring:8", "hyperx:4x4"])
def test_schedules_are_valid_and_become_shorter(text: str) -> None:
    """Every message is delivered without conflict, also where shortest paths may meet their images."""
    problem = problem_of(text)
    packed = found(problem, 1)
    assert packed
    for one in packed:
        assert not verify(problem, ScatterArrays.of(problem).schedule(one))
    steps = [one.num_steps for one in packed]
    assert steps == sorted(set(steps), reverse=True)


def test_hypercubes_come_to_the_bound_in_disguise() -> None:
    """The numbers of routers do not matter."""
    assert found(in_disguise("hypercube:7"), 64)[-1].num_steps == 64
    assert Packing()(in_disguise("hypercube:6"), None, 0, Budget()).num_steps == 32


def test_tori_come_near_the_bound_in_disguise() -> None:
    """A torus of 8x8 routers takes one step more than the 64 of the bound, or none."""
    assert found(in_disguise("torus:8x8"), 64)[-1].num_steps <= 65


def test_where_there_is_nothing_to_fill() -> None:
    """Without symmetries nothing comes of it, nor where ports bind or some channels have more to carry than others."""
    assert not found(problem_of("random-regular:24,3,1"), 1)
    assert can_fill_orbits(ScatterArrays.of(problem_of("torus:4x4")))
    assert not can_fill_orbits(ScatterArrays.of(problem_of("torus:4x4", "AAS", Rules(ports=1))))
    assert not can_fill_orbits(ScatterArrays.of(problem_of("mesh:4x4")))
