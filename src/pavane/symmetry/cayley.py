"""Cayley networks: a group of translations takes every router to every other, and keeps the channels.

Routers are then the elements of the group, and channel kinds its generators. Abelian groups are found where routers are
numbered row by row; others are known for families of the catalogue. Nothing here is trusted: the judge checks that the
translations keep the channels and reach all routers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import ChannelKinds, grid_translations
from pavane.model.network import Network
from pavane.symmetry.translation_groups import group_sizes


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


@lru_cache(maxsize=8)
def cayley_of(network: Network) -> CayleyNetwork | None:
    """Return a network with its translations; None where it is not known to have a group of them."""
    if not network.is_slim or network.num_routers < 2:
        return None
    sizes = group_sizes(network)
    return None if sizes is None else CayleyNetwork(network, grid_translations(sizes), sizes)
