"""Rings and hierarchical rings, recognized by their channels and never by their name.

A ring is found whatever the numbers of its routers; hierarchical rings are known by the numbering of
`pavane.networks.ring_hierarchies`. Each has one processor on every router and no channel more or less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.solvers.constructions.shapes import has_channels, is_slim


@dataclass(frozen=True)
class Ring:
    """The routers of a ring, each with a channel to the next."""

    order: tuple[int, ...]
    is_two_way: bool


@dataclass(frozen=True)
class Hierarchy:
    """Rings joined by rings: router r has digit (r // strides[l]) % sizes[l] on the ring of level l.

    Routers that agree in all digits from level l on are a group of level l; its first router sits on the ring of
    level l and stands for it.
    """

    sizes: tuple[int, ...]

    @property
    def num_routers(self) -> int:
        """Return the number of routers."""
        return prod(self.sizes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the size of a group of each level."""
        return tuple(prod(self.sizes[:level]) for level in range(len(self.sizes)))

    def ring(self, level: int, router: int) -> list[int]:
        """Return the routers of the ring of some level that joins the group of a router."""
        stride, size = self.strides[level], self.sizes[level]
        first = router - router % (stride * size)
        return [first + index * stride for index in range(size)]

    def up(self, router: int, level: int) -> list[int]:
        """Return the shortest path from a router to the one that stands for its group of some level."""
        path = [router]
        for below in range(level):
            ring = self.ring(below, router)
            size, index = len(ring), ring.index(path[-1])
            # A router opposite to the first goes one way up and the same way back down.
            way = range(index - 1, -1, -1) if 2 * index <= size else range(index + 1, size + 1)
            path += [ring[step % size] for step in way]
        return path

    def path(self, level: int, sender: int, arc: Iterable[int], receiver: int) -> list[int]:
        """Return the path up from the sender, along an arc of a ring given by indices, and down to the receiver."""
        ring = self.ring(level, sender)
        return [*self.up(sender, level)[:-1], *(ring[index] for index in arc), *self.up(receiver, level)[-2::-1]]


@lru_cache(maxsize=32)
def ring_of(network: Network) -> Ring | None:
    """Return the order of a two-way or one-way ring, None for any other network."""
    size = network.num_routers
    if size < 2 or not is_slim(network) or network.num_channels not in (size, 2 * size):
        return None
    is_two_way = network.num_channels == (2 * size if size > 2 else 2)
    heads: list[list[int]] = [[] for _ in range(size)]
    for tail, head in network.channels.tolist():
        heads[tail].append(head)
    if any(len(row) != (2 if is_two_way and size > 2 else 1) for row in heads):
        return None
    order = [0, min(heads[0])]
    while len(order) < size:
        order.append(next((head for head in heads[order[-1]] if head != order[-2]), -1))
    links = np.array(list(zip(order, order[1:] + order[:1], strict=True)))
    expected = np.concatenate((links, links[:, ::-1])) if is_two_way and size > 2 else links
    return Ring(tuple(order), is_two_way) if has_channels(network, expected) else None


@lru_cache(maxsize=32)
def hierarchy_of(network: Network) -> Hierarchy | None:
    """Return the sizes of hierarchical rings of two levels or more, None for any other network."""
    if not is_slim(network):
        return None
    neighbours = sorted(network.heads[list(network.out_channels[0])].tolist())
    for sizes in _possible_sizes(network.num_routers, 1, neighbours):
        if len(sizes) > 1 and has_channels(network, _hierarchical_channels(sizes)):
            return Hierarchy(sizes)
    return None


def _possible_sizes(size: int, stride: int, neighbours: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ring sizes, from a level outward, that the neighbours of router 0 from that level on allow.

    On each level it has one neighbour next to it and, in rings of more than two, one that closes the ring.
    """
    if stride == size and not neighbours:
        yield ()
    if neighbours[:1] != [stride]:
        return
    for closing in (0, 1):
        if closing < len(neighbours) and neighbours[closing] % stride == 0:
            length = neighbours[closing] // stride + 1
            if size % (stride * length) == 0:
                for outward in _possible_sizes(size, stride * length, neighbours[closing + 1 :]):
                    yield (length, *outward)


def _hierarchical_channels(sizes: tuple[int, ...]) -> Longs:
    found = []
    stride, size = 1, prod(sizes)
    for length in sizes:
        ring = np.arange(length) * stride
        links = np.stack((ring, np.roll(ring, -1)), axis=1)[: length if length > 2 else 1]
        firsts = np.arange(0, size, stride * length)
        found.append((firsts[:, None, None] + links[None]).reshape(-1, 2))
        stride *= length
    links = np.concatenate(found)
    return np.concatenate((links, links[:, ::-1]))
