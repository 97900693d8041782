"""Symmetries: found where they exist, and only what changes nothing counts as one."""

import numpy as np
import pytest

from pavane.model.collectives import alltoall, many_to_many_scatter
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.symmetry.involutions import Symmetry, free_involutions
from tests.problems import problem_of


@pytest.mark.parametrize(
    "spec", ["ring:8", "octagon", "mesh:4x4", "hypercube:4", "levi", "heawood", "fat-octagon:2", "dgx-1", "kautz:2,2"]
)
def test_an_involution_changes_nothing_and_moves_everything(spec: str) -> None:
    """It maps channels to channels, processors to processors, twice is identity, and nothing stays in place."""
    problem = problem_of(spec)
    made = problem.network
    found = list(free_involutions(problem))
    assert found
    for symmetry in found:
        image = symmetry.routers
        assert np.array_equal(image[image], np.arange(made.num_routers))
        for part in (symmetry.channels, symmetry.processors, symmetry.messages):
            assert np.array_equal(part[part], np.arange(len(part)))
            assert (part != np.arange(len(part))).all()
        assert np.array_equal(made.channels[symmetry.channels], image[made.channels])
        assert np.array_equal(made.router_of[symmetry.processors], image[made.router_of])
        assert np.array_equal(problem.labels[symmetry.messages], symmetry.processors[problem.labels])


@pytest.mark.parametrize("spec", ["torus:3x3", "ring:7", "star:4", "ring:5,oneway"])
def test_where_there_is_none_none_is_found(spec: str) -> None:
    """An odd number of routers, or a hub that must stay, has no symmetry of order two that moves every channel."""
    problem = problem_of(spec)
    assert all(s.is_free for s in free_involutions(problem))
    if spec != "ring:7":
        assert not list(free_involutions(problem))


def test_parallel_channels_and_processors_must_match() -> None:
    """A renumbering that changes the number of channels or processors, or capacities, is no symmetry."""
    doubled = Network("doubled", 4, [(0, 1), (1, 0), (0, 1), (1, 0), (2, 3), (3, 2), (1, 2), (2, 1)])
    problem = Problem(doubled, alltoall(doubled))
    assert Symmetry.of(problem, [3, 2, 1, 0]) is None
    assert Symmetry.of(problem, [0, 1, 2, 3]) is not None
    uneven = Network("uneven", 2, [(0, 1), (1, 0)], capacities=[1, 2])
    assert Symmetry.of(Problem(uneven, alltoall(uneven)), [1, 0]) is None
    fat = Network("fat", 2, [(0, 1), (1, 0)], [0, 0, 1])
    assert Symmetry.of(Problem(fat, alltoall(fat)), [1, 0]) is None


def test_the_collective_must_stay_the_same() -> None:
    """A symmetry of the network that moves the senders is none of the problem."""
    ring = network("ring:4")
    problem = Problem(ring, many_to_many_scatter([0, 1], [0, 1]))
    assert Symmetry.of(problem, [2, 3, 0, 1]) is None
    assert Symmetry.of(problem, [1, 0, 3, 2]) is not None


@pytest.mark.parametrize("spec", ["octagon", "utility", "hypercube:3", "ring:6", "mesh:2x3"])
def test_under_half_duplex_no_link_is_turned_round(spec: str) -> None:
    """A link carries one way in a step, so a message and its image need two links: none may stay where it is."""
    problem = problem_of(spec, "AAS", duplex="half")
    for symmetry in free_involutions(problem):
        links = problem.units[symmetry.channels]
        assert (links != problem.units).all()


def test_many_ways_to_fail_take_no_time() -> None:
    """A symmetry keeps senders and receivers, so on a network of many symmetries few need a look, and soon."""
    senders, receivers = range(0, 1600, 161), range(3, 1600, 163)
    collective = many_to_many_scatter(tuple(senders), tuple(receivers))
    assert list(free_involutions(Problem(network("torus:40x40"), collective))) == []


def test_few_tries_find_nothing() -> None:
    """A search that may try one pair of routers gives up at the second."""
    assert list(free_involutions(problem_of("hypercube:4"), most_tries=1)) == []


def test_pairs_are_counted_over_all_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the last pair has been tried no further image of the first router is looked at."""
    problem = problem_of("ring:8", "AAS")
    assert len(list(free_involutions(problem))) > 1
    monkeypatch.setattr("pavane.symmetry.involutions.MOST_TRIES_IN_ALL", 3)
    assert len(list(free_involutions(problem))) == 1


def test_broadcasts_have_none() -> None:
    """Only private messages are moved."""
    assert list(free_involutions(problem_of("ring:8", "AAB"))) == []


@pytest.mark.parametrize("words", [("octagon", "AAS"), ("utility", "AAS"), ("hypercube:3", "AAS")])
def test_half_duplex_problems_are_solved_without_a_refusal(words: tuple[str, str]) -> None:
    """No solver offers the judge two messages on one link, so no attempt is lost."""
    result = solve(problem_of(*words, ports=1, duplex="half"), SearchOptions(evaluations=20_000))
    assert result.schedule is not None
    assert result.notes == ()
