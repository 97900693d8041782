"""Packing for large networks: first fit gives an answer at once, ejection over all shortest paths makes it shorter.

For wormhole scatter between hundreds and thousands of routers, without any symmetry.

1. First fit (see `first_fit`), free and by a plan of paths, whichever is shorter: the network itself says whether it is
   rich or poor in paths.
2. Where messages spread evenly over the channels, fill all steps anew, one after the other (see `filling`); whichever
   schedule is shorter goes on.
3. Take away the emptiest steps and push their messages into the others (kernels/pushing.py). Weights start with the
   length of the path: two neighbours pushed out are worth less than one message across the network, so that what is
   outside needs ever fewer channels. When all are in, the schedule is shorter; take away steps again.
4. When the number of messages outside has long stopped falling, go back to the best schedule and take away half as many
   steps. At one step less the search starts anew from the same schedule, with the weights it has learnt.

Where the problem has a small group of symmetries that does no harm (see `quotients`), one message of each orbit is
packed: fewer messages, each looked at more often.

With one port a step of an all-to-all at the bound is a permutation. There messages i steps onward in the order of the
processors share step i, and only the paths are searched: a fat tree carries all these permutations.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.kernels import compiled
from pavane.kernels.pushing import BARRED, BLOCK, HEAVIEST, MARK_BITS, NUM_MARKS, push_in
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetry import Symmetry
from pavane.solvers.packing.columns import MOST_BYTES, Columns, Packed
from pavane.solvers.packing.filling import Filling
from pavane.solvers.packing.first_fit import FirstFit
from pavane.solvers.packing.orbits import quotient
from pavane.workers.budget import Budget

Ints = npt.NDArray[np.int32]

CELLS_BETWEEN_LOOKS = 40_000_000
"""Cells of the tables that are looked at between two looks at the clock: some hundredths of a second."""

CELLS_OF_A_MOVE = 25_000
"""A move of filling takes about as long as looking at so many cells."""

FEWEST_MOVES = 5
"""A step wants one move for every so many channels, or filling is no better than first fit."""

JUDGINGS = 2.5
"""What is kept of the time for what comes after the search: building the schedule, and whoever judges it again."""

NO_STEP = -1

FILLING = Filling()


@dataclass(frozen=True)
class Packing:
    """First fit, then ejection search over all shortest paths with ever fewer steps; for large networks."""

    name: str = "packing"
    weight_of_a_channel: int = 4
    """What each channel of its path adds to the weight that a message starts with; having to push adds 1."""
    strides: int = 3
    """In how many strides the way to the bound is gone; more are shorter ones, and each is easier."""
    patience: int = 5
    """Moves per message without fewer messages outside after which an attempt is given up."""
    restarts: int = 40
    """How often the steps of a one-port all-to-all in which some message finds no path start anew."""
    most_cells: int = 40_000_000_000
    """Without a time limit: how many cells (a channel in a step) all attempts may look at; about half a minute."""
    filling_moves: int = 800_000
    """Moves of filling in all steps together; where that is too few for its many channels there is no filling."""
    symmetric: bool = False
    """Whether to pack one message per orbit of a small group of symmetries; without one there is no answer."""

    def __post_init__(self) -> None:
        if self.strides < 1:
            raise InputError(f"strides {self.strides}: fewer steps are reached in at least 1")

    def supports(self, problem: Problem) -> bool:
        """Say yes where first fit does."""
        return FirstFit().supports(problem)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        enough = lower_bounds(problem)[0].steps if num_steps is None else num_steps
        group = quotient(problem) if self.symmetric else ()
        if self.symmetric and not group:
            return Result(problem, None, asked=num_steps)
        return self.shorten(problem, None, group, enough, num_steps, seed, budget)

    def shorten(
        self,
        problem: Problem,
        start: Schedule | None,
        group: Sequence[Symmetry],
        enough: int,
        num_steps: int | None,
        seed: int,
        budget: Budget,
    ) -> Result:
        """Start from a schedule with one transfer on a shortest path for every message, or None: from first fit.

        With a group of symmetries one message of each orbit is packed; the start must be None then.
        """
        columns = Columns(problem, seed, budget, group)
        pushing = _Pushing(self, columns, seed, budget)
        best = pushing.shifted(enough)
        if best is None:
            best = FirstFit(repacks=0).search(columns, None) if start is None else _columns_of(start)
        if best is not None and best.num_steps > enough:
            pushing.best = best
            columns.budget = budget
            _leave_reserve(columns, best)
            pushing.budget = columns.budget
            try:
                pushing.fill(seed)
                pushing.shorten(enough)
            except KeyboardInterrupt:
                if budget.keep is not None and (num_steps is None or pushing.best.num_steps <= num_steps):
                    budget.keep(columns.schedule(pushing.best))
                raise
            best = pushing.best
        if best is None or (num_steps is not None and best.num_steps > num_steps):
            return Result(problem, None, asked=num_steps)
        return Result(problem, columns.schedule(best), provenance=Provenance(self.name, seed), asked=num_steps)


@dataclass(frozen=True, eq=False)
class Shortening:
    """Packing that starts from a schedule at hand, or packs orbits of a group at hand."""

    start: Schedule | None
    """None: first fit."""
    enough: int
    """No fewer steps are looked for."""
    group: Sequence[Symmetry] = ()
    """Symmetries under which one message of each orbit is packed, from first fit on."""
    packing: Packing = Packing()

    @property
    def name(self) -> str:
        """Return the name of the packing."""
        return self.packing.name

    def supports(self, problem: Problem) -> bool:
        """Say yes where the packing does, and the schedule has a transfer for every message."""
        is_whole = self.start is None or len(self.start) == problem.num_messages
        return self.packing.supports(problem) and is_whole

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the shortest schedule found, at worst the one at hand."""
        return self.packing.shorten(problem, self.start, self.group, self.enough, num_steps, seed, budget)


