"""Carries out a plan of paths: fills one step after the other, and pushes the rest in.

A channel's slack is what is left of the steps when the waiting messages planned on it have gone. A channel without
slack that stays idle in a step costs a step in the end, so steps are filled by worth, and the worth of a channel grows
as its slack shrinks. Early steps are easy, as nearly everything waits; most of the effort goes into the late ones.
Those who wait are planned anew now and then. The last few steps are filled all at once by pushing, under a cap: no
message moves to a path on which a channel would have more to carry than there are steps.

It aims at a number of steps, and gives way whenever a channel has more to carry than there are steps left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np

from pavane.model.arrays import Ints, Longs, Reals
from pavane.parallel.budget import Budget
from pavane.parallel.threads import helpers
from pavane.solvers.large_scatter.effort_control import SLOW, EffortControl
from pavane.solvers.large_scatter.free_filling import PendingPairs, can_fill, channels_per_hop, is_even
from pavane.solvers.large_scatter.free_steps import FreeSteps
from pavane.solvers.large_scatter.path_ejection import NO_STEP, PartialSchedule, PathEjection, initial_weights
from pavane.solvers.large_scatter.planned_steps import AT_A_TIME, LATE, LEAST_ROUTERS_OF_WINDOWS, PlannedSteps
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays, without_empty_steps
from pavane.solvers.large_scatter.window_sweeps import fit_planned_paths
from pavane.solvers.rerouting import Rerouting, ReroutingEffort, RoutePlan, ground_of

MOST_ROUTERS = 2048
"""Above this the tables between all pairs of routers become too large."""

RICH = 3.0
"""Channels on shortest paths for each channel of a path from which a network counts as rich in paths."""

SOFTNESS = 3.0
"""The worth of a channel falls by e when its slack grows by this many steps."""

LEAST_WORTH = 0.2
"""What a channel is worth however much slack it has."""

SHARPNESS = 0.6
"""How sharply loads are told apart when those who wait are planned anew; twice as sharply when it is late."""

MANY_MESSAGES = 500_000
"""With more messages a plan has few passes, each of which takes most of a second."""

EFFORT_OF_DETOURS = ReroutingEffort(100, patience=20, most_sharpness=3.0, noise=0.95)
"""How long plans with detours are worked on: paths are many, and a load less is a step less."""

MANY_WITH_DETOURS = 20_000
"""With more messages plans with detours have no more passes than others."""

MOST_REPLANNED = 5_000_000
"""How many messages are planned anew before it is late, so that a million messages are eight times."""

STEPS_OF_A_DRIFT = 4
"""Steps after which plans must follow what is left, where steps are filled along any paths although loads differ."""

LEAST_LOOKS_OF_A_DRIFT = 3_000
"""With fewer looks for each channel of a path, half a minute, first fit and pushing do better there."""

LEAST_TAIL, TAIL = 6, 0.02
"""The last steps, a part of all but at least so many, are filled by pushing."""

PATIENCE = 10
"""Moves per message without fewer outside after which the rest does not fit into the last steps."""

MANY_IN_THE_TAIL = 8_000
"""With more messages in the last steps an attempt has no more moves than that: it succeeds soon or not at all."""

LOOKS_A_SECOND = 70_000_000
"""Looks at channels in a second, as long as the tables between all pairs of routers are at hand."""

MOST_AT_HAND = 512
"""Routers up to which they are; with twice as many a look takes twice as long."""

SECONDS_OF_A_MESSAGE = 1.6e-5
"""What plans, pushing and the judge take for each message, however little is looked at."""

SECONDS_OF_A_PLAN = 5e-6
"""What the plan alone takes for each message."""

SECONDS_IN_HASTE = 1.5e-5
"""What filling takes for each message, however little is looked at."""

GAIN_OF_THREADS = 0.7
"""The power of the number of threads by which looks become more."""

SHARE_OF_TIME = 0.75
"""The part of the time limit that plans and filling may take; the rest is for bounds and a first answer."""

LOOKS_OF_A_MARGIN = 27
"""Looks for each channel of a path with which a plan takes twice its steps; with more looks it takes fewer."""

MOST_MARGIN = 0.025
"""The part of the plan's steps by which the aim lies above the plan, at most."""

