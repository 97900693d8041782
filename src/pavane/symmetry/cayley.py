"""Cayley networks: a group of translations takes every router to every other, and keeps the channels.

Routers are then the elements of the group, and channel kinds its generators. Abelian groups are found where routers are
numbered row by row; those of star graphs and cube-connected cycles where routers are numbered as in the catalogue.
Nothing here is trusted: the judge checks that the translations keep the channels and reach all routers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, product
from itertools import permutations as orders
from math import factorial
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds, grid_translations
from pavane.model.dictionary_order import permutations, ranks
from pavane.model.network import Network
from pavane.symmetry.factors import product_factors
from pavane.symmetry.translation_groups import likely_shapes

MOST_TURNS_TRIED = 48
"""The cycles of kinds that are tried: all of them on networks of up to four pairs of opposite kinds."""


class KindTurn(NamedTuple):
    """A symmetry that leaves router 0 in place and moves the kinds in one cycle."""

    routers: Longs
    """The image of each router."""
    kinds: Longs
    """The image of each kind."""


@dataclass(frozen=True, eq=False)
class CayleyNetwork:
    """A network with translations that take router 0 to every router."""

    network: Network
    translations: Ints
    """Permutations of routers that keep the channels, a row each."""
    sizes: tuple[int, ...] | None = None
    """Of an abelian group: the sizes of the grid in which routers are numbered row by row."""

    @cached_property
    def kinds(self) -> ChannelKinds:
        """The kinds of its channels."""
        return ChannelKinds.of(self.network, self.translations)

    @cached_property
    def hops(self) -> Longs | None:
        """What a hop of each kind adds to the coordinates, of an abelian group: hops[kind, dimension]."""
        if self.sizes is None:
            return None
        return np.stack(np.unravel_index(self.kinds.heads[0].astype(np.int64), self.sizes), axis=1)

    def axis_kinds(self) -> tuple[list[int], list[int]] | None:
        """Return the kinds that go up and down by one along each dimension; None where others exist, or some lack.

        In a dimension of size 2 both are the same kind.
        """
        if self.sizes is None:
            return None
        heads = self.kinds.heads[0].tolist()
        units = np.eye(len(self.sizes), dtype=np.int64)
        ends = [
            [int(np.ravel_multi_index(tuple(way * unit % self.sizes), self.sizes)) for unit in units] for way in (1, -1)
        ]
        if set(heads) != {*ends[0], *ends[1]} or len(set(heads)) < len(heads):
            return None
        return [heads.index(end) for end in ends[0]], [heads.index(end) for end in ends[1]]

    @cached_property
    def turn(self) -> KindTurn | None:
        """A symmetry that leaves router 0 in place and moves the kinds in one cycle; None where none is found."""
        cycles = self._kind_cycles() if len(set(self._orders())) == 1 else iter(())
        for cycle in islice(cycles, MOST_TURNS_TRIED):
            images = np.empty(len(cycle), dtype=np.int64)
            images[list(cycle)] = np.roll(cycle, -1)
            turn = self._turn_of(images)
            if turn is not None:
                return turn
        return None

    def _orders(self) -> list[int]:
        """Return how many hops of each kind lead back to the start."""
        counts = []
        for heads in self.kinds.heads.T.tolist():
            router, count = heads[0], 1
            while router:
                router, count = heads[router], count + 1
            counts.append(count)
        return counts

    def _kind_cycles(self) -> Iterator[Sequence[int]]:
        """Yield cycles of all kinds that may be a turn's.

        A turn takes opposite kinds to opposite kinds, so a cycle of 2d kinds has opposite kinds d apart.
        """
        kinds = np.argsort(self.kinds.heads[0], kind="stable").tolist()
        back = self.kinds.opposites.tolist()
        if any(back[kind] in (-1, kind) for kind in kinds):
            yield kinds
            return
        first, *rest = [kind for number, kind in enumerate(kinds) if back[kind] in kinds[number + 1 :]]
        for order in orders(rest):
            for ways in product((False, True), repeat=len(rest)):
                half = [first, *(back[kind] if way else kind for kind, way in zip(order, ways, strict=True))]
                yield half + [back[kind] for kind in half]

    def _turn_of(self, images: Longs) -> KindTurn | None:
        """Return the symmetry that fixes router 0 and moves the kinds in a given way; None where there is none."""
        heads = self.kinds.heads
        _, last_kinds, before = self.kinds.shortest_paths
        routers = np.zeros(len(heads), dtype=np.int64)
        for level in self.kinds.levels:
            routers[level] = heads[routers[before[level]], images[last_kinds[level]]]
        if any(not np.array_equal(routers[heads[:, kind]], heads[routers, image]) for kind, image in enumerate(images)):
            return None
        return KindTurn(routers, images)


@lru_cache(maxsize=8)
def cayley_of(network: Network) -> CayleyNetwork | None:
    """Return a network with its translations; None where it is not known to have a group of them."""
    if not network.is_slim or network.num_routers < 2 or network.num_channels % network.num_routers:
        return None
    for likely in _likely_groups(network):
        with suppress(InputError):  # other channels may leave as many routers
            if likely.kinds.is_whole(network):
                return likely
    return None


def _likely_groups(network: Network) -> Iterator[CayleyNetwork]:
    """Yield a network with translations that it may have by its number of routers and channels."""
    num_routers, degree = network.num_routers, network.num_channels // network.num_routers
    if 2 < degree < 12 and num_routers == factorial(degree + 1):
        yield CayleyNetwork(network, _symbol_exchanges(degree + 1))
    dimension = next(size for size in range(num_routers) if size << size >= num_routers)
    if degree == 3 and dimension >= 3 and dimension << dimension == num_routers:
        yield CayleyNetwork(network, _cube_turns(dimension))
    for sizes in likely_shapes(network):
        yield CayleyNetwork(network, grid_translations(sizes), sizes)
    factors = product_factors(network)
    parts = [] if factors is None else [cayley_of(factor) for factor in factors]
    if len(parts) == 2 and parts[0] is not None and parts[1] is not None:
        yield CayleyNetwork(network, _of_product(parts[0].translations, parts[1].translations))


def _of_product(first: Ints, second: Ints) -> Ints:
    """Return the translations of a product: each moves along one factor, in all copies of it alike."""
    size, width = first.shape[1], second.shape[1]
    rows, places = np.divmod(np.arange(size * width, dtype=np.int32), np.int32(width))
    return np.concatenate([first[:, rows] * np.int32(width) + places, rows * np.int32(width) + second[:, places]])


def _symbol_exchanges(num_symbols: int) -> Ints:
    """Return translations of star graphs: exchanges of two symbols, while channels exchange places."""
    rows = permutations(num_symbols)
    exchanges = []
    for other in range(1, num_symbols):
        renamed = np.arange(num_symbols)
        renamed[[0, other]] = other, 0
        exchanges.append(ranks(renamed[rows]))
    return np.stack(exchanges)


def _cube_turns(dimension: int) -> Ints:
    """Return translations of cube-connected cycles: along dimension 0, and every dimension to the next one."""
    corners, places = np.divmod(np.arange(dimension << dimension, dtype=np.int32), dimension)
    turned = (corners << 1) % (1 << dimension) | corners >> (dimension - 1)
    return np.stack([(corners ^ 1) * dimension + places, turned * dimension + (places + 1) % dimension])
