"""Abelian groups of translations: networks that look the same from every router, like rings, tori and circulants.

If routers are numbered row by row in a shape of several sizes, every translation of that shape must keep the channels.
Routers and translations then have the same numbers: translation w takes router 0 to router w.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network
from pavane.model.problem import Problem

MOST_SHAPES = 5_000
"""The ways to write a number of routers as a product that are looked at in half a second; 8! has many more."""


@dataclass(frozen=True, eq=False)
class TranslationGroup:
    """The translations of a shape, with the kinds of channels: each kind is one channel at every router."""

    network: Network
    sizes: tuple[int, ...]
    kinds: Longs
    """The kind of each channel, which translations keep."""

    @classmethod
    def of(cls, problem: Problem) -> TranslationGroup | None:
        """Return the first group found; None where the network does not look the same from every router."""
        return _first_group(problem)

    @property
    def num_kinds(self) -> int:
        """Return the number of channels that leave each router."""
        return int(self.kinds.max()) + 1

    def translation(self, shift: Sequence[int]) -> Longs:
        """Return where a translation takes each router; `shift` has an entry for each size."""
        digits = np.unravel_index(np.arange(self.network.num_routers), self.sizes)
        moved = [(digit + move) % size for digit, move, size in zip(digits, shift, self.sizes, strict=True)]
        return np.ravel_multi_index(moved, self.sizes)

    @cached_property
    def sums(self) -> Ints:
        """Where each translation takes each router: sums[translation, router]."""
        num_routers = self.network.num_routers
        sums = np.zeros((num_routers, num_routers), dtype=np.int32)
        for size, digits in zip(self.sizes, np.unravel_index(np.arange(num_routers), self.sizes), strict=True):
            digit = digits.astype(np.int32)
            sums *= size
            sums += (digit[:, None] + digit) % size
        return sums

    @cached_property
    def opposites(self) -> Ints:
        """The translation that undoes each one."""
        digits = np.unravel_index(np.arange(self.network.num_routers), self.sizes)
        turned = [-digit % size for size, digit in zip(self.sizes, digits, strict=True)]
        return np.ravel_multi_index(turned, self.sizes).astype(np.int32)

    @cached_property
    def channels(self) -> Ints:
        """The channel of each kind at each router: channels[router, kind]."""
        channels = np.zeros((self.network.num_routers, self.num_kinds), dtype=np.int32)
        channels[self.network.tails, self.kinds] = np.arange(self.network.num_channels)
        return channels

    @property
    def hops(self) -> Ints:
        """Return the translation that each kind of channel makes."""
        hops: Ints = self.network.heads[self.channels[0]]
        return hops


@lru_cache(maxsize=8)
def _first_group(problem: Problem) -> TranslationGroup | None:
    return next(groups_of(problem), None)


def groups_of(problem: Problem) -> Iterator[TranslationGroup]:
    """Yield the groups of all shapes under which numbering routers row by row makes every translation a symmetry."""
    for sizes in _factorizations(problem.network.num_routers):
        kinds = channel_kinds(problem.network, sizes) if _may_be_kept(problem.network, sizes) else None
        if kinds is not None:
            yield TranslationGroup(problem.network, sizes, kinds)


def likely_shapes(network: Network) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of grids, numbered row by row, whose translations may keep the channels, its own grid first."""
    own = () if network.grid is None else (tuple(size for size in network.grid.sizes if size > 1),)
    for sizes in islice(chain(own, _factorizations(network.num_routers)), MOST_SHAPES):
        if _may_be_kept(network, sizes):
            yield sizes


def _factorizations(number: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a product of factors of at least two, in every order."""
    if number >= 2:
        yield (number,)
    for factor in range(2, number // 2 + 1):
        if number % factor == 0:
            for rest in _factorizations(number // factor):
                yield (factor, *rest)


def _may_be_kept(network: Network, sizes: tuple[int, ...]) -> bool:
    """Return whether the first and the last router have the same displacements: most shapes fail this quick test."""
    offsets, channels = network.outgoing
    displacements = []
    for router in (0, network.num_routers - 1):
        heads = network.heads[channels[offsets[router] : offsets[router + 1]]]
        moved = np.array(np.unravel_index(heads, sizes)) - np.array(np.unravel_index(router, sizes))[:, None]
        displacements.append(np.sort(np.ravel_multi_index(tuple(moved % np.array(sizes)[:, None]), sizes)))
    return np.array_equal(displacements[0], displacements[1])


def channel_kinds(network: Network, sizes: tuple[int, ...]) -> Longs | None:
    """Return the kind of each channel, by its displacement; None where routers differ in their channels."""
    # One dimension after the other: of a hypercube all coordinates of all channels would take much memory.
    moved, stride = np.zeros(network.num_channels, dtype=np.int64), 1
    for size in reversed(sizes):
        moved += (network.heads // stride - network.tails // stride) % size * stride
        stride *= size
    order = np.lexsort((moved, network.tails))
    if network.num_channels % network.num_routers or not network.num_channels:
        return None
    degree = network.num_channels // network.num_routers
    table = moved[order].reshape(network.num_routers, degree)
    owners = network.tails[order].reshape(network.num_routers, degree)
    if not (table == table[0]).all() or not (owners == np.arange(network.num_routers)[:, None]).all():
        return None
    kinds = np.empty(network.num_channels, dtype=np.int64)
    kinds[order] = np.tile(np.arange(degree), network.num_routers)
    return kinds
