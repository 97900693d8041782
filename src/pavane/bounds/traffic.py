"""The messages of a problem as traffic: flows between routers that load channels.

For private messages that go in one wormhole transfer each. Under restricted routing the states of `routing` stand for
the routers: shortest paths between them are the admissible ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.priced_loads import Demand, Tariff, Wiring, add_loads
from pavane.model.arrays import Flags, Ints, Longs, Reals
from pavane.model.distances import UNREACHABLE
from pavane.model.problem import Problem


class Traffic:
    """The messages of a problem as flows between routers, and what they load at given prices."""

    def __init__(self, problem: Problem, sources: Ints, demand: Longs) -> None:
        network, restriction = problem.network, problem.restriction
        self.is_minimal = problem.rules.routing != "any"
        used, unit_of = np.unique(problem.units, return_inverse=True)
        self.num_units, self.unit_of = len(used), unit_of.astype(np.int64)
        self.capacity: Longs = network.capacity[used].astype(np.int64)
        """What each unit carries in a step."""
        self.num_processors = network.num_processors
        # What each channel here draws on: a unit of the problem, or at the end of unfolded paths nothing.
        self.drawn_on = self.unit_of
        if restriction is not None:
            network, channel_of = restriction.unfolded()
            # Every path begins in a router's first state.
            sources = (sources * restriction.num_phases).astype(np.int32)
            demand = np.pad(demand, ((0, 0), (network.num_routers - demand.shape[1], 0)))
            self.drawn_on = np.where(channel_of >= 0, self.unit_of[channel_of], self.num_units)
        self.network, self.sources, self.demand = network, sources, demand
        self.num_pairs = len(sources) * network.num_channels
        """The number of pairs of a source and a channel, which says how long buying takes."""
        self._kernel: Callable[..., int] = add_loads
        columns = (*network.outgoing, *network.incoming, network.tails, network.heads)
        self._wiring = Wiring(*(np.ascontiguousarray(column, dtype=np.int32) for column in columns))

    @classmethod
    def of(cls, problem: Problem) -> Traffic | None:
        """Return the traffic of a problem; None where messages do not go in one transfer each or take no channel."""
        if problem.pattern != "private" or problem.rules.switching != "wormhole" or problem.rules.combining:
            return None
        starts, ends = (problem.network.router_of[problem.ends[:, side]] for side in (0, 1))
        is_moving = starts != ends
        if not is_moving.any():
            return None
        sources, rows = np.unique(starts[is_moving], return_inverse=True)
        demand = np.zeros((len(sources), problem.network.num_routers), dtype=np.int64)
        np.add.at(demand, (rows, ends[is_moving]), 1)
        return cls(problem, sources, demand)

    def compile(self) -> None:
        """Buy with machine code from now on."""
        self._kernel = compiled(add_loads)

    def admissible(self) -> Iterator[Flags]:
        """Yield for each source the channels that its messages may take."""
        tails, heads = self.network.tails, self.network.heads
        for source in self.sources.tolist():
            away = self.network.distances_from(source)
            is_reached = away[tails] != UNREACHABLE
            yield is_reached & (away[heads] == away[tails] + 1 if self.is_minimal else heads != source)

    def buy(self, per_unit: Longs) -> tuple[int, Reals]:
        """Return what all cheapest paths cost together, and the loads of the units where all take them."""
        prices = np.append(per_unit, 0)[self.drawn_on]
        surcharge = int(prices.max()) * self.network.num_routers + 1 if self.is_minimal else 0
        loads = np.zeros(len(prices))
        paid = self._kernel(Demand(self.sources, self.demand), self._wiring, Tariff(prices, surcharge), loads)
        per_unit_loads = np.bincount(self.drawn_on, weights=loads, minlength=self.num_units)
        return int(paid), per_unit_loads[: self.num_units].astype(np.float64)
