"""Where routers are drawn."""

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.networks import network, positions
from pavane.networks.positions import positions_of


@pytest.mark.parametrize("spec", ["ring:8", "hypercube:4", "random-regular:20,3,1", "line:2", "fat-tree:4"])
def test_places_fill_the_unit_square(spec: str) -> None:
    """Every router has a place of its own in the unit square, and the drawing is as large as that."""
    at = positions_of(network(spec))
    assert at.shape == (network(spec).num_routers, 2)
    assert at.min() >= 0
    assert at.max() <= 1
    assert np.ptp(at, axis=0).max() == pytest.approx(1, abs=1e-4)
    assert len(np.unique(at, axis=0)) == len(at)


def test_a_network_without_positions_is_laid_out_by_its_distances() -> None:
    """Routers that are close in the network are close in the drawing: a path comes out as a line."""
    path = Network("path", 6, [(a, a + 1) for a in range(5)] + [(a + 1, a) for a in range(5)], range(6))
    at = positions_of(path)
    apart = np.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2))
    for near, far in ((1, 2), (1, 5), (2, 4)):
        assert apart[0, near] < apart[0, far]


def test_the_same_network_is_drawn_alike() -> None:
    """The layout has no chance in it."""
    assert np.array_equal(
        positions_of(network("random-regular:20,3,1")), positions_of(network("random-regular:20,3,1"))
    )


@pytest.mark.parametrize("channels", [[], [(0, 1)], [(0, 1), (1, 0)]])
def test_networks_that_are_not_joined_can_be_drawn(channels: list[tuple[int, int]]) -> None:
    """A network in pieces, or with one-way channels, has places, too."""
    assert np.isfinite(positions_of(Network("pieces", 4, channels, range(4)))).all()


def test_a_large_network_without_positions_is_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where distances between all take too long, routers stand on a circle; here with a small limit."""
    monkeypatch.setattr(positions, "MOST_ROUTERS_BY_FORCE", 4)
    at = positions_of(Network("path", 8, [(a, a + 1) for a in range(7)]))
    assert np.hypot(*(at - 0.5).T) == pytest.approx(0.5, abs=1e-4)
    assert len(np.unique(at, axis=0)) == 8
