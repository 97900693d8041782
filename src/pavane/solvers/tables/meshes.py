"""All-to-all scatter by store-and-forward on meshes: the bisection bound, for two dimensions or equal sides.

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
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.mesh_table import MeshTable
from pavane.model.problem import Problem


def line_exchanges(problem: Problem) -> MeshTable | None:
    """Return the table for all-to-all scatter by store-and-forward on a mesh of equal sides, all-port."""
    grid, rules = problem.network.grid, problem.rules
    if (
        grid is None
        or any(grid.wraps)
        or problem.network.num_channels != grid.num_channels
        or problem.collective.kind != "AAS"
        or not problem.is_plain
        or not problem.network.is_slim
        or (rules.switching, rules.ports, rules.duplex, rules.combining) != ("store-and-forward", "all", "full", False)
        or len(problem.collective.senders) < grid.num_routers
        or len(problem.collective.receivers) < grid.num_routers
    ):
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
