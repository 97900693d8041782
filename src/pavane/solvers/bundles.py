"""Parallel channels in bundles, for searches that count how much goes from router to router in a step.

All channels from one router to another are one bundle, whose capacity is what they carry together. Which channel of its
bundle each transfer takes is chosen at the end, when nothing depends on it any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs, ranges
from pavane.model.network import Network
from pavane.model.schedule import Schedule


class Hops(NamedTuple):
    """What moves from location to location in one step each, an entry for every message that does."""

    steps: Longs
    senders: Longs
    receivers: Longs
    bundles: Longs
    """The bundle, or the number of the path of bundles, that each takes; -1 between processors of one router."""
    messages: Longs


@dataclass(frozen=True, eq=False)
class Bundles:
    """A network with one channel for each bundle, and the lanes that a bundle consists of: a unit of capacity each."""

    network: Network
    first_lane: Longs
    """Bundles + 1: the lanes of bundle b are first_lane[b] to first_lane[b + 1] - 1."""
    channel_of: Longs
    """The channel of the network itself that each lane belongs to."""
    bundle_of: Longs
    """The bundle of each channel of the network itself."""

    @classmethod
    def of(cls, network: Network) -> Bundles:
        """Put the channels of a network into bundles."""
        ends, bundle_of = np.unique(network.channels, axis=0, return_inverse=True)
        bundle_of = np.asarray(bundle_of, dtype=np.int64).reshape(-1)
        order = np.argsort(bundle_of, kind="stable")
        channel_of = np.repeat(order, network.capacity[order]).astype(np.int64)
        capacities = np.bincount(bundle_of, network.capacity, len(ends)).astype(np.int64)
        joined = Network(network.name, network.routers, ends, network.router_of, capacities=capacities)
        return cls(joined, np.concatenate(([0], np.cumsum(capacities))), channel_of, bundle_of)

    def schedule(
        self,
        hops: Hops,
        paths: Sequence[tuple[int, ...]] | None = None,
        *,
        takes_last: Flags | None = None,
    ) -> Schedule:
        """Return the schedule in which each hop takes a path of bundles over switches, in a transfer of its own.

        Without paths each takes the bundle of its number. The bundles that are marked in `takes_last` fill their lanes
        from the last one down. Steps in which nothing moves are left out.
        """
        if paths is None:
            paths = [(bundle,) for bundle in range(self.network.num_channels)]
        # The last path is the empty one, of number -1.
        lengths = np.array([*map(len, paths), 0])
        firsts = np.cumsum(lengths) - lengths
        listed = np.array([bundle for path in paths for bundle in path], dtype=np.int64)
        taken = lengths[hops.bundles]
        bundles, steps = listed[ranges(firsts[hops.bundles], taken)], np.repeat(hops.steps, taken)
        order = np.lexsort((np.repeat(hops.messages, taken), bundles, steps))
        lane = np.empty(len(order), dtype=np.int64)
        lane[order] = _places(steps[order], bundles[order])
        if takes_last is not None:
            lane = np.where(takes_last[bundles], self.network.capacity[bundles] - 1 - lane, lane)
        channels = self.channel_of[self.first_lane[bundles] + lane]
        counts = np.ones(len(hops.steps), dtype=np.int64)
        return Schedule.from_columns(
            None, hops.steps, hops.senders, hops.receivers, (taken, channels), hops.messages, counts
        )


def _places(steps: Longs, bundles: Longs) -> Longs:
    """Return how many entries of the same step and bundle come before each; equal ones follow each other."""
    is_first = np.ones(len(steps), dtype=bool)
    is_first[1:] = (np.diff(steps) != 0) | (np.diff(bundles) != 0)
    first = np.flatnonzero(is_first)
    counts = np.diff(np.append(first, len(steps)))
    return ranges(np.zeros_like(counts), counts)
