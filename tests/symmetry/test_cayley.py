"""Cayley networks: their translations and turns."""

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.networks import network
from pavane.symmetry.cayley import cayley_of

GROUPS = (
    *("ring:7", "ring:5,oneway", "torus:4x4", "torus:3x4x2", "hypercube:4", "folded-hypercube:4", "complete:6"),
    *("circulant:13,1,5", "gaussian:3,4", "gaussian:2,4", "eisenstein:2,3", "eisenstein:0,3", "spidergon:10"),
    *("star-graph:2", "star-graph:4", "star-graph:5", "cube-connected-cycles:3", "cube-connected-cycles:5"),
)
TURNS = (
    *("ring:7", "torus:5x5", "torus:4x4x4", "torus:3x3x3x3", "hypercube:5", "folded-hypercube:4", "circulant:13,1,5"),
    *("gaussian:3,4", "gaussian:2,4", "eisenstein:2,3", "eisenstein:2,4", "star-graph:4", "star-graph:5"),
)


@pytest.mark.parametrize("spec", GROUPS)
def test_translations_keep_the_kinds_of_channels(spec: str) -> None:
    """A translation takes the channel of a kind to the channel of that kind; together they reach all routers."""
    cayley = cayley_of(network(spec))
    assert cayley is not None
    heads = cayley.kinds.heads
    reached = {0}
    for translation in cayley.translations:
        for kind in range(heads.shape[1]):
            assert np.array_equal(translation[heads[:, kind]], heads[translation, kind])
    while len(more := reached | {int(step[router]) for step in cayley.translations for router in reached}) > len(
        reached
    ):
        reached = more
    assert len(reached) == len(heads)


@pytest.mark.parametrize(
    "spec", ["petersen", "kautz:2,3", "mesh:3x3", "star:5", "random-regular:24,3,1", "fat-octagon:2"]
)
def test_other_networks_have_none(spec: str) -> None:
    """Networks without translations, or of as many routers as a star graph, are not taken for one."""
    assert cayley_of(network(spec)) is None


def test_a_fault_takes_the_translations() -> None:
    """A star graph without a link, and one with a link moved, have no translations."""
    whole = network("star-graph:4")
    assert cayley_of(Network("less", 24, whole.channels[2:])) is None
    moved = whole.channels.tolist()
    moved[0], moved[-1] = [moved[0][0], moved[-1][1]], [moved[-1][0], moved[0][1]]
    assert cayley_of(Network("moved", 24, moved)) is None


@pytest.mark.parametrize("spec", TURNS)
def test_a_turn_moves_the_kinds_in_one_cycle(spec: str) -> None:
    """A turn leaves router 0 in place, takes channels to channels, and comes round after as many turns as kinds."""
    cayley = cayley_of(network(spec))
    assert cayley is not None
    assert cayley.turn is not None
    routers, kinds = cayley.turn
    heads = cayley.kinds.heads
    assert routers[0] == 0
    assert sorted(routers.tolist()) == list(range(len(heads)))
    kind, length = int(kinds[0]), 1
    while kind:
        kind, length = int(kinds[kind]), length + 1
    assert length == heads.shape[1]
    for kind, image in enumerate(kinds.tolist()):
        assert np.array_equal(routers[heads[:, kind]], heads[routers, image])


@pytest.mark.parametrize("spec", ["torus:4x6", "circulant:16,1,4", "spidergon:10", "cube-connected-cycles:4"])
def test_kinds_that_differ_have_no_turn(spec: str) -> None:
    """Where kinds differ, as the sides of a torus do, no symmetry takes one to the other."""
    cayley = cayley_of(network(spec))
    assert cayley is not None
    assert cayley.turn is None
