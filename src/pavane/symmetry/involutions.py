"""Symmetries of a problem: renumberings of routers, processors and channels that change nothing.

Used to schedule one message per orbit and to lift the schedule to all: if a symmetry moves every message and every
channel, then a message and its images may share a step whenever their paths do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.problem import Problem


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A renumbering of a problem's network: entry i says what i becomes."""

    routers: Longs
    processors: Longs
    channels: Longs
    messages: Longs
    units: Longs
    """The unit of capacity of each channel: its own, or under half duplex its link's. It is not renumbered."""

    @classmethod
    def of(cls, problem: Problem, routers: npt.ArrayLike) -> Symmetry | None:
        """Extend a renumbering of the routers to processors, channels and messages, where it is a symmetry."""
        network = problem.network
        image = np.asarray(routers, dtype=np.int64)
        processors = _matched(network.router_of, image[network.router_of], network.num_routers)
        tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        size = network.num_routers
        channels = _matched(tails * size + heads, image[tails] * size + image[heads], size * size)
        if processors is None or channels is None or problem.pattern != "private":
            return None
        if problem.restriction is not None and not problem.restriction.is_kept(image, channels):
            return None
        capacity = network.capacity
        if not np.array_equal(capacity[channels], capacity):
            return None
        labels = problem.labels.astype(np.int64)
        labels[:, : problem.ends.shape[1]] = processors[problem.ends]
        messages = problem.message_numbers(labels)
        units = problem.units.astype(np.int64)
        # Channels that share a unit must do so after the renumbering, too.
        if (messages < 0).any() or not np.array_equal(units[channels], units[channels[units]]):
            return None
        return cls(image, processors, channels, messages, units)

    def then(self, other: Symmetry) -> Symmetry:
        """Return this symmetry followed by another one."""
        return Symmetry(
            other.routers[self.routers],
            other.processors[self.processors],
            other.channels[self.channels],
            other.messages[self.messages],
            self.units,
        )

    @property
    def is_free(self) -> bool:
        """Whether it moves every message and every unit: a link that is turned round is none under half duplex."""
        return bool(
            (self.messages != np.arange(len(self.messages))).all() and (self.units[self.channels] != self.units).all()
        )


def _matched(keys: npt.NDArray[np.integer], images: npt.NDArray[np.integer], most: int) -> Longs | None:
    """Match things with a key to things with its image, in order; None where the numbers differ."""
    by_key, by_image = np.argsort(keys, kind="stable"), np.argsort(images, kind="stable")
    if not np.array_equal(keys[by_key], images[by_image]):
        return None
    matched = np.empty(len(keys), dtype=np.int64)
    matched[by_image] = by_key
    return matched


MOST_TRIES_IN_ALL = 50_000
"""Pairs of routers that are tried for all images together: seconds on networks of thousands, whatever they are like."""

FEW = 8
"""Pairs that rule most candidates out; the others are compared only with what is left."""


def free_involutions(problem: Problem, most_tries: int = 2000) -> Iterator[Symmetry]:
    """Yield symmetries of order two that move every message and channel, one per image of the first router.

    `most_tries` pairs of routers are tried for one image.
    """
    if problem.pattern != "private":
        return
    network = problem.network
    colours = _colours(problem)
    joins = np.zeros(network.distances.shape, dtype=np.int64)
    np.add.at(joins, (network.tails, network.heads), network.capacity)
    ways = network.distances * (joins.max(initial=0) + 1) + joins
    away = network.distances[0]
    order = np.argsort(np.where(away < 0, network.num_routers, away), kind="stable").tolist()
    left = MOST_TRIES_IN_ALL
    for image in range(1, network.num_routers):
        if colours[image] == colours[0] and left > 0:
            routers, tries = _involution(ways, order, colours, image, min(most_tries, left))
            left -= tries
            symmetry = None if routers is None else Symmetry.of(problem, routers)
            if symmetry is not None and symmetry.is_free:
                yield symmetry


def _colours(problem: Problem) -> Longs:
    """Tell routers apart by their processors and messages, and by their distances to and from all others."""
    network = problem.network
    distances = network.distances
    senders, receivers = network.router_of[problem.ends].T
    profile = np.column_stack(
        (
            *(np.bincount(those, minlength=network.num_routers) for those in (network.router_of, senders, receivers)),
            network.out_degrees,
            network.in_degrees,
            np.sort(distances, axis=1),
            np.sort(distances.T, axis=1),
        )
    )
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in profile], dtype=np.int64)


def _involution(ways: Longs, order: list[int], colours: Longs, image: int, most_tries: int) -> tuple[Longs | None, int]:
    """Exchange router 0 with `image` and extend that to all routers, each exchanged with another, by backtracking.

    `ways` has a number for what joins each router to each other. Returned is who is exchanged with whom, or None, and
    how many pairs were tried.
    """
    partner = np.full(len(ways), -1, dtype=np.int64)
    tries = 0

    def candidates(router: int) -> list[int]:
        done = np.flatnonzero(partner >= 0)
        fits = np.flatnonzero((partner < 0) & (colours == colours[router]))
        fits = fits[fits != router]
        for some in (done[:FEW], done[FEW:]):
            there = partner[some]
            fits = fits[(ways[fits[:, None], there] == ways[router, some]).all(axis=1)]
            fits = fits[(ways[there, fits[:, None]] == ways[some, router]).all(axis=1)]
        found: list[int] = fits.tolist()
        return found

    def extend(at: int) -> bool:
        nonlocal tries
        while at < len(order) and partner[order[at]] >= 0:
            at += 1
        if at == len(order):
            return True
        router = order[at]
        for other in candidates(router):
            tries += 1
            if tries > most_tries:
                return False
            partner[router], partner[other] = other, router
            # The pair must also agree with itself: what joins them one way joins them the other.
            if ways[router, other] == ways[other, router] and extend(at + 1):
                return True
            partner[router] = partner[other] = -1
        return False

    partner[0], partner[image] = image, 0
    if ways[0, image] != ways[image, 0] or not extend(1):
        return None, tries
    return partner, tries
