"""Calls of the kernel first fit: plan a path for every message, or place every message in its first free step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.jit import compiled
from pavane.model.arrays import Longs, Reals
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort
from pavane.solvers.large_scatter.kernels.first_fit import WORDS_AT_ONCE, FirstFitRoutes, FirstFitTable, first_fit
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, PackedSchedule, ScatterArrays

LEAST_COMPILED = 600
"""Fewer messages are placed before machine code is even loaded."""

BETWEEN_LOOKS = 1000
"""Messages placed between two looks at the clock."""

MOST_EXPONENT = 300.0
"""Prices are powers of 2 up to this one, and down to its inverse, so that sums of prices stay finite."""


def no_routes(arrays: ScatterArrays) -> FirstFitRoutes:
    """Return routes in which no message has a path."""
    return FirstFitRoutes(
        np.zeros(arrays.num_hops, dtype=np.int32),
        np.zeros(arrays.num_messages, dtype=bool),
        np.zeros(arrays.num_units, dtype=np.int32),
    )


def routes_of(arrays: ScatterArrays, packed: PackedSchedule) -> FirstFitRoutes:
    """Return the paths of what is packed."""
    loads = np.bincount(arrays.fabric.unit_of[packed.paths], minlength=arrays.num_units)
    return FirstFitRoutes(packed.paths.copy(), np.ones(arrays.num_messages, dtype=bool), loads.astype(np.int32))


def most_loaded(arrays: ScatterArrays, routes: FirstFitRoutes) -> int:
    """Return the load of the busiest unit, for each message of its capacity, rounded up."""
    return int((-(-routes.loads // arrays.unit_capacity)).max(initial=0))


@dataclass(frozen=True, eq=False)
class FirstFitDriver:
    """First fit of the messages of a problem, as long as effort and time last."""

    arrays: ScatterArrays
    effort: RemainingEffort
    budget: Budget

    def plan(self, routes: FirstFitRoutes, order: Longs, sharpness: float) -> bool:
        """Move every message to its cheapest path; False if time ran out.

        One more message on a channel raises its price by a factor of 2 to the power of the sharpness.
        """
        arrays = self.arrays
        middle = max(most_loaded(arrays, routes), arrays.num_hops / max(int(arrays.unit_capacity.sum()), 1))
        exponents = sharpness * (np.arange(arrays.num_messages + 1) - middle)
        prices = np.exp2(np.clip(exponents, -MOST_EXPONENT, MOST_EXPONENT))
        done = self._run(order, routes, _no_steps(arrays, 0), prices, NO_LIMIT, 0)
        return done == arrays.num_messages

    def pack(
        self, routes: FirstFitRoutes, order: Longs, most_load: int = NO_LIMIT, num_steps: int = 0
    ) -> PackedSchedule | None:
        """Place every message in the first step that it fits; None if time or memory ran out.

        The table starts with room for `num_steps`, and grows. The routes are then those of what is packed.
        """
        arrays = self.arrays
        timetable = _no_steps(arrays, WORDS_AT_ONCE * max(1, -(-num_steps // (64 * WORDS_AT_ONCE))))
        prices = np.ones(arrays.num_messages + 1)
        done = self._run(order, routes, timetable, prices, most_load, 0)
        while done is not None and done < arrays.num_messages:
            full, port_loads, unit_loads = timetable.full, timetable.port_loads, timetable.unit_loads
            size = full.nbytes + port_loads.nbytes + (0 if unit_loads is None else unit_loads.nbytes)
            if 2 * size > MOST_BYTES:
                return None
            timetable = timetable._replace(
                full=_twice_as_long(full),
                port_loads=_twice_as_long(port_loads),
                unit_loads=None if unit_loads is None else _twice_as_long(unit_loads),
            )
            done = self._run(order, routes, timetable, prices, most_load, done)
        if done is None:
            return None
        num_steps = int(timetable.step_of.max()) + 1
        return PackedSchedule(num_steps, timetable.step_of, arrays.path_lengths, routes.paths)

    def _run(
        self, order: Longs, routes: FirstFitRoutes, timetable: FirstFitTable, prices: Reals, most_load: int, done: int
    ) -> int | None:
        """Call the kernel until all are placed or the steps do not suffice; None if effort or time ran out."""
        arrays = self.arrays
        kernel: Callable[..., int] = first_fit
        if arrays.num_messages >= LEAST_COMPILED:
            kernel = compiled(first_fit, arrays.variant)
        while done < arrays.num_messages:
            some = order[done : done + BETWEEN_LOOKS]
            if self.budget.is_over or not self.effort.suffices(len(some)):
                return None
            placed = kernel(some, arrays.fabric, arrays.messages, routes, timetable, prices, most_load)
            self.effort.spend(placed)
            done += placed
            if placed < len(some):
                break
        return done


def _no_steps(arrays: ScatterArrays, num_words: int) -> FirstFitTable:
    """Return a timetable in which nothing is taken; without any words it has no steps."""
    num_ports = len(arrays.port_capacity)
    return FirstFitTable(
        np.zeros((arrays.num_units + num_ports, num_words), dtype=np.uint64),
        np.zeros((num_ports, 64 * num_words), dtype=np.int32),
        arrays.port_capacity,
        np.full(arrays.num_messages, -1, dtype=np.int32),
        None if arrays.fabric.capacity is None else np.zeros((arrays.num_units, 64 * num_words), dtype=np.int32),
    )


def _twice_as_long(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a table with as many steps again, in which nothing is taken."""
    return np.concatenate((table, np.zeros_like(table)), axis=1)
