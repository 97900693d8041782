"""Large graphs of degree 3."""

import pytest
from papers.gecco08_bounds import SIZES
from papers.largest_graphs import TWELVE_CAGE, largest_graph, ring_with_chords

from tests.networks.graphs import is_regular


@pytest.mark.parametrize("diameter", [2, 3, 4])
def test_order_degree_and_diameter(diameter: int) -> None:
    """They are what the row [4] of gecco08 Table 1 says."""
    made = largest_graph(diameter)
    assert made is not None
    assert is_regular(made, 3)
    assert (made.num_routers, made.diameter) == (SIZES[diameter][3], diameter)


def test_the_twelve_cage() -> None:
    """126 routers of degree 3, diameter 6, and nobody has two shortest paths of 5 or fewer: the girth is above 10."""
    cage = ring_with_chords(TWELVE_CAGE)
    assert is_regular(cage, 3)
    assert (cage.num_routers, cage.diameter) == (126, 6)
    near = [router for router in range(126) if 0 < cage.distances[0, router] <= 5]
    assert len(near) == 3 + 6 + 12 + 24 + 48
    assert all(cage.num_shortest_paths(0, router) == 1 for router in near)


def test_what_is_not_there() -> None:
    """None where we have no graph."""
    assert largest_graph(7) is None
