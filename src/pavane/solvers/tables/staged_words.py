"""Tables for all-to-all scatter by wormhole where translations do not commute, as on cube-connected cycles.

As in `staged_paths` a clock gives every router a phase modulo M, to which a hop of a kind adds the same everywhere, and
in a stage of M steps every kind has a slot for each phase. The hops of a path cannot be exchanged here, so that some
shortest paths to each router are drawn at random. A path that would use a slot twice is left out. A stage gets the
longest path that is left, in phase 0, and one that uses the busiest kind in exactly the other phases, or what fits.

The clock counts the hops of one kind of a large order, less those of the opposite kind: on cube-connected cycles the
place on the cycle. Star graphs have no clock but that of even and odd hops, with too few slots for many of their paths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.channel_kinds import ChannelKinds
from pavane.model.problem import Problem
from pavane.model.table_schedule import Clock, TableSchedule
from pavane.solvers.path_blocks import is_wormhole_exchange
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork

Slots = npt.NDArray[np.uint64]
"""Sets of slots, a bit for each: kind times M, plus phase."""

NUM_WORDS = 16
"""Paths that are drawn for each router; with 8 there are 1 % more stages (cube-connected-cycles:8)."""

MOST_TRIED = 1000
"""Routers whose paths are tried for the free slots of a stage: with 500 there are 2 % more stages
(cube-connected-cycles:10)."""

BLOCK = 128
"""Routers whose paths are compared with a stage at once."""

MOST_SLOTS = 63
"""Slots of a stage, a bit each of a number of 64."""

MOST_ROUTERS = 25_000
"""With twice as many, packing takes half a minute."""


def word_stages(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a network whose translations do not commute, all-port."""
    if cayley.sizes is not None or not is_wormhole_exchange(problem) or problem.network.num_routers > MOST_ROUTERS:
        return None
    clock = _clock(cayley.kinds)
    if clock is None or clock.num_steps * cayley.kinds.num_kinds > MOST_SLOTS:
        return None
    words = _Words.drawn(cayley.kinds, clock)
    if words is None:
        return None
    packing = _Packing(words, cayley.kinds.num_kinds, clock.num_steps)
    packing.run()
    phases, chosen = np.divmod(packing.ways, NUM_WORDS)
    letters, steps = words.letters[np.arange(len(chosen)), chosen], packing.stages * clock.num_steps
    lengths = (letters >= 0).astype(np.int64)
    rows = RowColumns(steps, words.routers, np.maximum(letters, 0), lengths, phases[:, None])
    num_steps = int(steps.max()) + clock.num_steps
    return table_of([rows], num_steps, cayley.translations, (clock,), problem.collective.pieces)


def _clock(kinds: ChannelKinds) -> Clock | None:
    """Return the clock that counts the hops of the kind with the largest order; None where there is none."""
    orders = [_order(kinds, kind) for kind in range(kinds.num_kinds)]
    modulus = max(orders)
    kind = orders.index(modulus)
    increments = np.zeros((kinds.num_kinds, 1), dtype=np.int64)
    increments[kind] = 1
    if modulus > 2 and kinds.opposites[kind] >= 0:
        increments[kinds.opposites[kind]] = modulus - 1
    clock = Clock((modulus,), increments)
    phases = clock.phases(kinds)[:, 0]
    is_clock = ((phases[kinds.heads] - phases[:, None] - increments[:, 0]) % modulus == 0).all()
    return clock if is_clock else None


def _order(kinds: ChannelKinds, kind: int) -> int:
    """Return after how many hops of a kind a router comes again."""
    router, order = int(kinds.heads[0, kind]), 1
    while router:
        router, order = int(kinds.heads[router, kind]), order + 1
    return order


class _Words(NamedTuple):
    """Some shortest paths to every router but router 0, the most distant first."""

    routers: Longs
    letters: Longs
    """The kinds of each path, -1 behind its end: letters[router, path, hop]."""
    slots: Slots
    """The slots of each path in phase 0, none where it would use one twice: slots[router, path]."""

    @classmethod
    def drawn(cls, kinds: ChannelKinds, clock: Clock) -> _Words | None:
        """Return random paths; None where a router has only such that use a slot twice."""
        distances, rng = kinds.shortest_paths[0], np.random.default_rng(0)
        routers = np.argsort(-distances, kind="stable")[:-1]
        shape = len(routers), NUM_WORDS
        letters = np.full((*shape, int(distances.max())), -1, dtype=np.int64)
        slots, is_used_twice = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=bool)
        phases, tails = clock.phases(kinds)[:, 0], np.argsort(kinds.heads, axis=0)
        here = np.repeat(routers[:, None], NUM_WORDS, axis=1)
        # Back from each router: any kind will do that comes from a router closer to router 0.
        for hop in range(letters.shape[2] - 1, -1, -1):
            on = distances[here] > hop
            is_closer = distances[tails[here[on]]] < distances[here[on], None]
            kind = np.argmax(rng.random(is_closer.shape) * is_closer, axis=1)
            tail = tails[here[on], kind]
            slot = np.uint64(1) << (kind * clock.num_steps + -phases[tail] % clock.num_steps).astype(np.uint64)
            letters[on, hop], here[on] = kind, tail
            is_used_twice[on] |= slots[on] & slot != 0
            slots[on] |= slot
        slots[is_used_twice] = 0
        return cls(routers, letters, slots) if slots.any(axis=1).all() else None


