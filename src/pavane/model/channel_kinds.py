"""Kinds of channels: what translations take one channel to, with a channel for each processor.

Translations are permutations of the processors that keep the channels and together take processor 0 to every one.

**One processor on each router.** The channels that leave router 0 are the kinds, in order, and a translation takes
channels to channels of the same kind. So a row of kinds, a *word*, is a path from every router. Permutations may also
keep some channels only, as those along a cycle of all routers. Then the kinds are the channels of router 0 whose images
are all channels of the network.

**Switches.** Translations permute the routers, too, and commute, so that they are moves of processors as the kinds are
on other networks. A kind is the set of channels that one channel is taken to, if these are as many as the processors.
Kinds are numbered by their first channels. The first channel belongs to processor 0, and its image to that one's image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from math import prod

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network

MOST_WALKED_AT_ONCE = 2**17
"""Pairs of routers whose words are read together: with words of some hundred kinds these take a tenth of a gigabyte."""


@dataclass(frozen=True, eq=False)
class ChannelKinds:
    """Moves of processors that commute with all translations, and the channels by kinds; `of` derives both."""

    heads: Ints
    """The processor that a move leads to: heads[processor, move]. With a processor on each router the moves are the
    kinds, which lead along their channels; with switches they are the translations and their powers."""
    channels: Ints
    """The number of the channel of each kind at each processor: channels[processor, kind]."""

    @classmethod
    def of(cls, network: Network, translations: Ints, routers: Ints | None = None) -> ChannelKinds:
        """Return the kinds that translations make; refuses permutations that keep no channel of router 0.

        What makes a table valid is checked by the judge, which repeats the checks of this function and more.

        Args:
            network: The network.
            translations: Permutations of the processors, a row each.
            routers: The same translations as permutations of the routers, on a network with switches.
        """
        if routers is not None:
            return cls._over_switches(network, translations, routers)
        num_routers = network.num_routers
        offsets, outgoing = network.outgoing
        first = network.heads[outgoing[offsets[0] : offsets[1]]]
        if translations.shape[1:] != (num_routers,):
            raise InputError(f"network {network.name}: the translations do not fit its routers")
        heads = np.full((num_routers, len(first)), -1, dtype=np.int32)
        heads[0] = first
        is_reached = np.zeros(num_routers, dtype=bool)
        is_reached[0] = True
        known, num_known = np.zeros(1, dtype=np.int32), 0
        steps = with_powers(translations)
        while num_known < len(known) < num_routers:
            num_known = len(known)
            for step in steps:
                images = step.take(known)
                is_new = ~is_reached[images]
                fresh = images[is_new]
                heads[fresh] = step.take(heads.take(known[is_new], axis=0))
                is_reached[fresh] = True
                known = np.concatenate([known, fresh])
        if not is_reached.all():
            raise InputError(f"network {network.name}: its translations do not take router 0 to every router")
        channels = _channels(network, heads)
        is_kept = (channels >= 0).all(axis=0)
        if not is_kept.any():
            raise InputError(f"network {network.name}: its translations do not keep the channels")
        return cls(heads, channels) if is_kept.all() else cls(heads[:, is_kept], channels[:, is_kept])

    @classmethod
    def _over_switches(cls, network: Network, translations: Ints, routers: Ints) -> ChannelKinds:
        """Return the kinds of a network whose translations commute; refuses those that do not keep the channels."""
        size = network.num_processors
        both = [
            np.append(shift, size + _moved(network, homes)) for shift, homes in zip(translations, routers, strict=True)
        ]
        moves = with_powers(np.array(both, dtype=np.int32))
        by_processor = cls(np.stack([move[:size] for move in moves], axis=1), np.zeros((size, 0), dtype=np.int32))
        distances, last, before = by_processor.shortest_paths
        if (distances < 0).any():
            raise InputError(f"network {network.name}: its translations do not take processor 0 to every processor")
        is_left, found = np.ones(network.num_channels, dtype=bool), [by_processor.channels]
        for channel in range(network.num_channels):
            if is_left[channel]:
                images = np.full(size, size + channel, dtype=np.int32)
                for level in by_processor.levels:
                    for move in np.unique(last[level]).tolist():
                        chosen = level[last[level] == move]
                        images[chosen] = moves[move][images[before[chosen]]]
                is_left[images - size] = False
                if len(np.unique(images)) == size:
                    found.append(images[:, None] - np.int32(size))
        return cls(by_processor.heads, np.concatenate(found, axis=1))

    def is_whole(self, network: Network) -> bool:
        """Return whether every channel of the network has a kind."""
        return self.channels.size == network.num_channels

    @property
    def num_kinds(self) -> int:
        """Return the number of kinds: of the channels that leave each router, if each has a processor."""
        return int(self.channels.shape[1])

    @cached_property
    def places(self) -> tuple[Longs, Longs]:
        """The processor and the kind of each channel, -1 where it has none."""
        processors, kinds = np.full((2, int(self.channels.max(initial=-1)) + 1), -1, dtype=np.int64)
        processors[self.channels], kinds[self.channels] = np.indices(self.channels.shape)
        return processors, kinds

    @cached_property
    def opposites(self) -> Longs:
        """The kind of the channel back along the same link; -1 for kinds of one-way channels."""
        back = np.full(self.num_kinds, -1, dtype=np.int64)
        for kind, head in enumerate(self.heads[0].tolist()):
            # The i-th of several kinds to the same router pairs up with the i-th one back.
            number = self.heads[0, :kind].tolist().count(head)
            ways = np.flatnonzero(self.heads[head] == 0)
            if number < len(ways):
                back[kind] = ways[number]
        return back

    @cached_property
    def _powers(self) -> list[list[Ints]]:
        """Where 1, 2, 4, ... hops of each kind lead, as far as it has been needed."""
        return [[np.ascontiguousarray(self.heads[:, kind])] for kind in range(self.heads.shape[1])]

    def walked(self, routers: Longs, kinds: Longs, lengths: Longs) -> Longs:
        """Return where runs of hops of one kind end: one entry for each start, kind and length."""
        ends = routers.copy()
        longest = int(lengths.max(initial=0))
        for kind in np.unique(kinds).tolist():
            powers = self._powers[kind]
            while 1 << len(powers) <= longest:
                powers.append(powers[-1][powers[-1]])
            chosen = np.flatnonzero(kinds == kind)
            for bit, power in enumerate(powers):
                has_bit = chosen[(lengths[chosen] >> bit) & 1 == 1]
                ends[has_bit] = power[ends[has_bit]]
        return ends

    def word_to(self, router: int) -> list[int]:
        """Return the kinds along a shortest path from router 0."""
        _, last_kinds, before = self.shortest_paths
        word = []
        while router:
            word.append(int(last_kinds[router]))
            router = int(before[router])
        return word[::-1]

    @cached_property
    def shortest_paths(self) -> tuple[Longs, Longs, Longs]:
        """For each router its distance from router 0, and the last kind and last router on a shortest path.

        With switches all this is of processors and moves.
        """
        num_routers = len(self.heads)
        distances = np.full(num_routers, -1, dtype=np.int64)
        last_kinds, before = distances.copy(), distances.copy()
        distances[0] = 0
        front = np.zeros(1, dtype=np.int64)
        while len(front):
            heads = self.heads[front].reshape(-1)
            is_new = np.flatnonzero(distances[heads] < 0)
            fresh, at = np.unique(heads[is_new], return_index=True)
            tails, kinds = np.divmod(is_new[at], self.heads.shape[1])
            distances[fresh] = distances[front[0]] + 1
            last_kinds[fresh], before[fresh] = kinds, front[tails]
            front = fresh.astype(np.int64)
        return distances, last_kinds, before

    @cached_property
    def levels(self) -> list[Longs]:
        """The routers at distance 1 from router 0, at distance 2, and so on."""
        distances, _, _ = self.shortest_paths
        order = np.argsort(distances, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(distances[order])) + 1)[1:]

    def moved(self, router: int, routers: Longs) -> Longs:
        """Return where the translations that take router 0 to some routers take a router."""
        ends = routers
        for kind, run in groupby(self.word_to(router)):
            ends = self.walked(ends, np.full(len(ends), kind), np.full(len(ends), len(list(run))))
        return ends

    def displacement(self, origin: int, target: int) -> int:
        """Return the router that the translation which takes router 0 to an origin takes to a target."""
        return int(np.flatnonzero(self.translation_to(origin) == target)[0])

    def translation_to(self, origin: int) -> Longs:
        """Return the translation that takes router 0 to an origin: where it takes every router."""
        _, last_kinds, before = self.shortest_paths
        images = np.full(len(self.heads), origin, dtype=np.int64)
        for level in self.levels:
            images[level] = self.heads[images[before[level]], last_kinds[level]]
        return images

    def images(self, origins: Longs, routers: Longs) -> Longs:
        """Return where the translation that takes router 0 to an origin takes a router, for each of several pairs."""
        distances, last_kinds, before = self.shortest_paths
        images = np.empty(len(routers), dtype=np.int64)
        for first in range(0, len(routers), MOST_WALKED_AT_ONCE):
            part = slice(first, first + MOST_WALKED_AT_ONCE)
            here, order = routers[part], np.argsort(-distances[routers[part]], kind="stable")
            far = distances[here[order]]
            words, here = [], here[order]
            # The words are read backwards, from each router to router 0; those of the most distant ones are longer.
            for level in range(int(far.max(initial=0)), 0, -1):
                count = int(np.searchsorted(-far, -level, side="right"))
                words.append(last_kinds[here[:count]])
                here[:count] = before[here[:count]]
            ends = origins[part][order]
            for word in reversed(words):
                ends[: len(word)] = self.heads[ends[: len(word)], word]
            images[first + order] = ends
        return images

    @cached_property
    def inverses(self) -> Longs:
        """The router whose translation takes each router to router 0."""
        _, last_kinds, before = self.shortest_paths
        undone = self.undone
        inverses = np.zeros(len(self.heads), dtype=np.int64)
        for level in self.levels:
            inverses[level] = undone[last_kinds[level], inverses[before[level]]]
        return inverses

    @cached_property
    def undone(self) -> Ints:
        """Which displacement is left of each after a hop of a kind: undone[kind, displacement]."""
        backs = [int(np.flatnonzero(self.heads[:, kind] == 0)[0]) for kind in range(self.num_kinds)]
        return np.stack([self.translation_to(back).astype(np.int32) for back in backs])

    @cached_property
    def sums(self) -> Ints:
        """Where each translation takes each router: sums[router, translation]; for small networks."""
        num_routers = len(self.heads)
        distances, last_kinds, before = self.shortest_paths
        sums = np.empty((num_routers, num_routers), dtype=np.int32)
        sums[0] = np.arange(num_routers)
        for router in np.argsort(distances, kind="stable")[1:].tolist():
            sums[router] = self.heads[sums[before[router]], last_kinds[router]]
        return sums


def _channels(network: Network, heads: Ints) -> Ints:
    """Return the channel from each router to each of some heads, -1 where there is none: channels[router, kind]."""
    width = network.num_routers
    offsets, outgoing = network.outgoing
    if (np.diff(offsets) == heads.shape[1]).all():
        # Where every router has the same number of channels, those of a router and its heads are sorted alike.
        own = outgoing.reshape(heads.shape)
        if len(set(heads[0].tolist())) == heads.shape[1]:
            return _only_channels(own, network.heads[own], heads)
        order, places = (np.argsort(each, axis=1, kind="stable") for each in (network.heads[own], heads))
        channels = np.empty_like(heads)
        np.put_along_axis(channels, places, np.take_along_axis(own, order, axis=1).astype(np.int32), axis=1)
        if np.array_equal(network.heads[channels], heads):
            return channels
    numbers = network.tails.astype(np.int64) * width + network.heads
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    # Parallel channels pair up in the order of their numbers.
    first = heads[0].tolist()
    places = np.array([first[:kind].count(head) for kind, head in enumerate(first)], dtype=np.int64)
    wanted = np.arange(width)[:, None] * width + heads
    at = np.searchsorted(numbers, wanted) + places
    is_there = at < len(numbers)
    at[~is_there] = 0
    is_there &= numbers[at] == wanted
    found: Ints = np.where(is_there, order[at], -1).astype(np.int32)
    return found


def _only_channels(own: Ints, ends: Ints, heads: Ints) -> Ints:
    """Return for each router which of its own channels ends at each of some heads, -1 where none does."""
    by_kind, by_place = np.ascontiguousarray(heads.T), list(zip(own.T.copy(), ends.T.copy(), strict=True))
    channels = np.full_like(by_kind, -1)
    for found, wanted in zip(channels, by_kind, strict=True):
        for numbers, ends_of in by_place:
            np.copyto(found, numbers, where=wanted == ends_of)
    return np.ascontiguousarray(channels.T)


def _moved(network: Network, routers: Ints) -> Ints:
    """Return the channel that a permutation of routers takes each channel to; refuses what does not keep channels."""
    numbers = network.tails.astype(np.int64) * network.num_routers + network.heads
    images = routers[network.tails].astype(np.int64) * network.num_routers + routers[network.heads]
    order, order_of_images = np.argsort(numbers), np.argsort(images)
    if not np.array_equal(numbers[order], images[order_of_images]) or (np.diff(numbers[order]) == 0).any():
        raise InputError(f"network {network.name}: its translations do not keep the channels, or some are parallel")
    moved = np.empty(len(numbers), dtype=np.int32)
    moved[order_of_images] = order
    return moved


def with_powers(translations: Ints) -> list[Ints]:
    """Return translations and their 2nd, 4th, 8th ... powers: a search over these has few rounds."""
    steps = []
    for step in translations:
        for _ in range(max(1, (_orbit_size(step) - 1).bit_length())):
            steps.append(step)
            step = step.take(step)
    return steps


def _orbit_size(step: Ints) -> int:
    """Return how many routers a permutation takes router 0 to, itself included."""
    router = 0
    for size in range(1, len(step)):
        router = step.item(router)
        if router == 0:
            return size
    return len(step)


def grid_sizes(translations: Ints) -> list[int] | None:
    """Return the sizes of the grid whose translations by one along each dimension these are; None where of none."""
    # Router 0 goes to its neighbour along each dimension, whose number is the product of the later sizes.
    strides = [translations.shape[1], *translations[:, 0].tolist()]
    if min(strides) < 1:
        return None
    sizes = [longer // shorter for longer, shorter in pairwise(strides)]
    is_grid = prod(sizes) == strides[0] and np.array_equal(grid_translations(sizes), translations)
    return sizes if is_grid else None


def grid_translations(sizes: Sequence[int]) -> Ints:
    """Return the translations by one along each dimension, of routers numbered row by row."""
    routers = np.arange(np.prod(sizes, dtype=np.int64), dtype=np.int32).reshape(tuple(sizes))
    return np.stack([np.roll(routers, -1, axis).reshape(-1) for axis in range(len(sizes))])
