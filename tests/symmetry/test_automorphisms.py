"""Renumberings of routers: they keep channels, leave no router where it is, and are found whatever the numbering."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.symmetry.automorphisms import free_automorphisms
from tests.bounds.tiny import tiny_problems


def shuffled(made: Network, seed: int) -> Network:
    """Return the same network with other numbers of routers and channels."""
    rng = np.random.default_rng(seed)
    number, order = rng.permutation(made.num_routers), rng.permutation(made.num_channels)
    tails, heads = number[made.tails[order]].tolist(), number[made.heads[order]].tolist()
    return Network("shuffled", made.num_routers, list(zip(tails, heads, strict=True)))


def links(made: Network, routers: Longs | None = None) -> Counter[tuple[int, int]]:
    """Count the channels between any two routers, after a renumbering."""
    number = np.arange(made.num_routers) if routers is None else routers
    return Counter(zip(number[made.tails].tolist(), number[made.heads].tolist(), strict=True))


@given(tiny_problems())
def test_renumberings_keep_channels(problem: Problem) -> None:
    """Whatever the network, what is found takes channels to channels, and no router to itself."""
    made = problem.network
    for routers in chain(*free_automorphisms(made, np.random.default_rng(0))):
        assert links(made, routers) == links(made)
        assert (routers != np.arange(made.num_routers)).all()


@pytest.mark.parametrize("text", ["hypercube:5", "torus:6x6", "complete:7"])
def test_symmetries_are_found_in_disguise(text: str) -> None:
    """The numbering of routers does not matter; steady renumberings move all routers equally far."""
    made = shuffled(network(text), 3)
    found = free_automorphisms(made, np.random.default_rng(0))
    assert len(found.steady) > 3
    everyone = np.arange(made.num_routers)
    for routers in found.exchanges + found.steady:
        assert len(np.unique(made.distances[everyone, routers])) == 1
    for routers in found.exchanges:
        assert (routers[routers] == everyone).all()


def test_exchanges_of_a_hypercube_are_its_translations() -> None:
    """Whatever exchanges routers and moves all of them equally far adds the same vector to all."""
    found = free_automorphisms(network("hypercube:5"), np.random.default_rng(1))
    assert len(found.exchanges) > 16
    for routers in found.exchanges:
        assert (routers == np.arange(32) ^ routers[0]).all()


@pytest.mark.parametrize("text", ["random-regular:64,3,1", "line:5", "star:6"])
def test_some_networks_have_none(text: str) -> None:
    """Random networks have no symmetry, and the middle of a line or a star stays where it is."""
    assert free_automorphisms(network(text), np.random.default_rng(0)) == ([], [], [])


def test_routers_that_are_hard_to_tell_apart_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it would take too many routers to tell all others apart there are too many images to try."""
    monkeypatch.setattr("pavane.symmetry.automorphisms.MOST_BASE", 1)
    assert free_automorphisms(network("hypercube:5"), np.random.default_rng(1)) == ([], [], [])
