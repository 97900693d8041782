"""The broadcast encoding: a gene (source, path, step) for every message and destination (gecco08 section 4.2).

It does not hold a broadcast tree but says how to make one: the restoration of kernels/repair.py turns any
chromosome into trees. OAB is a vector of genes; AAB and MNB are one such vector per sender. A message is sent on by its
origin and its receivers only. Possible sources of a destination lie within a radius, which prunes the search (gecco08
section 4.4).

With radius 1 every transfer covers one channel, so the same encoding serves store-and-forward switching. Where
switches pass, the radius counts steps instead of channels, and the paths of radius 1 are hops over switches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
import numpy.typing as npt

from pavane.model.allreduce import phases
from pavane.model.distances import UNREACHABLE
from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.switch_hops import hops, steps_from
from pavane.solvers.candidates import PathFinder
from pavane.solvers.evolutionary.encoding import Coding, Encoding
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS, Genome
from pavane.solvers.supports import Supports

Between = Callable[[int, int], Sequence[tuple[int, ...]]]
"""Lists paths from one router to another, as channels."""

MOST_GENES = 20_000

TIGHT = 0.85
"""A broadcast is tight if it must inform this share of the processors that could be informed in its steps at most."""


def _needs_no_relays(problem: Problem) -> bool:
    """Return whether receivers alone can send copies on to each other."""
    if problem.pattern == "allreduce":
        return all(SUPPORTS(phase) for phase in phases(problem))
    if problem.rules.switching == "wormhole" and problem.restriction is None:
        return True
    most = 1 if problem.rules.switching == "store-and-forward" else problem.network.num_routers
    return least_radius(forwards(problem)) <= most


SUPPORTS = Supports(
    patterns=("broadcast", "reduction", "allreduce"),
    switching=("wormhole", "store-and-forward"),
    combining=False,
    most_arrivals=MOST_GENES,
    where="messages that need no relays but their receivers",
    holds=_needs_no_relays,
)


def encoded(problem: Problem, num_steps: int, coding: Coding, rng: np.random.Generator) -> Encoding:
    """Encode a broadcast; the radius is chosen to suit unless it is given (`chosen_radius`).

    Detours are for any routing, beyond radius 1.
    """
    if problem.rules.switching == "store-and-forward":
        radius = 1
    elif coding.radius is None:
        radius = chosen_radius(problem, num_steps)
    else:
        radius = max(coding.radius, least_radius(problem))
    detour = coding.detour if problem.rules.routing == "any" and radius > 1 else 0
    if problem.passes_switches:
        between = _hops_between(problem, coding.most_paths)
    else:
        between = PathFinder(problem, rng, coding.most_paths, detour).between
    paths = _PathLists(problem, between)
    sources = _Sources(problem, radius, paths)
    network, longs = problem.network, np.int64
    target_of = np.array(sources.targets, dtype=longs)
    genome = Genome(
        num_items=BROADCAST_ITEMS,
        num_steps=num_steps,
        sender_of=target_of,
        room=problem.injection.astype(longs),
        first_sent=np.zeros(network.num_processors + 1, dtype=longs),
        genes_sent=np.zeros(0, dtype=longs),
        first_gene=np.array(sources.first_gene, dtype=longs),
        origin_of=problem.ends[:, 0].astype(longs),
        target_of=target_of,
        first_source=np.array(sources.first_source, dtype=longs),
        source_of=np.array(sources.sources, dtype=longs),
        pair_of=np.array(sources.pairs, dtype=longs),
        first_path=np.array(paths.first_path, dtype=longs),
        unit_offsets=np.array(paths.unit_offsets, dtype=longs),
        units=np.array(paths.units, dtype=np.int32),
        capacity=np.concatenate((np.ones(network.num_channels), problem.injection, problem.ejection)).astype(longs),
        counts_pairs=coding.conflicts == "pairs",
    )
    return Encoding(
        problem,
        problem,
        genome,
        np.array(sources.messages, dtype=longs),
        np.array(paths.channel_offsets, dtype=longs),
        np.array(paths.channels, dtype=np.int32),
    )


def _hops_between(problem: Problem, most_paths: int) -> Between:
    """Return a function that lists the ways of one step between two routers with processors."""
    paths: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for hop in hops(problem):
        some = paths.setdefault((hop.tail, hop.head), [])
        if len(some) < most_paths:
            some.append(hop.path)
    return lambda start, end: [()] if start == end else paths.get((start, end), [])


def _apart(problem: Problem) -> npt.NDArray[np.integer]:
    """Return how far routers with processors are from every router: in channels or, where switches pass, in steps."""
    if not problem.passes_switches:
        return problem.network.distances
    table = np.full((problem.network.num_routers,) * 2, UNREACHABLE, dtype=np.int32)
    for router in np.unique(problem.network.router_of).tolist():
        table[router] = steps_from(problem, router)
    return table


class _PathLists:
    """Lists of paths between processors, each pair's at its first use, as columns of numbers."""

    def __init__(self, problem: Problem, between: Between) -> None:
        network = problem.network
        self.between = between
        self.unit_of, self.router_of = problem.units.tolist(), network.router_of.tolist()
        self.first_injection = network.num_channels
        self.first_ejection = network.num_channels + network.num_processors
        self.ports_matter = not (network.is_slim and problem.rules.ports == "all")
        self.numbers: dict[tuple[int, int], int] = {}
        self.first_path, self.unit_offsets, self.channel_offsets = [0], [0], [0]
        self.units: list[int] = []
        self.channels: list[int] = []

    def number(self, source: int, target: int) -> int:
        """Return the number of the list of paths from one processor to another; -1 where there is no path."""
        if (source, target) not in self.numbers:
            paths = self.between(self.router_of[source], self.router_of[target])
            for path in paths:
                self.units.extend(self.unit_of[channel] for channel in path)
                if self.ports_matter:
                    self.units.extend((self.first_injection + source, self.first_ejection + target))
                self.channels.extend(path)
                self.unit_offsets.append(len(self.units))
                self.channel_offsets.append(len(self.channels))
            if paths:
                self.first_path.append(len(self.unit_offsets) - 1)
            self.numbers[source, target] = len(self.first_path) - 2 if paths else -1
        return self.numbers[source, target]


