"""Direct exchange on a two-way ring: each position sends something of its own to each other, over one port.

Rings of 2, 3 and 4 take one step fewer than they have positions, for 4 by the pairwise exchange of noc Table 2
(horizontal, vertical, diagonal). Larger rings, of which the paper does not speak, are packed by first fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

Arc = tuple[int, ...]
"""The positions on a ring along a path, the sender's first."""


@lru_cache(maxsize=32)
def exchange_steps(size: int) -> tuple[tuple[Arc, ...], ...]:
    """Return the paths of each step: from every position to every other, shortest, in as few steps as were found."""
    there = [(a, b) for a in range(size) for b in range(size) if a != b]
    pairs = [[(a, b), (b, a)] for a, b in there if a < b]
    alone = [[pair] for pair in there]

    def farthest(unit: Sequence[tuple[int, int]]) -> int:
        (a, b), *_ = unit
        return -min((b - a) % size, (a - b) % size)

    orders = (
        sorted(pairs, key=farthest),
        sorted(alone, key=lambda unit: (farthest(unit), (unit[0][1] - unit[0][0]) % size)),
        sorted(alone, key=farthest),
    )
    return min((_first_fit(size, order) for order in orders), key=len)


def _first_fit(size: int, units: Sequence[Sequence[tuple[int, int]]]) -> tuple[tuple[Arc, ...], ...]:
    """Put each unit of transfers into the first step where its ports and channels are free."""
    used: list[set[tuple[str | int, int]]] = []
    steps: list[list[Arc]] = []
    for unit in units:
        arcs = [_arc(size, a, b) for a, b in unit]
        needs: set[tuple[str | int, int]] = set()
        for arc in arcs:
            needs |= {("out", arc[0]), ("in", arc[-1]), *pairwise(arc)}
        step = next((number for number, taken in enumerate(used) if not taken & needs), len(steps))
        if step == len(steps):
            steps.append([])
            used.append(set())
        steps[step] += arcs
        used[step] |= needs
    return tuple(tuple(arcs) for arcs in steps)


def _arc(size: int, start: int, end: int) -> Arc:
    """Return the shorter way; opposite positions take turns, so that two pairs of them pass on different sides."""
    ahead = (end - start) % size
    if 2 * ahead < size or (2 * ahead == size and min(start, end) % 2 == 0):
        return tuple((start + hop) % size for hop in range(ahead + 1))
    return tuple((start - hop) % size for hop in range(size - ahead + 1))
