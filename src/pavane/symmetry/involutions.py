"""Symmetries of a problem: renumberings of routers, processors, channels and messages that change nothing.

Solvers schedule one message per orbit and lift the schedule to all messages: if a symmetry moves every message and
every channel, a message and its images may share a step whenever their paths do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.symmetry.automorphisms import RouterPairs, by_distance, extend


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A renumbering that keeps a problem: entry i is the new number of i."""

    routers: Longs
    processors: Longs
    channels: Longs
    messages: Longs
    units: Longs
    """The unit of capacity of each channel: its own, or under half duplex its link's. These are not renumbered."""

    @classmethod
    def of(cls, problem: Problem, routers: npt.ArrayLike) -> Symmetry | None:
        """Extend a renumbering of the routers to processors, channels and messages; None if it is not a symmetry."""
        network = problem.network
        image = np.asarray(routers, dtype=np.int64)
        processors = _match(network.router_of, image[network.router_of])
        tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        size = network.num_routers
        channels = _match(tails * size + heads, image[tails] * size + image[heads])
        if processors is None or channels is None or problem.pattern not in ("private", "broadcast"):
            return None
        receivers = list(problem.collective.receivers)
        if problem.pattern == "broadcast" and sorted(processors[receivers].tolist()) != sorted(receivers):
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
        # Channels that share a unit must share one after the renumbering, too.
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
        """Whether it moves every message and every unit; under half duplex a reversed link is not moved."""
        return bool(
            (self.messages != np.arange(len(self.messages))).all() and (self.units[self.channels] != self.units).all()
        )


def _match(keys: npt.NDArray[np.integer], images: npt.NDArray[np.integer]) -> Longs | None:
    """Match items by the images of their keys, equal ones in order; None if the images are not the keys again."""
    by_key, by_image = np.argsort(keys, kind="stable"), np.argsort(images, kind="stable")
    if not np.array_equal(keys[by_key], images[by_image]):
        return None
    matched = np.empty(len(keys), dtype=np.int64)
    matched[by_image] = by_key
    return matched


MOST_TRIES_IN_ALL = 50_000
"""Pairs of routers tried for all images together: seconds on networks of thousands of routers."""


def free_involutions(problem: Problem, most_tries: int = 2000) -> Iterator[Symmetry]:
    """Yield symmetries of order two that move every message and channel, one per image of router 0.

    `most_tries` pairs of routers are tried for one image.
    """
    if problem.pattern != "private":
        return
    network = problem.network
    senders, receivers = network.router_of[problem.ends].T
    pairs = RouterPairs(
        network,
        *(np.bincount(routers, minlength=network.num_routers) for routers in (network.router_of, senders, receivers)),
        network.out_degrees,
        network.in_degrees,
        np.sort(network.distances, axis=1),
        np.sort(network.distances.T, axis=1),
    )
    order = by_distance(network)
    tries_left = MOST_TRIES_IN_ALL
    for image in np.flatnonzero(pairs.colours == pairs.colours[0])[1:].tolist():
        if tries_left <= 0:
            return
        routers, tries = _involution(pairs, order, image, min(most_tries, tries_left))
        tries_left -= tries
        symmetry = None if routers is None else Symmetry.of(problem, routers)
        if symmetry is not None and symmetry.is_free:
            yield symmetry


def _involution(pairs: RouterPairs, order: Longs, image: int, most_tries: int) -> tuple[Longs | None, int]:
    """Exchange router 0 with `image`, and all others in pairs; return where routers go, or None, and the tries."""
    routers = [0]
    """Those exchanged with the choices so far, and the next one."""

    def list_options(chosen: list[int]) -> list[int] | None:
        del routers[len(chosen) :]
        router, other = routers[-1], chosen[-1]
        if pairs.kinds[router, other] != pairs.kinds[other, router]:
            return []
        done = routers + chosen
        is_left = np.ones(len(order), dtype=bool)
        is_left[done] = False
        left = order[is_left[order]]
        if not len(left):
            return None
        routers.append(int(left[0]))
        fits = pairs.candidates(left[0], done, chosen + routers[:-1])
        options: list[int] = fits[fits != left[0]].tolist()
        return options[::-1]

    chosen, tries = extend(image, list_options, most_tries + 1)
    if chosen is None:
        return None, tries - 1
    involution = np.empty(len(order), dtype=np.int64)
    involution[routers + chosen] = chosen + routers
    return involution, tries - 1
