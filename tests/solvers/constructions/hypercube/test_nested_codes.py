"""Broadcast on hypercubes by nested codes."""

from __future__ import annotations

from itertools import product

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import broadcast, many_to_many_broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers.constructions.hypercube.nested_codes import NestedCodes
from tests.checker import judge
from tests.problems import problem_of


def solved(problem: Problem, num_steps: int | None = None, seed: int = 0) -> Result:
    """Solve without a limit of time."""
    return NestedCodes()(problem, num_steps, seed, Budget())


@pytest.mark.parametrize("ports", ["all", 1, 2, 3, 4, 7])
@pytest.mark.parametrize("dimension", range(1, 11))
def test_ports_say_how_many_dimensions_a_step_adds(dimension: int, ports: int | str) -> None:
    """With k ports, up to a port a dimension, broadcast takes ceil(n / floor(log2(k + 1))) steps, full or half duplex.

    Result holds valid schedules only, and minimal routing is the default, so paths are shortest.
    """
    each = (min(ports if isinstance(ports, int) else dimension, dimension) + 1).bit_length() - 1
    for duplex in ("full", "half"):
        problem = problem_of(f"hypercube:{dimension}", "OAB", ports=ports, duplex=duplex)
        assert solved(problem).num_steps == -(-dimension // each)


@pytest.mark.parametrize(("dimension", "seed"), [*product((3, 4, 7), range(2)), (8, 0)])
def test_every_seed_finds_codes(dimension: int, seed: int) -> None:
    """Also where as many words are added as there are ports."""
    problem = problem_of(f"hypercube:{dimension}", "OAB", root=dimension)
    result = solved(problem, seed=seed)
    assert result.num_steps == (2 if dimension < 5 else 3)
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert result.schedule == solved(problem, seed=seed).schedule


def test_reductions_are_read_backwards() -> None:
    """A reduction takes as long as the broadcast."""
    assert solved(problem_of("hypercube:9", "AOR", root=5)).num_steps == 3


def test_too_few_steps_give_no_schedule() -> None:
    """Ports do not allow more; and what other sets could do is not for codes."""
    assert solved(problem_of("hypercube:10", "OAB"), 3).schedule is None
    assert solved(problem_of("hypercube:10", "OAB"), 4).num_steps == 4


def test_no_time_gives_no_schedule() -> None:
    """A deadline is looked at before every draw."""
    assert NestedCodes()(problem_of("hypercube:6", "OAB"), None, 0, Budget.of(0)).schedule is None


@pytest.mark.parametrize(("dimension", "num_steps"), [(12, 4), (15, 4)])
def test_large_cubes_are_settled(dimension: int, num_steps: int) -> None:
    """The search for few steps meets the bound with it: 32,768 routers in 4 steps."""
    result = solve(problem_of(f"hypercube:{dimension}", "OAB"))
    assert result.num_steps == num_steps
    assert result.status == "optimal"
    assert result.provenance.solver == "nested-codes"


def test_nested_codes_are_for_one_message_on_hypercubes() -> None:
    """Other networks, a hypercube short of a link, some of the processors and single hops are refused."""
    cube = network("hypercube:3")
    faulty = cube.without(links=[(0, 1)])
    twisted = Network("twisted", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])
    assert NestedCodes().supports(Problem(cube, many_to_many_broadcast([3], range(8))))
    for problem in (
        problem_of("octagon", "OAB"),
        Problem(faulty, broadcast(faulty)),
        Problem(twisted, broadcast(twisted)),
        Problem(cube, broadcast(cube, 0, [1, 2])),
        Problem(cube, broadcast(cube), Rules(switching="store-and-forward")),
        problem_of("hypercube:3", "AAB"),
        problem_of("hypercube:3", "OAS"),
    ):
        assert not NestedCodes().supports(problem)
        assert solved(problem).schedule is None
