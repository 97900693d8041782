"""Candidate paths through the network unrolled in time, for private messages under store-and-forward.

A unit is a channel in a step, or a port of a processor in a step; a path has a step for each of its hops, and between
two hops the message rests. A hop is one channel, or where switches pass, a way over pure switches. To ejection search
all of that is one step: it knows nothing of time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.leaps import hops
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.solvers.bundles import Bundles, Hops
from pavane.solvers.candidates import Candidates, PathFinder
from pavane.workers.budget import Budget

TOLL_OF_DETOUR = 0.25
"""What each channel more than on the shortest path costs, in messages pushed out."""


@dataclass(frozen=True, eq=False)
class TimedPaths:
    """Candidates on the unrolled network, and what each of their hops is."""

    candidates: Candidates
    """Their `channels` are the numbers of hops."""
    ways: HopWays
    widths: Longs
    steps: Longs
    """The step of each hop."""
    receivers: Longs
    """The location that each hop leads to: a processor, or ~r for pure switch r."""

    def schedule(self, path_of: Longs) -> Schedule:
        """Return the schedule in which entry i goes along path path_of[i]."""
        candidates, problem = self.candidates, self.candidates.problem
        first = candidates.channel_offsets[path_of]
        lengths = candidates.channel_offsets[path_of + 1] - first
        begins = np.cumsum(lengths) - lengths
        at = np.repeat(first - begins, lengths) + np.arange(int(lengths.sum()))
        receivers = self.receivers[at]
        senders = np.concatenate(([0], receivers[:-1]))
        senders[begins] = problem.ends[candidates.messages, 0]
        messages = np.repeat(candidates.messages, lengths)
        taken = Hops(self.steps[at], senders, receivers, candidates.channels[at].astype(np.int64), messages)
        bundles = self.ways.bundles
        takes_last = _wider_way(bundles) if problem.rules.duplex == "half" else None
        if problem.passes_switches:
            return bundles.schedule_of_paths(taken, self.ways.paths, takes_last=takes_last)
        return bundles.schedule(taken, self.widths, takes_last=takes_last)


class HopWays(NamedTuple):
    """What one step may do: a network whose channels are hops, and the bundles that each hop takes."""

    bundles: Bundles
    network: Network
    paths: list[tuple[int, ...]]

    @classmethod
    def of(cls, problem: Problem) -> HopWays:
        """List the hops of a problem; without switches that pass, a hop is a bundle."""
        bundles = Bundles.of(problem.network)
        joined = bundles.network
        if not problem.passes_switches:
            return cls(bundles, joined, [(bundle,) for bundle in range(joined.num_channels)])
        # Bundles both ways of a link may differ, which half duplex would refuse; to the ways it makes no difference.
        found = hops(Problem(joined, problem.collective, replace(problem.rules, duplex="full")))
        ends = [(hop.tail, hop.head) for hop in found]
        return cls(bundles, Network(joined.name, joined.routers, ends, joined.router_of), [hop.path for hop in found])


def paths_in_time(
    problem: Problem,
    widths: Longs,
    rng: np.random.Generator,
    budget: Budget,
    *,
    most_paths: int,
    most_ways: int,
    detour: int,
) -> TimedPaths | None:
    """List candidates for steps in which a channel carries widths[t] times its capacity.

    At most `most_paths` paths between two routers are taken, each with all choices of steps or a sample of them: about
    `most_ways` in all for a message. Paths may be longer than the shortest by `detour` hops. None where time runs out.
    """
    unrolled = _Unrolled(problem, widths, rng)
    # Under store-and-forward a transfer is one hop, and any sequence of hops is a route.
    rules = Rules("store-and-forward", ports=1, routing="any")
    everything = Problem(unrolled.hop_ways.network, problem.collective, rules)
    finder = PathFinder(everything, rng, most_paths, detour)
    homes, ways_of = problem.network.router_of, {}
    for origin, target in problem.distinct_ends.tolist():
        if budget.is_over:
            return None
        paths = finder.between(int(homes[origin]), int(homes[target]))
        shortest, most_each = min(map(len, paths)), max(1, most_ways // len(paths))
        some = [
            unrolled.ways(origin, target, path, most_each, TOLL_OF_DETOUR * (len(path) - shortest)) for path in paths
        ]
        ways_of[origin, target] = _joined(some)
    each = [ways_of[origin, target] for origin, target in problem.ends.tolist()]
    ways = _joined(each)
    candidates = Candidates(
        problem,
        None,
        np.arange(problem.num_messages),
        first_path=_offsets([len(some.tolls) for some in each]),
        unit_offsets=_offsets(ways.num_units),
        units=ways.units.astype(np.int32),
        shifts=np.zeros(len(ways.units), dtype=np.int32),
        tolls=ways.tolls,
        channel_offsets=_offsets(ways.num_hops),
        channels=ways.hops.astype(np.int32),
        capacity=unrolled.capacity,
    )
    return TimedPaths(candidates, unrolled.hop_ways, widths, ways.steps, ways.receivers)


class _Ways(NamedTuple):
    """Paths with steps: units and hops of all of them, one after the other, and how many each has."""

    units: Longs
    num_units: Longs
    hops: Longs
    steps: Longs
    receivers: Longs
    num_hops: Longs
    tolls: Reals


def _joined(some: list[_Ways]) -> _Ways:
    return _Ways(*(np.concatenate(columns) for columns in zip(*some, strict=True)))


def _offsets(counts: Longs | list[int]) -> Longs:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


class _Unrolled:
    """The units of the network unrolled in time: bundles, links under half duplex, injections and ejections."""

    def __init__(self, problem: Problem, widths: Longs, rng: np.random.Generator) -> None:
        self.hop_ways, self.num_steps, self.rng = HopWays.of(problem), len(widths), rng
        network = self.hop_ways.bundles.network
        is_alone = problem.passes_switches and len(np.unique(network.router_of)) == network.num_processors
        self.ports_matter = not ((network.is_slim or is_alone) and problem.rules.ports == "all")
        carried = network.capacity.astype(np.int64)
        self.link_of: Longs | None = None
        groups = [carried]
        if problem.rules.duplex == "half":
            own, back = np.arange(len(carried)), network.opposite.astype(np.int64)
            self.link_of = np.where(back >= 0, np.minimum(own, back), own)
            both_ways = np.zeros(len(carried), dtype=np.int64)
            np.maximum.at(both_ways, self.link_of, carried)
            groups.append(both_ways)
        self.first_injection = sum(map(len, groups))
        self.first_ejection = self.first_injection + network.num_processors
        self.capacity = np.outer(np.concatenate((*groups, problem.injection, problem.ejection)), widths).ravel()

    def ways(self, origin: int, target: int, path: tuple[int, ...], most: int, toll: float) -> _Ways:
        """Return a path with choices of steps and, on routers of several processors, of who keeps the message."""
        num_hops = max(1, len(path))
        steps = self._choices(num_hops, most)
        size = len(steps)
        hops_taken = np.broadcast_to(np.array(path or (-1,), dtype=np.int64), (size, num_hops))
        receivers = self._receivers(path, target, size)
        columns, when = [], []
        if path:
            along = [(bundle, at) for at, hop in enumerate(path) for bundle in self.hop_ways.paths[hop]]
            taken, hop_at = np.array(along, dtype=np.int64).T
            bundles = np.broadcast_to(taken, (size, len(along)))
            columns.append(bundles)
            if self.link_of is not None:
                columns.append(self.hop_ways.bundles.network.num_channels + self.link_of[bundles])
            when = [steps[:, hop_at]] * len(columns)
        if self.ports_matter:
            senders = np.column_stack((np.full(size, origin), receivers[:, :-1]))
            for first, holders in ((self.first_injection, senders), (self.first_ejection, receivers)):
                # Pure switches have no ports; all ways of a path rest at the same ones.
                has_ports = (holders >= 0).all(axis=0)
                columns.append(first + holders[:, has_ports])
                when.append(steps[:, has_ports])
        units = np.concatenate(columns, axis=1) * self.num_steps + np.concatenate(when, axis=1)
        return _Ways(
            units.ravel(),
            np.full(size, units.shape[1]),
            hops_taken.ravel(),
            steps.ravel(),
            receivers.ravel(),
            np.full(size, num_hops),
            np.full(size, toll),
        )

    def _choices(self, num_hops: int, most: int) -> Longs:
        """Return ascending steps for the hops of a path, a row each: all choices, or `most` of them by chance."""
        if comb(self.num_steps, num_hops) <= most:
            every = list(combinations(range(self.num_steps), num_hops))
            return np.array(every, dtype=np.int64).reshape(-1, num_hops)
        drawn = self.rng.random((most, self.num_steps)).argpartition(num_hops - 1, axis=1)[:, :num_hops]
        return np.sort(drawn, axis=1).astype(np.int64)

    def _receivers(self, path: tuple[int, ...], target: int, size: int) -> Longs:
        """Return the location that each hop leads to, a row for each choice of steps."""
        network = self.hop_ways.network
        receivers = np.full((size, max(1, len(path))), target, dtype=np.int64)
        for at, hop in enumerate(path[:-1]):
            router = int(network.heads[hop])
            there = network.processors_on[router]
            if len(there) > 1:
                receivers[:, at] = self.rng.choice(np.array(there), size)
            else:
                receivers[:, at] = there[0] if there else ~router
        return receivers


def _wider_way(bundles: Bundles) -> Flags:
    """Mark the bundle of each link that fills its lanes from the last down, so that both ways never meet on one.

    Channels of a link pair in order; what both ways carry together is no more than the wider one's lanes.
    """
    network = bundles.network
    own, back = np.arange(network.num_channels), network.opposite.astype(np.int64)
    there = np.where(back >= 0, network.capacity[back], 0)
    is_wider: Flags = (back >= 0) & ((network.capacity > there) | ((network.capacity == there) & (own < back)))
    return is_wider
