"""Partial schedules that ejection search extends until every entry has its paths and steps.

An assignment has entries (messages, or orbits of them), lanes that they take, and a kernel that inserts entries by
ejecting others. `CandidateAssignment` gives every entry a step and one of its candidate paths
(kernels/ejection_search.py), `HopAssignment` hops through time (kernels/time_ejection.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import Candidates
from pavane.solvers.ejection.kernels.ejection_search import CandidatePaths, insert_all
from pavane.solvers.ejection.kernels.lanes import FREE, PartialAssignment, UnitLanes
from pavane.solvers.solver import Finding

MOST_MOVES_PER_ENTRY = 2_000
"""Moves for each entry after which a run rarely succeeds; a new start does better."""

MOST_MOVES_IN_SLOTS = 100_000
"""The same under tdm, where a packet blocks other slots on every channel: long runs still succeed (`mesh:4x4`)."""

MOVES_OF_RUN = 100
"""Moves for each entry of a short run in slots with symmetries. How long a run takes that succeeds varies a
thousandfold, so runs of once, twice, four times ... as many moves take turns (M. Luby and others, Optimal speedup of
Las Vegas algorithms)."""

MOST_IDLE_RUNS = 100
"""Runs one after the other in which no entry had a place, as where each meets itself in so short a period: more would
repeat the same symmetries."""

CELLS_BETWEEN_CLOCK_READS = 5_000_000
"""Pairs of a path and a step between two reads of the clock, which are several a second."""


class Assignment:
    """A conflict-free partial schedule: paths and steps for some of the entries, or for all."""

    least_moves: ClassVar[int] = 10
    """Moves for each entry that a run makes however long each takes."""

    def __init__(
        self,
        kernel: Callable[..., tuple[int, int]],
        lanes: UnitLanes,
        choices: Any,
        partial: PartialAssignment,
        cells_per_move: int,
        may_start: bool,
    ) -> None:
        """Begin with every entry outside; a kernel inserts entries, each by one of its choices.

        A move takes as long as examining some cells, pairs of a path and a step. If some entry may not start at all, no
        move is made.
        """
        self.lanes, self.choices, self.partial, self.moves = lanes, choices, partial, 0
        self.cells_per_move, self._kernel, self._may_start = cells_per_move, kernel, may_start

    @property
    def is_full(self) -> bool:
        """Whether every entry has its paths."""
        return bool((self.partial.num_paths > 0).all())

    def fill(self, most_cells: int, most_moves_each: int, rng: np.random.Generator, budget: Budget) -> bool:
        """Insert entries until all are placed, or cells, moves of each, evaluations (moves) or time run out.

        Return whether all are placed.
        """
        size, outside = len(self.partial.num_paths), np.flatnonzero(self.partial.num_paths == 0)
        num_outside = len(outside)
        self.partial.outside[:num_outside] = outside
        if num_outside and not self._may_start:
            return False
        most_moves = min(max(self.least_moves * size, most_cells // self.cells_per_move), most_moves_each * size)
        if budget.evaluations is not None:
            most_moves = min(most_moves, budget.evaluations)
        at_a_time = max(100, CELLS_BETWEEN_CLOCK_READS // self.cells_per_move)
        insert, numbers = compiled(self._kernel), self._random_numbers(rng)
        while num_outside and most_moves > 0 and not budget.is_over:
            batch = min(at_a_time, most_moves)
            moves, num_outside = insert(self.lanes, self.choices, self.partial, num_outside, batch, numbers)
            most_moves -= moves
            self.moves += moves
            if budget.on_conflicts is not None:
                budget.on_conflicts(self.moves, num_outside)
        return num_outside == 0

    def _random_numbers(self, rng: np.random.Generator) -> Any:
        """Return where the kernel takes its random numbers from."""
        return rng


def lanes_of(offsets: Longs, units: Ints | Longs, num_lanes: Longs, shifts: Ints | None = None) -> UnitLanes:
    """Return the lanes of paths that use units of some width, all in the step of the path or by shifts."""
    last = np.cumsum(num_lanes)
    shifts = np.zeros(len(units), dtype=np.int32) if shifts is None else shifts
    return UnitLanes(
        offsets, (last - num_lanes)[units].astype(np.int32), last[units].astype(np.int32), shifts.astype(np.int32)
    )


def all_outside(occupant: Ints, room: Longs, weights: Longs) -> PartialAssignment:
    """Return a partial assignment of entries with room for some paths each, all outside."""
    size, first_path = len(room), np.concatenate(([0], np.cumsum(room))).astype(np.int64)
    paths, steps, num_paths, outside = (
        np.zeros(length, dtype=np.int32) for length in (first_path[-1], first_path[-1], size, size)
    )
    return PartialAssignment(occupant, first_path, paths, steps, num_paths, weights, outside)


class CandidateAssignment(Assignment):
    """A step and one of its candidate paths for some of the entries of a list, or for all."""

    def __init__(self, candidates: Candidates, num_steps: int) -> None:
        size, num_paths = len(candidates.messages), len(candidates.tolls)
        starts = candidates.starts(num_steps)
        barred = np.full((num_paths, 2), -1) if candidates.barred is None else candidates.barred
        can_start = np.concatenate(([0], np.cumsum(starts > ((barred >= 0) & (barred < starts[:, None])).sum(axis=1))))
        super().__init__(
            insert_all,
            lanes_of(candidates.unit_offsets, candidates.units, candidates.capacity, candidates.shifts),
            CandidatePaths(candidates.first_path, starts, barred, candidates.tolls),
            all_outside(
                np.full((int(candidates.capacity.sum()), num_steps), FREE, dtype=np.int32),
                np.ones(size, dtype=np.int64),
                np.ones(size, dtype=np.int64),
            ),
            cells_per_move=max(1, num_paths * num_steps // size),
            may_start=bool((np.diff(can_start[candidates.first_path]) > 0).all()),
        )
        self.candidates, self.num_steps = candidates, num_steps

    @property
    def step_of(self) -> Longs:
        """Return the step of each entry; -1 for those outside."""
        return np.where(self.partial.num_paths > 0, self.partial.steps, -1).astype(np.int64)

    @property
    def path_of(self) -> Longs:
        """Return the path of each entry, by its number among the candidates."""
        return self.partial.paths.astype(np.int64)

    def schedule(self) -> Schedule:
        """Return the schedule; every entry must have a step."""
        return self.candidates.schedule(self.step_of, self.path_of, self.num_steps)


def assign_all(
    candidates: Candidates, num_steps: int, most_trials: int, rng: np.random.Generator, budget: Budget
) -> Schedule | Finding:
    """Return the schedule that ejection search finds; none where a message has no path, or the effort is spent."""
    if not candidates.is_complete:
        return Finding(None, is_final=True)
    assignment = assign(candidates, num_steps, most_trials, rng, budget)
    if not assignment.is_full:
        return Finding(None, evaluations=assignment.moves)
    return assignment.schedule()


def assign(
    candidates: Candidates,
    num_steps: int,
    most_trials: int,
    rng: np.random.Generator,
    budget: Budget,
    most_moves_per_entry: int | None = None,
) -> CandidateAssignment:
    """Return steps and paths: for every entry, unless the trials, the evaluations (moves) or the time run out."""
    assignment = CandidateAssignment(candidates, num_steps)
    most_each = MOST_MOVES_IN_SLOTS if candidates.problem.rules.has_slots else MOST_MOVES_PER_ENTRY
    assignment.fill(most_trials, most_each if most_moves_per_entry is None else most_moves_per_entry, rng, budget)
    return assignment


def assign_in_runs(
    samples: Iterable[Candidates], num_steps: int, most_trials: int, rng: np.random.Generator, budget: Budget
) -> CandidateAssignment | None:
    """Run ejection search until all entries are placed: in slots on one sample after the other, else on the first.

    The moves of the last assignment, which is returned, are those of all runs. None where there is no sample.
    """
    assignment, moves, trials_left, num_idle = None, 0, most_trials, 0
    for length, candidates in zip(_luby(), samples):  # noqa: B905
        has_slots = candidates.problem.rules.has_slots
        left = None if budget.evaluations is None else budget.evaluations - moves
        most_each = length * MOVES_OF_RUN if has_slots else None
        assignment = assign(candidates, num_steps, trials_left, rng, replace(budget, evaluations=left), most_each)
        moves += assignment.moves
        trials_left -= max(1, assignment.moves * assignment.cells_per_move)
        num_idle = 0 if assignment.moves else num_idle + 1
        is_spent = trials_left <= 0 or budget.is_over or moves == budget.evaluations or num_idle == MOST_IDLE_RUNS
        if not has_slots or assignment.is_full or is_spent:
            break
    if assignment is not None:
        assignment.moves = moves
    return assignment


def _luby() -> Iterator[int]:
    """Yield 1 1 2 1 1 2 4 ..., the lengths of runs that suit every distribution of the time until one succeeds."""
    lengths: list[int] = []
    for power in count():
        yield from lengths
        yield 2**power
        lengths = [*lengths, *lengths, 2**power]
