"""Splits of a network into halves, with B_C and Delta as gecco08 section 3 defines them.

B_C counts the channels between the halves, both ways. Delta counts the messages between two routers of one half all of
whose shortest paths leave it: each crosses the split twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pavane.bounds.splits import bisection
from pavane.model.network import Network

MOST_ROUTERS_TRIED = 14
"""Networks of which every split is tried; 1,716 of them at 14 routers."""


@dataclass(frozen=True)
class Split:
    """A half of a network's routers, and what crosses between it and the rest."""

    half: tuple[int, ...]
    num_channels: int
    """B_C."""
    doubled: int
    """2 Delta."""

    @property
    def figures(self) -> tuple[int, int]:
        """Return B_C and 2 Delta."""
        return self.num_channels, self.doubled


def split_of(network: Network, half: Iterable[int]) -> Split:
    """Count what crosses between some routers and the others."""
    members = tuple(sorted(half))
    inside = np.isin(np.arange(network.num_routers), members)
    delta = 0
    for side in (inside, ~inside):
        alone = network.without(routers=np.flatnonzero(~side).tolist()).distances
        delta += int((alone != network.distances[np.ix_(side, side)]).sum())
    return Split(members, int((inside[network.tails] != inside[network.heads]).sum()), 2 * delta)


def narrowest(network: Network) -> Split:
    """Return a split with as few channels as we can find; up to 20 routers none has fewer."""
    return split_of(network, bisection(network).side)


def split_with(network: Network, figures: tuple[int, int]) -> Split | None:
    """Return a split into equal halves with this B_C and 2 Delta.

    None: there is none, for up to 14 routers; above that neither the halves by number nor the narrowest have them.
    """
    return next((split for split in _tried(network) if split.figures == figures), None)


def _tried(network: Network) -> Iterator[Split]:
    order = network.num_routers
    yield split_of(network, range(order // 2))
    yield narrowest(network)
    if order <= MOST_ROUTERS_TRIED:
        for others in combinations(range(1, order), order // 2 - 1):
            yield split_of(network, (0, *others))
