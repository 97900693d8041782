"""Connectivity of networks with translations, beside maximum flows between all routers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.model.network import Network
from pavane.networks import network
from pavane.symmetry.cayley import CayleyNetwork, cayley_of
from pavane.symmetry.transitive_connectivity import channel_connectivity, router_connectivity


def found(of: Network) -> CayleyNetwork:
    """Return a network with its translations."""
    cayley = cayley_of(of)
    assert cayley is not None
    return cayley


def blown_up_ring(size: int, width: int) -> Network:
    """Return a ring of groups of routers: all of a group are joined, and those of groups next to each other."""
    routers = np.arange(size * width)
    ways = [
        (router, other)
        for router in routers.tolist()
        for other in routers.tolist()
        if router != other and (other // width - router // width + 1) % size <= 2
    ]
    return Network("groups", tuple(map(str, routers.tolist())), np.array(ways), routers)


@pytest.mark.parametrize(
    "spec",
    [
        *("ring:7", "ring:9,oneway", "torus:2x9", "torus:3x3x3", "complete:6", "octagon", "star-graph:4"),
        *("circulant:30,1,2", "circulant:12,1,2,3", "circulant:24,6,8,12,1", "circulant:48,12,24,1"),
        *("cube-connected-cycles:3", "ndv2"),
    ],
)
def test_catalogue(spec: str) -> None:
    """Both connectivities are those that maximum flows between all routers count."""
    made = network(spec)
    assert channel_connectivity(found(made)) == made.connectivity()
    assert router_connectivity(found(made)) == made.router_connectivity()


@given(st.integers(3, 16), st.sets(st.integers(1, 15), min_size=1, max_size=5))
def test_one_way(size: int, hops: set[int]) -> None:
    """The same on circulants of one-way channels that reach all routers."""
    ways = [(router, (router + hop) % size) for router in range(size) for hop in {hop % size for hop in hops} - {0}]
    routers = np.arange(size)
    made = Network("one way", tuple(map(str, range(size))), np.array(ways).reshape(-1, 2), routers)
    if ways and made.is_connected:
        assert channel_connectivity(found(made)) == made.connectivity()
        assert router_connectivity(found(made)) == made.router_connectivity()


@pytest.mark.parametrize(("size", "width"), [(5, 2), (24, 3), (40, 2)])
def test_fewer_than_the_degree(size: int, width: int) -> None:
    """In a ring of groups two groups separate the others, although a router has more neighbours than they have."""
    made = found(blown_up_ring(size, width))
    assert channel_connectivity(made) == 3 * width - 1
    assert router_connectivity(made) == 2 * width
