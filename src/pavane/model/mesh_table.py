"""A schedule of all-to-all scatter on a mesh of any size, given by exchanges along its lines.

An *exchange* is an all-to-all among the routers of a line, and a message crosses the mesh by one leg of an exchange
along each dimension in which its ends differ. All lines of a dimension do the same exchanges, one after another. A
message's *displacement* is how far its target lies behind its origin along each dimension, modulo the side; it says in
which exchanges the message goes (`judge.mesh_rules` has the proof), so that the table is as large as the mesh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.path_blocks import exchange_numbers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.symmetric_schedule import SymmetricSchedule, refuse_other_step, refuse_to_expand
from pavane.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class MeshTable:
    """Exchanges along the lines of a mesh: when legs start in them, and which messages go in which.

    Example:
        >>> rules = pavane.Rules(switching="store-and-forward")
        >>> problem = pavane.Problem(pavane.network("mesh:4x4"), "alltoall", rules)
        >>> pavane.solve(problem, form="table").table
        <MeshTable: exchanges along the lines of 4x4 routers in 16 steps>
    """

    num_steps: int
    sizes: tuple[int, ...]
    """The sides of the mesh, whose routers are numbered row by row."""
    starts: tuple[Longs, ...]
    """For each dimension the step of an exchange in which a leg starts: starts[dimension][origin, target]. A leg then
    goes one channel in each step."""
    firsts: Longs
    """The first step of the exchange for the leg along a dimension: firsts[dimension, displacement], displacements
    numbered as routers are. Nothing is meant where the displacement has no leg along the dimension."""

    def __repr__(self) -> str:
        sides = "x".join(map(str, self.sizes))
        return f"<MeshTable: exchanges along the lines of {sides} routers in {counted(self.num_steps, 'step')}>"

    @property
    def num_processors(self) -> int:
        """Return the number of processors, one on each router."""
        return int(np.prod(self.sizes, dtype=np.int64))

    def num_transfers(self, problem: Problem) -> int:
        """Return the number of transfers of all messages: one for each hop."""
        # Each pair of ends along a dimension belongs to as many messages as there are pairs of the other coordinates.
        return sum(size * (size * size - 1) // 3 * (self.num_processors // size) ** 2 for size in self.sizes)

    def transfers_of(self, problem: Problem, router: int, target: int | None = None) -> list[Transfer]:
        """Return the transfers of the messages of a router, or of the one to a target, in the order of their steps."""
        displacements = np.arange(1, self.num_processors)
        if target is not None:
            moves = self._coordinates(np.array([target])) - self._coordinates(np.array([router]))
            displacements = self._numbers(moves % self._sides)
        return list(self._schedule(problem, np.array([router]), displacements))

    def expand_step(self, problem: Problem, step: int) -> Schedule:
        """Return the transfers of all routers in one step."""
        refuse_other_step(self.num_steps, step)
        spans = np.array(
            [(starts + np.abs(np.subtract.outer(*[np.arange(len(starts))] * 2))).max() for starts in self.starts]
        )
        has_leg = self._coordinates(np.arange(self.num_processors)) > 0
        is_under_way = (self.firsts <= step) & (step < self.firsts + spans[:, None]) & has_leg
        rows = np.flatnonzero(is_under_way.any(axis=0))
        return self._schedule(problem, np.arange(self.num_processors), rows, step)

    def expand(self, problem: Problem) -> Schedule:
        """Return the schedule with the transfers of all messages; refuses what would be too many."""
        refuse_to_expand(problem, self.num_transfers(problem))
        return self._schedule(problem, np.arange(self.num_processors), np.arange(1, self.num_processors))

    # -- how it is written out

    @property
    def _sides(self) -> Longs:
        return np.array(self.sizes, dtype=np.int64)[:, None]

    def _coordinates(self, routers: Longs) -> Longs:
        """Return the coordinates of routers, a row for each dimension."""
        return np.stack(np.unravel_index(routers, self.sizes)).astype(np.int64)

    def _numbers(self, coordinates: Longs) -> Longs:
        """Return the routers of some coordinates."""
        return np.asarray(np.ravel_multi_index(tuple(coordinates), self.sizes), dtype=np.int64)

    def _schedule(self, problem: Problem, origins: Longs, displacements: Longs, step: int | None = None) -> Schedule:
        """Return the transfers of some messages; if a step is given, only what happens in it."""
        blocks = [np.zeros((4, 0), dtype=np.int64)]
        places = self._coordinates(origins)
        for displacement in displacements.tolist():
            blocks += self._hops(origins, places.copy(), displacement, step)
        steps, tails, heads, messages = np.concatenate(blocks, axis=1)
        paths = np.ones_like(steps), channels_between(problem.network, tails, heads)
        return Schedule.from_columns(self.num_steps, steps, tails, heads, paths, messages)

    def _hops(self, origins: Longs, here: Longs, displacement: int, step: int | None) -> Iterator[Longs]:
        """Yield steps, tails, heads and messages of the hops of each leg, by the messages of a displacement."""
        moves = self._coordinates(np.array([displacement]))
        ends = (here + moves) % self._sides
        targets = self._numbers(ends)
        messages = exchange_numbers(self.num_processors, origins, targets)
        firsts = self.firsts[:, displacement]
        for axis in sorted(np.flatnonzero(moves[:, 0]).tolist(), key=firsts.tolist().__getitem__):
            tails, lengths = self._numbers(here), ends[axis] - here[axis]
            begins = firsts[axis] + self.starts[axis][here[axis], ends[axis]]
            here[axis] = ends[axis]
            stride = int(np.prod(self.sizes[axis + 1 :], dtype=np.int64)) * np.sign(lengths)
            if step is None:
                rows = np.repeat(np.arange(len(origins)), np.abs(lengths))
                hops = np.arange(len(rows)) - np.repeat(np.cumsum(np.abs(lengths)) - np.abs(lengths), np.abs(lengths))
            else:
                rows = np.flatnonzero((begins <= step) & (step < begins + np.abs(lengths)))
                hops = step - begins[rows]
            at = tails[rows] + stride[rows] * hops
            yield np.stack([begins[rows] + hops, at, at + stride[rows], messages[rows]])


def channels_between(network: Network, tails: Longs, heads: Longs) -> Longs:
    """Return the channels from routers to neighbours of theirs."""
    numbers = network.tails.astype(np.int64) * network.num_routers + network.heads
    order = np.argsort(numbers)
    channels: Longs = order[np.searchsorted(numbers, tails * network.num_routers + heads, sorter=order)]
    return channels


AnyTable = SymmetricSchedule | MeshTable
"""Schedules that are given by less than their transfers."""
