"""Recognition of grids by their channels alone, whatever the network is called.

In a grid whose routers are numbered row by row, a channel along a dimension leads from router r to r + d or r - d. The
difference d is the stride of the dimension, or around its ends (size - 1) strides; and the next dimension's stride is
size strides. So the differences that occur, in ascending order, leave no choice: above a stride p comes either the
next stride, or the way around p's dimension, which lies p below the next stride.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.grid import MOST_DIMENSIONS, Grid


def recognized_grid(num_routers: int, channels: Ints, *, is_known_faulty: bool = False) -> Grid | None:
    """Return the grid that a network is, without dimensions of size 1; None if it is not a grid.

    Channels may be missing, but along each dimension at least one row must be whole, there and back: a one-way ring, or
    links that happen to join neighbours, are not a grid. Only where faults are known may every row have some.
    """
    differences = np.unique(np.abs(channels[:, 1].astype(np.int64) - channels[:, 0]))
    if len(differences) > 2 * MOST_DIMENSIONS:
        return None
    grid = _from_differences(num_routers, differences.tolist())
    if grid is None:
        return None
    is_grid = grid.fits(num_routers, channels) if is_known_faulty else _shows_whole_rows(grid, channels)
    return grid if is_grid else None


def _from_differences(num_routers: int, differences: list[int]) -> Grid | None:
    """Return the only grid with channels between routers of exactly these differences, if there is one."""
    if not differences or differences[0] != 1:
        return None
    sizes: list[int] = []
    wraps: list[bool] = []
    strides = [*differences, num_routers]
    at = 0
    while strides[at] < num_routers:
        stride, above = strides[at], strides[at + 1]
        around = above < num_routers and above + stride == strides[at + 2]
        following = strides[at + 2] if around else above
        if following % stride:
            return None
        sizes.insert(0, following // stride)
        wraps.insert(0, around)
        at += 2 if around else 1
    if len(sizes) > MOST_DIMENSIONS:
        return None
    return Grid(tuple(sizes), tuple(wraps))


def _shows_whole_rows(grid: Grid, channels: Ints) -> bool:
    """Return whether all channels lead to neighbours and some row along each dimension is whole."""
    steps = grid.steps(channels)
    if steps is None:
        return False
    stride = grid.num_routers
    for axis, (size, wraps) in enumerate(zip(grid.sizes, grid.wraps, strict=True)):
        above, stride = stride, stride // size
        mine = steps.axis == axis
        tails: Longs = channels[mine, 0].astype(np.int64)
        # Each channel of a row once, though parallel ones may join the same routers.
        hops = np.unique(tails * 2 + (steps.way[mine] > 0)) // 2
        rows = hops // above * stride + hops % stride
        there_and_back = 2 * (size if wraps else size - 1)
        if not (np.bincount(rows) == there_and_back).any():
            return False
    return True
