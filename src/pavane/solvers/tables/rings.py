"""Tables for all-to-all scatter by wormhole on rings: displacements share stages that they fill, up and down alike.

Every router has the phase -x modulo M, for a ring of n routers and some M that divides n. A message of length a that
goes up uses its channels in a of the M times of a stage, from the row's phase on. So the lengths of a stage add up to M
at most, and down it is the same. On a ring of n = 2 m routers, lengths a and m - a fill stages of m steps, m / 2 fills
one of m / 2, and m goes up alone: m (m + 1) / 2 steps, m / 2 above the bound. On odd rings stages have n steps, and
lengths are packed first fit, long ones first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from pavane.model.problem import Problem
from pavane.model.table_schedule import Clock, TableSchedule
from pavane.solvers.path_blocks import is_wormhole_exchange
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork


def ring_stages(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a ring of three routers at least, all-port."""
    axes, sizes = cayley.axis_kinds(), cayley.sizes
    if axes is None or sizes is None or len(sizes) != 1 or sizes[0] < 3 or not is_wormhole_exchange(problem):
        return None
    ((up,), (down,)), size = axes, sizes[0]
    increments = np.zeros((2, 1), dtype=np.int64)
    increments[up], increments[down] = -1, 1
    moduli = sorted({modulus for modulus, _ in _stages(size)}, reverse=True)
    entries, first = [], 0
    for modulus, lengths in _stages(size):
        phase, clock = 0, moduli.index(modulus)
        for length in lengths:
            entries.append((first, length, up, length, phase, clock))
            if 2 * length < size:
                entries.append((first, size - length, down, length, -phase, clock))
            phase += length
        first += modulus
    steps, targets, kinds, runs, phases, clock_of = np.array(entries, dtype=np.int64).T
    rows = RowColumns(steps, targets, kinds[:, None], runs[:, None], phases[:, None], clock_of)
    clocks = tuple(Clock((modulus,), increments) for modulus in moduli)
    return table_of([rows], first, cayley.translations, clocks, problem.collective.pieces)


def _stages(size: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the steps of each stage and the lengths of its displacements."""
    half = size // 2
    if size % 2 == 0:
        yield half, [half]
        for length in range(1, (half + 1) // 2):
            yield half, [length, half - length]
        if half % 2 == 0:
            yield half // 2, [half // 2]
        return
    left = list(range(1, half + 1))
    while left:
        lengths, room = [], size
        while left and left[0] <= room:
            lengths.append(left.pop(bisect_right(left, room) - 1))
            room -= lengths[-1]
        yield (1 if lengths == [1] else size), lengths
