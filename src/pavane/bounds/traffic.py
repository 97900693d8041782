"""The messages of a problem as traffic: flows between routers that load channels, and ports where they stop.

For private messages without combining. A wormhole goes in one transfer along an admissible path; under restricted
routing the states of `routing` stand for the routers: shortest paths between them are the admissible ones. Under
store-and-forward a message is relayed along any path; where hops over switches must be shortest, along any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pavane.bounds.kernels.priced_loads import PricedDemand, PricedPaths, PricingGraph, Tariff, add_loads, list_ways
from pavane.bounds.prices import CertificatePrices
from pavane.bounds.stops import Stops
from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs, Reals
from pavane.model.distances import UNREACHABLE
from pavane.model.problem import Problem
from pavane.model.switch_hops import unfolded_hops

SHARP = 100.0
"""With this sharpness no path is taken that is dearer by 1."""


MOST_HOP_PAIRS = 25_000
"""Up to this many pairs of a source and an unfolded channel, the linear program of all hops takes about a second."""


class Traffic:
    """The messages of a problem as flows between routers, and what they load at given prices."""

    def __init__(self, problem: Problem, sources: Ints, demand: Longs) -> None:
        network, restriction = problem.network, problem.restriction
        is_stored = problem.rules.switching == "store-and-forward"
        self.is_minimal = problem.rules.routing != "any" and not is_stored
        used, unit_of = np.unique(problem.units, return_inverse=True)
        self.num_links, self.unit_of = len(used), unit_of.astype(np.int64)
        """The number of units that channels draw on: channels, or under half duplex links."""
        stops = Stops(problem) if is_stored else None
        self.stops = stops if stops is not None and stops.num_ports else None
        self.capacity: Longs = network.capacity[used].astype(np.int64)
        """What each unit carries in a step: links first, then ports."""
        if self.stops is not None:
            self.capacity = np.concatenate((self.capacity, self.stops.capacity))
        self.num_units = len(self.capacity)
        self._num_processors = network.num_processors
        # What each channel here draws on: a unit of the problem, or at the end of unfolded paths nothing.
        self.drawn_on = self.unit_of
        if restriction is not None:
            network, channel_of = restriction.unfolded()
            # Every path begins in a router's first state.
            sources = (sources * restriction.num_phases).astype(np.int32)
            demand = np.pad(demand, ((0, 0), (network.num_routers - demand.shape[1], 0)))
            self.drawn_on = np.where(channel_of >= 0, self.unit_of[channel_of], self.num_links)
        hops = unfolded_hops(problem)
        if hops is not None and len(sources) * hops.network.num_channels <= MOST_HOP_PAIRS:
            network, self.drawn_on = hops.network, self.unit_of[hops.channel_of]
            demand = np.pad(demand, ((0, 0), (0, network.num_routers - demand.shape[1])))
        self.network, self.sources, self.demand = network, sources, demand
        self.arrivals: Longs = demand.sum(axis=0)
        """The number of messages that come to each router and end there."""
        self.num_pairs = len(sources) * network.num_channels
        """The number of pairs of a source and a channel, which says how long buying takes."""
        self._kernels: tuple[Callable[..., int], Callable[..., int]] = add_loads, list_ways
        self._ways: PricedPaths | None = None
        columns = (*network.outgoing, *network.incoming, network.tails, network.heads)
        self._wiring = PricingGraph(*(np.ascontiguousarray(column, dtype=np.int32) for column in columns))

    @classmethod
    def of(cls, problem: Problem) -> Traffic | None:
        """Return the traffic of a problem; None where messages are not private, are combined or take no channel."""
        if problem.pattern != "private" or problem.rules.combining:
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
        self._kernels = compiled(add_loads), compiled(list_ways)

    def admissible(self) -> Iterator[Flags]:
        """Yield for each source the channels that its messages may take."""
        tails, heads = self.network.tails, self.network.heads
        for source in self.sources.tolist():
            away = self.network.distances_from(source)
            is_reached = away[tails] != UNREACHABLE
            yield is_reached & (away[heads] == away[tails] + 1 if self.is_minimal else heads != source)

    def price_list(self, per_unit: Longs) -> CertificatePrices:
        """Return the prices of units as prices of channels and ports."""
        zeros = np.zeros(self._num_processors, dtype=np.int64)
        ports = (zeros, zeros) if self.stops is None else self.stops.columns(per_unit[self.num_links :])
        return CertificatePrices(per_unit[self.unit_of], *ports)

    def buy(self, per_unit: Longs, sharpness: float = SHARP) -> tuple[int, Reals]:
        """Return what all cheapest paths cost together, and the loads of the units.

        A path that costs more than another by x is taken exp(-sharpness * x) times as often: by default not at all.
        """
        prices = np.append(per_unit[: self.num_links], 0)[self.drawn_on]
        heads, stops = self.network.heads, self.stops
        tolls = np.zeros(0, dtype=np.int64) if stops is None else stops.tolls(per_unit[self.num_links :])
        if stops is not None:
            # Copies of switches come after the routers, and have no ports.
            tolls = np.pad(tolls, (0, self.network.num_routers - len(tolls)))
            prices = prices + tolls[heads]
        loads, demand = np.zeros(len(prices)), PricedDemand(self.sources, self.demand)
        paid = int(self._kernels[0](demand, self._wiring, self._listed(), Tariff(prices, sharpness), loads))
        of_links = np.bincount(self.drawn_on, weights=loads, minlength=self.num_links)[: self.num_links].astype(float)
        if stops is None:
            return paid, of_links
        # A message that has arrived makes no stop, but is received once, and sent once by its origin.
        of_ports = per_unit[self.num_links :]
        paid += int((of_ports * stops.own).sum()) - int((self.arrivals * tolls).sum())
        passing: Reals = np.bincount(heads, weights=loads, minlength=self.network.num_routers) - 1.0 * self.arrivals
        return paid, np.concatenate((of_links, stops.loads(of_ports, passing[: stops.num_routers])))

    def _listed(self) -> PricedPaths:
        """Return the channels of shortest paths, where paths must be shortest; they are listed once."""
        if self._ways is None:
            empty = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
            self._ways = PricedPaths(*empty)
            if self.is_minimal:
                room = PricedPaths(
                    np.zeros(len(self.sources) + 1, dtype=np.int64), np.empty(self.num_pairs, dtype=np.int32)
                )
                end = self._kernels[1](self.sources, self._wiring, room)
                self._ways = room._replace(channels=room.channels[:end].copy())
        return self._ways
