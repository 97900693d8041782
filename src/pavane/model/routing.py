"""Routing restrictions on meshes and tori: dimension-order, west-first and north-last (noc section 2).

Routers are numbered row by row, the last dimension fastest. The last dimension is x (east is +1, west -1), the one
before is y (north is towards row 0). Every path has as many channels as the grid without faults needs between its ends,
and keeps an order:

* dimension-order: all hops in x come first, then those in y, then the further dimensions;
* west-first: all hops to the west come before any other;
* north-last: all hops to the north come after all others.

Each of them says that channels have ranks and that ranks never fall along a path. So a state is a router and the rank
of the hop that led there, and the admissible paths are the shortest ones between states. On a torus a hop may wrap
around; its direction is the way it goes.

On a network read backwards (`Network.reversed`) a path keeps the order if it does so on the network itself, read
backwards: the dual of a problem has the schedules of the problem, read backwards, under these rules, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.network import Network

Longs = npt.NDArray[np.int64]

RESTRICTED = ("dimension-order", "west-first", "north-last")

FAR = np.int64(2**60)
"""The cost of what cannot be reached."""

MOST_DIMENSIONS = 32


@dataclass(frozen=True, eq=False)
class Restriction:
    """The ranks of a grid's channels: a path is admissible if it is shortest in the grid and its ranks never fall."""

    network: Network
    sizes: tuple[int, ...]
    wraps: bool
    ranks: Longs
    """The rank of each channel."""
    num_ranks: int

    @classmethod
    def of(cls, network: Network, routing: str) -> Restriction:
        """Read the shape off the network's name and check it; InputError where it is no mesh or torus."""
        sizes, wraps, backwards = _shape(network, routing)
        if routing != "dimension-order" and len(sizes) != 2:
            raise InputError(
                f"{routing} routing is for two dimensions, but network {network.name} has {len(sizes)}; "
                "choose dimension-order"
            )
        tails, heads = (_coordinates(ends, sizes) for ends in (network.tails, network.heads))
        moved = tails - heads if backwards else heads - tails
        span = np.array(sizes)
        if wraps:
            # Two routers in a row are joined by one link, which does not wrap.
            moved = np.where((np.abs(moved) == span - 1) & (span > 2), -np.sign(moved), moved)
        stray = np.flatnonzero(np.abs(moved).sum(axis=1) != 1)
        if len(stray):
            tail, head = (network.routers[router] for router in network.channels[stray[0]])
            raise InputError(
                f"network {network.name}: channel {stray[0]} runs from router {tail} to {head}, which are not "
                f"neighbours in the grid; {routing} routing needs a grid: give the network another name and choose "
                "minimal routing"
            )
        axis, way = np.abs(moved).argmax(axis=1), moved.sum(axis=1)
        if routing == "dimension-order":
            ranks, num_ranks = len(sizes) - 1 - axis, len(sizes)
        elif routing == "west-first":
            ranks, num_ranks = np.where((axis == 1) & (way < 0), 0, 1), 2
        else:
            ranks, num_ranks = np.where((axis == 0) & (way < 0), 1, 0), 2
        ranks = num_ranks - 1 - ranks if backwards else ranks
        return cls(network, sizes, wraps, ranks.astype(np.int64), num_ranks)

    @property
    def is_whole(self) -> bool:
        """Whether no link of the grid is missing, so that every pair of routers has an admissible path."""
        ends = np.unique(self.network.channels, axis=0)
        links = [size if self.wraps and size > 2 else size - 1 for size in self.sizes]
        return len(ends) == sum(
            2 * self.network.num_routers // size * along for size, along in zip(self.sizes, links, strict=True)
        )

    def distances(self, sources: npt.NDArray[np.integer]) -> Longs:
        """Return the distance from each source to every router in the grid without faults."""
        everywhere = _coordinates(np.arange(self.network.num_routers), self.sizes)
        total = np.zeros((len(sources), self.network.num_routers), dtype=np.int64)
        for axis, size in enumerate(self.sizes):
            along = np.abs(everywhere[sources, axis][:, None] - everywhere[:, axis][None, :])
            total += np.minimum(along, size - along) if self.wraps else along
        return total

    def cheapest(self, weights: Longs, sources: npt.NDArray[np.integer]) -> Longs:
        """Return what the cheapest admissible path from each source to every router costs; FAR where there is none."""
        cheapest: Longs = self._costs(weights, sources).min(axis=2)
        return cheapest

    def reached(self, sources: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say which routers each source reaches on an admissible path."""
        free = np.zeros(self.network.num_channels, dtype=np.int64)
        return self.cheapest(free, sources) < FAR

    def loads(self, sources: npt.NDArray[np.integer], demand: Longs) -> Longs | None:
        """Return the load of each channel where `demand[row, router]` messages go; None if they have a choice."""
        tails, heads = self.network.tails, self.network.heads
        costs = self._costs(np.zeros(len(self.ranks), dtype=np.int64), sources)
        rows, channels, levels = self._hops(sources)
        may_go = self._before(costs, rows, channels) < FAR
        rows, channels, levels = rows[may_go], channels[may_go], levels[may_go]
        if len(np.unique(rows * self.network.num_routers + heads[channels])) < len(rows):
            return None
        amounts, loads = demand.copy(), np.zeros(len(self.ranks), dtype=np.int64)
        bounds = np.searchsorted(levels, np.arange(int(levels.max(initial=0)) + 2)).tolist()
        for first, last in reversed(list(pairwise(bounds))):
            row, channel = rows[first:last], channels[first:last]
            carried = amounts[row, heads[channel]]
            np.add.at(loads, channel, carried)
            np.add.at(amounts, (row, tails[channel]), carried)
        return loads

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
        costs = np.full((len(sources), self.network.num_routers, self.num_ranks), FAR, dtype=np.int64)
        costs[np.arange(len(sources)), sources, 0] = 0
        rows, channels, levels = self._hops(sources)
        bounds = np.searchsorted(levels, np.arange(int(levels.max(initial=0)) + 2)).tolist()
        for first, last in pairwise(bounds):
            row, channel = rows[first:last], channels[first:last]
            offers = self._before(costs, row, channel) + weights[channel]
            np.minimum.at(costs, (row, heads[channel], self.ranks[channel]), offers)
        return costs

    def _before(self, costs: Longs, rows: Longs, channels: Longs) -> Longs:
        """Return the cost of the cheapest state from which each channel can be taken."""
        below = np.minimum.accumulate(costs[rows, self.network.tails[channels]], axis=1)
        found: Longs = below[np.arange(len(rows)), self.ranks[channels]]
        return found

    def is_kept(self, routers: Longs, channels: Longs) -> bool:
        """Say whether a renumbering of routers and channels takes admissible paths to admissible paths."""
        if not np.array_equal(self.ranks[channels], self.ranks):
            return False
        distances = self.distances(np.arange(self.network.num_routers))
        return np.array_equal(distances[np.ix_(routers, routers)], distances)

    def unfolded(self) -> tuple[Network, Longs]:
        """Return the states as routers, followed by the routers as ends of paths, and the channel of each channel.

        Its shortest paths from state (router, 0) to an end are the admissible ones. Steps to an end have channel -1.
        """
        num_routers, num_ranks = self.network.num_routers, self.num_ranks
        hops = [
            (tail * num_ranks + before, head * num_ranks + rank, channel)
            for channel, ((tail, head), rank) in enumerate(
                zip(self.network.channels.tolist(), self.ranks.tolist(), strict=True)
            )
            for before in range(rank + 1)
        ]
        num_states = num_routers * num_ranks
        hops += [(state, num_states + state // num_ranks, -1) for state in range(num_states)]
        table = np.array(hops, dtype=np.int64)
        return Network(f"{self.network.name} unfolded", num_states + num_routers, table[:, :2], ()), table[:, 2]


class Moves:
    """The hops between states as lists; without a restriction the states are the routers."""

    def __init__(self, network: Network, restriction: Restriction | None) -> None:
        ranks = [0] * network.num_channels if restriction is None else restriction.ranks.tolist()
        self.num_ranks = num_ranks = 1 if restriction is None else restriction.num_ranks
        size = network.num_routers * num_ranks
        self.into: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        """The channels that lead to each state, and the states they come from."""
        self.out: list[list[tuple[int, int]]] = [[] for _ in range(size)]
        """The channels that may be taken from each state, and the states they lead to."""
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            there = head * num_ranks + ranks[channel]
            for here in range(tail * num_ranks, tail * num_ranks + ranks[channel] + 1):
                self.into[there].append((channel, here))
                self.out[here].append((channel, there))

    def start(self, router: int) -> int:
        """Return the state in which a path begins."""
        return router * self.num_ranks

    def ends(self, router: int) -> range:
        """Return the states in which a path may end."""
        return range(router * self.num_ranks, (router + 1) * self.num_ranks)

    def router(self, state: int) -> int:
        """Return the router of a state."""
        return state // self.num_ranks


def _coordinates(routers: npt.NDArray[np.integer], sizes: tuple[int, ...]) -> Longs:
    return np.stack(np.unravel_index(routers, sizes), axis=1).astype(np.int64)


def _shape(network: Network, routing: str) -> tuple[tuple[int, ...], bool, bool]:
    """Return the sizes that the name tells, whether rows are rings, and whether it is read backwards."""
    number = "[0-9]{1,9}"
    name = rf"(mesh|torus):({number}(?:x{number})*)(?:\*[0-9]+)?(?: less .*?)?( reversed)?"
    match = re.fullmatch(name, network.name)
    if match is None:
        raise InputError(
            f"{routing} routing is for meshes and tori of the catalogue, but the network is {network.name}; "
            "give mesh:AxB or torus:AxB, or choose minimal routing"
        )
    family, shape, backwards = match.groups()
    sizes = tuple(map(int, shape.split("x")))
    if len(sizes) > MOST_DIMENSIONS or prod(sizes) != network.num_routers:
        raise InputError(
            f"network {network.name}: it has {network.num_routers} routers, but {family}:{shape[:60]} has "
            f"{prod(sizes):.9g}; {routing} routing needs all routers of a grid: take out links instead, or choose "
            "minimal routing"
        )
    return sizes, family == "torus", backwards is not None
