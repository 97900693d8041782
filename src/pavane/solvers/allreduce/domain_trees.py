"""Trees of free channels in a domain of routers that copy and add: around one of them, to all that it joins."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, TypeAlias

from pavane.solvers.tree_room import Branch, TreeRoom

Direction: TypeAlias = Literal["up", "down", "both"]
"""Which way data go between the routers of a tree and its centre."""

Tree: TypeAlias = dict[int, tuple[int, int]]
"""To each router of a tree the channel from the side of its centre, and the one back."""

_Key: TypeAlias = tuple[frozenset[tuple[int, tuple[int, int]]], tuple[int, ...], tuple[int, ...]]
"""A tree, with the senders and receivers that it joins."""


class DomainTrees:
    """Finds trees in the channels that a step has left, and takes them."""

    def __init__(self, step: TreeRoom) -> None:
        self.step = step
        self.known_paths: dict[_Key, list[Branch] | None] = {}
        """The paths between the ends of each tree that was found; None where they are not allowed."""

    def pass_through(self, centres: Iterable[int], ends: tuple[int, ...]) -> list[Branch] | None:
        """Return paths between all ends along one tree of free channels, which it takes; None where there is none."""
        step = self.step
        if any(step.sending[end] <= 0 or step.receiving[end] <= 0 for end in ends):
            return None
        for centre in centres:
            tree = self._around(centre, ends, "both", -1)
            if tree is None:
                continue
            paths = self._known(tree, ends, ends)
            if paths is not None:
                self._take((channel for pair in tree.values() for channel in pair), ends, ends)
                return paths
        return None

    def at_hub(self, hub: int, ends: tuple[int, ...], direction: Direction) -> list[Branch] | None:
        """Return paths from all ends to a hub ("up"), or back, along one tree, which it takes; None: there is none."""
        step = self.step
        senders, receivers = ((hub,), ends) if direction == "down" else (ends, (hub,))
        if any(step.sending[one] <= 0 for one in senders) or any(step.receiving[one] <= 0 for one in receivers):
            return None
        home = step.home[hub]
        for channel in step.ways_out[home]:
            centre, reverse = step.heads[channel], step.back[channel]
            own = channel if direction == "down" else reverse
            if not step.copies[centre] or reverse < 0 or step.left[step.unit[own]] <= 0:
                continue
            tree = self._around(centre, ends, direction, home)
            if tree is None:
                continue
            tree[home] = (reverse, channel)
            taken = [own, *(pair[direction == "up"] for router, pair in tree.items() if router != home)]
            paths = self._known(tree, senders, receivers)
            if paths is not None and self._fits(taken):
                self._take(taken, senders, receivers)
                return paths
        return None

    def _known(self, tree: Tree, senders: tuple[int, ...], receivers: tuple[int, ...]) -> list[Branch] | None:
        """Return the paths from all senders to all receivers in a tree; None where one of them is not allowed."""
        key = frozenset(tree.items()), senders, receivers
        if key not in self.known_paths:
            paths = [self._path(tree, one, other) for one in senders for other in receivers if one != other]
            self.known_paths[key] = paths if all(map(self._is_allowed, paths)) else None
        return self.known_paths[key]

    def _fits(self, channels: list[int]) -> bool:
        """Return whether channels have room together: under half duplex two of them may share a link."""
        units = [self.step.unit[channel] for channel in channels]
        return all(self.step.left[unit] >= units.count(unit) for unit in units)

    def _take(self, channels: Iterable[int], senders: Iterable[int], receivers: Iterable[int]) -> None:
        for channel in channels:
            self.step.left[self.step.unit[channel]] -= 1
        for sender in senders:
            self.step.sending[sender] -= 1
        for receiver in receivers:
            self.step.receiving[receiver] -= 1

    def _around(self, centre: int, ends: tuple[int, ...], direction: Direction, barred: int) -> Tree | None:
        """Return a tree of free links around a router to the routers of all ends, without those of no use."""
        step = self.step
        links: Tree = {}
        queue = deque([centre])
        while queue:
            router = queue.popleft()
            if router != centre and not step.copies[router]:
                continue
            step.effort += len(step.ways_out[router])
            for channel in step.ways_out[router]:
                head = step.heads[channel]
                if head not in (centre, barred) and head not in links and self._is_free(channel, direction):
                    links[head] = (channel, step.back[channel])
                    queue.append(head)
        needed: set[int] = set()
        for router in {step.home[end] for end in ends}:
            if router != centre and router not in links:
                return None
            while router != centre and router not in needed:
                needed.add(router)
                router = step.tails[links[router][0]]
        return {router: link for router, link in links.items() if router in needed}

    def _is_free(self, channel: int, direction: Direction) -> bool:
        """Return whether a link has room for a tree that grows along a channel."""
        step, reverse = self.step, self.step.back[channel]
        if reverse < 0:
            return False
        if direction != "both":
            return step.left[step.unit[channel if direction == "down" else reverse]] > 0
        room = 2 if step.unit[channel] == step.unit[reverse] else 1
        return step.left[step.unit[channel]] >= room and step.left[step.unit[reverse]] >= room

    def _path(self, tree: Tree, sender: int, receiver: int) -> Branch:
        """Return the path between two processors in a tree."""
        up, down = (tuple(self._routers_up(tree, self.step.home[end])) for end in (sender, receiver))
        shared = sum(1 for a, b in zip(reversed(up), reversed(down), strict=False) if a == b)
        path = [tree[router][1] for router in up[: len(up) - shared]]
        path += [tree[router][0] for router in reversed(down[: len(down) - shared])]
        return sender, receiver, tuple(path)

    def _routers_up(self, tree: Tree, router: int) -> Iterator[int]:
        """Yield the routers from one to below the centre."""
        while router in tree:
            yield router
            router = self.step.tails[tree[router][0]]

    def _is_allowed(self, branch: Branch) -> bool:
        """Return whether a path of a tree is one that the rules allow."""
        sender, receiver, path = branch
        step = self.step
        if step.is_minimal and len(path) != step.problem.network.distances[step.home[sender], step.home[receiver]]:
            return False
        return all(step.passes[step.heads[channel]] for channel, _ in pairwise(path))
