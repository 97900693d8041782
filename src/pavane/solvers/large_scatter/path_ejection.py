"""Fewer steps by path ejection: remove steps and insert their messages into the others (kernels/path_ejection.py).

Weights start with the length of the path: two ejected neighbours are worth less than one message across the network, so
that unplaced messages need ever fewer channels. When all are placed, the schedule is shorter, and steps are removed
again. When the number of unplaced messages has long stopped falling, the search returns to the incumbent and removes
half as many steps. At one step less it restarts from the same schedule, with the weights it has learnt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort
from pavane.solvers.large_scatter.kernels.path_ejection import (
    BARRED,
    BLOCK,
    MARK_BITS,
    MOST_WEIGHT,
    NUM_MARKS,
    EjectionLanes,
    EjectionLimits,
    Occupancy,
    insert_with_ejection,
)
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, NO_STEP, PackedSchedule, ScatterArrays

CELLS_BETWEEN_CLOCK_READS = 40_000_000
"""Some hundredths of a second."""


@dataclass(frozen=True, eq=False)
class PathEjection:
    """Insertion of messages by ejection chains, within the remaining effort."""

    arrays: ScatterArrays
    patience: int
    """Moves without fewer unplaced messages after which an attempt ends."""
    effort: RemainingEffort
    rng: np.random.Generator
    gives_up: bool = False
    """Whether an attempt has no more moves than the patience; the first failure at one step less is the last."""

    def shorten(
        self,
        best: PackedSchedule,
        enough: int,
        strides: int,
        weights: Ints,
        budget: Budget,
    ) -> Iterator[PackedSchedule]:
        """Yield ever shorter schedules until there are at most `enough` steps, or the effort is spent.

        Each attempt removes `stride` steps, at first the part of the excess that as many strides make.
        """
        stride = max(1, (best.num_steps - enough) // strides)
        while best.num_steps > enough and not self.effort.is_over(budget):
            fewer = max(enough, best.num_steps - stride)
            if self._table_bytes(fewer) > MOST_BYTES:
                break
            if budget.on_steps is not None:
                budget.on_steps(fewer, best.num_steps)
            draft = _without_emptiest(best, fewer)
            if self.insert(draft, weights, budget, most_load=fewer):
                best = draft.without_empty_steps()
                yield best
                stride = min(stride, max(1, (best.num_steps - enough) // strides))
            elif self.gives_up and stride == 1:
                break
            else:
                stride = max(1, stride // 2)

    def insert(
        self,
        draft: PackedSchedule,
        weights: Ints,
        budget: Budget,
        *,
        only_step: Ints | None = None,
        most_load: int = NO_LIMIT,
        unplaced: Longs | None = None,
    ) -> bool:
        """Insert messages into the steps of a draft, which is changed; return whether all are placed.

        Args:
            draft: A schedule in which some messages have no step.
            weights: The weight of each message, which is changed.
            budget: When to end.
            only_step: The only step that each message may take, or NO_STEP: any; None: any for all.
            most_load: No unit may exceed this load, per unit of its capacity, unless it does already.
            unplaced: The messages to be inserted; None: all without a step.
        """
        arrays, lanes = self.arrays, self.lanes
        if lanes.unit_row is not None and self._table_bytes(draft.num_steps) > MOST_BYTES:
            return False
        if unplaced is None:
            unplaced = np.flatnonzero(draft.step_of == NO_STEP)
        if only_step is None:
            only_step = np.full(arrays.num_messages, NO_STEP, dtype=np.int32)
        waited, fewest = 0, len(unplaced)
        tables = _tables(arrays, lanes, draft, weights)
        stack = np.zeros(arrays.num_messages, dtype=np.int32)
        stack[: len(unplaced)] = unplaced
        loads = _loads(arrays, draft, unplaced)
        occupancy = Occupancy(*tables, draft.paths, draft.step_of, only_step, weights, stack, loads)
        num_unplaced = len(unplaced)
        while num_unplaced and waited < self.patience and not self.effort.is_over(budget):
            placements = self.effort.placements
            most_moves = self.patience if placements is None else min(placements, self.patience)
            limits = EjectionLimits(most_moves, CELLS_BETWEEN_CLOCK_READS, most_load)
            moves, cells, num_unplaced = compiled(insert_with_ejection, arrays.variant)(
                arrays.fabric, arrays.messages, lanes, occupancy, num_unplaced, limits, self.rng
            )
            self.effort.spend(moves, cells)
            waited += moves
            if num_unplaced < fewest and not self.gives_up:
                fewest, waited = num_unplaced, 0
        return num_unplaced == 0

    def prepare(self) -> None:
        """Insert no message, so that machine code is compiled or loaded before time is measured."""
        arrays, none = self.arrays, np.zeros(0, dtype=np.int32)
        table = np.zeros((0, BLOCK), dtype=np.int32)
        empty = Occupancy(table, table, none, none, none, none, none, np.zeros(0, dtype=np.int64))
        compiled(insert_with_ejection, arrays.variant)(
            arrays.fabric, arrays.messages, self.lanes, empty, 0, EjectionLimits(0, 0, 0), self.rng
        )

    @cached_property
    def lanes(self) -> EjectionLanes:
        """The lanes of units, and those of ports in the rows after them."""
        per_unit, per_port = self.arrays.unit_capacity, self.arrays.port_capacity.copy()
        # Port 0 stands for those that never bind; it has no lanes.
        per_port[0] = 0
        port_row = (int(per_unit.sum()) + np.cumsum(per_port) - per_port).astype(np.int32)
        if self.arrays.fabric.capacity is None:
            return EjectionLanes(port_row, per_port)
        return EjectionLanes(port_row, per_port, (np.cumsum(per_unit) - per_unit).astype(np.int32), per_unit)

    def _table_bytes(self, num_steps: int) -> int:
        return 8 * _num_rows(self.arrays) * num_steps


def initial_weights(arrays: ScatterArrays, weight_of_a_channel: int) -> Ints:
    """Return the first weights of messages, by the channels of their paths."""
    weights = np.maximum(1, weight_of_a_channel * arrays.path_lengths)
    return np.minimum(weights, MOST_WEIGHT // 2).astype(np.int32)


def _num_rows(arrays: ScatterArrays) -> int:
    return int(arrays.unit_capacity.sum(dtype=np.int64) + arrays.port_capacity[1:].sum(dtype=np.int64))


def _without_emptiest(best: PackedSchedule, num_steps: int) -> PackedSchedule:
    """Return a draft with the fullest steps only."""
    used = np.bincount(best.step_of, weights=best.path_lengths, minlength=best.num_steps)
    fullest = np.sort(np.argsort(-used, kind="stable")[:num_steps])
    new_step = np.full(best.num_steps, NO_STEP, dtype=np.int32)
    new_step[fullest] = np.arange(len(fullest))
    return PackedSchedule(num_steps, new_step[best.step_of], best.path_lengths, best.paths.copy())


class _Users(NamedTuple):
    """Units or ports with the messages that use them; both have lanes, or every unit is one."""

    owners: Ints
    messages: Ints
    first_row: Ints | None
    capacity: Ints | None


def _users(arrays: ScatterArrays, lanes: EjectionLanes, draft: PackedSchedule) -> list[_Users]:
    """List the placed messages with their units and their ports."""
    step_of, paths = draft.step_of, draft.paths
    users = np.repeat(np.arange(len(step_of), dtype=np.int32), arrays.path_lengths)
    is_placed = step_of[users] != NO_STEP
    users, units = users[is_placed], arrays.fabric.unit_of[paths[is_placed]]
    listed = [_Users(units, users, lanes.unit_row, lanes.unit_capacity)]
    placed = np.flatnonzero(step_of != NO_STEP).astype(np.int32)
    for side in range(2):
        ports = arrays.messages.ports[placed, side]
        binds = lanes.port_capacity[ports] > 0
        listed.append(_Users(ports[binds], placed[binds], lanes.port_row, lanes.port_capacity))
    return listed


def _tables(arrays: ScatterArrays, lanes: EjectionLanes, draft: PackedSchedule, weights: Ints) -> tuple[Ints, Ints]:
    """Return the occupants of all lanes and steps, and their cells."""
    num_steps, step_of = draft.num_steps, draft.step_of
    occupant = np.full((_num_rows(arrays), BLOCK * -(-num_steps // BLOCK)), -1, dtype=np.int32)
    cells = np.zeros_like(occupant)
    cells[:, num_steps:] = BARRED
    for owners, messages, first_row, capacity in _users(arrays, lanes, draft):
        if first_row is None or capacity is None:
            rows = owners
        else:
            rows, messages = _in_lanes(first_row, owners, messages, step_of)
        occupant[rows, step_of[messages]] = messages
        cells[rows, step_of[messages]] = (weights[messages] << MARK_BITS) + 1 + messages % NUM_MARKS
    return occupant, cells


def _loads(arrays: ScatterArrays, draft: PackedSchedule, unplaced: Longs) -> Longs:
    """Count the placed and the given unplaced messages on the units of their paths."""
    is_counted = draft.step_of != NO_STEP
    is_counted[unplaced] = True
    units = arrays.fabric.unit_of[draft.paths[np.repeat(is_counted, arrays.path_lengths)]]
    return np.bincount(units, minlength=arrays.num_units)


def _in_lanes(first_row: Ints, owners: Ints, messages: Ints, step_of: Ints) -> tuple[Ints, Ints]:
    """Return the rows of the lanes that messages take, and the messages in that order.

    Messages that share a unit or port and a step take its lanes in their order.
    """
    order = np.lexsort((step_of[messages], owners))
    messages, owners = messages[order], owners[order].astype(np.int64)
    shared = owners * (int(step_of.max(initial=0)) + 1) + step_of[messages]
    number = np.arange(len(shared)) - np.searchsorted(shared, shared)
    return first_row[owners] + number, messages
