"""Figures of networks, as the literature has them."""

from __future__ import annotations

import pytest

from pavane.campaign.network_figures import NetworkFigures
from pavane.model.network import Network
from pavane.networks import network


def moore_bound(degree: int, diameter: int) -> int:
    """Return how many routers a network of a degree and a diameter has at most."""
    return 1 + degree * sum(int((degree - 1) ** i) for i in range(diameter))


@pytest.mark.parametrize("spec", ["petersen", "hoffman-singleton", "complete:9"])
def test_moore_graphs(spec: str) -> None:
    """A Moore graph has as many routers as its degree and diameter allow, so its mean distance is known."""
    about = NetworkFigures.of(network(spec))
    assert about.routers == moore_bound(about.degree, about.diameter)
    at = [about.degree * (about.degree - 1) ** i for i in range(about.diameter)]
    assert about.mean_distance == pytest.approx(sum(n * d for d, n in enumerate(at, 1)) / sum(at))


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_hypercubes(dimensions: int) -> None:
    """N routers: degree, diameter and both connectivities D, N channels in the bisection, mean D/2 * N/(N - 1)."""
    about = NetworkFigures.of(network(f"hypercube:{dimensions}"))
    size = 2**dimensions
    assert about.mean_distance == pytest.approx(dimensions / 2 * size / (size - 1))
    assert (about.degree, about.diameter, about.bisection) == (dimensions, dimensions, size)
    assert (about.connectivity, about.router_connectivity) == (dimensions, dimensions)
    assert (about.links_survived, about.routers_survived) == (dimensions - 1, dimensions - 1)
    assert about.cost == about.channels == size * dimensions


@pytest.mark.parametrize(
    ("spec", "figures"),
    [
        ("ring:12", (2, 6, 4, 2, 2)),
        ("ring:12,oneway", (1, 11, 2, 1, 1)),
        ("torus:4x4", (4, 4, 16, 4, 4)),
        ("star:8", (7, 2, 8, 1, 1)),
        ("kautz:3,2", (3, 2, 12, 3, 3)),
        ("heawood", (3, 3, 14, 3, 3)),
    ],
)
def test_known_networks(spec: str, figures: tuple[int, ...]) -> None:
    """Degree, diameter, bisection, and the least numbers of links and of routers that part processors."""
    about = NetworkFigures.of(network(spec))
    told = (about.degree, about.diameter, about.bisection, about.connectivity, about.router_connectivity)
    assert told == figures
    assert about.bisection_is_exact
    assert about.switch_degree is None


def test_switches_and_capacities() -> None:
    """Pure switches have a degree of their own; the cost counts a channel as often as its capacity says."""
    about = NetworkFigures.of(network("dgx-2"))
    assert (about.processors, about.routers, about.degree, about.switch_degree) == (16, 17, 10, 160)
    assert (about.channels, about.cost) == (32, 320)
    assert (about.links_survived, about.routers_survived) == (0, 0)
    assert NetworkFigures.of(network("fat-tree:4")).switch_degree == 4


def test_a_router_that_all_ways_pass() -> None:
    """Two triangles that share a router survive any link, and not that router."""
    ends = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]
    bow = Network("bow", 5, [way for a, b in ends for way in ((a, b), (b, a))])
    about = NetworkFigures.of(bow)
    assert (about.links_survived, about.routers_survived) == (1, 0)
