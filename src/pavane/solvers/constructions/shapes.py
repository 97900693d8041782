"""Meshes, recognized by their channels and never by their names.

A mesh is found whatever the numbers of its routers. It has one processor on every router and no channel more or less.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.network import Network


@lru_cache(maxsize=32)
def mesh_of(network: Network) -> Longs | None:
    """Return the routers of a mesh as rows and columns (a line is one row), None for any other network.

    The distances from two corners of one side determine the coordinates of every router.
    """
    size = network.num_routers
    if size < 2 or not is_slim(network):
        return None
    degrees = network.out_degrees
    if network.num_channels == 2 * (size - 1):
        corners = np.flatnonzero(degrees == 1)
        if len(corners) != 2:
            return None
        away = network.distances_from(int(corners[0]))
        height, width, x, y = 1, size, away, np.zeros_like(away)
    else:
        corners = np.flatnonzero(degrees == 2)
        if len(corners) != 4:
            return None
        away = network.distances_from(int(corners[0]))
        if away.min() < 0:
            return None
        # The farthest corner is opposite; of the others the lower number ends the row in the usual numbering.
        opposite = max(corners[1:].tolist(), key=lambda corner: int(away[corner]))
        side = next(corner for corner in corners[1:].tolist() if corner != opposite)
        width = int(away[side]) + 1
        height = size // width
        x = (away - network.distances_from(side) + width - 1) // 2
        y = away - x
    if away.min() < 0 or width * height != size or min(x.min(), y.min()) < 0 or x.max() >= width or y.max() >= height:
        return None
    table = np.full((height, width), -1, dtype=np.int64)
    table[y, x] = np.arange(size)
    if (table < 0).any():
        return None
    rows = np.stack((table[:, :-1].ravel(), table[:, 1:].ravel()), axis=1)
    columns = np.stack((table[:-1].ravel(), table[1:].ravel()), axis=1)
    links = np.concatenate((rows, columns))
    if not has_channels(network, np.concatenate((links, links[:, ::-1]))):
        return None
    table.flags.writeable = False
    return table


def is_slim(network: Network) -> bool:
    """Return whether every router has one processor, in any order."""
    return network.num_processors == network.num_routers == len(np.unique(network.router_of))


def has_channels(network: Network, expected: npt.NDArray[np.integer]) -> bool:
    """Return whether the network has these channels, each once, and no others."""
    size = network.num_routers
    has, wanted = (ends.astype(np.int64) @ np.array([size, 1]) for ends in (network.channels, np.asarray(expected)))
    return len(has) == len(wanted) and bool((np.sort(has) == np.sort(wanted)).all())


@lru_cache(maxsize=8)
def channel_numbers(network: Network) -> dict[tuple[int, int], int]:
    """Return the channel from each router to each of its neighbours."""
    return {(tail, head): number for number, (tail, head) in enumerate(network.channels.tolist())}
