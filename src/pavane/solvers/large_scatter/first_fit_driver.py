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
from pavane.solvers.large_scatter.effort import Effort
from pavane.solvers.large_scatter.kernels.first_fit import WORDS_AT_ONCE, Routes, Timetable, fit_first
from pavane.solvers.large_scatter.scatter_arrays import MOST_BYTES, NO_LIMIT, Columns, Packed

LEAST_COMPILED = 600
"""Fewer messages are placed before machine code is even loaded."""

BETWEEN_LOOKS = 1000
"""Messages placed between two looks at the clock."""

MOST_EXPONENT = 300.0
"""Prices are powers of 2 up to this one, and down to its inverse, so that sums of prices stay finite."""


def no_routes(columns: Columns) -> Routes:
    """Return routes in which no message has a path."""
    return Routes(
        np.zeros(columns.num_hops, dtype=np.int32),
        np.zeros(columns.num_messages, dtype=bool),
        np.zeros(columns.num_units, dtype=np.int32),
    )


def routes_of(columns: Columns, packed: Packed) -> Routes:
    """Return the paths of what is packed."""
    loads = np.bincount(columns.fabric.unit_of[packed.paths], minlength=columns.num_units)
    return Routes(packed.paths.copy(), np.ones(columns.num_messages, dtype=bool), loads.astype(np.int32))


def most_loaded(columns: Columns, routes: Routes) -> int:
    """Return the load of the busiest unit, for each message of its capacity, rounded up."""
    return int((-(-routes.loads // columns.unit_capacity)).max(initial=0))


@dataclass(frozen=True, eq=False)
class Placing:
    """First fit of the messages of a problem, as long as effort and time last."""

    columns: Columns
    effort: Effort
    budget: Budget

    def plan(self, routes: Routes, order: Longs, sharpness: float) -> bool:
        """Move every message to its cheapest path; False if time ran out.

        One more message on a channel raises its price by a factor of 2 to the power of the sharpness.
        """
        columns = self.columns
        middle = max(most_loaded(columns, routes), columns.num_hops / max(int(columns.unit_capacity.sum()), 1))
        exponents = sharpness * (np.arange(columns.num_messages + 1) - middle)
        prices = np.exp2(np.clip(exponents, -MOST_EXPONENT, MOST_EXPONENT))
        done = self._run(order, routes, _no_steps(columns, 0), prices, NO_LIMIT, 0)
        return done == columns.num_messages

    def pack(self, routes: Routes, order: Longs, most_load: int = NO_LIMIT, num_steps: int = 0) -> Packed | None:
        """Place every message in the first step that it fits; None if time or memory ran out.

        The table starts with room for `num_steps`, and grows. The routes are then those of what is packed.
        """
        columns = self.columns
        timetable = _no_steps(columns, WORDS_AT_ONCE * max(1, -(-num_steps // (64 * WORDS_AT_ONCE))))
        prices = np.ones(columns.num_messages + 1)
        done = self._run(order, routes, timetable, prices, most_load, 0)
        while done is not None and done < columns.num_messages:
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
        return Packed(num_steps, timetable.step_of, columns.path_lengths, routes.paths)

    def _run(
        self, order: Longs, routes: Routes, timetable: Timetable, prices: Reals, most_load: int, done: int
    ) -> int | None:
        """Call the kernel until all are placed or the steps do not suffice; None if effort or time ran out."""
        columns = self.columns
        kernel: Callable[..., int] = fit_first
        if columns.num_messages >= LEAST_COMPILED:
            kernel = compiled(fit_first, columns.variant)
        while done < columns.num_messages:
            some = order[done : done + BETWEEN_LOOKS]
            if self.budget.is_over or not self.effort.suffices(len(some)):
                return None
            placed = kernel(some, columns.fabric, columns.messages, routes, timetable, prices, most_load)
            self.effort.spend(placed)
            done += placed
            if placed < len(some):
                break
        return done


def _no_steps(columns: Columns, num_words: int) -> Timetable:
    """Return a timetable in which nothing is taken; without any words it has no steps."""
    num_ports = len(columns.port_capacity)
    return Timetable(
        np.zeros((columns.num_units + num_ports, num_words), dtype=np.uint64),
        np.zeros((num_ports, 64 * num_words), dtype=np.int32),
        columns.port_capacity,
        np.full(columns.num_messages, -1, dtype=np.int32),
        None if columns.fabric.capacity is None else np.zeros((columns.num_units, 64 * num_words), dtype=np.int32),
    )


def _twice_as_long(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a table with as many steps again, in which nothing is taken."""
    return np.concatenate((table, np.zeros_like(table)), axis=1)
