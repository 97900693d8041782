"""Candidate paths: all of them where they are few, drawn evenly where they are many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.solvers.candidates import PathFinder, candidate_paths
from pavane.symmetry.involutions import free_involutions
from tests.problems import problem_of


@pytest.mark.parametrize("spec", ["mesh:3x4", "kautz:2,3", "hypercube:4", "dgx-1", "star:5"])
def test_all_shortest_paths_are_listed_where_they_are_few(spec: str) -> None:
    """Between two routers there are as many candidates as shortest paths, each of them one, none twice."""
    problem = problem_of(spec)
    made = problem.network
    finder = PathFinder(problem, np.random.default_rng(0), 10_000, 0)
    for source in range(made.num_routers):
        for target in range(made.num_routers):
            paths = finder.between(source, target)
            assert len(set(paths)) == len(paths) == made.num_shortest_paths(source, target)
            for path in paths:
                stops = [source, *made.heads[list(path)].tolist()]
                assert stops[:-1] == made.tails[list(path)].tolist()
                assert stops[-1] == target
                assert len(path) == made.distances[source, target]


def test_many_shortest_paths_are_sampled_evenly() -> None:
    """Where there are too many, each has the same chance of being drawn."""
    problem = problem_of("mesh:3x3")
    drawn = [PathFinder(problem, np.random.default_rng(seed), 1, 0).between(0, 8)[0] for seed in range(1200)]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    assert counts.min() > 130


@given(st.integers(0, 5))
@settings(max_examples=6)
def test_detours_are_simple_and_cost_a_toll(seed: int) -> None:
    """Under any routing longer paths meet no router twice and come after the shortest, at a toll."""
    problem = problem_of("octagon", routing="any")
    candidates = candidate_paths(problem, PathFinder(problem, np.random.default_rng(seed), 12, 2))
    heads, tails = problem.network.heads, problem.network.tails
    for message, (first, last) in enumerate(zip(candidates.first_path[:-1], candidates.first_path[1:], strict=True)):
        assert (np.diff(candidates.tolls[first:last]) >= 0).all()
        assert candidates.tolls[first] == 0
        for path in range(first, last):
            channels = candidates.channels[candidates.channel_offsets[path] : candidates.channel_offsets[path + 1]]
            stops = [int(tails[channels[0]]), *heads[channels].tolist()]
            assert len(set(stops)) == len(stops)
            assert [stops[0], stops[-1]] == problem.labels[message].tolist()


def test_a_symmetry_halves_the_messages() -> None:
    """With a symmetry there is one entry per orbit, and no path that meets its own image."""
    problem = problem_of("octagon")
    symmetry = next(free_involutions(problem))
    candidates = candidate_paths(problem, PathFinder(problem, np.random.default_rng(0)), symmetries=(symmetry,))
    assert 2 * len(candidates.messages) == problem.num_messages
    for path in range(len(candidates.tolls)):
        channels = candidates.channels[candidates.channel_offsets[path] : candidates.channel_offsets[path + 1]]
        assert not set(channels.tolist()) & set(symmetry.channels[channels].tolist())