class _Packing:
    """Paths that are packed into stages."""

    def __init__(self, words: _Words, num_kinds: int, num_phases: int) -> None:
        self.wanted = _turned(words.slots, num_kinds, num_phases)
        """The slots of each router's paths in every phase: wanted[router, phase * NUM_WORDS + path]."""
        self.stages, self.ways = np.zeros((2, len(words.routers)), dtype=np.int64)
        self.is_left = np.ones(len(words.routers), dtype=bool)
        kind = int(np.bincount(words.letters[words.letters >= 0]).argmax())
        self.all_phases, self.shift = np.uint64(2**num_phases - 1), np.uint64(kind * num_phases)
        ways = np.flatnonzero(self.wanted)
        phases = self._phases(self.wanted.take(ways))
        order = np.argsort(phases, kind="stable")
        self.ways_by_phases = ways[order]
        self.offsets = np.searchsorted(phases[order], np.arange(2**num_phases + 1).astype(np.uint64))

    def _phases(self, slots: Slots) -> Slots:
        """Return in which phases sets of slots use the busiest kind."""
        phases: Slots = (slots >> self.shift) & self.all_phases
        return phases

    def run(self) -> None:
        """Fill one stage after the other, each with the longest path that is left and then what fits."""
        num_stages = 0
        for first in range(len(self.is_left)):
            if self.is_left[first]:
                pair = self._pair(first)
                used = self._place(num_stages, pair[0])
                if len(pair) > 1:
                    used |= self._place(num_stages, pair[1])
                if (used >> self.shift) & self.all_phases != self.all_phases:
                    self._fill(num_stages, used)
                num_stages += 1

    def _place(self, stage: int, at: int) -> np.uint64:
        """Place a path in a phase, by its number in `wanted`; return its slots."""
        router, way = divmod(at, self.wanted.shape[1])
        self.stages[router], self.ways[router], self.is_left[router] = stage, way, False
        return np.uint64(self.wanted[router, way])

    def _pair(self, first: int) -> tuple[int, ...]:
        """Return a path to a router, and the longest one with which it uses the busiest kind once in every phase."""
        width = self.wanted.shape[1]
        own = [way for way in range(NUM_WORDS) if self.wanted[first, way]]
        best: tuple[int, ...] = (first * width + own[0],)
        for way in own:
            slots = self.wanted[first, way]
            others = int(self.all_phases ^ self._phases(slots))
            mates = self.ways_by_phases[self.offsets[others] : self.offsets[others + 1]]
            routers = mates // width
            is_free = self.is_left[routers] & (routers != first) & (self.wanted.take(mates) & slots == 0)
            if is_free.any():
                mate = int(mates[np.argmax(is_free)])
                if len(best) == 1 or mate < best[1]:
                    best = first * width + way, mate
        return best

    def _fill(self, stage: int, used: np.uint64) -> None:
        """Add paths to a stage that has free slots: some of every length are tried, the longest first."""
        left = np.flatnonzero(self.is_left)
        left = left[:: 1 + len(left) // MOST_TRIED]
        first = 0
        while first < len(left):
            block = self.wanted[left[first : first + BLOCK]]
            is_free = (block > 0) & (block & used == 0)
            fitting = np.flatnonzero(is_free.any(axis=1))
            if len(fitting):
                router, way = int(left[first + fitting[0]]), int(np.argmax(is_free[fitting[0]]))
                used |= self._place(stage, router * self.wanted.shape[1] + way)
                first += int(fitting[0]) + 1
            else:
                first += BLOCK


def _turned(slots: Slots, num_kinds: int, num_phases: int) -> Slots:
    """Return the sets of slots of each router's paths in every phase, one phase after the other."""
    one = np.uint64(sum(1 << kind * num_phases for kind in range(num_kinds)))
    every = one * np.uint64(2**num_phases - 1)
    turned = []
    for phase in range(num_phases):
        low = one * np.uint64(2**phase - 1)
        turned.append(((slots << np.uint64(phase)) & every & ~low) | ((slots >> np.uint64(num_phases - phase)) & low))
    return np.concatenate(turned, axis=1)
