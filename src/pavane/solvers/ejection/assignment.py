"""A step and a path for every entry of a list of candidates, by ejection search (kernels/ejection_search.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import Candidates
from pavane.solvers.ejection.kernels.ejection_search import (
    CandidatePaths,
    PartialAssignment,
    insert_all,
    put_in,
    slot_of,
    take_out,
)
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

TRIALS_BETWEEN_CLOCK_READS = 2_000_000
"""Pairs of a path and a step between two reads of the clock, which are several a second."""


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
) -> Assignment:
    """Return steps and paths: for every entry, unless the trials, the evaluations (moves) or the time run out."""
    assignment = Assignment(candidates, num_steps)
    most_each = MOST_MOVES_IN_SLOTS if candidates.problem.rules.has_slots else MOST_MOVES_PER_ENTRY
    most_each = most_each if most_moves_per_entry is None else most_moves_per_entry
    most_moves = min(assignment.moves_for(most_trials), most_each * len(candidates.messages))
    if budget.evaluations is not None:
        most_moves = min(most_moves, budget.evaluations)
    assignment.fill(most_moves, rng, budget)
    return assignment


def assign_in_runs(
    samples: Iterable[Candidates], num_steps: int, most_trials: int, rng: np.random.Generator, budget: Budget
) -> Assignment | None:
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
        trials_left -= assignment.trials_for(assignment.moves)
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


class Assignment:
    """A conflict-free partial schedule: a step and a path for some of the entries, or for all."""

    def __init__(self, candidates: Candidates, num_steps: int) -> None:
        size, ends = len(candidates.messages), np.cumsum(candidates.capacity)
        self.candidates, self.num_steps, self.moves = candidates, num_steps, 0
        self._paths = CandidatePaths(
            candidates.first_path,
            candidates.unit_offsets,
            first_lane=(ends - candidates.capacity)[candidates.units].astype(np.int32),
            last_lane=ends[candidates.units].astype(np.int32),
            shifts=candidates.shifts,
            starts=candidates.starts(num_steps),
            barred=np.full((len(candidates.tolls), 2), -1) if candidates.barred is None else candidates.barred,
            tolls=candidates.tolls,
        )
        self._partial = PartialAssignment(
            occupant=np.full((int(candidates.capacity.sum()), num_steps), -1, dtype=np.int32),
            step_of=np.full(size, -1, dtype=np.int64),
            path_of=np.full(size, -1, dtype=np.int64),
            weights=np.ones(size),
            outside=np.zeros(size, dtype=np.int64),
        )

    @property
    def is_full(self) -> bool:
        """Whether every entry has a step."""
        return bool((self.step_of >= 0).all())

    @property
    def step_of(self) -> Longs:
        """Return the step of each entry; -1 for those outside."""
        return self._partial.step_of

    @property
    def path_of(self) -> Longs:
        """Return the path of each entry, by its number among the candidates."""
        return self._partial.path_of

    def place_of(self, entry: int) -> tuple[int, int]:
        """Return the path and the step of an entry."""
        return int(self.path_of[entry]), int(self.step_of[entry])

    def put(self, entry: int, path: int, step: int) -> bool:
        """Give an entry that is outside a step and a path, if all units of the path have room."""
        paths, partial = self._paths, self._partial
        if step >= paths.starts[path]:
            return False
        for at in range(*paths.offsets[path : path + 2].tolist()):
            when = slot_of(step, int(paths.shifts[at]), self.num_steps)
            if (partial.occupant[paths.first_lane[at] : paths.last_lane[at], when] >= 0).all():
                return False
        put_in(paths, partial, entry, path, step)
        return True

    def take_out(self, entry: int) -> None:
        """Take an entry out of its step."""
        take_out(self._paths, self._partial, entry)

    def weigh(self, entry: int, weight: float) -> None:
        """Set the weight of an entry, which is 1 at first; heavy entries are ejected last."""
        self._partial.weights[entry] = weight

    def moves_for(self, most_trials: int) -> int:
        """Return the number of moves that `most_trials` trials make, and a few for every entry at least."""
        return max(10 * len(self.step_of), most_trials // self._trials_per_move)

    def trials_for(self, moves: int) -> int:
        """Return about how many trials some moves make."""
        return max(1, moves * self._trials_per_move)

    def fill(self, most_moves: int, rng: np.random.Generator, budget: Budget) -> bool:
        """Insert entries until all are placed, the moves are made or the time is over; return whether all are."""
        outside = np.flatnonzero(self.step_of < 0)
        num_outside = len(outside)
        self._partial.outside[:num_outside] = outside
        if not self._may_start:
            return False
        at_a_time = max(100, TRIALS_BETWEEN_CLOCK_READS // self._trials_per_move)
        insert = compiled(insert_all)
        while num_outside and most_moves > 0 and not budget.is_over:
            moves, num_outside = insert(self._paths, self._partial, num_outside, min(at_a_time, most_moves), rng)
            most_moves -= moves
            self.moves += moves
        return num_outside == 0

    def schedule(self) -> Schedule:
        """Return the schedule; every entry must have a step."""
        return self.candidates.schedule(self.step_of, self.path_of, self.num_steps)

    @property
    def _may_start(self) -> bool:
        """Whether every entry has a path that may start in some step."""
        num_barred = ((self._paths.barred >= 0) & (self._paths.barred < self._paths.starts[:, None])).sum(axis=1)
        can_start = np.concatenate(([0], np.cumsum(self._paths.starts > num_barred)))
        return bool((np.diff(can_start[self._paths.first_path]) > 0).all())

    @property
    def _trials_per_move(self) -> int:
        return max(1, len(self._paths.tolls) * self.num_steps // len(self.step_of))
