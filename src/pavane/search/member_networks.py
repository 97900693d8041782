"""The part of a network between the members of a collective, so that collectives at the same time meet less often.

A collective on the channels that shortest paths between its members use leaves the other channels to the rest. Groups
that look alike there, like the rows of a mesh, have equal problems.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Flags, Longs
from pavane.model.messages import Collective
from pavane.model.network import MOST_ROUTERS_TABLED, Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True)
class OwnNetwork:
    """The problem of one collective on a part of the network, whose routers, channels and processors have new numbers.

    Numbers are in the old order, so messages keep theirs.
    """

    problem: Problem
    channels: Longs
    routers: Longs
    processors: Longs

    def on_the_whole(self, schedule: Schedule) -> Schedule:
        """Return a schedule of the part as one of the whole network."""

        def ends(column: Longs) -> Longs:
            at_processor = self.processors[np.maximum(column, 0)]
            return np.where(column >= 0, at_processor, ~self.routers[np.maximum(~column, 0)])

        return schedule.with_columns(
            senders=ends(schedule.senders.astype(np.int64)),
            receivers=ends(schedule.receivers.astype(np.int64)),
            path_channels=self.channels[schedule.path_channels],
        )


def own_network(problem: Problem) -> OwnNetwork | None:
    """Return a problem on the channels of shortest paths between its members; None where that is all, or too little."""
    network = problem.network
    if network.num_routers > MOST_ROUTERS_TABLED:
        return None
    used = _between(network, problem)
    channels = np.flatnonzero(used)
    routers = np.unique(network.channels[channels]).astype(np.int64)
    is_inside = np.zeros(network.num_routers, dtype=bool)
    is_inside[routers] = True
    processors = np.flatnonzero(is_inside[network.router_of])
    members = _members(problem.collective)
    if used.all() or not set(members) <= set(processors.tolist()):
        return None
    router_number, number = np.cumsum(is_inside) - 1, np.cumsum(is_inside[network.router_of]) - 1
    part = Network(
        "part",
        tuple(map(str, range(len(routers)))),
        router_number[network.channels[channels]],
        router_number[network.router_of[processors]],
        capacities=None if network.capacities is None else network.capacities[channels],
    )
    try:
        return OwnNetwork(
            Problem(part, _renumbered(problem.collective, number), problem.rules), channels, routers, processors
        )
    except InputError:  # some rules need the whole network, and some members no path of their own
        return None


def _members(collective: Collective) -> list[int]:
    """Return all processors that a collective names."""
    return sorted({*collective.senders, *collective.receivers, *(end for pair in collective.pairs for end in pair)})


def _renumbered(collective: Collective, number: Longs) -> Collective:
    """Return a collective whose processors have other numbers."""
    return replace(
        collective,
        senders=tuple(number[list(collective.senders)].tolist()),
        receivers=tuple(number[list(collective.receivers)].tolist()),
        pairs=tuple((int(number[a]), int(number[b])) for a, b in collective.pairs),
        sizes=tuple((*(int(number[end]) for end in size[:-1]), size[-1]) for size in collective.sizes),
    )


def _between(network: Network, problem: Problem) -> Flags:
    """Return which channels are on a shortest path between members of a problem."""
    homes = np.unique(network.router_of[_members(problem.collective)])
    distances = network.distances.astype(np.int64)
    used = np.zeros(network.num_channels, dtype=bool)
    for source in homes.tolist():
        to_tails = distances[source, network.tails]
        ways = to_tails[:, None] + 1 + distances[network.heads][:, homes]
        is_joined = (to_tails >= 0)[:, None] & (distances[network.heads][:, homes] >= 0)
        used |= (is_joined & (ways == distances[source, homes][None, :])).any(axis=1)
    return used
