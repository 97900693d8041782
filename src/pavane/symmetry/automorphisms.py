"""Renumberings of routers that keep all distances, found without knowing what a network is called.

Where the images of a few routers are known, those of all others follow: a base is a set of routers from which no two
others look the same. So images of the base are tried, one router after the other, each as far from the ones before as
it was.

Steady renumberings, which move all routers equally far, are looked for by themselves. Translations of tori and
hypercubes are steady, and what two of them make is again free of fixed routers far more often than for others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network

MOST_TRIES = 64
"""How many images of routers are tried for one renumbering."""

MOST_IMAGES = 96
"""How many images of the first router of the base are tried."""

MOST_CANDIDATES = 32
"""How many routers are tried as the next of a base."""

MOST_BASE = 48
"""With more routers in the base images are too many to be tried."""


class Automorphisms(NamedTuple):
    """Renumberings without fixed routers that keep channels and distances, each kind in any order."""

    exchanges: list[Longs]
    """Steady ones that exchange routers."""
    steady: list[Longs]
    """Those that move all routers equally far."""
    others: list[Longs]


def automorphisms_of(network: Network, rng: np.random.Generator) -> Automorphisms:
    """Look for renumberings; there may be more than are found."""
    found = Automorphisms([], [], [])
    kinds = _kinds(network)
    base = _base(kinds, rng)
    if base is None:
        return found
    alike = np.flatnonzero(kinds.diagonal() == kinds[base[0], base[0]])
    images = rng.permutation(alike[alike != base[0]])[:MOST_IMAGES]
    search = _Search(kinds, base, rng)
    for image in images.tolist():
        for some, is_steady, is_exchange in zip(found, (True, True, False), (True, False, False), strict=True):
            routers = search.renumbering(image, is_steady, is_exchange)
            if routers is not None:
                some.append(routers)
    return found


def _kinds(network: Network) -> Ints:
    """Number the pairs of routers by distances and channels both ways; a router with itself by how it sees others."""
    size, distances = network.num_routers, network.distances.astype(np.int64)
    joins = np.zeros((size, size), dtype=np.int64)
    np.add.at(joins, (network.tails, network.heads), network.capacity)
    views = np.sort((distances * (size + 1) + distances.T) * (1 + int(joins.max(initial=0))) + joins, axis=1)
    views = np.column_stack((views, np.bincount(network.router_of, minlength=size)))
    colours = np.unique(views, axis=0, return_inverse=True)[1].reshape(-1)
    keys = np.stack((distances, distances.T, joins, joins.T, np.diag(1 + colours)))
    numbers = np.zeros(size * size, dtype=np.int64)
    for part in keys.reshape(len(keys), -1):
        values = np.unique(part, return_inverse=True)[1].reshape(-1)
        numbers = np.unique(numbers * (1 + int(values.max())) + values, return_inverse=True)[1].reshape(-1)
    return numbers.astype(np.int32).reshape(size, size)


def _base(kinds: Ints, rng: np.random.Generator) -> Longs | None:
    """Return routers by which all others are told apart; None where it takes too many of them."""
    base = [0]
    classes = kinds[:, 0].astype(np.int64)
    while len(np.unique(classes)) < len(kinds):
        if len(base) == MOST_BASE:
            return None
        tried = rng.permutation(len(kinds))[:MOST_CANDIDATES]
        views = [classes * (1 + int(kinds.max())) + kinds[:, router] for router in tried]
        best = max(range(len(tried)), key=lambda number: len(np.unique(views[number])))
        base.append(int(tried[best]))
        classes = np.unique(views[best], return_inverse=True)[1].reshape(-1)
    return np.array(base)


class _Search:
    """Images of a base, one after the other; what is left must look alike from the base and from its images."""

    def __init__(self, kinds: Ints, base: Longs, rng: np.random.Generator) -> None:
        self.kinds, self.base, self.rng = kinds, base, rng
        self.views = [np.zeros(len(kinds), dtype=np.uint64)]
        """How routers see the first routers of the base, as one number, for each length of the base."""
        for router in base.tolist():
            self.views.append(self._seen_with(self.views[-1], router))
        self.sorted_views = [np.sort(view) for view in self.views]

    def _seen_with(self, view: npt.NDArray[np.uint64], router: int) -> npt.NDArray[np.uint64]:
        """Add how routers see one more, by a hash: what is found is checked in the end."""
        return view * np.uint64(0x9E3779B97F4A7C15) + self.kinds[:, router].astype(np.uint64)

    def renumbering(self, image: int, is_steady: bool, is_exchange: bool) -> Longs | None:
        """Extend an image of the first router to all; None where that fails, or some router stays where it is."""
        waiting, views = [[image]], [self.views[0]]
        images: list[int] = []
        for _ in range(MOST_TRIES):
            while waiting and not waiting[-1]:
                waiting.pop()
            if not waiting:
                return None
            level = len(waiting)
            images[level - 1 :] = [waiting[-1].pop()]
            views[level:] = [self._seen_with(views[level - 1], images[-1])]
            if not np.array_equal(np.sort(views[level]), self.sorted_views[level]):
                continue
            if level == len(self.base):
                found = self._extended(views[level])
                if found is not None and self._is_wanted(found, is_steady):
                    return found
            else:
                waiting.append(self._candidates(images, is_steady, is_exchange))
        return None

    def _candidates(self, images: list[int], is_steady: bool, is_exchange: bool) -> list[int]:
        """List the possible images of the next router of the base, in any order."""
        kinds, done, router = self.kinds, self.base[: len(images)], self.base[len(images)]
        fits = (kinds[:, images] == kinds[router, done]).all(axis=1) & (kinds.diagonal() == kinds[router, router])
        fits[router] = False
        if is_exchange:
            fits &= (kinds[:, done] == kinds[router, images]).all(axis=1) & (kinds[:, router] == kinds[router])
        if is_steady:
            fits &= kinds[router] == kinds[self.base[0], images[0]]
        found: list[int] = self.rng.permutation(np.flatnonzero(fits)).tolist()
        return found

    def _extended(self, view: npt.NDArray[np.uint64]) -> Longs | None:
        """Return where all routers go, by how they see the base and its images; None if kinds of pairs change."""
        found = np.empty(len(self.kinds), dtype=np.int64)
        found[np.argsort(self.views[-1])] = np.argsort(view)
        return found if np.array_equal(self.kinds[np.ix_(found, found)], self.kinds) else None

    def _is_wanted(self, found: Longs, is_steady: bool) -> bool:
        """Say whether no router stays where it is, and all go equally far where that is asked."""
        moves = self.kinds[np.arange(len(found)), found]
        return not (found == np.arange(len(found))).any() and (not is_steady or bool((moves == moves[0]).all()))
