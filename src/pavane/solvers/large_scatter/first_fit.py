"""First fit for large networks: each private message in the first step in which some shortest path is free.

It does what `greedy` does, compiled and on arrays, so that a million messages take seconds; and then more:

1. Free first fit, longest paths first. This is best on networks rich in shortest paths (hypercube, torus).
2. A plan of paths: each message, shortest paths first, moves to the path whose channels are least loaded, several times
   with steeper prices. Short messages have little choice, the long ones even out the loads. First fit again, in which
   no channel may exceed the plan's largest load: that is what free first fit wastes on networks poor in paths
   (random, dragonfly).
3. The better of the two is packed again, last step first. A message stays on its path if that is free in the step it
   finds, so what shared a step still fits into one step, and the schedule cannot become longer (iterated greedy, known
   from graph colouring: Culberson 1992).

In slots free first fit is all there is: plans ignore when a packet uses a channel, and packed again it may take longer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.jit import clock, compiled
from pavane.model.arrays import Longs, Reals
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort, reserve_time_to_judge
from pavane.solvers.large_scatter.kernels.first_fit import WORDS, FirstFitRoutes, FirstFitTable, fit_first
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.windowed_first_fit import (
    PLACEMENTS_BETWEEN_CLOCK_READS,
    empty_table,
    first_answer,
)
from pavane.solvers.slot_timing import Timing
from pavane.solvers.solver import Finding, argument
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports

MOST_ROUTERS = 8192
"""Above this the table of distances alone takes more than 128 MB."""


@dataclass(frozen=True)
class FirstFit:
    """First fit, free and by a plan of paths; the seed decides the order among equals."""

    name: str = "first-fit"
    sharpness: tuple[float, ...] = (0.1, 0.3, 0.5)
    """One plan after the other: one more message on a channel raises its price by a factor of 2 to this power."""
    repacks: int = 10
    """How often the better schedule is packed again."""
    most_placements: int = 3_000_000
    """No more repacks beyond this number of messages placed: a million messages are placed three times."""

    is_hasty: bool = argument(False)
    """Whether to return windowed first fit, however late it is."""

    supports = Supports(
        patterns=("private",),
        switching=("wormhole", "tdm"),
        combining=False,
        restricted=False,
        most_routers=MOST_ROUTERS,
        takes=("capacities",),
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule; None if time ran out, or if `budget.on_schedule` has received it."""
        arrays = ScatterArrays.of(problem)
        if problem.rules.has_slots:
            return _in_slots(arrays, rng, budget)
        first = first_answer(arrays, num_steps, budget, however_late=self.is_hasty)
        if first.needs is not None:
            return Finding(None, needs=first.needs)
        if self.is_hasty or (first.packed is not None and _suffices(first.packed, num_steps)):
            return first.or_shorter(arrays, None)
        best = self.search(arrays, num_steps, rng, RemainingEffort(budget.evaluations), first.budget)
        return first.or_shorter(arrays, None if best is None else arrays.schedule(best))

    __call__ = solve_once

    def search(
        self,
        arrays: ScatterArrays,
        enough: int | None,
        rng: np.random.Generator,
        effort: RemainingEffort,
        budget: Budget,
    ) -> PackedSchedule | None:
        """Pack until `enough` steps are reached, or all variants are tried; None if time runs out before."""
        lengths, longest_first = arrays.path_lengths, _longest_first(arrays, rng)
        driver = FirstFitDriver(arrays, effort, budget)
        best = driver.pack(_no_routes(arrays), longest_first)
        if best is None or _suffices(best, enough):
            return best
        driver = replace(driver, budget=reserve_time_to_judge(budget, arrays, best))
        routes = _no_routes(arrays)
        for sharpness in self.sharpness:
            if not driver.plan(routes, longest_first[::-1].copy(), sharpness):
                return best
        most_load = _largest_load(arrays, routes)
        planned = driver.pack(routes, longest_first, most_load, best.num_steps)
        if planned is None:
            return best
        if planned.num_steps <= best.num_steps:
            best = planned
        else:
            most_load = NO_LIMIT
        for repack in range(self.repacks):
            if _suffices(best, enough) or (repack + 3) * arrays.num_messages > self.most_placements:
                break
            # The messages of a step stay together, the longest first.
            last_step_first = np.lexsort((rng.permutation(arrays.num_messages), -lengths, -best.step_of))
            repacked = driver.pack(_routes_of(arrays, best), last_step_first, most_load, best.num_steps)
            if repacked is None:
                break
            best = repacked
        return best


