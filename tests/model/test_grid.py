"""Grids: where routers stand, which way channels go, and how far apart routers are without faults."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.model.grid import Grid
from pavane.model.network import Network
from pavane.networks import network


@pytest.mark.parametrize(
    "text", ["mesh:3x4", "torus:3x4", "torus:2x5", "mesh:2x3x2", "torus:4x3x3", "mesh:1x5", "ring:7"]
)
def test_distances_are_those_of_the_network_without_faults(text: str) -> None:
    """A whole grid is as far across as its network."""
    made = network(text)
    assert made.grid is not None
    assert np.array_equal(made.grid.distances(np.arange(made.num_routers)), made.distances)
    assert made.grid.num_channels == made.num_channels


def test_which_way_channels_go() -> None:
    """A channel leads to the next router of its dimension or to the one before, also around the end."""
    grid = Grid((2, 3), (False, True))
    channels = np.array([(0, 1), (1, 0), (2, 0), (0, 2), (0, 3), (5, 2)])
    steps = grid.steps(channels)
    assert steps is not None
    assert steps.axis.tolist() == [1, 1, 1, 1, 0, 0]
    assert steps.way.tolist() == [1, -1, 1, -1, 1, -1]
    assert grid.steps(np.array([(0, 4)])) is None
    assert Grid((2, 3), (False, False)).steps(channels) is None


def test_variants_of_a_network_keep_its_grid() -> None:
    """Faults of channels and further processors change no grid; read backwards it says so; lost routers end it."""
    grid = Grid((1, 5), (False, True))
    made = network("torus:1x5")
    assert made.grid == grid
    assert made.without(links=[(0, 4)], processors=[2]).grid == grid
    assert made.with_processors(2).grid == grid
    assert made.reversed().grid == Grid((1, 5), (False, True), is_reversed=True)
    assert made.reversed().without(links=[(0, 4)]).reversed().grid == grid
    assert made.without(routers=[4]).grid == Grid((4,), (False,))


def test_a_network_can_be_told_its_grid() -> None:
    """Who knows better than the channels show may say so, but not against them."""
    line = Network("my line", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)])
    assert line.grid == Grid((4,), (False,))
    assert line.with_grid(Grid((1, 4), (False, True))).grid == Grid((1, 4), (False, True))
    assert line.with_grid(Grid((1, 4), (False, True))) == line
    with pytest.raises(InputError) as caught:
        line.with_grid(Grid((2, 2), (False, False)))
    assert str(caught.value) == (
        "network my line: it is said to be a grid of sizes 2x2, but it does not have 4 routers with channels between "
        "neighbours alone; leave the grid out"
    )


@pytest.mark.parametrize(
    ("sizes", "wraps", "text"),
    [
        ((), (), "a grid has 0 dimensions; give 1 to 32"),
        ((2, 0), (False, False), "a grid has sizes 2x0; give 1 or more in each dimension"),
        ((2, 3), (True,), "a grid of sizes 2x3 says of 1 dimensions whether they wrap"),
        ((2, 3), (True, True), "a grid of sizes 2x3 wraps where it has 2 in a row; only 3 or more can"),
    ],
)
def test_what_is_no_grid(sizes: tuple[int, ...], wraps: tuple[bool, ...], text: str) -> None:
    """A grid has some dimensions, some routers along each, and wraps only where a ring is possible."""
    with pytest.raises(InputError) as caught:
        Grid(sizes, wraps)
    assert str(caught.value) == text
