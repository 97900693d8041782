"""The same problem under other numbers and names, made without the code of the atlas."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem


def relabelled(problem: Problem, seed: int) -> Problem:
    """Return a problem with its routers, processors and channels numbered and named anew, at random."""
    rng = random.Random(seed)
    network, collective = problem.network, problem.collective
    routers, processors, order = (
        rng.sample(range(size), size) for size in (network.num_routers, network.num_processors, network.num_channels)
    )
    if problem.rules.duplex == "half":
        # Parallel channels pair up in their order, which belongs to the problem.
        channels = network.channels.tolist()
        first = {tuple(pair): number for number, pair in reversed(list(enumerate(channels)))}
        order = sorted(
            order, key=lambda c: (routers[min(channels[c])], routers[max(channels[c])], first[tuple(channels[c])], c)
        )
    router_of = [0] * network.num_processors
    for processor, router in enumerate(network.router_of.tolist()):
        router_of[processors[processor]] = routers[router]
    capacities = None if network.capacities is None else [int(network.capacities[c]) for c in order]
    other = Network(
        f"another {seed}",
        [f"x{number}" for number in range(network.num_routers)],
        [tuple(routers[end] for end in network.channels[c].tolist()) for c in order],
        router_of,
        capacities=capacities,
    )
    return replace(problem, network=other, collective=_renumbered(collective, processors, rng))


def _renumbered(collective: Collective, image: Sequence[int], rng: random.Random) -> Collective:
    def shuffled(values: list[int]) -> tuple[int, ...]:
        return tuple(rng.sample(values, len(values)))

    width = 2 if collective.pattern == "private" else 1
    return replace(
        collective,
        senders=shuffled([image[p] for p in collective.senders]),
        receivers=shuffled([image[p] for p in collective.receivers]),
        pairs=tuple((image[a], image[b]) for a, b in collective.pairs),
        sizes=tuple((*(image[p] for p in size[:width]), *size[width:]) for size in collective.sizes),
    )
