"""Listed paths of the exact program."""

from typing import Literal

import numpy as np
import pytest

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.model.routing import StateHops
from pavane.networks import network
from pavane.solvers.exact.paths import num_paths, restricted_paths, simple_paths
from tests.bounds.exhaustive import admissible_paths


def test_paths_are_counted_as_they_are_listed() -> None:
    """The count that decides on support is the number of paths in the list."""
    made = network("octagon").without(channels=[3])
    for detour in (0, 1):
        listed = [
            len(list(simple_paths(made, a, b, int(made.distances[a, b]) + detour)))
            for a in range(8)
            for b in range(8)
            if a != b
        ]
        assert num_paths(Problem(made, named("AAS", made)), detour) == sum(listed)
        assert num_paths(Problem(made, named("OAB", made)), detour) == sum(listed)
        assert num_paths(Problem(made, named("AAB", made)), detour) == 8 * sum(listed)


@pytest.mark.parametrize("routing", ["dimension-order", "west-first", "north-last"])
def test_restricted_paths_are_listed_and_counted(
    routing: Literal["dimension-order", "west-first", "north-last"],
) -> None:
    """Under an order of turns the list has all paths that keep it, on a mesh that lost a link."""
    made = network("mesh:3x3").without(links=[(1, 2)])
    problem = Problem(made, named("OAB", made), Rules(routing=routing))
    assert problem.restriction is not None
    moves, away = StateHops(made, problem.restriction), problem.restriction.distances(np.arange(9))
    total = 0
    for start in range(9):
        for end in set(range(9)) - {start}:
            listed = list(restricted_paths(moves, away[:, end].tolist(), moves.start(start)))
            assert sorted(listed) == sorted(admissible_paths(problem, start, end))
            total += len(listed)
    assert num_paths(problem) == total
