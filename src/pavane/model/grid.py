"""Grids: routers numbered row by row, the last dimension fastest, with channels between neighbours alone.

A dimension is a line of routers, or a ring where it wraps; a mesh wraps nowhere, a torus everywhere. Channels may be
missing: a grid says where routers stand and how far apart they are in the grid without faults.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Longs

MOST_DIMENSIONS = 32
"""An array has no more dimensions than this."""


class Steps(NamedTuple):
    """Which way channels go in a grid."""

    axis: Longs
    """The dimension along which each channel goes."""
    way: Longs
    """1 for a channel to the next router of its dimension, -1 for one to the router before; wraps included."""


@dataclass(frozen=True)
class Grid:
    """The sizes of a grid, and which of its dimensions wrap."""

    sizes: tuple[int, ...]
    wraps: tuple[bool, ...]
    """Whether the routers along each dimension form a ring; two routers never do, one link joins them."""
    is_reversed: bool = False
    """Whether the network is read backwards (`Network.reversed`), so that paths keep their order from the end."""

    def __post_init__(self) -> None:
        sizes = "x".join(map(str, self.sizes))
        if not 1 <= len(self.sizes) <= MOST_DIMENSIONS:
            raise InputError(f"a grid has {len(self.sizes)} dimensions; give 1 to {MOST_DIMENSIONS}")
        if min(self.sizes) < 1:
            raise InputError(f"a grid has sizes {sizes}; give 1 or more in each dimension")
        if len(self.wraps) != len(self.sizes):
            raise InputError(f"a grid of sizes {sizes} says of {len(self.wraps)} dimensions whether they wrap")
        for size, wraps in zip(self.sizes, self.wraps, strict=True):
            if wraps and size < 3:
                raise InputError(f"a grid of sizes {sizes} wraps where it has {size} in a row; only 3 or more can")

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return prod(self.sizes)

    @property
    def num_channels(self) -> int:
        """Return the number of channels of the grid without faults, parallel ones not counted."""
        links = (size if wraps else size - 1 for size, wraps in zip(self.sizes, self.wraps, strict=True))
        return sum(2 * self.num_routers // size * along for size, along in zip(self.sizes, links, strict=True))

    def read_backwards(self) -> Grid:
        """Return the grid of the reversed network."""
        return replace(self, is_reversed=not self.is_reversed)

    def coordinates(self, routers: npt.NDArray[np.integer]) -> Longs:
        """Return where routers stand, a row of coordinates each."""
        return np.stack(np.unravel_index(routers, self.sizes), axis=1).astype(np.int64)

    def steps(self, channels: npt.NDArray[np.integer]) -> Steps | None:
        """Return which way channels, as rows of tail and head, go; None where one does not lead to a neighbour."""
        axis_of, way, far = (np.zeros(len(channels), dtype=np.int32) for _ in range(3))
        tails, heads = channels.T.astype(np.int32)
        for axis in reversed(range(len(self.sizes))):
            size = self.sizes[axis]
            (tails, here), (heads, there) = np.divmod(tails, size), np.divmod(heads, size)
            moved = there - here
            if self.wraps[axis]:
                around = np.abs(moved) == size - 1
                moved[around] = -np.sign(moved[around])
            axis_of[moved != 0] = axis
            way += moved
            far += np.abs(moved)
        return Steps(axis_of.astype(np.int64), way.astype(np.int64)) if (far == 1).all() else None

    def fits(self, num_routers: int, channels: npt.NDArray[np.integer]) -> bool:
        """Return whether a network has the routers of the grid, and channels between neighbours alone."""
        return self.num_routers == num_routers and self.steps(channels) is not None

    def distances(self, sources: npt.NDArray[np.integer]) -> Longs:
        """Return the distance from each source to every router in the grid without faults."""
        everywhere = self.coordinates(np.arange(self.num_routers))
        total = np.zeros((len(sources), self.num_routers), dtype=np.int64)
        for axis, (size, wraps) in enumerate(zip(self.sizes, self.wraps, strict=True)):
            along = np.abs(everywhere[sources, axis][:, None] - everywhere[:, axis][None, :])
            total += np.minimum(along, size - along) if wraps else along
        return total
