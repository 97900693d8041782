"""Listed paths of the exact program."""

from __future__ import annotations

from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.solvers.exact.paths import num_paths, simple_paths


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
