"""Automorphisms of networks: renumberings of routers that keep distances and capacities, found by one search.

Images are chosen router by router. A candidate must have the same relation to the images chosen so far as the router
has to their originals. Three strategies use this search (see `extend`):

- `free_automorphisms` chooses images of a base only, a set of routers from which no two others look the same; the
  images of all other routers follow. Steady automorphisms, which move all routers equally far, are searched for
  separately: translations of tori and hypercubes are steady, and products of two of them are more often again free of
  fixed routers.
- `random_automorphisms` chooses images at random and does not backtrack.
- `involutions.free_involutions` exchanges routers in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.network import Network

MOST_TRIES = 64
"""How many images of base routers are tried for one automorphism."""

MOST_IMAGES = 96
"""How many images of the first router of the base are tried."""

MOST_CANDIDATES = 32
"""How many routers are tried as the next of a base."""

MOST_BASE = 48
"""Largest base: with more routers there are too many images to try."""

FEW = 8
"""Images that rule out most candidates; the others are compared with the remaining candidates only."""


class RouterPairs:
    """What an automorphism must keep: a colour for each router and a number for each pair of routers."""

    def __init__(self, network: Network, *columns: npt.NDArray[np.integer]) -> None:
        """Colour routers by rows of columns: equal rows, equal colours."""
        joins = _joins(network)
        one_way = (network.distances.astype(np.int64) + 1) * (int(joins.max(initial=0)) + 1) + joins
        self.kinds: Longs = one_way * (int(one_way.max(initial=0)) + 1) + one_way.T
        """One number for distances and capacities both ways."""
        numbers: dict[bytes, int] = {}
        rows = np.column_stack(columns)
        self.colours = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.colours)

    def candidates(self, router: int, done: npt.ArrayLike, images: npt.ArrayLike) -> Longs:
        """Return the possible images of a router, ascending, where some routers have images already."""
        done, images = np.asarray(done), np.asarray(images)
        fits = np.flatnonzero(self.colours == self.colours[router])
        for part in (slice(FEW), slice(FEW, None)):
            fits = fits[(self.kinds[fits[:, None], images[part]] == self.kinds[router, done[part]]).all(axis=1)]
        return fits


def _joins(network: Network) -> Longs:
    """Return the capacity from each router to each other."""
    joins = np.zeros((network.num_routers, network.num_routers), dtype=np.int64)
    np.add.at(joins, (network.tails, network.heads), network.capacity)
    return joins


def extend(
    first: int, list_options: Callable[[list[int]], list[int] | None], most_tries: int
) -> tuple[list[int] | None, int]:
    """Extend a choice depth first; return a complete list of choices, or None, and the number of tries.

    `list_options` returns the possible next choices after some, the last of them first, or None if these are complete.
    """
    waiting: list[list[int]] = [[first]]
    chosen: list[int] = []
    for tries in range(most_tries):
        while waiting and not waiting[-1]:
            waiting.pop()
        if not waiting:
            return None, tries
        chosen[len(waiting) - 1 :] = [waiting[-1].pop()]
        options = list_options(chosen)
        if options is None:
            return chosen, tries + 1
        waiting.append(options)
    return None, most_tries


def by_distance(network: Network) -> Longs:
    """Return all routers, the nearest to router 0 first, those out of reach last."""
    away = network.distances[0]
    return np.argsort(np.where(away < 0, network.num_routers, away), kind="stable")


def random_automorphisms(network: Network, rng: np.random.Generator, num_tries: int) -> Iterator[Longs]:
    """Yield automorphisms that move router 0."""
    distances, processors = network.distances, np.bincount(network.router_of, minlength=network.num_routers)
    pairs = RouterPairs(network, processors, np.sort(distances, axis=1), np.sort(distances.T, axis=1))
    images = np.flatnonzero(pairs.colours == pairs.colours[0])
    images = images[images != 0]
    order = by_distance(network)

    def list_options(chosen: list[int]) -> list[int] | None:
        if len(chosen) == len(order):
            return None
        candidates = pairs.candidates(order[len(chosen)], order[: len(chosen)], chosen)
        # Without backtracking: most choices do not matter, and where one does, another try is cheaper.
        return [rng.choice(candidates)] if len(candidates) else []

    for _ in range(num_tries if len(images) else 0):
        chosen, _ = extend(rng.choice(images), list_options, len(order))
        if chosen is not None:
            image = np.empty(len(order), dtype=np.int64)
            image[order] = chosen
            yield image


class Automorphisms(NamedTuple):
    """Automorphisms without fixed routers, each kind in any order."""

    exchanges: list[Longs]
    """Steady ones that exchange routers in pairs."""
    steady: list[Longs]
    """Those that move all routers equally far."""
    others: list[Longs]


def free_automorphisms(network: Network, rng: np.random.Generator) -> Automorphisms:
    """Search for automorphisms without fixed routers; there may be more than are found."""
    found = Automorphisms([], [], [])
    pairs = _pairs_by_view(network)
    base = _base(pairs, rng)
    if base is None:
        return found
    alike = np.flatnonzero(pairs.colours == pairs.colours[base[0]])
    images = rng.permutation(alike[alike != base[0]])[:MOST_IMAGES]
    search = _BaseSearch(pairs, base, rng)
    for image in images.tolist():
        for kind, is_steady, is_exchange in zip(found, (True, True, False), (True, False, False), strict=True):
            routers = search.automorphism(image, is_steady, is_exchange)
            if routers is not None:
                kind.append(routers)
    return found


def _pairs_by_view(network: Network) -> RouterPairs:
    """Colour routers by their processors and by how they see all others."""
    joins, distances = _joins(network), network.distances.astype(np.int64)
    views = (distances * (network.num_routers + 1) + distances.T) * (1 + int(joins.max(initial=0))) + joins
    return RouterPairs(network, np.bincount(network.router_of, minlength=len(views)), np.sort(views, axis=1))


def _base(pairs: RouterPairs, rng: np.random.Generator) -> list[int] | None:
    """Return routers from which no two others look the same; None where it takes too many of them."""
    base = [0]
    classes = pairs.kinds[:, 0]
    while len(np.unique(classes)) < len(pairs):
        if len(base) == MOST_BASE:
            return None
        tried = rng.permutation(len(pairs))[:MOST_CANDIDATES]
        views = [classes * (1 + int(pairs.kinds.max())) + pairs.kinds[:, router] for router in tried]
        best = max(range(len(tried)), key=lambda number: len(np.unique(views[number])))
        base.append(int(tried[best]))
        classes = np.unique(views[best], return_inverse=True)[1].reshape(-1)
    return base


class _BaseSearch:
    """Images of a base; the other routers must look the same from the base and from its images."""

    def __init__(self, pairs: RouterPairs, base: list[int], rng: np.random.Generator) -> None:
        self.pairs, self.base, self.rng = pairs, base, rng
        self.views = [np.zeros(len(pairs), dtype=np.uint64)]
        """How routers see the first routers of the base, as one number, for each length of the base."""
        for router in base:
            self.views.append(self._seen_with(self.views[-1], router))
        self.sorted_views = [np.sort(view) for view in self.views]

    def _seen_with(self, view: npt.NDArray[np.uint64], router: int) -> npt.NDArray[np.uint64]:
        """Add how routers see one more router, by a hash: collisions are found at the end."""
        return view * np.uint64(0x9E3779B97F4A7C15) + self.pairs.kinds[:, router].astype(np.uint64)

    def automorphism(self, image: int, is_steady: bool, is_exchange: bool) -> Longs | None:
        """Extend an image of the first router to all; None where that fails, or some router stays where it is."""
        views = [self.views[0]]

        def list_options(images: list[int]) -> list[int] | None:
            level = len(images)
            views[level:] = [self._seen_with(views[level - 1], images[-1])]
            if not np.array_equal(np.sort(views[level]), self.sorted_views[level]):
                return []
            if level < len(self.base):
                return self._options(images, is_steady, is_exchange)
            return None if self._is_wanted(self._extended(views[level]), is_steady) else []

        images, _ = extend(image, list_options, MOST_TRIES)
        return None if images is None else self._extended(views[-1])

    def _options(self, images: list[int], is_steady: bool, is_exchange: bool) -> list[int]:
        """List the possible images of the next router of the base, in any order."""
        kinds, done, router = self.pairs.kinds, self.base[: len(images)], self.base[len(images)]
        fits = self.pairs.candidates(router, done, images)
        fits = fits[fits != router]
        if is_exchange:
            fits = fits[(kinds[np.ix_(fits, done)] == kinds[router, images]).all(axis=1)]
            fits = fits[kinds[fits, router] == kinds[router, fits]]
        if is_steady:
            fits = fits[kinds[router, fits] == kinds[self.base[0], images[0]]]
        options: list[int] = self.rng.permutation(fits).tolist()
        return options

    def _extended(self, view: npt.NDArray[np.uint64]) -> Longs:
        """Return where all routers go, by how they see the base and its images."""
        image = np.empty(len(self.pairs), dtype=np.int64)
        image[np.argsort(self.views[-1])] = np.argsort(view)
        return image

    def _is_wanted(self, image: Longs, is_steady: bool) -> bool:
        """Return whether it is an automorphism that moves every router, and all equally far where that is required."""
        pairs, everyone = self.pairs, np.arange(len(image))
        if (image == everyone).any() or not np.array_equal(pairs.colours[image], pairs.colours):
            return False
        moves = pairs.kinds[everyone, image]
        is_kept = np.array_equal(pairs.kinds[np.ix_(image, image)], pairs.kinds)
        return is_kept and (not is_steady or bool((moves == moves[0]).all()))
