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
from pavane.solvers.large_scatter.effort import Effort
from pavane.solvers.large_scatter.kernels.path_ejection import (
    BARRED,
    BLOCK,
    MARK_BITS,
    MOST_WEIGHT,
    NUM_MARKS,
    Lanes,
    Limits,
    Occupancy,
    push_in,
)
from pavane.solvers.large_scatter.resuming import (
    Midst,
    best_mark,
    effort_figures,
    midst_mark,
    read_lanes,
    read_midst,
    set_effort,
)
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, Columns, Packed

CELLS_BETWEEN_LOOKS = 40_000_000
"""Cells of the tables that are looked at between two looks at the clock: some hundredths of a second."""

BYTES_OF_A_CELL = 8
"""What the two tables, who is where and what it weighs, take for a unit in a step."""

PUSHING = "ever fewer steps"
"""The kind of marks of who takes steps away."""

PUSH = "push"
"""The kind of marks of who pushes messages in."""

NO_STEP = -1
"""The step of a message that is outside; as its only step: any."""


class Draft(NamedTuple):
    """Messages of which some have a step and a path; pushing writes on it."""

    num_steps: int
    step_of: Ints
    paths: Ints
    only_step: Ints
    """The one step that a message may go into, or NO_STEP: any."""
    most_load: int = NO_LIMIT
    """No unit may be planned to carry more, for each message of its capacity, than this or what it carries already."""
    outside: Longs | None = None
    """The messages that are to be pushed in; None: all without a step."""


