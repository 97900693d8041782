"""Tables for all-to-all scatter without waiting, in slots or steps: turned packets fill all channels.

A *turn* is a symmetry that leaves router 0 in place and moves the K kinds of channels in one cycle. So a packet of h
channels and its K images, started together, use every kind once in each of h slots. Such blocks follow each other
without a gap. Displacements that some turn keeps have fewer images. These, and a few blocks of the nearest or of
straight displacements that are broken up to fill gaps, go into a window behind the blocks (`slot_window`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.supports import EXCHANGE
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.solvers.tables.slot_window import Placed, Word, packed
from pavane.solvers.tables.staggered import even_ways
from pavane.symmetry.cayley import CayleyNetwork, KindTurn

NUM_WORDS = 30
"""Words of each displacement in a window."""

STRAIGHTNESS = (1.0, 0.7, 0.0)
"""How likely words go straight on, one number after the other: straight ones fill long gaps, and others odd ones."""

BROKEN = ((0, 0), (1, 0), (2, 0), (4, 0), (0, 2), (0, 4), (0, 8), (0, 16), (4, 16))
"""Blocks that are broken up for a window: so many of the shortest and of the longest straight ones, and of the nearest.
More fill gaps better, and make the window longer."""


def turned_orbits(problem: Problem, cayley: CayleyNetwork) -> SymmetricSchedule | None:
    """Return the table for all-to-all scatter without waiting on a network with a turn, all-port.

    Store-and-forward tables are for networks whose translations do not commute: others have `staggered` ones.
    """
    rules = problem.rules
    is_stored = rules.switching == "store-and-forward" and rules.ports == "all" and cayley.sizes is None
    if not has_turned_slots(problem) and not (is_stored and EXCHANGE(problem)):
        return None
    if cayley.turn is None:
        return None
    orbits = _Orbits(cayley, cayley.turn)
    rest, window = orbits.window(np.random.default_rng(0))
    first = orbits.blocks(rest)
    num_slots = int(first.steps[-1] + first.lengths[-1].sum()) if len(first.steps) else 0
    table = table_of(
        [first, *orbits.window_rows(rest, window, num_slots)],
        num_slots + window.num_slots,
        cayley.translations,
        pieces=problem.collective.pieces,
    )
    # Without wrap the first injection and the last ejection have slots of their own.
    return replace(table, num_steps=table.num_steps + 2) if rules.has_slots and not rules.wrap else table


def has_turned_slots(problem: Problem) -> bool:
    """Return whether this is an all-to-all scatter in slots, all-port, with hops and packets of one slot."""
    rules = problem.rules
    return (
        rules.has_slots
        and rules.ports == "all"
        and (rules.hop_slots, rules.packet_slots) == (1, 1)
        and EXCHANGE(problem)
    )


@dataclass(frozen=True, eq=False)
class _Orbits:
    """Routers by their images under turns."""

    cayley: CayleyNetwork
    turn: KindTurn

    @property
    def num_kinds(self) -> int:
        return self.cayley.kinds.num_kinds

    @cached_property
    def images(self) -> Longs:
        """The images of each router under 0, 1, 2, ... turns: images[turns, router]."""
        images = [np.arange(len(self.turn.routers))]
        for _ in range(self.num_kinds - 1):
            images.append(self.turn.routers[images[-1]])
        return np.stack(images)

    @cached_property
    def sizes(self) -> Longs:
        """The number of different images of each router."""
        # As many turns as kinds lead back at the latest.
        is_back = [*(self.images[1:] == self.images[0]), np.ones(len(self.turn.routers), dtype=bool)]
        sizes: Longs = np.argmax(is_back, axis=0) + 1
        return sizes

    @cached_property
    def firsts(self) -> Longs:
        """The least router of each orbit, near ones first."""
        distances = self.cayley.kinds.shortest_paths[0]
        firsts = np.flatnonzero(self.images.min(axis=0) == self.images[0])[1:]
        return firsts[np.argsort(distances[firsts], kind="stable")]

    def window(self, rng: np.random.Generator) -> tuple[Longs, Placed]:
        """Return the orbits that go into the window, and the window with the fewest idle slots that is found."""
        distances = self.cayley.kinds.shortest_paths[0]
        best, least_idle = (np.zeros(0, dtype=np.int64), Placed(0, [], [])), -1
        for rest in self._rests():
            choices = [words for router in rest.tolist() for words in self._turned_words(router, rng)]
            placed = packed(choices, self.num_kinds, rng) if choices else Placed(0, [], [])
            idle = placed.num_slots - -(-int(distances[rest] @ self.sizes[rest]) // self.num_kinds)
            if least_idle < 0 or idle < least_idle:
                best, least_idle = (rest, placed), idle
            if not least_idle:
                break
        return best

    def _rests(self) -> Iterator[Longs]:
        """Yield the orbits that may go into a window, by their first routers."""
        is_whole = self.sizes[self.firsts] == self.num_kinds
        small, near = self.firsts[~is_whole], self.firsts[is_whole]
        heads, distances = self.cayley.kinds.heads[:, 0], self.cayley.kinds.shortest_paths[0]
        line = [0]
        while distances[heads[line[-1]]] == len(line):
            line.append(int(heads[line[-1]]))
        ends = self.images.min(axis=0)[line[1:]]
        straight = ends[self.sizes[ends] == self.num_kinds]
        for num_straight, num_near in BROKEN:
            chosen = [straight[:num_straight], straight[max(len(straight) - num_straight, 0) :], near[:num_near]]
            yield np.concatenate([small, np.unique(np.concatenate(chosen))])

    def _turned_words(self, router: int, rng: np.random.Generator) -> Iterator[list[Word]]:
        """Yield words to a router and to each of its images."""
        words = sorted({self._word_to(router, STRAIGHTNESS[number % 3], rng) for number in range(NUM_WORDS)})
        image = self.turn.kinds.tolist()
        for _ in range(self.sizes[router]):
            yield words
            words = [tuple(image[kind] for kind in word) for word in words]

    def _word_to(self, router: int, straightness: float, rng: np.random.Generator) -> Word:
        """Return the kinds along a random shortest path from router 0, looked for from its end."""
        distances = self.cayley.kinds.shortest_paths[0]
        word: list[int] = []
        while router:
            befores = self._befores[router]
            nearer = np.flatnonzero(distances[befores] < distances[router]).tolist()
            is_straight = bool(word) and word[-1] in nearer and rng.random() < straightness
            word.append(word[-1] if is_straight else nearer[int(rng.random() * len(nearer))])
            router = int(befores[word[-1]])
        return tuple(word[::-1])

    @cached_property
    def _befores(self) -> Longs:
        """The router from which a channel of each kind leads to a router: befores[router, kind]."""
        return np.argsort(self.cayley.kinds.heads, axis=0)

    def blocks(self, rest: Longs) -> RowColumns:
        """Return the rows of all orbits but some, in blocks one after the other."""
        firsts = self.firsts[~np.isin(self.firsts, rest)]
        distances = self.cayley.kinds.shortest_paths[0][firsts]
        kinds, lengths = self._words(firsts)
        all_kinds = []
        for _ in range(self.num_kinds):
            all_kinds.append(kinds)
            kinds = self.turn.kinds[kinds]
        flat = (self.num_kinds * len(firsts), kinds.shape[1])
        return RowColumns(
            np.repeat(np.cumsum(distances) - distances, self.num_kinds),
            self.images[:, firsts].T.reshape(-1),
            np.stack(all_kinds, axis=1).reshape(flat),
            np.repeat(lengths, self.num_kinds, axis=0),
        )

    def _words(self, routers: Longs) -> tuple[Longs, Longs]:
        """Return a word for each router, as kinds and lengths of its runs."""
        kinds = self.cayley.kinds
        if self.cayley.sizes is not None:
            lengths = even_ways(self.cayley)[routers]
            return np.broadcast_to(np.arange(self.num_kinds), lengths.shape), lengths
        distances, last_kinds, before = kinds.shortest_paths
        letters = np.full((len(distances), int(distances.max())), -1, dtype=np.int64)
        for level in kinds.levels:
            letters[level] = letters[before[level]]
            letters[level, distances[level] - 1] = last_kinds[level]
        return np.maximum(letters[routers], 0), (letters[routers] >= 0).astype(np.int64)

    def window_rows(self, rest: Longs, window: Placed, first: int) -> Iterator[RowColumns]:
        """Yield the rows of a window that begins in some slot."""
        targets = [self.images[: self.sizes[router], router] for router in rest.tolist()]
        for start, word, target in zip(window.starts, window.words, np.concatenate([[], *targets]), strict=True):
            ends = np.flatnonzero(np.diff(word, append=-1))
            lengths = np.diff(ends, prepend=-1)
            yield RowColumns(
                np.array([first + start]), np.array([int(target)]), np.array(word)[ends][None], lengths[None]
            )