class _Sources:
    """The genes, a message and a target each, and their possible sources, as columns of numbers."""

    def __init__(self, problem: Problem, radius: int, paths: _PathLists) -> None:
        self.first_gene, self.first_source = [0], [0]
        self.messages: list[int] = []
        self.targets: list[int] = []
        self.sources: list[int] = []
        self.pairs: list[int] = []
        distances, router_of = _apart(problem), problem.network.router_of.tolist()
        for message, origin in enumerate(problem.ends[:, 0].tolist()):
            receivers = sorted(set(problem.collective.receivers) - {origin})
            for target in receivers:
                for source in (origin, *receivers):
                    is_near = 0 <= distances[router_of[source], router_of[target]] <= radius
                    if source != target and is_near and paths.number(source, target) >= 0:
                        self.sources.append(source)
                        self.pairs.append(paths.number(source, target))
                self.messages.append(message)
                self.targets.append(target)
                self.first_source.append(len(self.sources))
            self.first_gene.append(len(self.targets))


def chosen_radius(problem: Problem, num_steps: int) -> int:
    """Choose how far a transfer of a broadcast may go.

    Several messages: 1, a controlled flood, where more steps are needed to take in all messages than to inform everyone
    of one, which is the papers' condition. Otherwise half the diameter, the papers' choice for OAB. But on a ring of 8
    and on the 16-gon that leaves no schedule of 2 steps: where nearly every informed processor must use every port in
    every step, someone has to reach far, and all distances are allowed. And a flood must be able to end in time.
    """
    network, collective = problem.network, problem.collective
    router_of = network.router_of
    homes = router_of[sorted({*collective.receivers, *problem.ends[:, 0].tolist()})]
    diameter = int(network.distances[np.ix_(homes, homes)].max())
    members = len(collective.receivers) + (0 if set(collective.senders) <= set(collective.receivers) else 1)
    ports = max(1, int(problem.injection.max()))
    growth = 0
    while (ports + 1) ** growth < members:
        growth += 1
    intake = max(1, int(problem.ejection[list(collective.receivers)].min()))
    if problem.num_messages > 1 and ceil((problem.num_messages - 1) / intake) > growth:
        radius = ceil(diameter / num_steps)
    elif members > TIGHT * (ports + 1) ** min(num_steps, growth):
        radius = diameter
    else:
        radius = ceil(diameter / 2)
    return max(1, radius, least_radius(problem))


def least_radius(problem: Problem) -> int:
    """Return the least radius by which every message reaches its receivers, over receivers alone.

    More than the number of routers: no radius does, because restricted routing joins them over other relays only.
    """
    network = problem.network
    router_of = network.router_of
    apart = _apart(problem)[np.ix_(router_of, router_of)].astype(np.int64)
    none = network.num_routers + 1
    apart = np.where(apart < 0, none, apart)
    if problem.restriction is not None:
        joined = problem.restriction.reached(np.arange(network.num_routers))[np.ix_(router_of, router_of)]
        apart = np.where(joined, apart, none)
    least = 0
    for origin in problem.ends[:, 0].tolist():
        members = np.array(sorted({origin, *problem.collective.receivers}))
        left = apart[np.ix_(members, members)]
        # The longest hop of the shortest spanning tree from the origin: take in the nearest member each time.
        reached = members == origin
        nearest = left[reached][0].copy()
        while not reached.all():
            hop = int(nearest[~reached].min())
            least = max(least, hop)
            new = ~reached & (nearest <= hop)
            reached |= new
            nearest = np.minimum(nearest, left[new].min(axis=0))
    return least
