"""Filling along a plan of paths: one step after the other, and the last few together by path ejection.

A channel's slack is what is left of the steps after all pending messages planned on it. An idle channel without slack
adds a step in the end, so steps are filled by worth, and the worth of a channel grows as its slack shrinks. Early steps
are easy, as nearly everything is pending; most of the effort goes into the late ones. Pending messages are rerouted now
and then. The last few steps are filled together by path ejection, under a limit: no message moves to a path on which a
channel would carry more than there are steps.

An attempt has a goal, a number of steps, which grows when a channel has more to carry than there are steps left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np

from pavane.model.arrays import Ints, Longs, Reals
from pavane.parallel.budget import Budget
from pavane.parallel.threads import thread_pool
from pavane.solvers.large_scatter.effort import EffortControl
from pavane.solvers.large_scatter.free_filling import binds_channels_alone, can_fill, channels_per_hop, is_even
from pavane.solvers.large_scatter.path_ejection import PathEjection, initial_weights
from pavane.solvers.large_scatter.scatter_arrays import NO_STEP, PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.step_fillers import WINDOWS_AT_A_TIME, FreeSteps, PlannedSteps, StepFiller
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.window_sweeps import fit_planned_paths
from pavane.solvers.rerouting import Rerouting, ReroutingEffort, RoutePlan, ground_of


def probes_in(seconds: float, arrays: ScatterArrays) -> int:
    """Estimate the probes that fit into a time limit, by speeds measured once and for all."""
    usable = TUNING.share_of_time * seconds - TUNING.seconds_per_message * arrays.num_messages
    return max(0, int(_probes_per_second(arrays) * usable))


def has_time(arrays: ScatterArrays, budget: Budget) -> bool:
    """Whether there is time to fill steps along a plan, be it greedily."""
    left = budget.part(TUNING.careful_share).seconds_left
    return left is None or left >= TUNING.seconds_per_message * arrays.num_messages


def fills_windows(arrays: ScatterArrays) -> bool:
    """Whether windows of steps are filled, by several threads if there are any; richness in paths is sampled."""
    is_large = len(arrays.fabric.distances) >= TUNING.least_window_routers
    return is_large and can_fill_along_plan(arrays) and channels_per_hop(arrays) <= TUNING.rich


def can_fill_along_plan(arrays: ScatterArrays) -> bool:
    """Whether units that carry one message alone bind: no ports, no path of length 0, no orbits."""
    return binds_channels_alone(arrays) and arrays.fabric.capacity is None


@dataclass(frozen=True, eq=False)
class PlanFiller:
    """Messages with a plan of paths, and the ejection search for the last steps."""

    arrays: ScatterArrays
    rerouting: Rerouting
    plan: RoutePlan
    is_rich: bool
    """Whether steps are filled along any shortest paths, and the plan says only how busy channels are."""
    ejection: PathEjection
    threads: int = 1
    """Threads change the time that filling takes, not the result."""
    drifts: bool = False
    """Whether the network is rich in paths and loads are uneven, so that the plan must follow what is pending."""

    @classmethod
    def of(
        cls,
        ejection: PathEjection,
        target: int,
        probes_per_hop: int,
        rng: np.random.Generator,
        budget: Budget,
        detour: int = 0,
    ) -> PlanFiller | None:
        """Plan paths longer than the shortest by at most a detour; None if filling is no use, or time is over.

        In networks rich in paths a plan restricts messages too much; steps are then filled along any shortest paths.
        If loads are uneven that takes many probes for each channel of a path.
        """
        arrays = ejection.arrays
        fabric, messages = arrays.fabric, arrays.messages
        ground = ground_of(fabric.wiring, fabric.distances, [fabric.unit_of])
        capacity = arrays.unit_capacity.astype(np.int64)
        rerouting = Rerouting(ground, capacity, messages.sources, messages.targets, detour)
        if rerouting.choices is None:
            return None
        num_channels = np.diff(rerouting.choices.way_offsets)[rerouting.paths.pair_of].sum()
        is_rich = bool(num_channels > TUNING.rich * arrays.num_hops) and not detour
        if is_rich and not can_fill(arrays):
            return None
        drifts = is_rich and not is_even(arrays)
        if drifts and probes_per_hop < TUNING.least_drift_probes:
            return None
        effort = ReroutingEffort(60 if arrays.num_messages < TUNING.many_messages else 4, noise=0.5)
        if detour and arrays.num_messages < TUNING.most_detoured_twice:
            # Paths are many, and a load less is a step less.
            effort = ReroutingEffort(100, patience=20, most_sharpness=3.0, noise=0.95)
        plan = rerouting.plan(target, effort, rng, budget)
        threads = budget.workers.local_size
        return None if plan is None else cls(arrays, rerouting, plan, is_rich, ejection, threads, drifts)

    def prepare(self) -> None:
        """Compile or load all machine code before time is measured."""
        self._step_filler(1).prepare()
        self.ejection.prepare()

    def probes_in_time(self, probes: int, budget: Budget) -> int:
        """Return the probes that threads make in the time for these, or far fewer if there is no time for them.

        Without a limit the number stays, so that threads do not change the result.
        """
        left = budget.part(TUNING.careful_share).seconds_left
        if left is None:
            return probes
        gain = min(self.threads, WINDOWS_AT_A_TIME) ** 0.7 if self.has_windows else 1.0
        probes, seconds = int(gain * probes), left - TUNING.seconds_per_message * self.arrays.num_messages
        possible = max(0, int(gain * _probes_per_second(self.arrays) * seconds))
        return probes if possible >= TUNING.least_speed * probes else possible

    def goal(self, probes: int) -> int:
        """Return the steps to aim at with a number of probes; too ambitious a goal costs more than it gains."""
        most_load = self.plan.most_load
        probes_per_hop = max(1, probes // (self.arrays.num_units * most_load))
        margin = min(TUNING.most_margin, TUNING.probes_of_a_margin / probes_per_hop)
        return most_load + max(1, ceil(most_load * margin))

    def fill_steps(
        self, goal: int, fewer_than: int, num_probes: int, rng: np.random.Generator, budget: Budget
    ) -> PackedSchedule | None:
        """Fill steps with a number of probes; None if there are no fewer than `fewer_than`, or time is over.

        If the machine is too slow for all of them, steps get fewer, and the last ones none.
        """
        # With detours nothing is prepared, and threads must not compile at the same time.
        with thread_pool(self.threads - 1 if self.has_windows and not self.rerouting.slack else 0) as pool:
            return self._fill_steps(goal, fewer_than, num_probes, rng, budget, pool)

    def _fill_steps(
        self,
        goal: int,
        fewer_than: int,
        num_probes: int,
        rng: np.random.Generator,
        budget: Budget,
        pool: ThreadPoolExecutor | None,
    ) -> PackedSchedule | None:
        self.rerouting.take(self.plan)
        filler = self._step_filler(goal, pool)
        step_of = self.arrays.empty_schedule(0).step_of
        shares = _share_out(num_probes, self.arrays.num_units, goal)
        control = EffortControl(shares, budget.part(TUNING.careful_share))
        number = rerouted_at = 0
        while len(filler.pending_messages):
            if self.drifts:
                self._follow(filler.pending_messages, number, goal - number, rng, budget)
            goal = max(goal, number + self.rerouting.most_load)
            left = goal - number
            if goal >= fewer_than or budget.is_over:
                return None
            if left <= max(6, ceil(TUNING.tail * goal)):
                break
            is_due = (number > 0 and left < TUNING.late) or number - rerouted_at >= self._rerouting_period(goal)
            if is_due and not (self.drifts or filler.is_firm):
                self._reroute(filler.pending_messages, left, left, rng, budget)
                rerouted_at = number
            probes = control.probes(number, filler.steps_at_a_time)
            for messages in filler.fill(self._worth(left), left, probes, rng):
                step_of[messages] = number
                number += 1
        if self.rerouting.slack:
            return self._close_along_plan(number, step_of, goal, fewer_than, rng, budget)
        filled = PackedSchedule(number, step_of, self.arrays.path_lengths, filler.paths)
        return self._close(filled, goal, fewer_than, budget)

    @property
    def has_windows(self) -> bool:
        """Whether windows of steps are filled."""
        return not self.is_rich and len(self.arrays.fabric.distances) >= TUNING.least_window_routers

    def _step_filler(self, num_steps: int, pool: ThreadPoolExecutor | None = None) -> StepFiller:
        """Return a filler for about as many steps."""
        if self.is_rich:
            return FreeSteps(self.arrays, self.rerouting, is_even=not self.drifts)
        return PlannedSteps(self.arrays, self.rerouting, num_steps, pool)

    def _rerouting_period(self, goal: int) -> int:
        """Return after how many steps pending messages are rerouted before the last steps."""
        return max(1, goal // max(8, min(40, TUNING.most_replanned // self.arrays.num_messages)))

    def _reroute(self, pending: Longs, target: int, left: int, rng: np.random.Generator, budget: Budget) -> None:
        """Reroute pending messages that have a choice; prices are steeper in the last steps."""
        movable = pending[self.rerouting.has_choice[pending]]
        sharpness = TUNING.sharpness if left >= TUNING.late else 2 * TUNING.sharpness
        self.rerouting.move(rng.permutation(movable), target, sharpness, budget)

    def _follow(self, pending: Longs, number: int, left: int, rng: np.random.Generator, budget: Budget) -> None:
        """Reroute pending messages every few steps, and whenever a unit has too much to carry."""
        most_load = self.rerouting.most_load
        if number > 0 and (left < TUNING.late or number % 4 == 0 or most_load > left):
            self._reroute(pending, min(left, most_load), left, rng, budget)

    def _worth(self, left: int) -> Reals:
        """Return the worth of units in a step, by their slack.

        Where the plan drifts the busiest unit has a slack of at most one step, however many steps are left.
        """
        softness = TUNING.softness * (0.3 + 0.7 * min(1.0, left / TUNING.late))
        if self.drifts:
            left = min(left, self.rerouting.most_load + 1)
        slack = np.maximum(left - self.rerouting.loads, 0)
        return np.asarray(TUNING.least_worth + np.exp(-slack / softness))

    def _close_along_plan(
        self, number: int, step_of: Ints, goal: int, fewer_than: int, rng: np.random.Generator, budget: Budget
    ) -> PackedSchedule | None:
        """Fill the last steps along planned paths, which may be detours; None if they become too many."""
        tail, plan = np.flatnonzero(step_of == NO_STEP), self.rerouting.found()
        for more in TUNING.more_steps:
            left = goal + more - number
            if number + left >= fewer_than or budget.is_over:
                return None
            steps = fit_planned_paths(self.arrays, self.rerouting, tail, left, rng, budget)
            if steps is not None:
                step_of[tail] = number + steps
                lengths = plan.lengths.astype(np.int64)
                return PackedSchedule(number + left, step_of, lengths, plan.arcs).without_empty_steps()
        return None

    def _close(self, filled: PackedSchedule, goal: int, fewer_than: int, budget: Budget) -> PackedSchedule | None:
        """Insert messages without a step into steps behind the filled ones; None if they become too many."""
        arrays, tail = self.arrays, np.flatnonzero(filled.step_of == NO_STEP)
        are_many = len(tail) > TUNING.many_in_the_tail
        ejection = replace(self.ejection, patience=10 * len(tail), gives_up=are_many)
        # Of many, what is too much is soon removed.
        for more in TUNING.more_steps[4:] if are_many else TUNING.more_steps:
            left = goal + more - filled.num_steps
            if filled.num_steps + left >= fewer_than:
                return None
            draft = replace(arrays.empty_schedule(left), paths=filled.paths.copy())
            if ejection.insert(draft, initial_weights(arrays, 4), budget, most_load=left, unplaced=tail):
                step_of = filled.step_of.copy()
                step_of[tail] = filled.num_steps + draft.step_of[tail]
                return replace(draft, step_of=step_of).without_empty_steps()
            if ejection.effort.is_over(budget):
                return None
        return None


def _probes_per_second(arrays: ScatterArrays) -> float:
    return TUNING.probes_per_second * min(1.0, TUNING.most_cached_routers / arrays.problem.network.num_routers)


def _share_out(probes: int, num_units: int, num_steps: int) -> Longs:
    """Share probes out among the steps: evenly if they are few, else most of them to the last ones.

    Early steps are easy; but if even those are filled greedily, their losses are never recovered.
    """
    probes_per_hop = max(1, probes // (num_units * num_steps))
    power = min(3.0, max(1.0, 1.0 + log2(probes_per_hop / 500) / 2))
    first = 0.5 / power**2.3
    shares = first + (1.0 - first) * np.linspace(0.0, 1.0, num_steps) ** power
    return np.asarray(probes * shares / shares.sum(), dtype=np.int64)
