"""The solvers of all-to-all scatter reach what is known, and their parts do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.model.collectives import alltoall, many_to_many_scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.symmetry import free_involutions
from pavane.model.translation_groups import generators, translations
from pavane.networks import network
from pavane.solvers import SOLVERS
from pavane.solvers.candidates import PathFinder, candidate_paths
from pavane.solvers.constructions.complement_pairs import ComplementPairs
from pavane.solvers.ejection.ejection import Ejection
from pavane.solvers.ejection.routed import Routed
from pavane.solvers.ejection.translation import Translation
from pavane.workers.budget import Budget


def everyone(spec: str, rules: Rules | None = None) -> Problem:
    """Make all-to-all scatter on a network."""
    made = network(spec)
    return Problem(made, alltoall(made), rules or Rules())


# -- candidate paths


@pytest.mark.parametrize("spec", ["mesh:3x4", "kautz:2,3", "hypercube:4", "dgx-1", "star:5"])
def test_all_shortest_paths_are_listed_where_they_are_few(spec: str) -> None:
    """Between two routers there are as many candidates as shortest paths, each of them one, none twice."""
    problem = everyone(spec)
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
    problem = everyone("mesh:3x3")
    drawn = [PathFinder(problem, np.random.default_rng(seed), 1, 0).between(0, 8)[0] for seed in range(1200)]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    assert counts.min() > 130


@given(st.integers(0, 5))
@settings(max_examples=6)
def test_detours_are_simple_and_cost_a_toll(seed: int) -> None:
    """Under any routing longer paths meet no router twice and come after the shortest, at a toll."""
    problem = everyone("octagon", Rules(routing="any"))
    candidates = candidate_paths(problem, np.random.default_rng(seed), most_paths=12, detour=2)
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
    problem = everyone("octagon")
    symmetry = next(free_involutions(problem))
    candidates = candidate_paths(problem, np.random.default_rng(0), symmetry=symmetry)
    assert 2 * len(candidates.messages) == problem.num_messages
    for path in range(len(candidates.tolls)):
        channels = candidates.channels[candidates.channel_offsets[path] : candidates.channel_offsets[path + 1]]
        assert not set(channels.tolist()) & set(symmetry.channels[channels].tolist())


# -- solvers


@pytest.mark.parametrize(
    ("spec", "steps", "rules"),
    [
        ("heawood", 9, Rules()),
        ("spidergon:16", 16, Rules()),
        ("mesh:4x4", 16, Rules()),
        ("mesh:4x4", 16, Rules(ports=1)),
        ("coated-mesh:4x4", 16, Rules(ports=1)),
        ("fat-octagon:2", 16, Rules(ports=1)),
        ("kautz:3,3", 34, Rules()),
        ("ring:8", 16, Rules(duplex="half")),
        ("hierarchical-rings:4,4", 32, Rules(ports=1)),
    ],
)
def test_ejection_reaches_the_optimum(spec: str, steps: int, rules: Rules) -> None:
    """The proven optima that the papers missed are found."""
    assert Ejection()(everyone(spec, rules), steps, 0, Budget()).num_steps == steps


def test_the_quotient_lifts_to_a_valid_schedule() -> None:
    """Half the messages scheduled give all of them, also on networks with parallel channels and fat routers."""
    for spec, steps in (("hypercube:4", 8), ("dgx-1", 4), ("fat-octagon:2", 17), ("kautz:3,2", 8)):
        result = Ejection(symmetric=True)(everyone(spec), steps, 0, Budget())
        assert result.num_steps == steps, spec


def test_route_then_colour_beats_shortest_paths() -> None:
    """With detours Kautz 36 needs 32 steps; shortest paths need 34."""
    assert Routed()(everyone("kautz:3,3", Rules(routing="any")), 32, 0, Budget()).num_steps == 32


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        ("torus:4x4", 8),
        ("torus:8x8", 64),
        ("torus:6x6", 27),
        ("torus:4x4x4", 32),
        ("hyperx:4x4", 4),
        ("hypercube:5", 16),
    ],
)
def test_translations_solve_what_looks_alike_everywhere(spec: str, steps: int) -> None:
    """One message per displacement, lifted in space and time, meets the bound without slack."""
    assert Translation()(everyone(spec), steps, 0, Budget()).num_steps == steps


def test_translations_are_recognized_by_what_they_do() -> None:
    """A shape counts only if every translation maps channels to channels."""
    assert (4, 4) in set(translations(everyone("torus:4x4")))
    assert not list(translations(everyone("mesh:4x4")))
    assert not Translation().supports(everyone("petersen"))
    kinds = generators(everyone("ring:6"), (6,))
    assert kinds is not None
    assert np.bincount(kinds).tolist() == [6, 6]


@pytest.mark.parametrize("dimension", range(1, 8))
def test_complement_pairs_are_optimal_in_every_dimension(dimension: int) -> None:
    """Half as many steps as routers, the bound, and valid."""
    result = ComplementPairs()(everyone(f"hypercube:{dimension}"), None, 0, Budget())
    assert result.num_steps == max(1, 2 ** (dimension - 1))


def test_complement_pairs_are_for_hypercubes_only() -> None:
    """Networks of the same size, a hypercube short of a link, and other rules are refused."""
    cube = network("hypercube:3")
    assert not ComplementPairs().supports(everyone("octagon"))
    faulty = cube.without(links=[(0, 1)])
    assert not ComplementPairs().supports(Problem(faulty, alltoall(faulty)))
    assert not ComplementPairs().supports(everyone("hypercube:3", Rules(ports=1)))
    assert not ComplementPairs().supports(everyone("hypercube:3", Rules(duplex="half")))
    some = Problem(cube, many_to_many_scatter([0, 1], [2, 3]))
    assert not ComplementPairs().supports(some)
    twisted = Network("twisted", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])
    assert not ComplementPairs().supports(Problem(twisted, alltoall(twisted)))


@pytest.mark.parametrize("name", ["ejection", "quotient", "routed", "translation", "first-fit"])
def test_seeds_do_not_change_the_number_of_steps(name: str) -> None:
    """Where the bound is reached it is reached from every seed."""
    problem = everyone("torus:4x4")
    assert {SOLVERS[name](problem, 10, seed, Budget()).schedule is not None for seed in range(5)} == {True}
