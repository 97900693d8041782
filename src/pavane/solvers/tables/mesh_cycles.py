"""Tables for allgather, reduce-scatter and allreduce on meshes: trees along a cycle of all routers, both ways.

A mesh does not look the same from every router, but a cycle of its links does. Where a side is even there is one of all
routers: row by row, there and back, without the first column, and then home along that. Translations along the cycle
keep its channels, and others are not used. Every router receives two new messages in a step, so that ceil((N - 1) / 2)
steps suffice for an allgather. Corners of a mesh of two dimensions have two channels, and cannot do with fewer.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.table_schedule import TableSchedule
from pavane.solvers.tables.grown_trees import tree_table
from pavane.symmetry.cayley import CayleyNetwork


def cycle_trees(problem: Problem) -> TableSchedule | None:
    """Return the table along a cycle of all routers of a mesh; None where the mesh has none, or links are shared."""
    network, grid = problem.network, problem.network.grid
    if (
        grid is None
        or any(grid.wraps)
        or network.num_channels != grid.num_channels
        or not network.is_slim
        or problem.rules.duplex == "half"
    ):
        return None
    cycle = mesh_cycle(grid.sizes)
    if cycle is None:
        return None
    following = np.empty((1, grid.num_routers), dtype=np.int32)
    following[0, cycle] = np.roll(cycle, -1)
    return tree_table(problem, CayleyNetwork(network, following))


def mesh_cycle(sizes: tuple[int, ...]) -> Longs | None:
    """Return the routers along a cycle of links through all of them; None where no side is even, or there is one line.

    A path through all lines of an even side makes a mesh of two dimensions: its columns are the lines.
    """
    even = [axis for axis, size in enumerate(sizes) if size % 2 == 0]
    if not even:
        return None
    lines = np.moveaxis(np.arange(np.prod(sizes, dtype=np.int64)).reshape(sizes), even[0], 0)
    lines = np.ascontiguousarray(lines.reshape(*lines.shape, *([1] * (2 - lines.ndim))))
    while lines.ndim > 2:
        # Every other row of lines goes backwards, so that rows follow one another.
        lines[:, 1::2] = np.flip(lines[:, 1::2], axis=2)
        lines = lines.reshape(len(lines), -1, *lines.shape[3:])
    if lines.shape[1] == 1:
        return None
    there = lines[:, 1:].copy()
    there[1::2] = there[1::2, ::-1]
    return np.concatenate([there.reshape(-1), lines[::-1, 0]])