@dataclass(frozen=True, eq=False)
class FirstFitDriver:
    """Calls of the first-fit kernel for the messages of a problem, as long as effort and time last."""

    arrays: ScatterArrays
    effort: RemainingEffort
    budget: Budget

    def plan(self, routes: FirstFitRoutes, order: Longs, sharpness: float) -> bool:
        """Move every message to its cheapest path; False if time ran out.

        One more message on a channel raises its price by a factor of 2 to the power of the sharpness.
        """
        arrays = self.arrays
        mean_load = arrays.num_hops / max(int(arrays.unit_capacity.sum()), 1)
        exponents = sharpness * (np.arange(arrays.num_messages + 1) - max(_largest_load(arrays, routes), mean_load))
        prices = np.exp2(np.clip(exponents, -300.0, 300.0))  # so that sums stay finite
        return self._run(order, routes, empty_table(arrays, 0), prices, NO_LIMIT, 0) == arrays.num_messages

    def pack(
        self, routes: FirstFitRoutes, order: Longs, most_load: int = NO_LIMIT, num_steps: int = 0
    ) -> PackedSchedule | None:
        """Place every message in the first step that it fits; None if time or memory ran out.

        The table starts with room for `num_steps`, and grows. The routes are then those of the schedule.
        """
        arrays = self.arrays
        table = empty_table(arrays, WORDS * max(1, -(-num_steps // (64 * WORDS))))
        prices = np.ones(arrays.num_messages + 1)
        num_placed = self._run(order, routes, table, prices, most_load, 0)
        while num_placed is not None and num_placed < arrays.num_messages:
            full, port_loads, unit_loads = table.full, table.port_loads, table.unit_loads
            size = full.nbytes + port_loads.nbytes + (0 if unit_loads is None else unit_loads.nbytes)
            if 2 * size > MOST_BYTES:
                return None
            table = table._replace(
                full=_twice_as_long(full),
                port_loads=_twice_as_long(port_loads),
                unit_loads=None if unit_loads is None else _twice_as_long(unit_loads),
            )
            num_placed = self._run(order, routes, table, prices, most_load, num_placed)
        if num_placed is None:
            return None
        lengths, timing = arrays.path_lengths, Timing.of(arrays.problem)
        num_steps = int((table.step_of + timing.arrival(lengths)).max()) + 1
        return PackedSchedule(num_steps, table.step_of, lengths, routes.paths)

    def _run(
        self,
        order: Longs,
        routes: FirstFitRoutes,
        table: FirstFitTable,
        prices: Reals,
        most_load: int,
        num_placed: int,
    ) -> int | None:
        """Call the kernel until all are placed or the steps do not suffice; None if effort or time ran out."""
        arrays = self.arrays
        kernel: Callable[..., int] = fit_first
        if arrays.num_messages >= TUNING.least_compiled:
            kernel = compiled(fit_first, arrays.variant)
        while num_placed < arrays.num_messages:
            batch = order[num_placed : num_placed + PLACEMENTS_BETWEEN_CLOCK_READS]
            if (num_placed and self.budget.is_over) or not self.effort.suffices(len(batch)):
                return None
            placed = kernel(batch, arrays.fabric, arrays.messages, routes, table, prices, most_load)
            self.effort.spend(placed)
            num_placed += placed
            if placed < len(batch):
                break
        return num_placed


def _in_slots(arrays: ScatterArrays, rng: np.random.Generator, budget: Budget) -> Schedule | Finding:
    """Return the schedule in slots; if time ran out, about how many seconds it takes."""
    began, routes = clock.now(), _no_routes(arrays)
    driver = FirstFitDriver(arrays, RemainingEffort(budget.evaluations), budget)
    packed = driver.pack(routes, _longest_first(arrays, rng))
    if packed is not None:
        return arrays.schedule(packed)
    took = clock.now() - began
    return Finding(None, needs=began - budget.started + took / max(1e-9, routes.is_routed.mean()))


def _longest_first(arrays: ScatterArrays, rng: np.random.Generator) -> Longs:
    """Return the messages by the lengths of their paths, and in random order among equals."""
    return np.lexsort((rng.permutation(arrays.num_messages), -arrays.path_lengths))


def _no_routes(arrays: ScatterArrays) -> FirstFitRoutes:
    """Return routes in which no message has a path."""
    return FirstFitRoutes(
        np.zeros(arrays.num_hops, dtype=np.int32),
        np.zeros(arrays.num_messages, dtype=bool),
        np.zeros(arrays.num_units, dtype=np.int32),
    )


def _routes_of(arrays: ScatterArrays, packed: PackedSchedule) -> FirstFitRoutes:
    """Return the paths of a packed schedule."""
    loads = np.bincount(arrays.fabric.unit_of[packed.paths], minlength=arrays.num_units)
    return FirstFitRoutes(packed.paths.copy(), np.ones(arrays.num_messages, dtype=bool), loads.astype(np.int32))


def _largest_load(arrays: ScatterArrays, routes: FirstFitRoutes) -> int:
    """Return the load of the busiest unit per unit of its capacity, rounded up."""
    return int((-(-routes.loads // arrays.unit_capacity)).max(initial=0))


def _twice_as_long(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a table with as many empty steps again."""
    return np.concatenate((table, np.zeros_like(table)), axis=1)


def _suffices(packed: PackedSchedule, enough: int | None) -> bool:
    return enough is not None and packed.num_steps <= enough
