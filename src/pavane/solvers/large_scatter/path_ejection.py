"""The search for fewer steps: take some away and push their messages into the others (kernels/path_ejection.py).

Weights start with the length of the path: two neighbours pushed out are worth less than one message across the network,
so that what is outside needs ever fewer channels. When all are in, the schedule is shorter; take away steps again. When
the number of messages outside has long stopped falling, go back to the best schedule and take away half as many steps.
At one step less the search starts anew from the same schedule, with the weights it has learnt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.parallel.budget import Budget
from pavane.parallel.loop_state import Array, Mark, whole
from pavane.solvers.large_scatter.checkpoints import (
    EjectionState,
    best_mark,
    effort_figures,
    ejection_mark,
    read_ejection,
    read_lanes,
    set_effort,
)
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
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, PackedSchedule, ScatterArrays

CELLS_BETWEEN_LOOKS = 40_000_000
"""Cells of the tables that are looked at between two looks at the clock: some hundredths of a second."""

BYTES_OF_A_CELL = 8
"""What the two tables, who is where and what it weighs, take for a unit in a step."""

SHORTENING = "ever fewer steps"
"""The kind of marks of who takes steps away."""

INSERTION = "push"
"""The kind of marks of who pushes messages in."""

NO_STEP = -1
"""The step of a message that is outside; as its only step: any."""


class PartialSchedule(NamedTuple):
    """Messages of which some have a step and a path; pushing writes on it."""

    num_steps: int
    step_of: Ints
    paths: Ints
    only_step: Ints
    """The one step that a message may go into, or NO_STEP: any."""
    most_load: int = NO_LIMIT
    """No unit may be planned to carry more, for each message of its capacity, than this or what it carries already."""
    unplaced: Longs | None = None
    """The messages that are to be pushed in; None: all without a step."""


@dataclass(frozen=True, eq=False)
class PathEjection:
    """How messages are pushed in, and what that may still cost."""

    arrays: ScatterArrays
    patience: int
    """Moves without fewer messages outside after which an attempt is given up."""
    effort: RemainingEffort
    rng: np.random.Generator
    gives_up: bool = False
    """Whether an attempt has no more moves than the patience says; the first to fail at one step less is the last."""

    def shorten(
        self, best: PackedSchedule, enough: int, strides: int, weights: Ints, budget: Budget
    ) -> Iterator[PackedSchedule]:
        """Yield shorter and shorter schedules until there are few enough steps, or the effort is spent."""
        yield from self._shortened(best, enough, strides, max(1, (best.num_steps - enough) // strides), weights, budget)

    def resumed(
        self, mark: Mark, best: PackedSchedule, enough: int, weights: Ints, budget: Budget
    ) -> Iterator[PackedSchedule]:
        """Go on from a mark, of which the best has been read, with what `ever_shorter` does."""
        assert budget.bookmark is not None
        with budget.bookmark.reading():
            strides, stride = (whole(mark.figures[name], 2**31, 1) for name in ("strides", "stride"))
        yield from self._shortened(best, enough, strides, stride, weights, budget)

    def _shortened(
        self, best: PackedSchedule, enough: int, strides: int, stride: int, weights: Ints, budget: Budget
    ) -> Iterator[PackedSchedule]:
        arrays = self.arrays
        anywhere = np.full(arrays.num_messages, NO_STEP, dtype=np.int32)
        num_rows = _num_rows(arrays)
        while best.num_steps > enough and not self.effort.is_over(budget):
            fewer = max(enough, best.num_steps - stride)
            if BYTES_OF_A_CELL * num_rows * fewer > MOST_BYTES:
                break
            if budget.shorter is not None:
                budget.shorter(fewer, best.num_steps)
            inside = budget
            if budget.bookmark is not None:
                figures = {"strides": strides, "stride": stride}
                inside = replace(budget, bookmark=budget.bookmark.within(best_mark(SHORTENING, best, figures)))
            found = self.insert(
                PartialSchedule(fewer, *_without_emptiest(best, fewer), anywhere, fewer), weights, inside
            )
            if found is not None:
                best = found
                yield best
                stride = min(stride, max(1, (best.num_steps - enough) // strides))
            elif self.gives_up and stride == 1:
                break
            else:
                stride = max(1, stride // 2)

    def insert(self, draft: PartialSchedule, weights: Ints, budget: Budget) -> PackedSchedule | None:
        """Push in the messages that are outside; None if given up."""
        if not self.insert_into(draft, weights, budget):
            return None
        used = np.unique(draft.step_of)
        step_of = np.searchsorted(used, draft.step_of).astype(np.int32)
        return PackedSchedule(len(used), step_of, self.arrays.path_lengths, draft.paths)

    def insert_into(self, draft: PartialSchedule, weights: Ints, budget: Budget) -> bool:
        """Push in the messages that are outside; False if given up. Steps and paths are written into the draft."""
        arrays = self.arrays
        lanes = _lanes(arrays)
        if lanes.unit_row is not None and BYTES_OF_A_CELL * _num_rows(arrays) * draft.num_steps > MOST_BYTES:
            return False
        unplaced = np.flatnonzero(draft.step_of == NO_STEP) if draft.unplaced is None else draft.unplaced
        planned, state = draft.paths.copy() if budget.bookmark is not None else draft.paths, None
        mark = None if budget.bookmark is None else budget.bookmark.read(INSERTION)
        if budget.bookmark is not None and mark is not None:
            with budget.bookmark.reading():
                state = read_ejection(arrays, draft.num_steps, planned, mark)
                draft.step_of[:], draft.paths[:], weights[:] = state.step_of, state.paths, state.weights
                unplaced = state.unplaced
                occupancy = _occupancy(arrays, lanes, draft, unplaced, weights, state.lanes)
                set_effort(self.effort, self.rng, mark.figures)
        else:
            occupancy = _occupancy(arrays, lanes, draft, unplaced, weights)
        num_unplaced = fewest = len(unplaced)
        waited = 0
        if state is not None:
            waited, fewest = state.waited, state.fewest
        while True:
            budget.mark(self._mark, draft, lanes, occupancy, num_unplaced, planned, (waited, fewest))
            if not num_unplaced or waited >= self.patience or self.effort.is_over(budget):
                break
            most_moves = self.patience
            if self.effort.placements is not None:
                most_moves = min(self.effort.placements, most_moves)
            limits = EjectionLimits(most_moves, CELLS_BETWEEN_LOOKS, draft.most_load)
            moves, cells, num_unplaced = compiled(insert_with_ejection, arrays.variant)(
                arrays.fabric, arrays.messages, lanes, occupancy, num_unplaced, limits, self.rng
            )
            self.effort.spend(moves, cells)
            waited += moves
            if num_unplaced < fewest and not self.gives_up:
                fewest, waited = num_unplaced, 0
        return num_unplaced == 0

    def prepare(self) -> None:
        """Push nothing in, so that machine code is at hand before anybody counts the time that pushing takes."""
        arrays, none = self.arrays, np.zeros(0, dtype=np.int32)
        table = np.zeros((0, BLOCK), dtype=np.int32)
        empty = Occupancy(table, table, none, none, none, none, none, np.zeros(0, dtype=np.int64))
        compiled(insert_with_ejection, arrays.variant)(
            arrays.fabric, arrays.messages, _lanes(arrays), empty, 0, EjectionLimits(0, 0, 0), self.rng
        )

    def _mark(
        self,
        draft: PartialSchedule,
        lanes: EjectionLanes,
        occupancy: Occupancy,
        num_unplaced: int,
        planned: Ints,
        counted: tuple[int, int],
    ) -> Mark:
        """Say where a push is."""
        unplaced = occupancy.unplaced[:num_unplaced].astype(np.int64)
        rows = _lane_numbers(self.arrays, lanes, draft, occupancy.occupant)
        state = EjectionState(draft.step_of, draft.paths, unplaced, occupancy.weight_of, *counted, rows)
        return ejection_mark(INSERTION, state, planned, effort_figures(self.effort, self.rng))


def initial_weights(arrays: ScatterArrays, weight_of_a_channel: int) -> Ints:
    """Return what messages weigh at first, by the channels of their paths."""
    lightest = np.maximum(1, weight_of_a_channel * arrays.path_lengths)
    return np.minimum(lightest, MOST_WEIGHT // 2).astype(np.int32)


def _lanes(arrays: ScatterArrays) -> EjectionLanes:
    """Return the lanes of units, and those of ports in the rows after them."""
    per_unit, per_port = arrays.unit_capacity, arrays.port_capacity.copy()
    # Port 0 stands for those that never bind; it has no lanes.
    per_port[0] = 0
    port_row = (int(per_unit.sum()) + np.cumsum(per_port) - per_port).astype(np.int32)
    if arrays.fabric.capacity is None:
        return EjectionLanes(port_row, per_port)
    return EjectionLanes(port_row, per_port, (np.cumsum(per_unit) - per_unit).astype(np.int32), per_unit)


def _num_rows(arrays: ScatterArrays) -> int:
    return int(arrays.unit_capacity.sum(dtype=np.int64) + arrays.port_capacity[1:].sum(dtype=np.int64))


def _without_emptiest(best: PackedSchedule, num_steps: int) -> tuple[Ints, Ints]:
    """Return steps and paths of the messages when only the fullest steps are kept."""
    used = np.bincount(best.step_of, weights=best.path_lengths, minlength=best.num_steps)
    kept = np.sort(np.argsort(-used, kind="stable")[:num_steps])
    new_step = np.full(best.num_steps, NO_STEP, dtype=np.int32)
    new_step[kept] = np.arange(len(kept))
    return new_step[best.step_of], best.paths.copy()


class _Users(NamedTuple):
    """Units, or ports, and the messages that are in them; both have lanes, or every unit is one."""

    owners: Ints
    messages: Ints
    first_row: Ints | None
    capacity: Ints | None


def _users(arrays: ScatterArrays, lanes: EjectionLanes, draft: PartialSchedule) -> dict[str, _Users]:
    """List the messages that have a step with their channels and their ports, by the names of what has lanes."""
    step_of, paths = draft.step_of, draft.paths
    users = np.repeat(np.arange(len(step_of), dtype=np.int32), arrays.path_lengths)
    is_inside = step_of[users] != NO_STEP
    users, units = users[is_inside], arrays.fabric.unit_of[paths[is_inside]]
    listed = {"unit_lanes": _Users(units, users, lanes.unit_row, lanes.unit_capacity)}
    inside = np.flatnonzero(step_of != NO_STEP).astype(np.int32)
    for side, name in enumerate(("injection_lanes", "ejection_lanes")):
        ports = arrays.messages.ports[inside, side]
        binds = lanes.port_capacity[ports] > 0
        listed[name] = _Users(ports[binds], inside[binds], lanes.port_row, lanes.port_capacity)
    return listed


def _occupancy(
    arrays: ScatterArrays,
    lanes: EjectionLanes,
    draft: PartialSchedule,
    unplaced: Longs,
    weights: Ints,
    read: dict[str, Array] | None = None,
) -> Occupancy:
    """Enter the messages that have a step, each with its channels and ports; in the lanes that were read, if any."""
    num_steps, step_of, paths, only_step = draft[:4]
    occupant = np.full((_num_rows(arrays), BLOCK * -(-num_steps // BLOCK)), -1, dtype=np.int32)
    cells = np.zeros_like(occupant)
    cells[:, num_steps:] = BARRED
    for name, (owners, messages, first_row, capacity) in _users(arrays, lanes, draft).items():
        if first_row is None or capacity is None:
            rows = owners
        elif read is None or name not in read:
            rows, messages = _in_lanes(first_row, owners, messages, step_of)
        else:
            rows = first_row[owners] + read_lanes(read[name], capacity[owners])
        occupant[rows, step_of[messages]] = messages
        cells[rows, step_of[messages]] = (weights[messages] << MARK_BITS) + 1 + messages % NUM_MARKS
        if read is not None and not (occupant[rows, step_of[messages]] == messages).all():
            raise ValueError("two messages are on one channel in one step")
    room = np.zeros(len(step_of), dtype=np.int32)
    room[: len(unplaced)] = unplaced
    return Occupancy(occupant, cells, paths, step_of, only_step, weights, room, _loads(arrays, draft, unplaced))


def _loads(arrays: ScatterArrays, draft: PartialSchedule, unplaced: Longs) -> Longs:
    """Count the messages with and without a step on the units of their paths."""
    counted = draft.step_of != NO_STEP
    counted[unplaced] = True
    units = arrays.fabric.unit_of[draft.paths[np.repeat(counted, arrays.path_lengths)]]
    return np.bincount(units, minlength=arrays.num_units)


def _lane_numbers(
    arrays: ScatterArrays, lanes: EjectionLanes, draft: PartialSchedule, occupant: Ints
) -> dict[str, Array]:
    """Return the lanes that messages have, where units or ports have several."""
    found = {}
    for name, (owners, messages, first_row, capacity) in _users(arrays, lanes, draft).items():
        if first_row is None or capacity is None or capacity.max(initial=0) < 2:
            continue
        numbers = np.zeros(len(owners), dtype=np.int32)
        for lane in range(1, int(capacity[owners].max(initial=0))):
            has_it = lane < capacity[owners]
            rows = first_row[owners] + np.where(has_it, lane, 0)
            numbers[has_it & (occupant[rows, draft.step_of[messages]] == messages)] = lane
        found[name] = numbers
    return found


def _in_lanes(first_row: Ints, owners: Ints, messages: Ints, step_of: Ints) -> tuple[Ints, Ints]:
    """Return the rows of the lanes that messages take of the units or ports that own them, and the messages.

    Messages that share a unit or port and a step take its lanes in their order.
    """
    order = np.lexsort((step_of[messages], owners))
    messages, owners = messages[order], owners[order].astype(np.int64)
    shared = owners * (int(step_of.max(initial=0)) + 1) + step_of[messages]
    number = np.arange(len(shared)) - np.searchsorted(shared, shared)
    return first_row[owners] + number, messages