@dataclass(frozen=True, eq=False)
class Pushing:
    """How messages are pushed in, and what that may still cost."""

    columns: Columns
    patience: int
    """Moves without fewer messages outside after which an attempt is given up."""
    effort: Effort
    rng: np.random.Generator
    gives_up: bool = False
    """Whether an attempt has no more moves than the patience says; the first to fail at one step less is the last."""

    def ever_shorter(self, best: Packed, enough: int, strides: int, weights: Ints, budget: Budget) -> Iterator[Packed]:
        """Yield shorter and shorter schedules until there are few enough steps, or the effort is spent."""
        yield from self._shortened(best, enough, strides, max(1, (best.num_steps - enough) // strides), weights, budget)

    def resumed(self, mark: Mark, best: Packed, enough: int, weights: Ints, budget: Budget) -> Iterator[Packed]:
        """Go on from a mark, of which the best has been read, with what `ever_shorter` does."""
        assert budget.bookmark is not None
        with budget.bookmark.reading():
            strides, stride = (whole(mark.figures[name], 2**31, 1) for name in ("strides", "stride"))
        yield from self._shortened(best, enough, strides, stride, weights, budget)

    def _shortened(
        self, best: Packed, enough: int, strides: int, stride: int, weights: Ints, budget: Budget
    ) -> Iterator[Packed]:
        columns = self.columns
        anywhere = np.full(columns.num_messages, NO_STEP, dtype=np.int32)
        num_rows = _num_rows(columns)
        while best.num_steps > enough and not self.effort.is_over(budget):
            fewer = max(enough, best.num_steps - stride)
            if BYTES_OF_A_CELL * num_rows * fewer > MOST_BYTES:
                break
            if budget.shorter is not None:
                budget.shorter(fewer, best.num_steps)
            inside = budget
            if budget.bookmark is not None:
                figures = {"strides": strides, "stride": stride}
                inside = replace(budget, bookmark=budget.bookmark.within(best_mark(PUSHING, best, figures)))
            found = self.push(Draft(fewer, *_without_emptiest(best, fewer), anywhere, fewer), weights, inside)
            if found is not None:
                best = found
                yield best
                stride = min(stride, max(1, (best.num_steps - enough) // strides))
            elif self.gives_up and stride == 1:
                break
            else:
                stride = max(1, stride // 2)

    def push(self, draft: Draft, weights: Ints, budget: Budget) -> Packed | None:
        """Push in the messages that are outside; None if given up."""
        if not self.push_into(draft, weights, budget):
            return None
        used = np.unique(draft.step_of)
        step_of = np.searchsorted(used, draft.step_of).astype(np.int32)
        return Packed(len(used), step_of, self.columns.path_lengths, draft.paths)

    def push_into(self, draft: Draft, weights: Ints, budget: Budget) -> bool:
        """Push in the messages that are outside; False if given up. Steps and paths are written into the draft."""
        columns = self.columns
        lanes = _lanes(columns)
        if lanes.unit_row is not None and BYTES_OF_A_CELL * _num_rows(columns) * draft.num_steps > MOST_BYTES:
            return False
        homeless = np.flatnonzero(draft.step_of == NO_STEP) if draft.outside is None else draft.outside
        planned, midst = draft.paths.copy() if budget.bookmark is not None else draft.paths, None
        mark = None if budget.bookmark is None else budget.bookmark.read(PUSH)
        if budget.bookmark is not None and mark is not None:
            with budget.bookmark.reading():
                midst = read_midst(columns, draft.num_steps, planned, mark)
                draft.step_of[:], draft.paths[:], weights[:] = midst.step_of, midst.paths, midst.weights
                homeless = midst.outside
                occupancy = _occupancy(columns, lanes, draft, homeless, weights, midst.lanes)
                set_effort(self.effort, self.rng, mark.figures)
        else:
            occupancy = _occupancy(columns, lanes, draft, homeless, weights)
        num_outside = fewest = len(homeless)
        waited = 0
        if midst is not None:
            waited, fewest = midst.waited, midst.fewest
        while True:
            budget.mark(self._mark, draft, lanes, occupancy, num_outside, planned, (waited, fewest))
            if not num_outside or waited >= self.patience or self.effort.is_over(budget):
                break
            most_moves = self.patience
            if self.effort.placements is not None:
                most_moves = min(self.effort.placements, most_moves)
            limits = Limits(most_moves, CELLS_BETWEEN_LOOKS, draft.most_load)
            moves, cells, num_outside = compiled(push_in, columns.variant)(
                columns.fabric, columns.messages, lanes, occupancy, num_outside, limits, self.rng
            )
            self.effort.spend(moves, cells)
            waited += moves
            if num_outside < fewest and not self.gives_up:
                fewest, waited = num_outside, 0
        return num_outside == 0

    def prepare(self) -> None:
        """Push nothing in, so that machine code is at hand before anybody counts the time that pushing takes."""
        columns, none = self.columns, np.zeros(0, dtype=np.int32)
        table = np.zeros((0, BLOCK), dtype=np.int32)
        empty = Occupancy(table, table, none, none, none, none, none, np.zeros(0, dtype=np.int64))
        compiled(push_in, columns.variant)(
            columns.fabric, columns.messages, _lanes(columns), empty, 0, Limits(0, 0, 0), self.rng
        )

    def _mark(
        self,
        draft: Draft,
        lanes: Lanes,
        occupancy: Occupancy,
        num_outside: int,
        planned: Ints,
        counted: tuple[int, int],
    ) -> Mark:
        """Say where a push is."""
        outside = occupancy.outside[:num_outside].astype(np.int64)
        rows = _lane_numbers(self.columns, lanes, draft, occupancy.occupant)
        midst = Midst(draft.step_of, draft.paths, outside, occupancy.weight_of, *counted, rows)
        return midst_mark(PUSH, midst, planned, effort_figures(self.effort, self.rng))


def first_weights(columns: Columns, weight_of_a_channel: int) -> Ints:
    """Return what messages weigh at first, by the channels of their paths."""
    lightest = np.maximum(1, weight_of_a_channel * columns.path_lengths)
    return np.minimum(lightest, MOST_WEIGHT // 2).astype(np.int32)


def _lanes(columns: Columns) -> Lanes:
    """Return the lanes of units, and those of ports in the rows after them."""
    per_unit, per_port = columns.unit_capacity, columns.port_capacity.copy()
    # Port 0 stands for those that never bind; it has no lanes.
    per_port[0] = 0
    port_row = (int(per_unit.sum()) + np.cumsum(per_port) - per_port).astype(np.int32)
    if columns.fabric.capacity is None:
        return Lanes(port_row, per_port)
    return Lanes(port_row, per_port, (np.cumsum(per_unit) - per_unit).astype(np.int32), per_unit)


def _num_rows(columns: Columns) -> int:
    return int(columns.unit_capacity.sum(dtype=np.int64) + columns.port_capacity[1:].sum(dtype=np.int64))


def _without_emptiest(best: Packed, num_steps: int) -> tuple[Ints, Ints]:
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


def _users(columns: Columns, lanes: Lanes, draft: Draft) -> dict[str, _Users]:
    """List the messages that have a step with their channels and their ports, by the names of what has lanes."""
    step_of, paths = draft.step_of, draft.paths
    users = np.repeat(np.arange(len(step_of), dtype=np.int32), columns.path_lengths)
    is_inside = step_of[users] != NO_STEP
    users, units = users[is_inside], columns.fabric.unit_of[paths[is_inside]]
    listed = {"unit_lanes": _Users(units, users, lanes.unit_row, lanes.unit_capacity)}
    inside = np.flatnonzero(step_of != NO_STEP).astype(np.int32)
    for side, name in enumerate(("injection_lanes", "ejection_lanes")):
        ports = columns.messages.ports[inside, side]
        binds = lanes.port_capacity[ports] > 0
        listed[name] = _Users(ports[binds], inside[binds], lanes.port_row, lanes.port_capacity)
    return listed


def _occupancy(
    columns: Columns,
    lanes: Lanes,
    draft: Draft,
    homeless: Longs,
    weights: Ints,
    read: dict[str, Array] | None = None,
) -> Occupancy:
    """Enter the messages that have a step, each with its channels and ports; in the lanes that were read, if any."""
    num_steps, step_of, paths, only_step = draft[:4]
    occupant = np.full((_num_rows(columns), BLOCK * -(-num_steps // BLOCK)), -1, dtype=np.int32)
    cells = np.zeros_like(occupant)
    cells[:, num_steps:] = BARRED
    for name, (owners, messages, first_row, capacity) in _users(columns, lanes, draft).items():
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
    outside = np.zeros(len(step_of), dtype=np.int32)
    outside[: len(homeless)] = homeless
    return Occupancy(occupant, cells, paths, step_of, only_step, weights, outside, _loads(columns, draft, homeless))


def _loads(columns: Columns, draft: Draft, homeless: Longs) -> Longs:
    """Count the messages with and without a step on the units of their paths."""
    counted = draft.step_of != NO_STEP
    counted[homeless] = True
    units = columns.fabric.unit_of[draft.paths[np.repeat(counted, columns.path_lengths)]]
    return np.bincount(units, minlength=columns.num_units)


def _lane_numbers(columns: Columns, lanes: Lanes, draft: Draft, occupant: Ints) -> dict[str, Array]:
    """Return the lanes that messages have, where units or ports have several."""
    found = {}
    for name, (owners, messages, first_row, capacity) in _users(columns, lanes, draft).items():
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
