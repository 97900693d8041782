"""What looks like a mesh and is none is not taken for one."""

import pytest

from pavane.model.network import Network
from pavane.networks import network
from pavane.solvers.constructions.shapes import mesh_of


def two_way(name: str, size: int, links: list[tuple[int, int]]) -> Network:
    """Return a network of links both ways."""
    return Network(name, size, [way for a, b in links for way in ((a, b), (b, a))])


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
ALL = [(4, 5), (4, 6), (4, 7), (5, 6), (5, 7), (6, 7)]


@pytest.mark.parametrize(
    "made",
    [
        two_way("a square apart from the others", 8, RING + ALL),
        two_way("a triangle with a tail", 4, [(0, 1), (1, 2), (2, 0), (0, 3)]),
        network("ring:5"),
    ],
)
def test_what_has_the_corners_of_a_mesh_need_not_be_one(made: Network) -> None:
    """Distances from two corners tell every router of a mesh from the others."""
    assert mesh_of(made) is None