def _leave_reserve(columns: Columns, packed: Packed) -> None:
    """Leave time to build and judge what is found, measured here and now on what is at hand."""
    if columns.budget.deadline is not None and not columns.budget.is_over:
        started = time.monotonic()
        verify(columns.problem, columns.schedule(packed), most=1)
        columns.leave(JUDGINGS * (time.monotonic() - started))


def _columns_of(schedule: Schedule) -> Packed:
    """Return a schedule by messages instead of steps."""
    order = np.argsort(schedule.messages, kind="stable")
    lengths = np.diff(schedule.path_offsets)
    begins = schedule.path_offsets[:-1][order]
    ends = np.cumsum(lengths[order])
    places = np.repeat(begins - (ends - lengths[order]), lengths[order]) + np.arange(int(ends[-1]))
    return Packed(
        schedule.num_steps,
        schedule.steps[order].astype(np.int32),
        lengths[order].astype(np.int64),
        schedule.path_channels[places].astype(np.int32),
    )


class _Pushing:
    """The search for fewer steps: its weights, its random numbers and what it may still spend."""

    best: Packed
    """The shortest so far, once there is one."""

    def __init__(self, packing: Packing, columns: Columns, seed: int, budget: Budget) -> None:
        self.problem, self.columns, self.budget = columns.problem, columns, budget
        self.packing = packing
        self.rng = np.random.default_rng((seed, 1))
        self.kernel = compiled(push_in)
        # Port 0 stands for those that never bind; it has no slots.
        self.port_capacity = columns.port_capacity.copy()
        self.port_capacity[0] = 0
        self.first_slot = np.concatenate(([0], np.cumsum(self.port_capacity)[:-1])).astype(np.int32)
        self.num_rows = columns.num_units + int(self.port_capacity.sum())
        lightest = np.maximum(1, packing.weight_of_a_channel * columns.path_lengths)
        self.weights = np.minimum(lightest, HEAVIEST // 2).astype(np.int32)
        self.anywhere = np.full(columns.num_messages, NO_STEP, dtype=np.int32)
        self.cells_left = packing.most_cells
        self.strides = packing.strides

    def fill(self, seed: int) -> None:
        """Fill steps anew where channels alone bind; not where evaluations, messages pushed in, are counted."""
        columns, filling = self.columns, FILLING
        if columns.placements_left is not None or not filling.supports(self.problem, columns):
            return
        most = min(self.packing.filling_moves, self.packing.most_cells // (2 * CELLS_OF_A_MOVE))
        moves = most // self.best.num_steps
        if FEWEST_MOVES * moves < columns.num_units:
            return
        found = filling.fill(self.problem, columns, self.best.num_steps, moves, seed, self.budget)
        if found is not None:
            self.best = found
            # The last steps are the emptiest, and each of the first few goes away within a second.
            self.strides = max(16, self.strides)
            self.cells_left -= CELLS_OF_A_MOVE * moves * found.num_steps

    def shorten(self, enough: int) -> None:
        """Take away steps again and again until there are few enough, or the effort is spent."""
        best = self.best
        stride = max(1, (best.num_steps - enough) // self.strides)
        while best.num_steps > enough and not self.is_over:
            fewer = max(enough, best.num_steps - stride)
            if 8 * self.num_rows * fewer > MOST_BYTES:
                break
            if self.budget.shorter is not None:
                self.budget.shorter(fewer, best.num_steps)
            found = self._push(fewer, *self._without_steps(best, best.num_steps - fewer), self.anywhere)
            if found is not None:
                self.best = best = found
                stride = min(stride, max(1, (best.num_steps - enough) // self.strides))
            else:
                stride = max(1, stride // 2)

    def shifted(self, num_steps: int) -> Packed | None:
        """Look for an all-to-all at the bound of one port; None where that is not what is asked, or not found."""
        problem, labels = self.problem, self.problem.labels
        size = problem.network.num_processors
        one_port = bool((problem.injection == 1).all() and (problem.ejection == 1).all())
        if self.columns.group or not (one_port and num_steps == size - 1 and problem.num_messages == size * (size - 1)):
            return None
        steps = ((labels[:, 1] - labels[:, 0]) % size - 1).astype(np.int32)
        step_of = self.anywhere.copy()
        paths = np.zeros(int(self.columns.path_offsets[-1]), dtype=np.int32)
        learnt = self.weights
        found = None
        for _ in range(self.packing.restarts):
            # Steps do not help each other here: those that are stuck start anew, with equal weights.
            stuck = np.zeros(num_steps, dtype=bool)
            stuck[steps[step_of == NO_STEP]] = True
            step_of[stuck[steps]] = NO_STEP
            self.weights = np.where(stuck[steps], 1, learnt).astype(np.int32)
            found = self._push(num_steps, step_of, paths, steps)
            if found is not None or self.is_over:
                break
        self.weights = learnt
        return found

    @property
    def is_over(self) -> bool:
        """Whether time is over, or the counted effort is spent where no time is given."""
        if self.budget.is_over or self.columns.placements_left == 0:
            return True
        return self.budget.deadline is None and self.cells_left <= 0

    def _without_steps(self, best: Packed, how_many: int) -> tuple[Ints, Ints]:
        """Return steps and paths without the emptiest steps."""
        used = np.bincount(best.step_of, weights=best.path_lengths, minlength=best.num_steps)
        kept = np.sort(np.argsort(-used, kind="stable")[: best.num_steps - how_many])
        new_step = np.full(best.num_steps, NO_STEP, dtype=np.int32)
        new_step[kept] = np.arange(len(kept))
        return new_step[best.step_of], best.paths.copy()

    def _push(self, num_steps: int, step_of: Ints, paths: Ints, only_step: Ints) -> Packed | None:
        """Push the messages without a step into so many steps; None if given up."""
        columns = self.columns
        occupant, cells = self._tables(num_steps, step_of, paths)
        outside = np.zeros(len(step_of), dtype=np.int32)
        homeless = np.flatnonzero(step_of == NO_STEP)
        num_outside = fewest = len(homeless)
        outside[:num_outside] = homeless
        patience = self.packing.patience * len(step_of)
        waited = 0
        while num_outside and waited < patience and not self.is_over:
            left = columns.placements_left
            moves, walked, num_outside = self.kernel(
                columns.sources,
                columns.targets,
                columns.ports,
                *columns.wiring,
                columns.num_units,
                self.first_slot,
                self.port_capacity,
                columns.path_offsets,
                paths,
                step_of,
                occupant,
                cells,
                self.weights,
                only_step,
                outside,
                num_outside,
                patience if left is None else min(left, patience),
                CELLS_BETWEEN_LOOKS,
                self.rng,
            )
            self.cells_left -= walked
            if left is not None:
                columns.placements_left = left - moves
            waited += moves
            if num_outside < fewest:
                fewest, waited = num_outside, 0
        if num_outside:
            return None
        used = np.unique(step_of)
        return Packed(len(used), np.searchsorted(used, step_of).astype(np.int32), columns.path_lengths, paths)

    def _tables(self, num_steps: int, step_of: Ints, paths: Ints) -> tuple[Ints, Ints]:
        """Return who is where, and what it weighs."""
        columns = self.columns
        occupant = np.full((self.num_rows, BLOCK * -(-num_steps // BLOCK)), -1, dtype=np.int32)
        cells = np.zeros_like(occupant)
        cells[:, num_steps:] = BARRED
        inside = np.flatnonzero(step_of != NO_STEP).astype(np.int32)
        users = np.repeat(np.arange(len(step_of), dtype=np.int32), columns.path_lengths)
        is_inside = step_of[users] != NO_STEP
        users = users[is_inside]
        entries = [(columns.wiring[-1][paths[is_inside]], users)]
        for side in range(2):
            ports = columns.ports[inside, side]
            binding = inside[self.port_capacity[ports] > 0]
            ports = columns.ports[binding, side].astype(np.int64)
            # Messages that share a port and a step take its slots in their order.
            place = ports * num_steps + step_of[binding]
            order = np.argsort(place, kind="stable")
            number = np.arange(len(order)) - np.searchsorted(place[order], place[order])
            binding, ports = binding[order], ports[order]
            entries.append((columns.num_units + self.first_slot[ports] + number, binding))
        for rows, messages in entries:
            occupant[rows, step_of[messages]] = messages
            cells[rows, step_of[messages]] = (self.weights[messages] << MARK_BITS) + 1 + messages % NUM_MARKS
        return occupant, cells
