"""Tables on meshes: all-to-all by exchanges along lines, allgather and its sums by trees along a cycle of all routers.

**Exchanges**, by store-and-forward, meet the bisection bound for two dimensions or equal sides.

**Exchange on a line.** Upwards, with L = n // 2 routers in the lower half and R in the upper: each message runs without
waiting. Its start at its origin o, for target d, is

- from the lower to the upper half (L - 1 - o) (R - 1) + n - 1 - d: these use the middle channel in every one of the L R
  steps, those of the nearest origin first, and of an origin those with the farthest target first;
- within the upper half (n - 1 - d) R: those of the first kind leave a channel that many steps of every R free;
- within the lower half 0 for its last router, then target by target downwards: before the first kind comes there.

Downwards is the mirror image.

**Exchanges of displacements, equal sides.** With s the sum of a displacement's coordinates modulo n, the leg along
dimension a goes in exchange s + a modulo n, in base n with further digits: the coordinates after a, without the last of
them. For one coordinate along a, each displacement has an exchange of its own, and the dimensions of a displacement
have different ones. So n^(d-1) exchanges suffice, of n^2 // 4 steps: as many as messages cross the middle channel of
every line.

**Two sides a < b.** Along the long one the exchanges are s modulo a, which take all steps. Along the short one there
are b shorter exchanges, evenly spread; a displacement has the one half of the schedule away from that of its long leg.

**A cycle.** A mesh does not look the same from every router, but a cycle of its links does. Where a side is even there
is one of all routers: row by row, there and back, without the first column, and then home along that. Translations
along the cycle keep its channels, and others are not used. Every router receives two new messages in a step, so that
ceil((N - 1) / 2) steps suffice for an allgather. Corners of a mesh of two dimensions cannot do with fewer.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.mesh_table import MeshTable
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.supports import EXCHANGE
from pavane.solvers.tables.grown_trees import tree_table
from pavane.symmetry.cayley import CayleyNetwork


def is_mesh(network: Network) -> bool:
    """Return whether a network is a mesh, with one processor on each router and no further channels."""
    grid = network.grid
    return grid is not None and not any(grid.wraps) and network.num_channels == grid.num_channels and network.is_slim


def line_exchanges(problem: Problem) -> MeshTable | None:
    """Return the table for all-to-all scatter by store-and-forward on a mesh of equal sides, all-port."""
    grid, rules = problem.network.grid, problem.rules
    is_stored = (rules.switching, rules.ports) == ("store-and-forward", "all")
    if grid is None or not is_mesh(problem.network) or not is_stored or not (problem.is_plain and EXCHANGE(problem)):
        return None
    sizes = grid.sizes
    if len(sizes) == 2:
        firsts = _firsts_of_rectangle(sizes)
    elif len(set(sizes)) == 1 and len(sizes) <= sizes[0]:
        firsts = _firsts_of_equal_sides(sizes[0], len(sizes))
    else:
        return None
    longest = max(sizes)
    num_steps = grid.num_routers // longest * (longest**2 // 4)
    return None if firsts is None else MeshTable(num_steps, sizes, tuple(map(exchange_starts, sizes)), firsts)


def exchange_starts(size: int) -> Longs:
    """Return the step in which each message of an exchange on a line starts: starts[origin, target]."""
    low, high = size // 2, size - size // 2
    origins, targets = np.indices((size, size), dtype=np.int64)
    across = (low - 1 - origins) * (high - 1) + size - 1 - targets
    above = (size - 1 - targets) * high
    later = 1 + (low - 2) * (low - 1) // 2 - targets * (targets + 1) // 2 + 2 * origins
    below = np.where(targets == low - 1, 0, later)
    up = np.where(origins >= low, above, np.where(targets >= low, across, below))
    starts: Longs = np.where(origins < targets, up, up[::-1, ::-1])
    np.fill_diagonal(starts, 0)
    return starts


def _firsts_of_equal_sides(size: int, num_dimensions: int) -> Longs:
    """Return the first step of the exchange of each displacement along each dimension."""
    coordinates = np.indices((size,) * num_dimensions, dtype=np.int64).reshape(num_dimensions, -1)
    if num_dimensions == 1:
        return np.zeros_like(coordinates)
    numbers = []
    for axis in range(num_dimensions):
        number = (coordinates.sum(axis=0) + axis) % size
        for after in range(1, num_dimensions - 1):
            number = number * size + coordinates[(axis + after) % num_dimensions]
        numbers.append(number)
    return np.stack(numbers) * (size**2 // 4)


def _firsts_of_rectangle(sizes: tuple[int, ...]) -> Longs | None:
    """Return the first step of the exchange of each displacement along both dimensions; None where legs overlap."""
    long = int(np.argmax(sizes))
    few, many = sizes[1 - long], sizes[long]
    coordinates = np.indices(sizes, dtype=np.int64).reshape(2, -1)
    numbers = coordinates.sum(axis=0) % few
    ranks = np.empty_like(numbers)
    ranks[np.lexsort((coordinates[long], numbers, coordinates[1 - long]))] = np.arange(few * many) % many
    spans = np.array(sizes)[:, None] ** 2 // 4
    firsts = np.empty_like(coordinates)
    firsts[long] = numbers * spans[long]
    firsts[1 - long] = (ranks + many // 2) % many * (few * spans[long]) // many
    is_apart = (firsts[0] + spans[0] <= firsts[1]) | (firsts[1] + spans[1] <= firsts[0])
    return firsts if (is_apart | (coordinates == 0).any(axis=0)).all() else None


def cycle_trees(problem: Problem) -> SymmetricSchedule | None:
    """Return the table along a cycle of all routers of a mesh; None where the mesh has none, or links are shared."""
    network, grid = problem.network, problem.network.grid
    cycle = mesh_cycle(grid.sizes) if grid is not None and is_mesh(network) else None
    if cycle is None or problem.rules.duplex == "half":
        return None
    following = np.empty((1, network.num_routers), dtype=np.int32)
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
