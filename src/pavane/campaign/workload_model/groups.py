"""The processors that communicate in a phase: all, rows or columns of a shape, named groups, neighbours.

Processors are laid out row by row, by their numbers, in a shape of rows and columns. It is the network's own where it
is a grid with one processor on each router; else the workload's, if as many processors fit; else the one nearest to a
square.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from pavane.campaign.workload_model.workload import Communicate, Workload
from pavane.errors import InputError
from pavane.model.network import Network


class Layout(NamedTuple):
    """The shape that processors are laid out in, row by row, and where it comes from."""

    rows: int
    columns: int
    why: str = ""
    """In words, if it is neither the network's nor the workload's own."""

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns."""
        return self.rows, self.columns

    def groups(self, name: str) -> tuple[tuple[int, ...], ...]:
        """Return the members of all, of each row, or of each column."""
        numbers = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)
        lines = {"all": numbers.reshape(1, -1), "rows": numbers, "columns": numbers.T}[name]
        return tuple(tuple(line) for line in lines.tolist())

    def neighbours(self, *, around: bool) -> tuple[tuple[int, int], ...]:
        """Return pairs of processors that are beside, above or below each other; `around` the edges, too."""
        pairs = set()
        for row in range(self.rows):
            for column in range(self.columns):
                for below, beside in ((0, 1), (1, 0)):
                    there = row + below, column + beside
                    if around:
                        there = there[0] % self.rows, there[1] % self.columns
                    if there != (row, column) and there[0] < self.rows and there[1] < self.columns:
                        ends = row * self.columns + column, there[0] * self.columns + there[1]
                        pairs |= {ends, ends[::-1]}
        return tuple(sorted(pairs))


def layout_of(workload: Workload, network: Network, given: Mapping[str, float] | None = None) -> Layout:
    """Return how the processors of a network are laid out for a workload."""
    size, own = network.num_processors, _grid(network)
    if workload.shape is not None:
        # The shape may be a formula of P and parameters; rows and columns are not known yet.
        names = workload.names((1, size), given)
        rows, columns = (side.count(names) for side in workload.shape)
        if rows * columns == size:
            return Layout(rows, columns)
        requested = f"the shape {rows}x{columns} is of {rows * columns} processors and {network.name} has {size}"
        shape = own or _squarest(size)
        return Layout(*shape, f"{requested}: they are laid out as {shape[0]}x{shape[1]}")
    if own is not None:
        return Layout(*own)
    rows, columns = _squarest(size)
    why = f"{network.name} is not a grid: processors are laid out row by row as {rows}x{columns}"
    return Layout(rows, columns, why)


def _grid(network: Network) -> tuple[int, int] | None:
    """Return the rows and columns of a grid with one processor on each router; None for other networks.

    Of more than two dimensions the first ones together are the rows, as near to a square as possible.
    """
    grid, size = network.grid, network.num_processors
    if grid is None or len(grid.sizes) < 2 or size != network.num_routers:
        return None
    if not np.array_equal(network.router_of, np.arange(size)):
        return None
    shapes = [(math.prod(grid.sizes[:axis]), math.prod(grid.sizes[axis:])) for axis in range(1, len(grid.sizes))]
    return min(shapes, key=lambda shape: (max(shape) / min(shape), shape))


def _squarest(size: int) -> tuple[int, int]:
    """Return rows and columns, not more rows than columns, as near to a square as the number allows."""
    rows = next(rows for rows in range(math.isqrt(size), 0, -1) if size % rows == 0)
    return rows, size // rows


def members_of(phase: Communicate, workload: Workload, layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return the groups of a phase without those of one processor, which send nothing."""
    if isinstance(phase.groups, str):
        if phase.groups in ("all", "rows", "columns"):
            groups, where = layout.groups(phase.groups), f"{phase.where}.groups"
        else:
            groups, where = workload.groups[phase.groups], f"groups.{phase.groups}"
    else:
        groups, where = phase.groups, f"{phase.where}.groups"
    _refuse_missing((member for group in groups for member in group), where, layout)
    return tuple(group for group in groups if len(group) > 1)


def pairs_of(phase: Communicate, layout: Layout) -> tuple[tuple[int, int], ...]:
    """Return the senders and receivers of a phase of pairs."""
    if isinstance(phase.pairs, str):
        return layout.neighbours(around=phase.pairs == "neighbours-around")
    _refuse_missing((end for pair in phase.pairs for end in pair), f"{phase.where}.pairs", layout)
    return phase.pairs


def _refuse_missing(members: Iterator[int], where: str, layout: Layout) -> None:
    size = layout.rows * layout.columns
    for member in members:
        if member >= size:
            raise InputError(f"{where}: there is no processor {member}; the network has processors 0 to {size - 1}")