MORE_STEPS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55)
"""How many steps more are tried in turn where the rest does not fit."""

LEAST_MORE_OF_MANY = 5
"""With many messages in the last steps this many more are tried first: what is too much is soon pushed away."""

LEISURE = 0.86
"""The part of the time left in which steps are filled with care; then what is left is filled in haste."""


def probes_in(seconds: float, arrays: ScatterArrays) -> int:
    """Return about how many looks at channels a time limit has room for, by what was measured once and for all."""
    control = _looks_a_second(arrays)
    return max(0, int(control * (SHARE_OF_TIME * seconds - SECONDS_OF_A_MESSAGE * arrays.num_messages)))


def has_time(arrays: ScatterArrays, budget: Budget, *, has_plan: bool = False) -> bool:
    """Say whether there is time to carry out a plan at all, be it in haste; with a plan to be made before, or not."""
    left = budget.part(LEISURE).seconds_left
    needed = SECONDS_IN_HASTE + (0.0 if has_plan else SECONDS_OF_A_PLAN)
    return left is None or left >= needed * arrays.num_messages


def fills_windows(arrays: ScatterArrays) -> bool:
    """Say whether windows of steps are filled, by several threads where there are some; by what a few routers see."""
    is_large = len(arrays.fabric.distances) >= LEAST_ROUTERS_OF_WINDOWS
    return is_large and can_fill_along_plan(arrays) and channels_per_hop(arrays) <= RICH


def can_fill_along_plan(arrays: ScatterArrays) -> bool:
    """Say yes where units of one message alone bind: no ports, no path of length 0, no orbits."""
    return (
        arrays.num_messages > 0
        and not arrays.group
        and arrays.fabric.capacity is None
        and arrays.problem.network.num_routers <= MOST_ROUTERS
        and len(arrays.port_capacity) == 1
        and bool((arrays.path_lengths > 0).all())
    )


