"""Complement pairs on hypercubes."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall, many_to_many_scatter
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.hypercube.complement_pairs import ComplementPairs
from tests.problems import problem_of


@pytest.mark.parametrize("dimension", range(1, 8))
def test_complement_pairs_are_optimal_in_every_dimension(dimension: int) -> None:
    """Half as many steps as routers, the bound, and valid."""
    result = ComplementPairs()(problem_of(f"hypercube:{dimension}"), None, 0, Budget())
    assert result.num_steps == max(1, 2 ** (dimension - 1))


def test_complement_pairs_are_for_hypercubes_only() -> None:
    """Networks of the same size, a hypercube short of a link, and other rules are refused."""
    cube = network("hypercube:3")
    assert not ComplementPairs().supports(problem_of("octagon"))
    faulty = cube.without(links=[(0, 1)])
    assert not ComplementPairs().supports(Problem(faulty, alltoall(faulty)))
    assert not ComplementPairs().supports(problem_of("hypercube:3", ports=1))
    assert not ComplementPairs().supports(problem_of("hypercube:3", duplex="half"))
    some = Problem(cube, many_to_many_scatter([0, 1], [2, 3]))
    assert not ComplementPairs().supports(some)
    twisted = Network("twisted", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])
    assert not ComplementPairs().supports(Problem(twisted, alltoall(twisted)))
