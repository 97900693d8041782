"""Products of networks."""

import pytest

from pavane.errors import InputError
from pavane.networks import network


def test_a_torus_is_a_product_of_rings() -> None:
    """The channels of a product are those of its factors: rings make a torus, and lines of two a hypercube."""
    torus, rings = network("torus:4x5"), network("ring:4+ring:5")
    assert sorted(map(tuple, rings.channels.tolist())) == sorted(map(tuple, torus.channels.tolist()))
    cube, lines = network("hypercube:3"), network("line:2+line:2+line:2")
    assert sorted(map(tuple, lines.channels.tolist())) == sorted(map(tuple, cube.channels.tolist()))


def test_distances_add_up() -> None:
    """A path goes along both factors."""
    made, star, ring = network("star-graph:4+ring:5"), network("star-graph:4"), network("ring:5")
    for a in (0, 7, 23):
        for b in range(5):
            assert made.distances_from(0)[5 * a + b] == star.distances_from(0)[a] + ring.distances_from(0)[b]
    assert made.routers[7] == f"{star.routers[1]}.{ring.routers[2]}"
    assert made.diameter == star.diameter + ring.diameter


def test_suffixes_and_capacities() -> None:
    """`*K` goes with the whole product, and channels have the capacities of their factors."""
    made = network("ring:3+line:2*2")
    assert (made.num_routers, made.num_processors, made.name) == (6, 12, "ring:3+line:2*2")
    assert network("ndv2+line:2").capacity.max() == network("ndv2").capacity.max()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fat-tree:4+ring:3", "does not have a processor on every router"),
        ("ring:3+", "unknown network family"),
        ("torus:100x100+torus:100x100", "torus:100x100"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    """Switches, missing factors and products that are too large are refused."""
    with pytest.raises(InputError, match=reason):
        network(text)
