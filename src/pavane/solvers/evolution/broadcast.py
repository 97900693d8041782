"""The broadcast encoding: a gene (source, path, step) for every message and destination (gecco08 section 4.2).

It does not hold a broadcast tree but says how to make one: the restoration of kernels/evolution.py turns any chromosome
into trees. OAB is a vector of genes; AAB and MNB are one such vector per sender. A message is sent on by its origin and
its receivers only. Possible sources of a destination lie within a radius, which prunes the search (gecco08 section
4.4). Reductions are broadcasts read backwards.

With radius 1 every transfer covers one channel, so the same encoding serves store-and-forward switching.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from pavane.kernels.evolution import BROADCAST_ITEMS, Tables
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.solvers.candidates import PathFinder
from pavane.solvers.evolution.encoding import Encoding

MOST_GENES = 20_000

TIGHT = 0.85
"""From this share of the processors that could be informed at most in so many steps, a broadcast counts as tight."""


def supports(problem: Problem) -> bool:
    """Say yes to broadcasts and reductions without combining that need no relays but receivers."""
    if problem.pattern == "private" or problem.rules.combining or problem.num_deliveries > MOST_GENES:
        return False
    if problem.rules.switching == "wormhole" and problem.restriction is None:
        return True
    most = 1 if problem.rules.switching == "store-and-forward" else problem.network.num_routers
    return least_radius(dual(problem) if problem.pattern == "reduction" else problem) <= most


def encoded(
    asked: Problem,
    num_steps: int,
    rng: np.random.Generator,
    *,
    radius: int | None = None,
    most_paths: int = 32,
    detour: int = 2,
) -> Encoding:
    """Encode a broadcast or a reduction; the radius is chosen to suit unless it is given (`chosen_radius`).

    Of more paths than `most_paths` a random sample is taken; under any routing, beyond radius 1, paths may have
    `detour` channels more than the shortest.
    """
    problem = dual(asked) if asked.pattern == "reduction" else asked
    network = problem.network
    reach = chosen_radius(problem, num_steps) if radius is None else max(radius, least_radius(problem))
    if problem.rules.switching == "store-and-forward":
        reach = 1
    extra = detour if problem.rules.routing == "any" and reach > 1 else 0
    finder = PathFinder(problem, rng, most_paths, extra)
    inject = network.num_channels + np.arange(network.num_processors)
    eject = inject + network.num_processors
    ports_matter = not (network.is_slim and problem.rules.ports == "all")
    unit_of, router_of = problem.units.tolist(), network.router_of.tolist()
    distances = network.distances

    pairs: dict[tuple[int, int], int] = {}
    first_path, unit_offsets, channel_offsets = [0], [0], [0]
    units: list[int] = []
    channels: list[int] = []

    def pair(source: int, target: int) -> int:
        """Number the list of paths from one processor to another; -1 where there is none."""
        if (source, target) not in pairs:
            paths = finder.between(router_of[source], router_of[target])
            for path in paths:
                units.extend(unit_of[channel] for channel in path)
                if ports_matter:
                    units.extend((int(inject[source]), int(eject[target])))
                channels.extend(path)
                unit_offsets.append(len(units))
                channel_offsets.append(len(channels))
            if paths:
                first_path.append(len(unit_offsets) - 1)
            pairs[source, target] = len(first_path) - 2 if paths else -1
        return pairs[source, target]

    first_gene, first_source = [0], [0]
    targets: list[int] = []
    messages: list[int] = []
    sources: list[int] = []
    pair_of: list[int] = []
    origins = problem.labels[:, 0].tolist()
    for message, origin in enumerate(origins):
        receivers = sorted(set(problem.collective.receivers) - {origin})
        for target in receivers:
            for source in (origin, *receivers):
                near = 0 <= distances[router_of[source], router_of[target]] <= reach
                if source != target and near and pair(source, target) >= 0:
                    sources.append(source)
                    pair_of.append(pair(source, target))
            targets.append(target)
            messages.append(message)
            first_source.append(len(sources))
        first_gene.append(len(targets))
    longs = np.int64
    target_of = np.array(targets, dtype=longs)
    tables = Tables(
        num_items=BROADCAST_ITEMS,
        num_steps=num_steps,
        sender_of=target_of,
        room=problem.injection.astype(longs),
        first_sent=np.zeros(network.num_processors + 1, dtype=longs),
        genes_sent=np.zeros(0, dtype=longs),
        first_gene=np.array(first_gene, dtype=longs),
        origin_of=np.array(origins, dtype=longs),
        target_of=target_of,
        first_source=np.array(first_source, dtype=longs),
        source_of=np.array(sources, dtype=longs),
        pair_of=np.array(pair_of, dtype=longs),
        first_path=np.array(first_path, dtype=longs),
        unit_offsets=np.array(unit_offsets, dtype=longs),
        units=np.array(units, dtype=np.int32),
        capacity=np.concatenate((np.ones(network.num_channels), problem.injection, problem.ejection)).astype(longs),
    )
    return Encoding(
        asked,
        problem,
        tables,
        np.array(messages, dtype=longs),
        target_of,
        np.array(channel_offsets, dtype=longs),
        np.array(channels, dtype=np.int32),
    )


def chosen_radius(problem: Problem, num_steps: int) -> int:
    """Choose how far a transfer of a broadcast may go.

    Several messages: 1, a controlled flood, where more steps are needed to take in all messages than to inform everyone
    of one, which is the papers' condition. Otherwise half the diameter, the papers' choice for OAB. But on a ring of 8
    and on the 16-gon that leaves no schedule of 2 steps: where nearly every informed processor must use every port in
    every step, someone has to reach far, and all distances are allowed. And a flood must be able to end in time.
    """
    network, collective = problem.network, problem.collective
    router_of = network.router_of
    homes = router_of[sorted({*collective.receivers, *problem.labels[:, 0].tolist()})]
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
    apart = network.distances[np.ix_(router_of, router_of)].astype(np.int64)
    none = network.num_routers + 1
    apart = np.where(apart < 0, none, apart)
    if problem.restriction is not None:
        joined = problem.restriction.reached(np.arange(network.num_routers))[np.ix_(router_of, router_of)]
        apart = np.where(joined, apart, none)
    least = 0
    for origin in problem.labels[:, 0].tolist():
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
