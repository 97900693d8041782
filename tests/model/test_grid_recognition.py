"""Grids recognized by their channels, whatever the network is called."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.model import grid_recognition
from pavane.model.grid import Grid
from pavane.model.network import Network
from pavane.networks import mesh, network, torus


def stranger(made: Network) -> Network:
    """Return a network of the same channels that nobody called a mesh."""
    return Network("my grid", made.num_routers, made.channels, made.router_of)


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4), st.booleans(), st.randoms(use_true_random=False))
def test_every_mesh_and_torus_is_recognized(sizes: list[int], is_torus: bool, draw: object) -> None:
    """The channels of a grid, in any order, tell its sizes and which dimensions wrap."""
    made = torus(*sizes) if is_torus else mesh(*sizes)
    order = np.arange(made.num_channels)
    draw.shuffle(order)  # type: ignore[attr-defined]
    assert Network("my grid", made.num_routers, made.channels[order]).grid == made.grid


def test_no_two_small_grids_are_mixed_up() -> None:
    """Every choice of sizes and wraps up to 36 routers is told apart by the differences of router numbers alone."""
    for length in (1, 2, 3):
        for sizes in product(range(2, 7), repeat=length):
            if prod(sizes) > 36:
                continue
            for wraps in product(*((False, True) if size > 2 else (False,) for size in sizes)):
                grid = Grid(sizes, wraps)
                pairs = np.array(list(product(range(grid.num_routers), repeat=2)))
                channels = pairs[grid.distances(np.arange(grid.num_routers)).ravel() == 1]
                assert Network("drawn", grid.num_routers, channels).grid == grid


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("mesh:4x4", [(0, 1), (5, 9), (14, 15)]),
        ("mesh:3x3", [(0, 1), (3, 4)]),
        ("torus:4x5", [(0, 4), (7, 8), (2, 17)]),
        ("torus:2x4", [(0, 3)]),
        ("mesh:2x2", [(0, 1)]),
    ],
)
def test_links_may_be_missing(text: str, links: list[tuple[int, int]]) -> None:
    """Sizes are told as long as one row is whole along each dimension."""
    faulty = network(text).without(links=links)
    assert stranger(faulty).grid == network(text).grid


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("ring:6", Grid((6,), (True,))),
        ("line:6", Grid((6,), (False,))),
        ("mesh:1x6", Grid((6,), (False,))),
        ("torus:6x1", Grid((6,), (True,))),
        ("hypercube:3", Grid((2, 2, 2), (False,) * 3)),
        ("torus:2x2", Grid((2, 2), (False, False))),
        ("ring:8,oneway", None),
        ("ring:2", Grid((2,), (False,))),
        ("star:3", None),
        ("complete:4", None),
        ("kautz:2,3", None),
        ("fat-tree:4", None),
    ],
)
def test_what_the_channels_show(text: str, grid: Grid | None) -> None:
    """A ring is a ring and no mesh, rows of one router are left out, and other families are no grids."""
    assert stranger(network(text)).grid == grid


def test_a_mesh_with_a_link_too_many_is_none() -> None:
    """Every channel must lead to a neighbour: the end of a row is none to the beginning of the next."""
    made = network("mesh:3x3")
    assert Network("winding", 9, [*made.channels.tolist(), (2, 3), (3, 2)]).grid is None
    assert Network("alone", 1, []).grid is None
    assert Network("apart", 4, []).grid is None


def test_parallel_channels_and_one_way_faults() -> None:
    """Channels beside others change nothing, and a channel may be missing in one direction alone."""
    made = network("mesh:3x4")
    assert Network("double", 12, [*made.channels.tolist()] * 2).grid == made.grid
    assert stranger(made.without(channels=[0])).grid == made.grid


def test_more_dimensions_than_a_grid_may_have_are_no_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here with a small limit: a network of more than 32 dimensions fits in no memory."""
    monkeypatch.setattr(grid_recognition, "MOST_DIMENSIONS", 3)
    assert stranger(mesh(2, 2, 3)).grid is not None
    assert stranger(mesh(2, 2, 2, 2)).grid is None
