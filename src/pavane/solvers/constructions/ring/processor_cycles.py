"""Cycles of processors, each with a path to the next; how to rotate messages along one, and Euler tours that give one.

The Euler tour of a spanning tree of two-way links serves wormhole and full duplex. Leaves without a member are cut off
first; then the tour between two first visits climbs from a leaf to a common ancestor and goes straight down to the next
member, so it IS the tree path, which meets no router twice. The tour runs through every channel of the tree once, and
the paths are pieces of it, so no two of them share a channel. Paths are not shortest in general.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.model.network import Network
from pavane.model.schedule import Schedule

MOST_ROOTS = 8
"""Spanning trees of each sort that are tried for shortest paths."""


@dataclass(frozen=True)
class Cycle:
    """Processors in a cyclic order, and the path from each to the next."""

    order: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]

    def backwards(self, network: Network) -> Cycle:
        """Return the cycle the other way round, over the opposite channels; every channel must have one."""
        order, opposite = self.order[:1] + self.order[:0:-1], network.opposite.tolist()
        return Cycle(order, tuple(tuple(opposite[channel] for channel in path[::-1]) for path in self.paths[::-1]))


def joint_rotation(*turns: tuple[Cycle, int]) -> Schedule:
    """Return the schedule of rotations along several cycles at once, each for a number of steps."""
    columns = [_columns(cycle, num_steps) for cycle, num_steps in turns]
    steps, senders, receivers, lengths, channels, messages = (
        np.concatenate(parts) for parts in zip(*columns, strict=True)
    )
    num_steps = max(num_steps for _, num_steps in turns)
    return Schedule.from_columns(num_steps, steps, senders, receivers, (lengths, channels), messages)


def _columns(cycle: Cycle, num_steps: int) -> tuple[npt.NDArray[np.int32], ...]:
    """Return the columns of a rotation: step, sender, receiver, path length, channels and message."""
    size, order = len(cycle.order), np.array(cycle.order, dtype=np.int32)
    # Messages are numbered in the order of their origins.
    number = np.argsort(np.argsort(order)).astype(np.int32)
    steps = np.repeat(np.arange(num_steps, dtype=np.int32), size)
    senders = np.tile(np.arange(size, dtype=np.int32), num_steps)
    return (
        steps,
        order[senders],
        order[(senders + 1) % size],
        np.tile(np.array([len(path) for path in cycle.paths], dtype=np.int32), num_steps),
        np.tile(np.array([channel for path in cycle.paths for channel in path], dtype=np.int32), num_steps),
        number[(senders - steps) % size],
    )


def euler_tours(network: Network, members: set[int]) -> Iterator[Cycle]:
    """Yield Euler tours of spanning trees from several roots, nothing if two-way links do not join the members."""
    homes = sorted({int(network.router_of[member]) for member in members})
    roots = homes[:: max(1, len(homes) // MOST_ROOTS)][:MOST_ROOTS]
    for depth_first in (False, True):
        for root in roots:
            down = _spanning_tree(network, root, depth_first)
            if not all(home == root or home in down for home in homes):
                return
            yield _tour(network, root, down, members)


def _spanning_tree(network: Network, root: int, depth_first: bool) -> dict[int, int]:
    """Return for each router that two-way links join to the root the channel of the tree that leads to it."""
    heads, opposite = network.heads.tolist(), network.opposite.tolist()
    down: dict[int, int] = {}
    if depth_first:
        met = {root}
        branches = [iter(network.out_channels[root])]
        while branches:
            for channel in branches[-1]:
                if opposite[channel] >= 0 and heads[channel] not in met:
                    met.add(heads[channel])
                    down[heads[channel]] = channel
                    branches.append(iter(network.out_channels[heads[channel]]))
                    break
            else:
                branches.pop()
        return down
    queue = deque([root])
    while queue:
        for channel in network.out_channels[queue.popleft()]:
            head = heads[channel]
            if opposite[channel] >= 0 and head != root and head not in down:
                down[head] = channel
                queue.append(head)
    return down


def _tour(network: Network, root: int, down: dict[int, int], members: set[int]) -> Cycle:
    """Return the members as the tour first meets them, with the pieces of the tour between them."""
    tails, opposite = network.tails.tolist(), network.opposite.tolist()
    residents: dict[int, list[int]] = {}
    for member in sorted(members):
        residents.setdefault(int(network.router_of[member]), []).append(member)
    # Branches without members are left out: start from the members and climb.
    children: dict[int, list[int]] = {}
    kept = {root}
    for home in residents:
        router = home
        while router not in kept:
            kept.add(router)
            children.setdefault(tails[down[router]], []).append(router)
            router = tails[down[router]]
    stops: list[int] = []
    pieces: list[tuple[int, ...]] = []
    piece: list[int] = []
    waiting = [(root, False)]
    while waiting:
        router, is_left = waiting.pop()
        if is_left:
            piece.append(opposite[down[router]])
            continue
        if router != root:
            piece.append(down[router])
            waiting.append((router, True))
        if router in residents:
            if stops:
                pieces.append(tuple(piece))
            piece = []
            stops += residents[router]
            pieces += [()] * (len(residents[router]) - 1)
        waiting += [(child, False) for child in reversed(children.get(router, []))]
    pieces.append(tuple(piece))
    return Cycle(tuple(stops), tuple(pieces))
