"""Arborescences: the pieces of one message along trees from its origin that share no channel, as many as there can be.

Where all routers copy and paths are free, a step carries one piece along each tree that reaches every router. There are
as many such trees as the narrowest cut around the origin has channels (Edmonds 1973). One tree after the other grows
channel by channel; a channel is taken if the others still have room for the trees that remain (Lovasz 1976).
"""

from __future__ import annotations

from collections import deque

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
    room: list[int] = network.capacity.tolist()
    ends = list(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
    narrowest = min(
        (
            _flow(ends, room, root, router, problem.num_messages)
            for router in range(network.num_routers)
            if router != root
        ),
        default=0,
    )
    num_trees = min(narrowest, ports, problem.num_messages)
    if not num_trees:
        return None
    trees = [
        _arborescence(ends, room, root, network.num_routers, num_trees - 1 - number) for number in range(num_trees)
    ]
    transfers = []
    for piece in range(problem.num_messages):
        step, number = divmod(piece, num_trees)
        for receiver in receivers:
            path, router = [], int(network.router_of[receiver])
            while router != root:
                path.append(trees[number][router])
                router = ends[path[-1]][0]
            transfers.append(Transfer(step, origin, receiver, tuple(reversed(path)), (piece,)))
    return transfers


def _arborescence(ends: list[tuple[int, int]], room: list[int], root: int, size: int, others: int) -> dict[int, int]:
    """Return the channel into each router of a tree, which it takes, so that there is room for so many others."""
    into: dict[int, int] = {}
    tried: set[int] = set()
    while len(into) < size - 1:
        for channel, (tail, head) in enumerate(ends):
            is_fresh = room[channel] > 0 and channel not in tried and head != root and head not in into
            if not is_fresh or (tail != root and tail not in into):
                continue
            room[channel] -= 1
            if _flow(ends, room, root, head, others) >= others:
                into[head] = channel
                break
            # What was once too much stays so: later there is less room.
            room[channel] += 1
            tried.add(channel)
        else:
            raise AssertionError("Edmonds: there is always a channel that leaves room for the other trees")
    return into


def _flow(ends: list[tuple[int, int]], room: list[int], source: int, sink: int, most: int) -> int:
    """Return how many paths from a router to another share no room, up to a number."""
    left, back = list(room), [0] * len(room)
    beside: dict[int, list[tuple[int, bool]]] = {}
    for channel, (tail, head) in enumerate(ends):
        beside.setdefault(tail, []).append((channel, True))
        beside.setdefault(head, []).append((channel, False))
    for count in range(most):
        came: dict[int, tuple[int, bool]] = {source: (-1, True)}
        queue = deque([source])
        while queue and sink not in came:
            here = queue.popleft()
            for channel, is_forward in beside.get(here, ()):
                there = ends[channel][is_forward]
                if there not in came and (left if is_forward else back)[channel] > 0:
                    came[there] = (channel, is_forward)
                    queue.append(there)
        if sink not in came:
            return count
        here = sink
        while here != source:
            channel, is_forward = came[here]
            left[channel] -= 1 if is_forward else -1
            back[channel] += 1 if is_forward else -1
            here = ends[channel][not is_forward]
    return most
