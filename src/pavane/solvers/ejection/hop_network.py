"""The hops of one step under store-and-forward, from location to location, and the units that each draws on.

A location is a processor, or a pure switch that holds messages. A hop is one channel or, where switches pass, a way
over pure switches; parallel channels are one bundle. Between routers of several processors there is a hop from each to
each.
Units are bundles, links under half duplex, injections and ejections; those that can never bind are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.distances import distance_table
from pavane.model.incidence import Incidence
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.switch_hops import hops
from pavane.solvers.bundles import Bundles, Hops
from pavane.solvers.ejection.kernels.hop_paths import HopGraph
from pavane.solvers.kernels.rerouting import ArcNetwork
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.rerouting import Rerouting

LEAST_COMPILED = 100
"""Fewer messages are planned in less time than loading machine code takes; detours need many passes."""


@dataclass(frozen=True, eq=False)
class HopNetwork:
    """The hops of a problem, as arrays."""

    problem: Problem
    bundles: Bundles
    paths: list[tuple[int, ...]]
    """Paths of bundles, which hops take."""
    path_of: Longs
    """The number of the path that each hop takes; -1 between processors of one router."""
    graph: HopGraph
    location_of: Longs
    """Each location: a processor, or ~r for pure switch r."""
    unit_offsets: Longs
    """Hops + 1: where the units of each hop begin in the next."""
    units: Longs
    capacity: Longs
    """How many messages each unit takes in a step."""

    @classmethod
    def of(cls, problem: Problem) -> HopNetwork:
        """List the hops of a problem."""
        bundles = Bundles.of(problem.network)
        # The bundles both ways of a link may differ, which half duplex would refuse; the paths are the same.
        listed = hops(Problem(bundles.network, problem.collective, replace(problem.rules, duplex="full")))
        homes = bundles.network.router_of.astype(np.int64)
        switches = np.zeros(0, dtype=np.int64) if problem.passes_switches else np.flatnonzero(problem.is_switch)
        routers = np.concatenate((homes, switches))
        company = np.bincount(routers, minlength=problem.network.num_routers)
        members = np.argsort(routers, kind="stable")
        first = np.cumsum(company) - company
        turn = np.empty(len(routers), dtype=np.int64)
        turn[members] = np.arange(len(routers)) - first[routers[members]]
        table = np.array([(hop.tail, hop.head) for hop in listed], dtype=np.int64).reshape(-1, 2)
        there = company[table[:, 1]]
        path_of, at = counted(company[table[:, 0]] * there)
        tails = members[first[table[path_of, 0]] + at // np.maximum(there[path_of], 1)]
        heads = members[first[table[path_of, 1]] + at % np.maximum(there[path_of], 1)]
        inside = _inside(problem, company, first, members)
        tails, heads = np.concatenate((tails, inside[0])), np.concatenate((heads, inside[1]))
        path_of = np.concatenate((path_of, np.full(len(inside[0]), -1)))
        paths = [hop.path for hop in listed]
        offsets, units, capacity = _Units(problem, bundles.network, company).of_hops(paths, path_of, tails, heads)
        ends = tails.astype(np.int32), heads.astype(np.int32)
        wiring = Wiring(*ends, *Incidence.of(ends[0], len(routers)), *Incidence.of(ends[1], len(routers)))
        graph = HopGraph(wiring, turn.astype(np.int32), company[routers].astype(np.int32))
        location_of = np.concatenate((np.arange(len(homes)), ~switches))
        return cls(problem, bundles, paths, path_of, graph, location_of, offsets, units, capacity)

    def rerouting(self, slack: int) -> Rerouting:
        """Return the messages on their ways, so that paths can be planned; none exceeds the shortest by more hops."""
        wiring, ends = self.graph.wiring, self.problem.ends.astype(np.int32)
        distances = distance_table(Incidence(wiring.in_offsets, wiring.in_channels), wiring.tails)
        ground = ArcNetwork(wiring, distances, self.unit_offsets.astype(np.int32), self.units.astype(np.int32))
        return Rerouting(ground, self.capacity, ends[:, 0].copy(), ends[:, 1].copy(), slack, LEAST_COMPILED)

    def schedule(self, hops_taken: Ints, steps: Longs, messages: Longs) -> Schedule:
        """Return the schedule in which messages take hops in steps."""
        senders, receivers = (self.location_of[ends[hops_taken]] for ends in self.graph.wiring[:2])
        taken = Hops(steps, senders, receivers, self.path_of[hops_taken], messages)
        is_half = self.problem.rules.duplex == "half"
        takes_last = _wider_way(self.bundles.network) if is_half else None
        paths = self.paths if self.problem.passes_switches else None
        return self.bundles.schedule(taken, paths, takes_last=takes_last)


def num_hops(problem: Problem) -> int:
    """Count the hops of a problem whose switches hold, or that has none."""
    network = problem.network
    company = np.maximum(1, np.bincount(network.router_of, minlength=network.num_routers))
    ends = np.unique(network.channels, axis=0)
    return int((company[ends[:, 0]] * company[ends[:, 1]]).sum() + (company * (company - 1)).sum())


def counted(counts: Longs) -> tuple[Longs, Longs]:
    """Return for each of several counts its number as often as it says, and beside it 0, 1, 2 and so on."""
    numbers = np.repeat(np.arange(len(counts)), counts)
    return numbers, np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)


def _inside(problem: Problem, company: Longs, first: Longs, members: Longs) -> tuple[Longs, Longs]:
    """Return the hops between processors of one router: their tails and heads."""
    router, at = counted(company**2)
    tails = members[first[router] + at // company[router]]
    heads = members[first[router] + at % company[router]]
    differ = tails != heads
    tails, heads = tails[differ], heads[differ]
    may = (problem.injection[tails] > 0) & (problem.ejection[heads] > 0)
    return tails[may], heads[may]


class _Units:
    """The units that limit the hops of a step: bundles, links, injections and ejections, numbered in this order."""

    def __init__(self, problem: Problem, network: Network, company: Longs) -> None:
        carried, size = network.capacity.astype(np.int64), network.num_channels
        homes, num_processors = network.router_of, network.num_processors
        tails, heads = network.tails, network.heads
        injection, ejection = problem.injection.astype(np.int64), problem.ejection.astype(np.int64)
        # Each message that leaves a processor alone on its router takes a bundle.
        alone = company[homes] == 1
        self.injects = ~(alone & (injection >= np.bincount(tails, carried, network.num_routers)[homes]))
        self.ejects = ~(alone & (ejection >= np.bincount(heads, carried, network.num_routers)[homes]))
        is_needed = np.ones(size, dtype=bool)
        for ends, ports, binds in ((tails, injection, self.injects), (heads, ejection, self.ejects)):
            narrow = np.full(network.num_routers, np.iinfo(np.int64).max)
            narrow[homes[alone & binds]] = ports[alone & binds]
            is_needed &= narrow[ends] > carried
        self.link_of: Longs | None = None
        both_ways = np.zeros(size, dtype=np.int64)
        if problem.rules.duplex == "half":
            own, back = np.arange(size), network.opposite.astype(np.int64)
            self.link_of = np.where(back >= 0, np.minimum(own, back), own)
            np.maximum.at(both_ways, self.link_of, carried)
            is_needed &= carried < both_ways[self.link_of]
        self.binds: Flags = is_needed
        self.first_link, self.first_injection, self.first_ejection = size, 2 * size, 2 * size + num_processors
        most = max(1, problem.num_messages)
        self.capacity: Longs = np.minimum(np.concatenate((carried, both_ways, injection, ejection)), most)

    def of_hops(
        self, paths: list[tuple[int, ...]], path_of: Longs, tails: Longs, heads: Longs
    ) -> tuple[Longs, Longs, Longs]:
        """Return the units of hops, where each one's begin, and the capacities of units; only those that bind."""
        lengths = np.array([*map(len, paths), 0], dtype=np.int64)
        listed = np.array([bundle for path in paths for bundle in path], dtype=np.int64)
        firsts = np.cumsum(lengths) - lengths
        taker, at = counted(lengths[path_of])
        bundles = listed[firsts[path_of[taker]] + at]
        chosen = self.binds[bundles]
        owners, units = [taker[chosen]], [bundles[chosen]]
        if self.link_of is not None:
            owners.append(taker)
            units.append(self.first_link + self.link_of[bundles])
        for ends, first, binds in (
            (tails, self.first_injection, self.injects),
            (heads, self.first_ejection, self.ejects),
        ):
            has_port = np.flatnonzero(ends < len(binds))
            has_port = has_port[binds[ends[has_port]]]
            owners.append(has_port)
            units.append(first + ends[has_port])
        owner, unit = np.concatenate(owners), np.concatenate(units)
        order = np.argsort(owner, kind="stable")
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(path_of)))))
        used, numbers = np.unique(unit[order], return_inverse=True)
        return offsets.astype(np.int64), numbers.astype(np.int64).reshape(-1), self.capacity[used]


def _wider_way(network: Network) -> Flags:
    """Mark the bundle of each link that fills its lanes from the last down, so that both ways never meet on one.

    Channels of a link pair in order; both ways together carry no more than the lanes of the wider one.
    """
    own, back = np.arange(network.num_channels), network.opposite.astype(np.int64)
    there = np.where(back >= 0, network.capacity[back], 0)
    is_wider: Flags = (back >= 0) & ((network.capacity > there) | ((network.capacity == there) & (own < back)))
    return is_wider
