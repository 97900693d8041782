"""Tables for all-to-all scatter by wormhole on tori of even sides: n_max N / 8 steps, the bound.

The construction of `constructions.torus.antipodal_trails`: two messages at a time lead over a router P to the opposite
router, and go in step F(P). As a table: phases are the coordinates modulo half of each side, so that a row with phase
c goes in step F(w + c), and P is the sender of the second message and lies ahead of the sender of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from pavane.model.channel_kinds import grid_translations
from pavane.model.problem import Problem
from pavane.model.table_schedule import Clock, TableSchedule
from pavane.solvers.tables.rows import TableRow, table_of_rows
from pavane.symmetry.cayley import CayleyNetwork

Vector = tuple[int, ...]


def antipodal_trails(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a torus of even sides, all-port."""
    axes, sizes = cayley.axis_kinds(), cayley.sizes
    if (
        axes is None
        or sizes is None
        or any(size % 2 or size < 4 for size in sizes)
        or len(sizes) < 2
        or not is_plain_wormhole(problem)
    ):
        return None
    return antipodal_table(sizes, *axes)


def is_plain_wormhole(problem: Problem) -> bool:
    """Return whether messages are private and single, and paths are whole, all-port and full duplex."""
    rules = problem.rules
    return (
        problem.collective.kind == "AAS"
        and problem.is_plain
        and (rules.switching, rules.ports, rules.duplex) == ("wormhole", "all", "full")
    )


def antipodal_table(sizes: Sequence[int], up: Sequence[int], down: Sequence[int]) -> TableSchedule:
    """Return the table for a torus of even sides, four at least; `up` and `down` are the kinds along each axis."""
    trails = _Trails(sizes, up, down)
    increments = np.zeros((2 * len(sizes), len(sizes)), dtype=np.int64)
    for axis, (plus, minus) in enumerate(zip(up, down, strict=True)):
        increments[plus, axis], increments[minus, axis] = 1, -1
    clock = Clock(trails.half, increments)
    rows = list(trails.rows())
    return table_of_rows(trails.num_steps, grid_translations(sizes), rows, (clock,))


class _Trails:
    """The stages of a torus: each has two sides, a pair of displacements and its opposite."""

    def __init__(self, sizes: Sequence[int], up: Sequence[int], down: Sequence[int]) -> None:
        self.sizes, self.up, self.down = sizes, up, down
        self.half = tuple(size // 2 for size in sizes)
        self.axes = range(len(sizes))
        self.num_steps = 0

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows, stage after stage."""
        for sides in self._stages():
            for lengths, ways, onward in sides:
                first = [(axis, ways[axis] * lengths[axis]) for axis in self.axes if lengths[axis]]
                rest = [(axis, onward[axis] * (self.half[axis] - lengths[axis])) for axis in reversed(self.axes)]
                meeting = tuple(way * length for way, length in zip(ways, lengths, strict=True))
                yield from self._row(first, meeting)
                yield from self._row([run for run in rest if run[1]], (0,) * len(self.sizes))
            self.num_steps += max(self.half)

    def _row(self, moves: list[tuple[int, int]], phase: Vector) -> Iterator[TableRow]:
        if moves:
            runs = tuple(((self.up if move > 0 else self.down)[axis], abs(move)) for axis, move in moves)
            target = [0] * len(self.sizes)
            for axis, move in moves:
                target[axis] = move % self.sizes[axis]
            yield TableRow(self.num_steps, runs, int(np.ravel_multi_index(target, tuple(self.sizes))), phase=phase)

    def _stages(self) -> Iterator[list[tuple[Vector, Vector, Vector]]]:
        """Yield the sides of each stage: lengths to the meeting point, ways to it, and ways on from it."""
        corners: list[Vector] = []
        upward = (1,) * len(self.sizes)
        for lengths in product(*(range(size + 1) for size in self.half)):
            if lengths >= tuple(size - length for size, length in zip(self.half, lengths, strict=True)):
                continue
            between = [axis for axis in self.axes if 0 < lengths[axis] < self.half[axis]]
            if not between:
                corners.append(lengths)
            for ways in self._ways(between):
                yield [(lengths, ways, ways), (lengths, _opposite(ways), _opposite(ways))]
        for one, other in zip(corners[::2], corners[1::2], strict=True):
            yield [(one, upward, upward), (other, _opposite(upward), _opposite(upward))]
        if not any(size % 2 for size in self.half):
            middle = tuple(size // 2 for size in self.half)
            ups = list(self._ways(list(self.axes)))
            for one, other in zip(ups[::2], ups[1::2], strict=True):
                yield [(middle, one, other), (middle, _opposite(one), _opposite(other))]

    def _ways(self, free: list[int]) -> Iterator[Vector]:
        """Yield the ways along all axes: up along the first free one, both along the other free ones."""
        for signs in product((1, -1), repeat=len(free) - 1) if free else ():
            chosen = dict(zip(free[1:], signs, strict=True))
            yield tuple(chosen.get(axis, 1) for axis in self.axes)


def _opposite(ways: Vector) -> Vector:
    return tuple(-way for way in ways)
