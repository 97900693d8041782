"""Routing restrictions on meshes and tori: dimension-order, west-first and north-last (noc section 2).

Routers are numbered row by row, the last dimension fastest. The last dimension is x (east is +1, west -1), the one
before is y (north is towards row 0). Every path has as many channels as the grid without faults needs between its ends,
and keeps an order:

* dimension-order: all hops in x come first, then those in y, then the further dimensions;
* west-first: all hops to the west come before any other;
* north-last: all hops to the north come after all others.

Each of them says that channels have phases and that phases never fall along a path. So a state is a router and the
phase of the hop that led there, and the admissible paths are the shortest ones between states. On a torus a hop may
wrap around; its direction is the way it goes.

On a network read backwards (`Network.reversed`) a path keeps the order if it does so on the network itself, read
backwards: the dual of a problem has the schedules of the problem, read backwards, under these rules, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.arrays import Flags, Longs
from pavane.model.grid import Grid
from pavane.model.network import Network

RESTRICTED = ("dimension-order", "west-first", "north-last")

FAR = np.int64(2**60)
"""The cost of what cannot be reached."""


@dataclass(frozen=True, eq=False)
class Restriction:
    """The phases of a grid's channels: a path is admissible if it is shortest in the grid and its phases never fall."""

    network: Network
    grid: Grid
    phases: Longs
    """The phase of each channel."""
    num_phases: int

    @classmethod
    def of(cls, network: Network, routing: str) -> Restriction:
        """Give every channel of a grid its phase; InputError where the network is no mesh or torus."""
        grid = network.grid
        steps = None if grid is None else grid.steps(network.channels)
        if grid is None or steps is None:
            raise InputError(
                f"{routing} routing is for meshes and tori whose routers are all there and numbered row by row, but "
                f"network {network.name} is none; give mesh:AxB or torus:AxB, or choose minimal routing"
            )
        num_dimensions = len(grid.sizes)
        if routing != "dimension-order" and num_dimensions != 2:
            raise InputError(
                f"{routing} routing is for two dimensions, but network {network.name} has {num_dimensions}; "
                "choose dimension-order"
            )
        axis, is_back = steps.axis, steps.way == (1 if grid.is_reversed else -1)
        if routing == "dimension-order":
            phases, num_phases = num_dimensions - 1 - axis, num_dimensions
        elif routing == "west-first":
            phases, num_phases = np.where((axis == 1) & is_back, 0, 1), 2
        else:
            phases, num_phases = np.where((axis == 0) & is_back, 1, 0), 2
        phases = num_phases - 1 - phases if grid.is_reversed else phases
        return cls(network, grid, phases.astype(np.int64), num_phases)

    @property
    def is_whole(self) -> bool:
        """Whether no link of the grid is missing, so that every pair of routers has an admissible path."""
        return len(np.unique(self.network.channels, axis=0)) == self.grid.num_channels

    def distances(self, sources: npt.NDArray[np.integer]) -> Longs:
        """Return the distance from each source to every router in the grid without faults."""
        return self.grid.distances(sources)

    def cheapest(self, weights: Longs, sources: npt.NDArray[np.integer]) -> Longs:
        """Return what the cheapest admissible path from each source to every router costs; FAR where there is none."""
        cheapest: Longs = self._costs(weights, sources).min(axis=2)
        return cheapest

    def reached(self, sources: npt.NDArray[np.integer]) -> Flags:
        """Return which routers each source reaches on an admissible path."""
        free = np.zeros(self.network.num_channels, dtype=np.int64)
        return self.cheapest(free, sources) < FAR

    def _hops(self, sources: npt.NDArray[np.integer]) -> tuple[Longs, Longs, Longs]:
        """Return the channels that lead away from each source, as rows, channels and distances, the nearest first."""
        away, tails, heads = self.distances(sources), self.network.tails, self.network.heads
        rows, channels = np.nonzero(away[:, tails] + 1 == away[:, heads])
        levels = away[rows, tails[channels]]
        order = np.argsort(levels, kind="stable")
        return rows[order], channels[order], levels[order]

    def _costs(self, weights: Longs, sources: npt.NDArray[np.integer]) -> Longs:
        """Return the cheapest way from each source to each state, level by level."""
        heads = self.network.heads
        costs = np.full((len(sources), self.network.num_routers, self.num_phases), FAR, dtype=np.int64)
        costs[np.arange(len(sources)), sources, 0] = 0
        rows, channels, levels = self._hops(sources)
        bounds = np.searchsorted(levels, np.arange(int(levels.max(initial=0)) + 2)).tolist()
        for first, last in pairwise(bounds):
            row, channel = rows[first:last], channels[first:last]
            offers = self._before(costs, row, channel) + weights[channel]
            np.minimum.at(costs, (row, heads[channel], self.phases[channel]), offers)
        return costs

    def _before(self, costs: Longs, rows: Longs, channels: Longs) -> Longs:
        """Return the cost of the cheapest state from which each channel can be taken."""
        below = np.minimum.accumulate(costs[rows, self.network.tails[channels]], axis=1)
        found: Longs = below[np.arange(len(rows)), self.phases[channels]]
        return found

    def is_kept(self, routers: Longs, channels: Longs) -> bool:
        """Return whether a renumbering of routers and channels takes admissible paths to admissible paths."""
        if not np.array_equal(self.phases[channels], self.phases):
            return False
        distances = self.distances(np.arange(self.network.num_routers))
        return np.array_equal(distances[np.ix_(routers, routers)], distances)

    def unfolded(self) -> tuple[Network, Longs]:
        """Return the states as routers, followed by the routers as ends of paths, and the channel of each channel.

        Its shortest paths from state (router, 0) to an end are the admissible ones. Steps to an end have channel -1.
        """
        num_routers, num_phases = self.network.num_routers, self.num_phases
        hops = [
            (tail * num_phases + before, head * num_phases + phase, channel)
            for channel, ((tail, head), phase) in enumerate(
                zip(self.network.channels.tolist(), self.phases.tolist(), strict=True)
            )
            for before in range(phase + 1)
        ]
        num_states = num_routers * num_phases
        hops += [(state, num_states + state // num_phases, -1) for state in range(num_states)]
        table = np.array(hops, dtype=np.int64)
        return Network(f"{self.network.name} unfolded", num_states + num_routers, table[:, :2], ()), table[:, 2]


class StateHops:
    """The hops between states as lists; without a restriction the states are the routers."""

    def __init__(self, network: Network, restriction: Restriction | None) -> None:
        phases = [0] * network.num_channels if restriction is None else restriction.phases.tolist()
        self.num_phases = num_phases = 1 if restriction is None else restriction.num_phases
        size = network.num_routers * num_phases
        self.into: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        """The channels that lead to each state, and the states they come from."""
        self.out: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        """The channels that may be taken from each state, and the states they lead to."""
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            there = head * num_phases + phases[channel]
            for here in range(tail * num_phases, tail * num_phases + phases[channel] + 1):
                self.into[there].append((channel, here))
                self.out[here].append((channel, there))

    def start(self, router: int) -> int:
        """Return the state in which a path begins."""
        return router * self.num_phases

    def ends(self, router: int) -> range:
        """Return the states in which a path may end."""
        return range(router * self.num_phases, (router + 1) * self.num_phases)

    def router(self, state: int) -> int:
        """Return the router of a state."""
        return state // self.num_phases
