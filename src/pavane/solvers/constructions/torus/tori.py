"""Tori, recognized by their channels, and schedules on them in which messages go by straight moves along dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network
from pavane.model.path_blocks import PathBlocks, exchange_numbers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Move = tuple[int, int]
"""An axis, and by how many routers along it; below 0 against the numbering."""


@dataclass(frozen=True, eq=False)
class Torus:
    """A torus whose routers are numbered row by row; where a side is 2, one link joins the two routers."""

    sizes: tuple[int, ...]
    coordinates: tuple[Longs, ...]
    """Where each router stands along each axis."""
    straight: dict[Move, Ints]
    """By axis and way, 1 or -1: the channels that lead from each router half round, one after the other in a row."""

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return prod(self.sizes)

    def moved(self, routers: Longs, move: Move) -> Longs:
        """Return the routers to which a move leads from some others."""
        return _onward(self, move)[routers]


@lru_cache(maxsize=1024)
def _onward(torus: Torus, move: Move) -> Longs:
    """Return the router to which a move leads from each."""
    axis, length = move
    here = torus.coordinates[axis]
    onward = (here + length) % torus.sizes[axis] - here
    return np.arange(len(here)) + onward * prod(torus.sizes[axis + 1 :])


@dataclass(frozen=True, eq=False)
class Departure:
    """Messages that make the same moves, one from each of some routers, and the step in which each goes."""

    senders: Longs
    steps: Longs
    moves: tuple[Move, ...]


@lru_cache(maxsize=32)
def torus_of(network: Network) -> Torus | None:
    """Return the torus of a network with a processor on every router; None: another network, or numbered otherwise."""
    grid = network.grid
    if grid is None or not network.is_slim or network.num_channels != grid.num_channels:
        return None
    if any(size > 2 and not wraps for size, wraps in zip(grid.sizes, grid.wraps, strict=True)):
        return None
    steps = grid.steps(network.channels)
    assert steps is not None  # the grid of a network implies channels between neighbours alone
    every = np.arange(network.num_routers)
    torus = Torus(grid.sizes, tuple(grid.coordinates(every).T), {})
    for axis, size in enumerate(grid.sizes):
        for way in (1, -1):
            # Between two routers there is no other way round.
            along = np.flatnonzero((steps.axis == axis) & ((steps.way == way) | (size == 2)))
            first = np.full(network.num_routers, -1, dtype=np.int32)
            first[network.tails[along]] = along
            if (first < 0).any() and size > 1:
                return None  # some channel is there twice, and another is missing
            hops = [first[torus.moved(every, (axis, way * hop))] for hop in range(size // 2)]
            torus.straight[axis, way] = np.stack(hops, axis=1) if hops else np.zeros((len(every), 0), dtype=np.int32)
    return torus


def schedule_departures(problem: Problem, torus: Torus, num_steps: int, departures: Iterable[Departure]) -> Schedule:
    """Write down the schedule of departures for one piece of every message, and repeat it for each further piece."""
    blocks, pieces = PathBlocks(), problem.collective.pieces
    for departure in departures:
        here, rows = departure.senders, []
        for axis, length in departure.moves:
            if length:
                rows.append(torus.straight[axis, 1 if length > 0 else -1][here, : abs(length)])
                here = torus.moved(here, (axis, length))
        if rows:
            path, numbers = np.concatenate(rows, axis=1), exchange_numbers(torus.num_routers, departure.senders, here)
            for piece in range(pieces):
                steps = departure.steps + num_steps * piece
                blocks.add(steps, departure.senders, here, numbers * pieces + piece, path)
    return blocks.schedule()
