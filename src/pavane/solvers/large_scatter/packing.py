"""Packing for large networks: a first answer, then strategies that shorten it.

For wormhole scatter between hundreds and thousands of routers, without any symmetry.

The first answer is a windowed first fit where the time is limited, an all-to-all at the bound of one port, or
first fit, free and by a plan of paths, whichever is shorter. Then, each from the incumbent:

1. Where loads are even, all steps are filled again along any shortest paths: with one message of each orbit of a group
   of symmetries where there are any (see `orbit_filling`), then with all (see `free_filling`).
2. Where any routing is allowed and detours lower the load of the busiest channel, steps are filled along a plan with
   detours, and nothing else follows: the other strategies use shortest paths.
3. Steps are filled along a plan of shortest paths (see `plan_filling`), first quickly, then with care.
4. The emptiest steps are removed and their messages inserted into the others by ejection chains (see `path_ejection`).

With a small group of symmetries (setting `symmetric`) one message of each orbit is packed throughout: fewer messages,
each considered more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np

from pavane.bounds import counted_bounds
from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import SPARE, Budget
from pavane.solvers.large_scatter.effort import RemainingEffort, reserve_time_to_judge
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.free_filling import can_fill, channels_per_hop, fill
from pavane.solvers.large_scatter.orbit_filling import can_fill_orbits, fill_by_orbits
from pavane.solvers.large_scatter.path_ejection import PathEjection, initial_weights
from pavane.solvers.large_scatter.plan_filling import (
    PlanFiller,
    can_fill_along_plan,
    fills_windows,
    has_time,
    probes_in,
)
from pavane.solvers.large_scatter.scatter_arrays import NO_LIMIT, NO_STEP, PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.windowed_first_fit import first_answer
from pavane.solvers.reductions.unit_capacities import MOST_CHANNELS, with_unit_capacities
from pavane.solvers.solver import Finding, argument, seed_of
from pavane.solvers.solving import solve_once
from pavane.symmetry.orbits import groups_for_filling, quotient


@dataclass(eq=False)
class PackingRun:
    """The state of one search, which its strategies share."""

    ejection: PathEjection
    best: PackedSchedule
    """The incumbent; while a strategy is suspended at a yield it is what was yielded."""
    enough: int
    """The search ends with this number of steps."""
    seed: int
    budget: Budget
    is_filled: bool = False
    """Whether filling has made the incumbent: its last steps are the emptiest."""
    is_detoured: bool = False
    """Whether the incumbent has paths that are not shortest."""

    @property
    def arrays(self) -> ScatterArrays:
        """The problem as arrays."""
        return self.ejection.arrays

    @property
    def effort(self) -> RemainingEffort:
        """The counted effort that is left."""
        return self.ejection.effort


@dataclass(frozen=True)
class Packing:
    """First fit, then ejection search over all shortest paths with ever fewer steps; for large networks."""

    name: str = "packing"
    weight_of_a_channel: int = 4
    """The initial weight of a message for each channel of its path; each insertion that ejects others adds 1."""
    strides: int = 3
    """In how many strides steps are removed down to the bound; more are shorter ones, and each is easier."""
    patience: int = 5
    """Moves per message without fewer unplaced messages after which an attempt ends."""
    restarts: int = 40
    """How often the steps of a one-port all-to-all in which some message has no path restart."""
    most_cells: int = 40_000_000_000
    """Without a time limit: how many cells (a channel in a step) all attempts may examine; about half a minute."""
    filling_moves: int = 800_000
    """Moves of filling in all steps together; with too few for the number of channels there is no filling."""
    is_quick_first: bool = argument(True)
    """Whether a quick attempt along a plan precedes the careful one, for an answer soon, if there is time for both."""
    is_hasty: bool = argument(False)
    """Whether the start comes from windowed first fit, so that first fit runs where no plan is filled."""
    part_of_limit: float = argument(1.0)
    """The part of the time limit for which the effort along plans is laid out."""
    start: Schedule | None = argument(None)  # noqa: RUF009 (a schedule is frozen)
    """A schedule to start from, with one transfer for every message; first fit starts where its paths are longer."""
    enough: int | None = argument(None)
    """The search ends with this number of steps; where it is given there is a first answer already."""
    symmetric: bool = False
    """Whether to pack one message per orbit of a small group of symmetries; without one there is no answer."""

    def __post_init__(self) -> None:
        if self.strides < 1:
            raise InputError(f"strides {self.strides}: expected at least 1")

    supports = replace(FirstFit.supports, switching=("wormhole",))

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule; None if time ran out before the first, or there is no group of symmetries.

        Also None if the schedule has already been reported through `budget.on_schedule`.
        """
        enough = self.enough or num_steps or counted_bounds(problem)[0].figure
        group = quotient(problem) if self.symmetric else ()
        if self.symmetric and not group:
            return None
        arrays = ScatterArrays.of(problem, group)
        if group or self.enough is not None:
            start = None if self.start is None else PackedSchedule.of(self.start)
            if start is not None and not np.array_equal(start.path_lengths, arrays.path_lengths):
                start = None
            return self.shorten(arrays, start, enough, num_steps, rng, budget)
        first = first_answer(arrays, num_steps, budget)
        if first.needs is not None:
            return Finding(None, needs=first.needs)
        hasty = replace(self, is_hasty=True) if first.packed is not None and fills_along_plans(problem) else self
        start = first.packed if hasty.is_hasty else None
        return first.or_shorter(arrays, hasty.shorten(arrays, start, enough, num_steps, rng, first.budget))

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
        """Shorten a schedule, or None: one of first fit, until it has at most `enough` steps.

        On an interrupt the incumbent is reported if it has at most `num_steps`, and the interrupt is raised again.
        """
        seed, effort = seed_of(rng), RemainingEffort(budget.evaluations, self.most_cells)
        ejection = PathEjection(arrays, self.patience * arrays.num_messages, effort, np.random.default_rng((seed, 1)))
        best = self._shifts(ejection, enough, budget) or start
        if best is None:
            best = FirstFit(repacks=0).search(arrays, None, rng, effort, budget)
        if best is None:
            return None
        run = PackingRun(ejection, best, enough, seed, budget)
        if best.num_steps > enough:
            run.budget = reserve_time_to_judge(budget, arrays, best)
            try:
                for shorter in self._improve(run):
                    if num_steps is None or shorter.num_steps <= num_steps:
                        budget.on_improvement(partial(arrays.schedule, shorter))
            except KeyboardInterrupt:
                if budget.on_schedule is not None and (num_steps is None or run.best.num_steps <= num_steps):
                    budget.on_schedule(arrays.schedule(run.best))
                raise
        return arrays.schedule(run.best)

    def _shifts(self, ejection: PathEjection, enough: int, budget: Budget) -> PackedSchedule | None:
        """Return an all-to-all at the bound of one port; None if that is not the problem, or not found.

        Every step is a cyclic shift of the processors: messages to the processor i places onward share step i, so that
        only their paths are searched. A fat tree carries all these permutations.
        """
        arrays, problem = ejection.arrays, ejection.arrays.problem
        size = problem.network.num_processors
        one_port = bool((problem.injection == 1).all() and (problem.ejection == 1).all())
        is_whole = problem.collective.is_plain and problem.num_messages == size * (size - 1)
        if arrays.group or not (one_port and enough == size - 1 and is_whole):
            return None
        weights = initial_weights(arrays, self.weight_of_a_channel)
        steps = ((problem.ends[:, 1] - problem.ends[:, 0]) % size - 1).astype(np.int32)
        draft = arrays.empty_schedule(enough)
        for _ in range(self.restarts):
            # Steps are independent here: unfinished ones restart, with equal weights.
            is_unfinished = np.zeros(enough, dtype=bool)
            is_unfinished[steps[draft.step_of == NO_STEP]] = True
            restarted = is_unfinished[steps]
            draft.step_of[restarted] = NO_STEP
            if ejection.insert(draft, np.where(restarted, 1, weights).astype(np.int32), budget, only_step=steps):
                return draft.without_empty_steps()
            if ejection.effort.is_over(budget):
                break
        return None

    def _improve(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Run one strategy after the other; yield each new incumbent."""
        # What the less obvious parts save on ordinary networks, all-to-all, in 6 to 8 CPU seconds (windows: 20):
        # orbits 302 -> 297 steps on torus:7x7x7; small groups 687 -> 686, optimal, on mesh:14x14, and with any routing
        # 1,034 -> 1,033, 1,038 -> 1,028 and 1,034 -> 1,028 on mesh:16x16 (three seeds); windows 884 -> 674 on
        # random-regular:512,4,1, 2,739 -> 2,714 on mesh:22x22; detours, with any routing, 142 -> 132 on kautz:3,4,
        # 64 -> 58 on rails:8,8.
        strategies = (
            self._fill_by_orbits,
            self._fill_freely,
            self._fill_with_detours,
            self._fill_along_plan,
            self._first_fit,
            self._remove_steps,
        )
        for strategy in strategies:
            for shorter in strategy(run):
                run.best = shorter
                yield shorter
            if run.best.num_steps <= run.enough or run.is_detoured:
                return

    def _fill_by_orbits(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Fill steps with one message of each orbit; not if evaluations, messages inserted, are counted."""
        most_moves = 2 * self._most_moves
        is_too_short = run.effort.placements is not None or most_moves < TUNING.orbit_first_moves * run.enough
        if is_too_short or not can_fill_orbits(run.arrays):
            return
        is_rich = channels_per_hop(run.arrays) > TUNING.rich
        budget = run.budget.part(TUNING.careful_share if is_rich else 0.25)
        limit = None if budget.deadline is not None else most_moves
        for shorter in fill_by_orbits(run.arrays, run.enough, run.best.num_steps, limit, run.seed, budget):
            run.is_filled = True
            yield shorter
        run.effort.spend(cells=TUNING.cells_per_move // 4 * most_moves)  # one message of each orbit

    def _fill_freely(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Fill steps along any shortest paths if channels alone bind; not if evaluations are counted."""
        if run.effort.placements is not None or not can_fill(run.arrays):
            return
        num_moves = self._most_moves // run.best.num_steps
        if TUNING.most_channels_per_move * num_moves < run.arrays.unit_capacity.sum():
            return
        rng = np.random.default_rng((run.seed, 2, num_moves))
        packed = fill(run.arrays, run.best.num_steps, num_moves, rng, run.budget)
        if packed is not None:
            run.effort.spend(cells=TUNING.cells_per_move * num_moves * packed.num_steps)
            run.is_filled = True
            yield packed

    def _fill_with_detours(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Fill steps along plans with detours, if they are allowed and lower the load of the busiest channel.

        Each attempt aims at fewer steps than the last one; after two failures there is a new plan.
        """
        arrays, channel_of = _with_unit_capacities(run.arrays)
        if arrays.problem.rules.routing != "any" or arrays.num_messages > TUNING.many_messages:
            return
        # Without hops there is nothing to fill, and no number of probes for each.
        if run.effort.placements is not None or not can_fill_along_plan(arrays):
            return
        probes = self._probes(arrays, run.budget)
        if probes // arrays.num_hops < TUNING.least_probes_per_hop:
            return
        filler, failures = self._plan_detours(run, arrays, (run.seed, 8)), 0
        for attempt in count() if run.budget.deadline is not None else range(3):
            if failures == 2:
                filler, failures = self._plan_detours(run, arrays, (run.seed, 8, attempt)), 0
            if filler is None or run.best.num_steps <= run.enough or run.effort.is_over(run.budget):
                return
            these = probes // TUNING.quick_part if attempt == 0 else probes
            goal = max(run.enough, min(filler.goal(these), run.best.num_steps - 1))
            packed = _attempt(run, filler, goal, these, (run.seed, 7, attempt))
            failures += packed is None
            if packed is not None:
                run.is_detoured = True
                yield _in_channels(packed, channel_of)

    def _plan_detours(self, run: PackingRun, arrays: ScatterArrays, seeds: tuple[int, ...]) -> PlanFiller | None:
        """Plan shortest paths and ever longer ones; None unless the longer ones clearly lower the largest load."""
        budget = run.budget.part(TUNING.share_of_preparation)
        ejection = replace(run.ejection, arrays=arrays)
        best, shortest = None, NO_LIMIT
        for detour in range(3 if arrays.num_messages <= TUNING.most_detoured_twice else 2):
            rng = np.random.default_rng((*seeds, detour))
            # With so many probes networks rich in paths are planned, too.
            filler = PlanFiller.of(ejection, run.enough, TUNING.least_drift_probes, rng, budget, detour)
            if filler is None:
                continue
            if detour == 0:
                shortest = filler.plan.most_load
            elif best is None or filler.plan.most_load < best.plan.most_load:
                best = filler
            if shortest <= run.enough:
                return None
        is_worth_it = best is not None and TUNING.most_unevenness * best.plan.most_load <= shortest
        return best if is_worth_it else None

    def _fill_along_plan(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Fill steps along a plan several times, quickly and then with care, while it helps and the effort lasts.

        With a time limit the effort is planned from the limit, whatever the speed of the machine.
        """
        arrays, channel_of = _with_unit_capacities(run.arrays)
        if run.effort.placements is not None or not can_fill_along_plan(arrays):
            return
        budget, enough = run.budget, run.enough
        probes = self._probes(arrays, budget)
        probes_per_hop = probes // arrays.num_hops
        is_too_short = budget.deadline is None and probes_per_hop < TUNING.least_probes_per_hop
        if is_too_short or not has_time(arrays, budget):
            return
        ejection, rng = replace(run.ejection, arrays=arrays), np.random.default_rng((run.seed, 3))
        filler = PlanFiller.of(ejection, enough, probes_per_hop, rng, budget)
        if filler is None:
            return
        filler.prepare()
        if not has_time(arrays, budget):
            return
        failed = 0
        if filler.drifts and self.is_hasty:
            for fitted in _refit(run):
                run.is_filled = True
                yield fitted
        # In networks rich in paths, filling along any of them has been quick already.
        is_long = probes_per_hop > TUNING.least_drift_probes
        is_first_quick = self.is_quick_first and is_long and not filler.is_rich
        last = None if budget.deadline is not None else 1 + is_first_quick
        for attempt in count() if last is None else range(last):
            if run.best.num_steps <= max(enough, filler.plan.most_load) or run.effort.is_over(budget):
                return
            is_quick = is_first_quick and attempt == 0
            these = filler.probes_in_time(probes // TUNING.quick_part if is_quick else probes, budget)
            # After a failure the goal lies between that of the failure and the incumbent.
            goal = max(filler.goal(these), (failed + run.best.num_steps) // 2 if failed else enough)
            goal = max(enough, min(goal, run.best.num_steps - 1))
            packed = _attempt(run, filler, goal, these, (run.seed, 4, attempt))
            if packed is not None:
                run.is_filled = True
                yield _in_channels(packed, channel_of)
                yield from self._remove_easy_steps(run)
            elif failed:
                return
            elif attempt >= is_first_quick:
                failed = goal

    def _first_fit(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Run first fit where the start comes from windowed first fit and no step has been filled."""
        if self.is_hasty and not run.is_filled and not run.budget.is_over:
            yield from _refit(run)

    def _remove_steps(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Remove the emptiest steps and insert their messages into the others, until the effort is spent."""
        weights = initial_weights(run.arrays, self.weight_of_a_channel)
        strides = max(16, self.strides) if run.is_filled else self.strides
        yield from run.ejection.shorten(run.best, run.enough, strides, weights, run.budget)

    def _remove_easy_steps(self, run: PackingRun) -> Iterator[PackedSchedule]:
        """Remove one step at a time as long as that succeeds at once: easy cases need no careful attempt."""
        impatient = replace(run.ejection, patience=run.arrays.num_messages // 4 + 1, gives_up=True)
        weights = initial_weights(run.arrays, self.weight_of_a_channel)
        return impatient.shorten(run.best, run.enough, run.best.num_steps, weights, run.budget)

    @property
    def _most_moves(self) -> int:
        """The moves of filling: half of the effort at most."""
        return min(self.filling_moves, self.most_cells // (2 * TUNING.cells_per_move))

    def _probes(self, arrays: ScatterArrays, budget: Budget) -> int:
        """Return the probes of a careful attempt along a plan: half of the effort, or by the time limit."""
        if budget.deadline is None:
            return self.most_cells // (2 * TUNING.cells_per_probe)
        limit = budget.deadline - budget.started + SPARE * (budget.judging_seconds or 0.0)
        return probes_in(self.part_of_limit * limit, arrays)


def fills_by_orbits(problem: Problem) -> bool:
    """Whether the network is rich in paths, and steps are filled with one message of each orbit of a group."""
    arrays = ScatterArrays.of(problem)
    is_rich = can_fill_orbits(arrays) and channels_per_hop(arrays) > TUNING.rich
    return is_rich and len(groups_for_filling(problem)) > 0


def fills_along_plans(problem: Problem) -> bool:
    """Whether channels alone bind, so that steps are filled along plans."""
    return can_fill_along_plan(_with_unit_capacities(ScatterArrays.of(problem))[0])


def is_filled_by_threads(problem: Problem) -> bool:
    """Whether one attempt takes all of the time, so that workers should fill the same steps together."""
    arrays = _with_unit_capacities(ScatterArrays.of(problem))[0]
    return arrays.num_messages >= TUNING.many_messages and fills_windows(arrays)


def _refit(run: PackingRun) -> Iterator[PackedSchedule]:
    """Run first fit; yield its schedule if it is shorter than the incumbent."""
    rng = np.random.default_rng((run.seed, 5))
    packed = FirstFit(repacks=0).search(run.arrays, run.enough, rng, run.effort, run.budget)
    if packed is not None and packed.num_steps < run.best.num_steps:
        yield packed


def _attempt(
    run: PackingRun, filler: PlanFiller, goal: int, probes: int, seeds: tuple[int, ...]
) -> PackedSchedule | None:
    """Fill steps along a plan with fewer steps than the incumbent; None if that fails."""
    if run.budget.on_steps is not None:
        run.budget.on_steps(goal, run.best.num_steps)
    packed = filler.fill_steps(goal, run.best.num_steps, probes, np.random.default_rng(seeds), run.budget)
    run.effort.spend(probes=probes)
    return packed


def _in_channels(packed: PackedSchedule, channel_of: Ints | None) -> PackedSchedule:
    """Return a schedule of parallel channels as one of the channels that they stand for; None: themselves."""
    return packed if channel_of is None else replace(packed, paths=channel_of[packed.paths])


def _with_unit_capacities(arrays: ScatterArrays) -> tuple[ScatterArrays, Ints | None]:
    """Return arrays in which a channel carries one message a step, and the channel that each stands for; None: itself.

    Channels that carry several messages are replaced by parallel ones, unless they are too many.
    """
    network = arrays.problem.network
    if network.capacities is None or arrays.group or network.capacity.sum(dtype=np.int64) > MOST_CHANNELS:
        return arrays, None
    spread, channel_of = with_unit_capacities(arrays.problem)
    return ScatterArrays.of(spread), channel_of
