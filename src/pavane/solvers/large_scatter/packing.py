"""Packing for large networks: first fit gives an answer at once, ejection over all shortest paths makes it shorter.

For wormhole scatter between hundreds and thousands of routers, without any symmetry.

1. First fit (see `first_fit`), free and by a plan of paths, whichever is shorter: the network itself says whether it is
   rich or poor in paths. With one port, an all-to-all at the bound is tried first (see `cyclic_shifts`).
2. Where messages spread evenly over the channels, fill all steps anew, one after the other: with one message of each
   orbit of a group of symmetries where there are any (see `orbit_filling`), else with all (see `filling`); whichever
   schedule is shorter goes on.
3. Plan a path for every message, and fill steps along the plan (see `carrying_out`), first in haste, then with care.
   Where any path is allowed and detours make the plan's busiest channel carry less, paths may be longer than shortest
   ones, and nothing else follows.
4. Take away the emptiest steps and push their messages into the others, again and again (see `pushing`).

Where a small group of symmetries is asked for that does no harm (see `orbits`), one message of each orbit is packed all
the way: fewer messages, each looked at more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import ClassVar, NamedTuple

import numpy as np

from pavane.bounds import counted_bounds
from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import SPARE, Budget
from pavane.parallel.loop_state import Mark, whole
from pavane.solvers.large_scatter.checkpoints import best_mark, effort_figures, read_best, set_effort
from pavane.solvers.large_scatter.cyclic_shifts import can_pack_shifts, pack_shifts
from pavane.solvers.large_scatter.effort import RemainingEffort, leaving_time_to_judge
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.free_filling import can_fill, channels_per_hop, fill
from pavane.solvers.large_scatter.orbit_filling import FIRST_MOVES, can_fill_orbits, fill_by_orbits
from pavane.solvers.large_scatter.path_ejection import SHORTENING, PathEjection, initial_weights
from pavane.solvers.large_scatter.plan_filling import (
    LEAST_LOOKS_OF_A_DRIFT,
    MANY_MESSAGES,
    RICH,
    PlanFiller,
    can_fill_along_plan,
    fills_windows,
    has_time,
    probes_in,
)
from pavane.solvers.large_scatter.scatter_arrays import NO_LIMIT, PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.windowed_first_fit import first_answer
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_once
from pavane.solvers.unit_capacities import MOST_CHANNELS, ExpandedProblem
from pavane.symmetry.orbits import groups_for_filling, quotient

PLAN_FILLING = "attempt along a plan"
"""The kind of marks of who carries out plans."""

CELLS_OF_A_MOVE = 25_000
"""A move of filling takes about as long as looking at this number of cells."""

MOVES_OF_ORBITS = 2
"""Without a time limit filling by orbits has this number of times the moves of filling, each a quarter of the work."""

SHARE_OF_ORBITS, SHARE_OF_POOR_ORBITS = 0.85, 0.25
"""The part of the time that filling by orbits may take, where paths abound, and where they do not."""

MOST_CHANNELS_OF_A_MOVE = 5
"""With more channels than this for each move of a step, filling is no better than first fit."""

CELLS_OF_A_LOOK = 33
"""A look at a channel when steps are filled along a plan takes about as long as looking at this number of cells."""

LEAST_LOOKS = 60
"""Without a time limit: with fewer looks for each channel of a path plans are not carried out."""

MOST_LOOKS_IN_ONE_GO = 2_500
"""With more looks for each channel of a path there is a quick attempt before the careful one."""

QUICK = 12
"""A quick attempt has this part of the effort of a careful one."""

MOST_DETOURED, MOST_DETOURED_TWICE = 300_000, 20_000
"""With more messages plans with detours, or with detours by two channels, take too long."""

WORTH_A_DETOUR = 0.97
"""Detours are taken if the busiest channel has at most this part of what it has to carry without them: longer paths
leave fewer channels idle, so that steps are harder to fill."""

ATTEMPTS_WITH_DETOURS = 3
"""How often a plan with detours is carried out where no time limit is given, the first time quickly."""

SHARE_OF_DETOURED_PLANS = 0.4
"""The part of the time that plans with and without detours may take."""

LEAST_STRIDES_AFTER_FILLING = 16
"""Filled steps are emptiest at the end: short strides take the last few away within a second each."""


class _Stage(NamedTuple):
    """How far the filling of steps has come."""

    attempt: int = 0
    """The next attempt along a plan."""
    failed: int = 0
    """The number of steps that an attempt with care has aimed at in vain; 0: none has."""
    is_filled: int = 0
    """1 where filling has made the best schedule."""


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
    is_quick_first: bool = True
    """Whether a plan is carried out quickly first, for an answer soon, where there is time for both."""
    is_hasty: bool = False
    """Whether the start was made in haste, so that first fit has its turn where no plan is carried out."""
    part_of_limit: float = 1.0
    """The part of the time limit that it has, for which the effort along plans is laid out."""
    symmetric: bool = False
    """Whether to pack one message per orbit of a small group of symmetries; without one there is no answer."""

    def __post_init__(self) -> None:
        if self.strides < 1:
            raise InputError(f"strides {self.strides}: fewer steps are reached in at least 1")

    def supports(self, problem: Problem) -> bool:
        """Say yes where first fit does."""
        return FirstFit().supports(problem)

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule found; none if time has run out before, or a group is asked for in vain.

        A schedule that is handed over at once is not returned, too.
        """
        enough = counted_bounds(problem)[0].steps if num_steps is None else num_steps
        group = quotient(problem) if self.symmetric else ()
        if self.symmetric and not group:
            return None
        arrays = ScatterArrays.of(problem, group)
        if group:
            return self.shorten(arrays, None, enough, num_steps, rng, budget)
        if budget.bookmark is not None and budget.bookmark.found:
            return self.shorten(arrays, None, enough, num_steps, rng, budget)
        first = first_answer(arrays, num_steps, budget)
        if first.needs is not None:
            return Finding(None, needs=first.needs)
        hasty = replace(self, is_hasty=True) if first.packed is not None and fills_along_plans(problem) else self
        start = first.packed if hasty.is_hasty else None
        return first.or_shorter(arrays, hasty.shorten(arrays, start, enough, num_steps, rng, first.budget))

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_once

    def shorten(
        self,
        arrays: ScatterArrays,
        start: PackedSchedule | None,
        enough: int,
        num_steps: int | None,
        rng: np.random.Generator,
        budget: Budget,
    ) -> Schedule | None:
        """Start from what is packed, or None: from first fit, and look for fewer steps until there are `enough`.

        On an interrupt the best so far is kept, if it has at most `num_steps`, and the interrupt goes on.
        """
        seed, effort = seed_of(rng), RemainingEffort(budget.evaluations, self.most_cells)
        patience = self.patience * arrays.num_messages
        ejection = PathEjection(arrays, patience, effort, np.random.default_rng((seed, 1)))
        resumed = None
        if budget.bookmark is not None:
            resumed = budget.bookmark.read(PLAN_FILLING, SHORTENING)
        if budget.bookmark is not None and resumed is not None:
            with budget.bookmark.reading():
                best: PackedSchedule | None = read_best(arrays, resumed)
        else:
            best = self._shifts(ejection, enough, replace(budget, bookmark=None)) or start
        if best is None:
            best = FirstFit(repacks=0).search(arrays, None, rng, effort, budget)
        if best is None:
            return None
        if best.num_steps > enough:
            in_time = leaving_time_to_judge(budget, arrays, best)
            try:
                for shorter in self._ever_shorter(ejection, best, enough, seed, in_time, resumed):
                    best = shorter
                    if num_steps is None or best.num_steps <= num_steps:
                        budget.better(partial(arrays.schedule, best))
            except KeyboardInterrupt:
                if budget.keep is not None and (num_steps is None or best.num_steps <= num_steps):
                    budget.keep(arrays.schedule(best))
                raise
        return arrays.schedule(best)

    def _shifts(self, ejection: PathEjection, enough: int, budget: Budget) -> PackedSchedule | None:
        """Return an all-to-all at the bound of one port; None where that is not what is asked, or not found."""
        arrays = ejection.arrays
        if arrays.group or not can_pack_shifts(arrays.problem, enough):
            return None
        return pack_shifts(arrays, self.restarts, initial_weights(arrays, self.weight_of_a_channel), ejection, budget)

    def _ever_shorter(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, seed: int, budget: Budget, resumed: Mark | None
    ) -> Iterator[PackedSchedule]:
        """Yield shorter and shorter schedules: filled anew, filled along a plan, then with steps taken away.

        A mark tells where that goes on.
        """
        if resumed is not None and resumed.kind == SHORTENING:
            weights = initial_weights(ejection.arrays, self.weight_of_a_channel)
            yield from ejection.resumed(resumed, best, enough, weights, budget)
            return
        stage = _Stage()
        if budget.bookmark is not None and resumed is not None:
            with budget.bookmark.reading():
                stage = _Stage(*(whole(resumed.figures[name], 2**31) for name in _Stage._fields))
                set_effort(ejection.effort, ejection.rng, resumed.figures)
        else:
            for shorter in self._filled_by_orbits(ejection, best, enough, seed, budget):
                yield shorter
                best, stage = shorter, stage._replace(is_filled=1)
            if best.num_steps <= enough:
                return
            filled = self._filled(ejection, best.num_steps, seed, budget)
            if filled is not None:
                yield filled
                best, stage = filled, stage._replace(is_filled=1)
            is_detoured = False
            for shorter in self._detoured(ejection, best, enough, seed, budget):
                yield shorter
                best, is_detoured = shorter, True
            if is_detoured:
                return
        is_filled = stage.is_filled > 0
        for shorter in self._carried_out(ejection, best, enough, seed, budget, stage):
            yield shorter
            best, is_filled = shorter, True
        strides = max(LEAST_STRIDES_AFTER_FILLING, self.strides) if is_filled else self.strides
        if self.is_hasty and not is_filled and not budget.is_over:
            fitted = self._fitted(ejection, best, enough, seed, budget)
            if fitted is not None:
                yield fitted
                best = fitted
        weights = initial_weights(ejection.arrays, self.weight_of_a_channel)
        yield from ejection.shorten(best, enough, strides, weights, budget)

    def _fitted(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, seed: int, budget: Budget
    ) -> PackedSchedule | None:
        """Return what first fit packs into fewer steps than the best, or None."""
        rng = np.random.default_rng((seed, 5))
        fitted = FirstFit(repacks=0).search(ejection.arrays, enough, rng, ejection.effort, budget)
        return fitted if fitted is not None and fitted.num_steps < best.num_steps else None

    def _filled_by_orbits(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, seed: int, budget: Budget
    ) -> Iterator[PackedSchedule]:
        """Fill steps with one message of each orbit; not where evaluations, messages pushed in, are counted."""
        arrays, effort = ejection.arrays, ejection.effort
        most_moves = MOVES_OF_ORBITS * min(self.filling_moves, self.most_cells // (2 * CELLS_OF_A_MOVE))
        if effort.placements is not None or most_moves < FIRST_MOVES * enough or not can_fill_orbits(arrays):
            return
        share = SHARE_OF_ORBITS if channels_per_hop(arrays) > RICH else SHARE_OF_POOR_ORBITS
        in_time, most = budget.part(share), None if budget.deadline is not None else most_moves
        yield from fill_by_orbits(arrays, enough, best.num_steps, most, seed, in_time)
        effort.spend(0, CELLS_OF_A_MOVE // 4 * most_moves)

    def _filled(self, ejection: PathEjection, fewer_than: int, seed: int, budget: Budget) -> PackedSchedule | None:
        """Fill steps anew where channels alone bind; not where evaluations, messages pushed in, are counted."""
        arrays, effort = ejection.arrays, ejection.effort
        if effort.placements is not None or not can_fill(arrays):
            return None
        most_moves = min(self.filling_moves, self.most_cells // (2 * CELLS_OF_A_MOVE))
        num_moves = most_moves // fewer_than
        if MOST_CHANNELS_OF_A_MOVE * num_moves < arrays.unit_capacity.sum():
            return None
        filled = fill(arrays, fewer_than, num_moves, np.random.default_rng((seed, 2, num_moves)), budget)
        if filled is not None:
            effort.spend(0, CELLS_OF_A_MOVE * num_moves * filled.num_steps)
        return filled

    def _carried_out(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, seed: int, budget: Budget, stage: _Stage
    ) -> Iterator[PackedSchedule]:
        """Carry out a plan again and again, quickly and then with care, while it helps and the effort lasts.

        With a time limit the effort is planned from the limit; it does not matter how fast the machine is. The
        stage says which attempt is the next.
        """
        effort = ejection.effort
        arrays, channel_of = _with_unit_capacities(ejection.arrays)
        if effort.placements is not None or not can_fill_along_plan(arrays):
            return
        probes = self._looks(arrays, budget)
        probes_per_hop = probes // arrays.num_hops
        if not has_time(arrays, budget) or (budget.deadline is None and probes_per_hop < LEAST_LOOKS):
            return
        plain = replace(ejection, arrays=arrays)
        filler = PlanFiller.of(plain, enough, probes_per_hop, np.random.default_rng((seed, 3)), budget)
        if filler is None:
            return
        filler.prepare()
        if not has_time(arrays, budget, has_plan=True):
            return
        if filler.drifts and self.is_hasty:
            fitted = self._fitted(ejection, best, enough, seed, budget)
            if fitted is not None:
                best = fitted
                yield best
        # Where paths abound, filling along any of them has been quick already.
        is_first_quick = self.is_quick_first and probes_per_hop > MOST_LOOKS_IN_ONE_GO and not filler.is_rich
        first, failed, is_filled = stage
        alone = replace(budget, bookmark=None)
        for number in count(first) if budget.deadline is not None else range(first, 1 + is_first_quick):
            if best.num_steps <= max(enough, filler.plan.most_load) or effort.is_over(budget):
                return
            these = filler.in_time(probes // QUICK if is_first_quick and number == 0 else probes, budget)
            # Who aimed too low is to aim between that and what there is.
            goal = max(filler.goal(these), (failed + best.num_steps) // 2 if failed else enough)
            goal = max(enough, min(goal, best.num_steps - 1))
            if budget.shorter is not None:
                budget.shorter(goal, best.num_steps)
            if budget.bookmark is not None:
                figures = {**_Stage(number, failed, is_filled)._asdict(), **effort_figures(effort, ejection.rng)}
                budget.bookmark.set(best_mark(PLAN_FILLING, best, figures))
            found = filler.fill_steps(goal, best.num_steps, these, np.random.default_rng((seed, 4, number)), alone)
            effort.spend(0, CELLS_OF_A_LOOK * these)
            if found is not None:
                best = found if channel_of is None else replace(found, paths=channel_of[found.paths])
                is_filled = 1
                yield best
                for shorter in self._probed(ejection, best, enough, alone):
                    best = shorter
                    yield best
            elif failed:
                return
            elif number >= is_first_quick:
                failed = goal

    def _detoured(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, seed: int, budget: Budget
    ) -> Iterator[PackedSchedule]:
        """Carry out plans with detours, where they are allowed and make the busiest channel carry less.

        Each attempt aims at fewer steps than the last one; when two have failed there is a new plan.
        """
        effort = ejection.effort
        arrays, channel_of = _with_unit_capacities(ejection.arrays)
        if arrays.problem.rules.routing != "any" or arrays.num_messages > MOST_DETOURED:
            return
        probes = self._looks(arrays, budget)
        if effort.placements is not None or not can_fill_along_plan(arrays) or probes // arrays.num_hops < LEAST_LOOKS:
            return
        plain, alone = replace(ejection, arrays=arrays), replace(budget, bookmark=None)
        filler, failures = self._carrier_with_detours(plain, enough, (seed, 8), budget), 0
        for number in count() if budget.deadline is not None else range(ATTEMPTS_WITH_DETOURS):
            if failures == 2:
                filler, failures = self._carrier_with_detours(plain, enough, (seed, 8, number), budget), 0
            if filler is None or best.num_steps <= enough or effort.is_over(budget):
                return
            these = probes // QUICK if number == 0 else probes
            goal = max(enough, min(filler.goal(these), best.num_steps - 1))
            if budget.shorter is not None:
                budget.shorter(goal, best.num_steps)
            found = filler.fill_steps(goal, best.num_steps, these, np.random.default_rng((seed, 7, number)), alone)
            effort.spend(0, CELLS_OF_A_LOOK * these)
            failures += found is None
            if found is not None:
                best = found if channel_of is None else replace(found, paths=channel_of[found.paths])
                yield best

    def _carrier_with_detours(
        self, ejection: PathEjection, enough: int, seeds: tuple[int, ...], budget: Budget
    ) -> PlanFiller | None:
        """Plan shortest paths and ever longer ones; None where the longer ones have not clearly less to carry."""
        in_time = budget.part(SHARE_OF_DETOURED_PLANS)
        best, shortest = None, NO_LIMIT
        for detour in range(3 if ejection.arrays.num_messages <= MOST_DETOURED_TWICE else 2):
            rng = np.random.default_rng((*seeds, detour))
            # The number of looks does not matter: it says whether paths that abound are to be used, too.
            filler = PlanFiller.of(ejection, enough, LEAST_LOOKS_OF_A_DRIFT, rng, in_time, detour)
            if filler is None:
                continue
            if detour == 0:
                shortest = filler.plan.most_load
            elif best is None or filler.plan.most_load < best.plan.most_load:
                best = filler
            if shortest <= enough:
                return None
        return best if best is not None and best.plan.most_load <= WORTH_A_DETOUR * shortest else None

    def _probed(
        self, ejection: PathEjection, best: PackedSchedule, enough: int, budget: Budget
    ) -> Iterator[PackedSchedule]:
        """Take away one step at a time as long as that succeeds at once: where it is easy, no care is needed."""
        impatient = replace(ejection, patience=ejection.arrays.num_messages // 4 + 1, gives_up=True)
        weights = initial_weights(ejection.arrays, self.weight_of_a_channel)
        yield from impatient.shorten(best, enough, best.num_steps, weights, budget)

    def _looks(self, arrays: ScatterArrays, budget: Budget) -> int:
        """Return the looks at channels that carrying out a plan with care may take."""
        if budget.deadline is None:
            return self.most_cells // (2 * CELLS_OF_A_LOOK)
        limit = budget.deadline - budget.started + SPARE * (budget.to_judge or 0.0)
        return probes_in(self.part_of_limit * limit, arrays)


def fills_by_orbits(problem: Problem) -> bool:
    """Say whether paths abound, and steps are filled with one message of each orbit of a group of symmetries."""
    arrays = ScatterArrays.of(problem)
    return can_fill_orbits(arrays) and channels_per_hop(arrays) > RICH and len(groups_for_filling(problem)) > 0


def fills_along_plans(problem: Problem) -> bool:
    """Say whether channels alone bind, so that steps are filled along plans."""
    return can_fill_along_plan(_with_unit_capacities(ScatterArrays.of(problem))[0])


def is_filled_by_threads(problem: Problem) -> bool:
    """Say whether several workers do best to fill the same steps, because one attempt takes all of the time."""
    arrays = _with_unit_capacities(ScatterArrays.of(problem))[0]
    return arrays.num_messages >= MANY_MESSAGES and fills_windows(arrays)


def _with_unit_capacities(arrays: ScatterArrays) -> tuple[ScatterArrays, Ints | None]:
    """Return columns in which a channel carries one message a step, and the channel that each stands for; None: itself.

    Parallel channels stand for those that carry several, if they are not too many.
    """
    network = arrays.problem.network
    if network.capacities is None or arrays.group or network.capacity.sum(dtype=np.int64) > MOST_CHANNELS:
        return arrays, None
    spread = ExpandedProblem.of(arrays.problem)
    return ScatterArrays.of(spread.problem), spread.channel_of