@dataclass(frozen=True, eq=False)
class PlanFiller:
    """Messages with a plan, and how they are pushed in at the end."""

    arrays: ScatterArrays
    rerouting: Rerouting
    plan: RoutePlan
    is_rich: bool
    ejection: PathEjection
    threads: int = 1
    """How many may work at a time; they change the time that filling takes, not what comes of it."""
    drifts: bool = False
    """Whether steps are filled along any paths although loads differ, so that plans must follow what is left."""

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
        """Plan paths of at most the shortest length and a detour; None where that does not help, or time is over.

        Where paths abound, plans bind messages too much; steps are then filled along any paths. If loads differ that
        takes many looks for each channel of a path.
        """
        arrays = ejection.arrays
        fabric, messages = arrays.fabric, arrays.messages
        ground = ground_of(fabric.wiring, fabric.distances, [fabric.unit_of])
        capacity = arrays.unit_capacity.astype(np.int64)
        rerouting = Rerouting(ground, capacity, messages.sources, messages.targets, detour)
        if rerouting.choices is None:
            return None
        num_edges = np.diff(rerouting.choices.way_offsets)[rerouting.paths.pair_of].sum()
        is_rich = bool(num_edges > RICH * arrays.num_hops) and not detour
        if is_rich and not can_fill(arrays):
            return None
        drifts = is_rich and not is_even(arrays, PendingPairs.of(arrays))
        if drifts and probes_per_hop < LEAST_LOOKS_OF_A_DRIFT:
            return None
        effort = ReroutingEffort(60 if arrays.num_messages < MANY_MESSAGES else 4, noise=0.5)
        if detour and arrays.num_messages < MANY_WITH_DETOURS:
            effort = EFFORT_OF_DETOURS
        plan = rerouting.plan(target, effort, rng, budget)
        return (
            None if plan is None else cls(arrays, rerouting, plan, is_rich, ejection, budget.workers.size_here, drifts)
        )

    def prepare(self) -> None:
        """Let all machine code be compiled, or loaded, before anybody measures a pace."""
        steps = self._steps(1)
        if isinstance(steps, PlannedSteps):
            steps.prepare()
        else:
            steps.fill(np.ones(self.arrays.num_units), 1, 0, np.random.default_rng(0))
        self.ejection.prepare()

    def in_time(self, probes: int, budget: Budget) -> int:
        """Return as many looks as threads make in the time for these, or far fewer where there is no time for them.

        Without a limit they are what they are, so that threads do not change what comes of it.
        """
        left = budget.part(LEISURE).seconds_left
        if left is None:
            return probes
        gain = min(self.threads, AT_A_TIME) ** GAIN_OF_THREADS if self.has_windows else 1.0
        probes, seconds = int(gain * probes), left - SECONDS_IN_HASTE * self.arrays.num_messages
        possible = max(0, int(gain * _looks_a_second(self.arrays) * seconds))
        return probes if possible >= SLOW * probes else possible

    def goal(self, probes: int) -> int:
        """Return the number of steps to aim at with a number of looks; who aims too low loses more than he gains."""
        most_load = self.plan.most_load
        probes_per_hop = max(1, probes // (self.arrays.num_units * most_load))
        return most_load + max(1, ceil(most_load * min(MOST_MARGIN, LOOKS_OF_A_MARGIN / probes_per_hop)))

    def fill_steps(
        self, goal: int, fewer_than: int, num_probes: int, rng: np.random.Generator, budget: Budget
    ) -> PackedSchedule | None:
        """Fill steps with `num_looks` at channels; None where no fewer than `fewer_than` come of it, or time is over.

        Where the machine is too slow for all of them steps get fewer, and at last none.
        """
        # With detours nothing is prepared, and threads must not compile at the same time.
        with helpers(self.threads - 1 if self.has_windows and not self.rerouting.slack else 0) as pool:
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
        steps = self._steps(goal, pool)
        at_a_time = steps.at_a_time if isinstance(steps, PlannedSteps) else 1
        step_of = np.full(self.arrays.num_messages, NO_STEP, dtype=np.int32)
        control, number = EffortControl(_shared_out(num_probes, self.arrays.num_units, goal), budget.part(LEISURE)), 0
        planned_at = 0
        while steps.num_pending:
            if self.drifts:
                self._follow(steps.pending_messages, number, goal - number, rng, budget)
            goal = max(goal, number + self.rerouting.most_load)
            left = goal - number
            if goal >= fewer_than or budget.is_over:
                return None
            if left <= max(LEAST_TAIL, ceil(TAIL * goal)):
                break
            is_due = (number > 0 and left < LATE) or number - planned_at >= self._seldom(goal)
            if is_due and not (self.drifts or steps.is_firm):
                self._replan(steps.pending_messages, left, rng, budget)
                planned_at = number
            worth = self._worth(left, SOFTNESS * (0.3 + 0.7 * min(1.0, left / LATE)))
            filled = steps.fill(worth, left, control.probes(number, at_a_time), rng)
            for chosen in filled if isinstance(filled, list) else [filled]:
                step_of[chosen] = number
                number += 1
        if self.rerouting.slack:
            return self._closed_along_plan(number, step_of, goal, fewer_than, rng, budget)
        return self._closed(
            PackedSchedule(number, step_of, self.arrays.path_lengths, steps.paths), goal, fewer_than, budget
        )

    @property
    def has_windows(self) -> bool:
        """Say whether windows of steps are filled."""
        return not self.is_rich and len(self.arrays.fabric.distances) >= LEAST_ROUTERS_OF_WINDOWS

    def _steps(self, num_steps: int, pool: ThreadPoolExecutor | None = None) -> PlannedSteps | FreeSteps:
        """Return steps to be filled, about as many as said."""
        if self.is_rich:
            return FreeSteps(self.arrays, self.rerouting, is_even=not self.drifts)
        return PlannedSteps(self.arrays, self.rerouting, num_steps, pool)

    def _seldom(self, goal: int) -> int:
        """Return after how many steps those who wait are planned anew before it is late."""
        return max(1, goal // max(8, min(40, MOST_REPLANNED // self.arrays.num_messages)))

    def _replan(self, pending_messages: Longs, left: int, rng: np.random.Generator, budget: Budget) -> None:
        """Move those who wait and have a choice; when it is late loads are told apart more sharply."""
        movable = pending_messages[self.rerouting.has_choice[pending_messages]]
        sharpness = SHARPNESS if left >= LATE else 2 * SHARPNESS
        self.rerouting.move(rng.permutation(movable), left, sharpness, budget)

    def _follow(
        self, pending_messages: Longs, number: int, left: int, rng: np.random.Generator, budget: Budget
    ) -> None:
        """Move those who wait and have a choice every few steps, and whenever a unit has too much to carry."""
        most_load = self.rerouting.most_load
        if number > 0 and (left < LATE or number % STEPS_OF_A_DRIFT == 0 or most_load > left):
            movable = pending_messages[self.rerouting.has_choice[pending_messages]]
            sharpness = SHARPNESS if left >= LATE else 2 * SHARPNESS
            self.rerouting.move(rng.permutation(movable), min(left, most_load), sharpness, budget)

    def _worth(self, left: int, softness: float) -> Reals:
        """Return what units are worth in a step, by their slack.

        Where plans drift the busiest unit has a slack of one step at most, however many steps are left.
        """
        if self.drifts:
            left = min(left, self.rerouting.most_load + 1)
        slack = np.maximum(left - self.rerouting.loads, 0)
        return np.asarray(LEAST_WORTH + np.exp(-slack / softness))

    def _closed_along_plan(
        self, number: int, step_of: Ints, goal: int, fewer_than: int, rng: np.random.Generator, budget: Budget
    ) -> PackedSchedule | None:
        """Fill the last steps along planned paths, some of which are no shortest ones; None where they are too many."""
        tail, plan = np.flatnonzero(step_of == NO_STEP), self.rerouting.found()
        for more in MORE_STEPS:
            left = goal + more - number
            if number + left >= fewer_than or budget.is_over:
                return None
            steps = fit_planned_paths(self.arrays, self.rerouting, tail, left, rng, budget)
            if steps is not None:
                step_of[tail] = number + steps
                return PackedSchedule(*without_empty_steps(step_of), plan.lengths.astype(np.int64), plan.arcs)
        return None

    def _closed(self, filled: PackedSchedule, goal: int, fewer_than: int, budget: Budget) -> PackedSchedule | None:
        """Push what has no step into the steps behind those that are filled; None where they become too many."""
        arrays, tail = self.arrays, np.flatnonzero(filled.step_of == NO_STEP)
        are_many = len(tail) > MANY_IN_THE_TAIL
        ejection = replace(self.ejection, patience=PATIENCE * len(tail), gives_up=are_many)
        anywhere = np.full(arrays.num_messages, NO_STEP, dtype=np.int32)
        for more in (more for more in MORE_STEPS if more >= LEAST_MORE_OF_MANY or not are_many):
            left = goal + more - filled.num_steps
            if filled.num_steps + left >= fewer_than:
                return None
            draft = PartialSchedule(left, anywhere.copy(), filled.paths.copy(), anywhere, left, tail)
            if ejection.insert_into(draft, initial_weights(arrays, 4), budget):
                step_of = filled.step_of.copy()
                step_of[tail] = filled.num_steps + draft.step_of[tail]
                return PackedSchedule(*without_empty_steps(step_of), arrays.path_lengths, draft.paths)
            if self.ejection.effort.is_over(budget):
                return None
        return None


def _looks_a_second(arrays: ScatterArrays) -> float:
    return LOOKS_A_SECOND * min(1.0, MOST_AT_HAND / arrays.problem.network.num_routers)


def _shared_out(probes: int, num_units: int, num_steps: int) -> Longs:
    """Share looks out among the steps: evenly where they are few, else most of them to the last ones.

    Early steps are easy; but where even those are filled in haste, what they lose is not made up for.
    """
    probes_per_hop = max(1, probes // (num_units * num_steps))
    power = min(3.0, max(1.0, 1.0 + log2(probes_per_hop / 500) / 2))
    first = 0.5 / power**2.3
    shares = first + (1.0 - first) * np.linspace(0.0, 1.0, num_steps) ** power
    return np.asarray(probes * shares / shares.sum(), dtype=np.int64)
