"""Arborescences: the pieces of one message along trees from its origin that share no channel, as many as there can be.

Where all routers copy and paths are free, a step carries one piece along each tree that reaches every router. There are
as many such trees as the narrowest cut around the origin has channels (Edmonds 1973). One tree after the other grows
channel by channel; a channel is taken if the others still have room for the trees that remain (Lovasz 1976).
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer

MOST_WORK = 20_000_000
"""The most routers times channels times trees: above, packing by turns is quicker."""


def applies(problem: Problem) -> bool:
    """Return whether pieces of one message go along any paths through routers that all copy."""
    network = problem.network
    return (
        problem.pattern == "broadcast"
        and problem.rules.multicast
        and problem.rules.routing == "any"
        and problem.rules.duplex == "full"
        and len(problem.collective.senders) == 1
        and network.num_routers * network.num_channels * problem.num_messages <= MOST_WORK
    )


def packed(problem: Problem) -> list[Transfer] | None:
    """Return the transfers of as few steps as trees to all routers allow; None where there are no such trees."""
    network = problem.network
    origin = problem.collective.senders[0]
    root = int(network.router_of[origin])
    receivers = [one for one in sorted(problem.collective.receivers) if one != origin]
    ports = min(int(problem.injection[origin]), *(int(problem.ejection[one]) for one in receivers))
    room = network.capacity.astype(np.int64)
    others = [router for router in range(network.num_routers) if router != root]
    narrowest = min((_flow(network, room, root, router) for router in others), default=0)
    num_trees = min(narrowest, ports, problem.num_messages)
    if not num_trees:
        return None
    trees = [_arborescence(network, room, root, num_trees - 1 - number) for number in range(num_trees)]
    transfers = []
    for piece in range(problem.num_messages):
        step, number = divmod(piece, num_trees)
        for receiver in receivers:
            path, router = [], int(network.router_of[receiver])
            while router != root:
                path.append(trees[number][router])
                router = int(network.tails[path[-1]])
            transfers.append(Transfer(step, origin, receiver, tuple(reversed(path)), (piece,)))
    return transfers


def _arborescence(network: Network, room: Longs, root: int, others: int) -> dict[int, int]:
    """Return the channel into each router of a tree, which it takes, so that there is room for so many others."""
    into: dict[int, int] = {}
    tried: set[int] = set()
    while len(into) < network.num_routers - 1:
        for channel, (tail, head) in enumerate(network.channels.tolist()):
            is_fresh = room[channel] > 0 and channel not in tried and head != root and head not in into
            if not is_fresh or (tail != root and tail not in into):
                continue
            room[channel] -= 1
            if not others or _flow(network, room, root, head) >= others:
                into[head] = channel
                break
            # What was once too much stays so: later there is less room.
            room[channel] += 1
            tried.add(channel)
        else:
            raise AssertionError("Edmonds: there is always a channel that leaves room for the other trees")
    return into


def _flow(network: Network, room: Longs, source: int, sink: int) -> int:
    """Return how many paths from a router to another share no room."""
    return MaximumFlow(network.tails, network.heads, room, source, sink).value
