"""Tables for all-to-all scatter by wormhole on any network whose translations commute: paths packed into stages.

A clock gives every router a phase, a number modulo M, to which a hop of a kind adds the same everywhere. In a stage of
M steps every kind has a slot for each phase, and a path takes the slots of the phases that it passes. So a stage is
full of paths that are disjoint on a small network, the one of the phases. The order of the hops of a path is free, and
this makes packing easy: tables of hundreds of routers and more are 0 to 15 percent above the bound, or up to 40 if
stages are as long as the network.

A path and its opposite, in the opposite phase, go in the same stage and never meet, so that half of all are packed. M
divides the order of some translation, and is no less than the longest run. Small M waste least in the last stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import compiled
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.table_schedule import Clock, TableSchedule
from pavane.solvers.kernels.path_packing import PackedPaths, PackingState, PathItems, pack_paths
from pavane.solvers.path_blocks import is_wormhole_exchange
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.solvers.tables.staggered import even_ways
from pavane.symmetry.cayley import CayleyNetwork

MOST_ROUTERS = 50_000

MOST_WORK = 50_000_000
"""Routers times steps of a stage: packing takes at most some ten seconds (10,000 routers and stages of 5,000 steps)."""

MOST_REFUSED = 400
"""Paths that a stage refuses before it is closed: with 40 there are 7 % more stages, and more than 400 save none
(circulant:1001,1,31). Long stages refuse fewer, because they try as many phases for each."""

MOST_TRIED = 200_000
"""Phases that refused paths try in a stage."""

NUM_CLOCKS = 2
"""The clocks that are tried, those of the shortest stages."""

MOST_INTERPRETED = 200
"""Up to this many routers packing takes half a second at most, and loading the compiler alone takes as long."""


def path_stages(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a network whose translations commute, all-port."""
    if cayley.sizes is None or not is_wormhole_exchange(problem) or problem.network.num_routers > MOST_ROUTERS:
        return None
    back = cayley.kinds.opposites
    if len(back) < 4 or (back < 0).any() or (back == np.arange(len(back))).any():
        return None
    paths = _Paths.of(cayley)
    best: tuple[int, Clock, PackedPaths] | None = None
    for clock in islice(_clocks(cayley, paths), NUM_CLOCKS):
        packed = paths.packed(clock)
        if packed is not None:
            num_steps = (int(packed.stages.max()) + 1) * clock.num_steps
            if best is None or num_steps < best[0]:
                best = num_steps, clock, packed
            if num_steps - paths.hops.sum(axis=0).max() < clock.num_steps:
                break  # no slot is idle but in the last stage
    if best is None:
        return None
    rows = list(paths.rows(best[1], best[2]))
    return table_of(rows, best[0], cayley.translations, (best[1],), problem.collective.pieces)


class _Paths(NamedTuple):
    """A shortest way to one of each two opposite routers, the longest first."""

    routers: Longs
    opposite: Longs
    """The opposite of each of these routers."""
    up: Longs
    """The first kind of each pair of opposite kinds."""
    down: Longs
    hops: Longs
    """The hops along each pair: hops[path, pair]."""
    ways: Longs
    """1 up, -1 down: ways[path, pair]."""

    @classmethod
    def of(cls, cayley: CayleyNetwork) -> _Paths:
        """Return the ways of a network."""
        assert cayley.sizes is not None
        back, counts = cayley.kinds.opposites, even_ways(cayley)
        up = np.flatnonzero(back > np.arange(len(back)))
        every = np.arange(1, len(counts))
        digits = np.stack(np.unravel_index(every, cayley.sizes))
        opposite = np.ravel_multi_index(tuple(-digits % np.array(cayley.sizes)[:, None]), cayley.sizes)
        one = np.flatnonzero(every <= opposite)
        one = one[np.argsort(-counts[every[one]].sum(axis=1), kind="stable")]
        routers, signed = every[one], counts[every[one]][:, up] - counts[every[one]][:, back[up]]
        return cls(routers, opposite[one], up, back[up], np.abs(signed), np.where(signed < 0, -1, 1))

    def packed(self, clock: Clock) -> PackedPaths | None:
        """Pack the paths into stages; None where one does not fit."""
        lengths = self.hops.sum(axis=1)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        ranks = np.argsort(-self.hops, axis=1, kind="stable")
        advances, num_slots = clock.increments[self.up, 0].copy(), clock.num_steps
        most_refused = min(MOST_REFUSED, max(1, MOST_TRIED // num_slots))
        items = PathItems(self.hops, self.ways, ranks, offsets, advances, num_slots, most_refused)
        num_paths, num_pairs = self.hops.shape
        state = PackingState(
            np.zeros((num_pairs, num_slots), dtype=bool),
            np.zeros(num_pairs, dtype=np.int64),
            np.zeros(num_pairs, dtype=np.int64),
            np.zeros(int((self.hops + 1).prod(axis=1).max()) + 1, dtype=np.int64),
            np.arange(num_paths),
        )
        packed = PackedPaths(
            np.zeros(num_paths, dtype=np.int64),
            np.zeros(num_paths, dtype=np.int64),
            np.zeros(int(offsets[-1]), dtype=np.int32),
        )
        kernel = pack_paths if 2 * num_paths <= MOST_INTERPRETED else compiled(pack_paths)
        return packed if kernel(items, state, packed) > 0 else None

    def rows(self, clock: Clock, packed: PackedPaths) -> Iterator[RowColumns]:
        """Yield the rows of the packed paths, and those of their opposites."""
        lengths = self.hops.sum(axis=1)
        path_of = np.repeat(np.arange(len(lengths)), lengths)
        is_first = (np.diff(packed.letters, prepend=-1) != 0) | (np.diff(path_of, prepend=-1) != 0)
        firsts = np.flatnonzero(is_first)
        owner, pair = path_of[firsts], packed.letters[firsts]
        place = np.arange(len(firsts)) - np.searchsorted(owner, owner)
        shape = len(lengths), int(place.max()) + 1
        runs, pairs, ways = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        runs[owner, place] = np.diff(firsts, append=len(path_of))
        pairs[owner, place], ways[owner, place] = pair, self.ways[owner, pair]
        up, down, steps = self.up[pairs], self.down[pairs], packed.stages * clock.num_steps
        phases = packed.phases[:, None]
        yield RowColumns(steps, self.routers, np.where(ways > 0, up, down), runs, phases)
        two = np.flatnonzero(self.routers != self.opposite)
        yield RowColumns(steps[two], self.opposite[two], np.where(ways > 0, down, up)[two], runs[two], -phases[two])


def _clocks(cayley: CayleyNetwork, paths: _Paths) -> Iterator[Clock]:
    """Yield clocks with room for the longest run of each pair, those of the shortest stages first."""
    assert cayley.sizes is not None
    assert cayley.hops is not None
    longest, order = paths.hops.max(axis=0), lcm(*cayley.sizes)
    most = min(order, MOST_WORK // cayley.network.num_routers)
    for modulus in (number for number in range(int(longest.max()), most + 1) if order % number == 0):
        units = np.array([modulus // gcd(modulus, size) for size in cayley.sizes])
        # One of these lets hops of no two pairs add the same, up or down.
        for factors in (np.arange(1, len(units) + 1), np.ones(len(units), dtype=np.int64)):
            weights = units * factors
            increments = cayley.hops @ weights % modulus
            rounds = modulus // np.gcd(increments[paths.up], modulus)
            if gcd(modulus, *weights.tolist()) == 1 and (rounds >= longest).all():
                yield Clock((modulus,), increments[:, None])
                break
