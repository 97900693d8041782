"""Tables for store-and-forward all-to-all scatter where translations commute: an open shop with staggered machines.

All routers make the same hop in the same step, so kinds of channels are machines and displacements are jobs, whose hops
may come in any order (`constructions.open_shop.translated` has the proof). Instead of colouring operations, which takes
long above 10^5 of them, every kind takes the jobs in the same random order, round, and the kinds start at different
places of it: with K kinds and T steps the runs of a job are about T / K steps apart. The few jobs that still have two
hops in one step exchange places on one kind with jobs of equally many hops there.

With fewer ports than kinds, the kinds follow each other on as many lines as there are ports, each T steps long, and the
lines start at different places of the order. With one port every hop has a step of its own.
"""

from __future__ import annotations

from itertools import count
from math import prod

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.solvers.supports import EXCHANGE
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork

MOST_ORDERS = 10
"""Random orders that are tried before a step is added: small networks may need one more than their busiest kind."""

MOST_EXCHANGES = 200
"""Exchanges that are tried for each job with two hops in one step."""


def staggered_shop(problem: Problem, cayley: CayleyNetwork) -> SymmetricSchedule | None:
    """Return the table for store-and-forward all-to-all scatter on a network whose translations commute."""
    rules, pieces = problem.rules, problem.collective.pieces
    if cayley.sizes is None or rules.switching != "store-and-forward" or not EXCHANGE(problem):
        return None
    counts = np.concatenate([even_ways(cayley, piece)[1:] for piece in range(pieces)])
    messages = np.concatenate([np.arange(1, problem.network.num_routers) * pieces + piece for piece in range(pieces)])
    num_kinds = counts.shape[1]
    if rules.ports == 1:
        kinds = np.broadcast_to(np.arange(num_kinds), counts.shape)
        lengths = counts.sum(axis=1)
        rows = RowColumns(np.cumsum(lengths) - lengths, messages, kinds, counts)
        return table_of([rows], int(lengths.sum()), cayley.translations)
    shop = _Shop(counts, num_kinds if rules.ports == "all" else min(rules.ports, num_kinds))
    starts = shop.starts()
    rows = _rows(cayley, counts, starts, shop.num_steps, messages)
    return table_of([rows], shop.num_steps, cayley.translations)


def even_ways(cayley: CayleyNetwork, piece: int = 0) -> Longs:
    """Return the hops by kind of a shortest way to each router; opposite kinds have equally many where they can.

    Opposite routers have opposite ways. A router that is its own opposite has a way up or a way down, by the number of
    its coordinates that are not 0; with a second piece it has both.
    """
    assert cayley.sizes is not None
    sizes, kinds = cayley.sizes, cayley.kinds
    digits = np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1)
    axes = cayley.axis_kinds()
    counts = np.zeros((len(digits), kinds.num_kinds), dtype=np.int64)
    if axes is not None:
        is_up = 2 * digits <= sizes
        counts[:, axes[1]] = np.where(is_up, 0, sizes - digits)
        counts[:, axes[0]] += np.where(is_up, digits, 0)
    else:
        _, last_kinds, before = kinds.shortest_paths
        for level in kinds.levels:
            counts[level] = counts[before[level]]
            counts[level, last_kinds[level]] += 1
    if (kinds.opposites < 0).any():
        return counts
    routers = np.arange(len(digits))
    opposite = np.ravel_multi_index(tuple((-digits % sizes).T), sizes)
    is_turned = ((digits > 0).sum(axis=1) + piece) % 2 == 0
    turned = np.flatnonzero((opposite < routers) | ((opposite == routers) & is_turned))
    counts[turned] = counts[opposite[turned]][:, kinds.opposites]
    return counts


class _Shop:
    """An open shop: jobs with a number of hops on each kind, which `starts` puts into as few steps as it can."""

    def __init__(self, counts: Longs, num_ports: int) -> None:
        self.counts, self.num_ports = counts, num_ports
        self.loads = counts.sum(axis=0)
        longest = int(counts.sum(axis=1).max())
        self.num_steps = max(-(-int(self.loads.sum()) // num_ports), int(self.loads.max()), longest)

    def starts(self) -> Longs:
        """Return the first step of each job on each kind; hops are counted round the steps."""
        rng = np.random.default_rng(0)
        for attempt in count(1):
            starts = self._staggered(rng)
            if self._is_repaired(starts, rng):
                return starts
            self.num_steps += attempt % MOST_ORDERS == 0
        raise AssertionError("with enough steps no job has two hops in one of them")

    def _staggered(self, rng: np.random.Generator) -> Longs:
        """Return the starts with one random order on all kinds."""
        order = rng.permutation(len(self.counts))
        before = np.cumsum(self.counts[order], axis=0) - self.counts[order]
        num_kinds, loads = len(self.loads), np.maximum(self.loads, 1)
        if self.num_ports == num_kinds:
            lines, offsets, widths = np.arange(num_kinds), 0, self.num_steps
        else:
            lines, offsets = np.divmod(np.cumsum(self.loads) - self.loads, self.num_steps)
            widths = loads
        firsts = before[len(order) * lines // self.num_ports, np.arange(num_kinds)]
        starts = np.empty_like(before)
        starts[order] = (offsets + (before - firsts) % loads * widths // loads) % self.num_steps
        return starts

    def _is_repaired(self, starts: Longs, rng: np.random.Generator) -> bool:
        """Exchange jobs until none has two hops in one step; return whether that has been possible."""
        for job in np.flatnonzero(self._clashes(starts, self.counts)).tolist():
            for _ in range(MOST_EXCHANGES):
                if not self._clashes(starts[[job]], self.counts[[job]])[0]:
                    break
                kind = rng.choice(np.flatnonzero(self.counts[job]))
                other = rng.choice(np.flatnonzero(self.counts[:, kind] == self.counts[job, kind]))
                both = [job, other]
                was_fine = not self._clashes(starts[[other]], self.counts[[other]])[0]
                starts[both, kind] = starts[both[::-1], kind]
                if was_fine and self._clashes(starts[both], self.counts[both]).any():
                    starts[both, kind] = starts[both[::-1], kind]
            else:
                return False
        return True

    def _clashes(self, starts: Longs, counts: Longs) -> Flags:
        """Return which jobs have two hops in one step."""
        ends = np.where(counts > 0, starts + counts, 0)
        order = np.argsort(np.where(counts > 0, starts, 2 * self.num_steps), axis=1)
        firsts = np.take_along_axis(np.where(counts > 0, starts, 2 * self.num_steps), order, axis=1)
        lasts = np.take_along_axis(ends, order, axis=1)
        meets: Flags = (lasts[:, :-1] > firsts[:, 1:]).any(axis=1) | (ends.max(axis=1) - self.num_steps > firsts[:, 0])
        return meets


def _rows(cayley: CayleyNetwork, counts: Longs, starts: Longs, num_steps: int, messages: Longs) -> RowColumns:
    """Return a row for each run of a job; runs over the last step are cut in two."""
    assert cayley.sizes is not None
    assert cayley.hops is not None
    jobs, kinds = np.nonzero(counts)
    first, lengths = starts[jobs, kinds], counts[jobs, kinds]
    over = np.flatnonzero(first + lengths > num_steps)
    rest = (first + lengths)[over] - num_steps
    lengths[over] -= rest
    jobs, kinds = np.concatenate([jobs, jobs[over]]), np.concatenate([kinds, kinds[over]])
    first, lengths = np.concatenate([first, np.zeros_like(rest)]), np.concatenate([lengths, rest])
    order = np.lexsort((first, jobs))
    jobs, kinds, first, lengths = (column[order] for column in (jobs, kinds, first, lengths))
    beginnings = np.searchsorted(jobs, jobs)
    senders, stride = np.zeros(len(jobs), dtype=np.int64), 1
    for size, hop in zip(cayley.sizes[::-1], cayley.hops.T[::-1], strict=True):
        moved = np.cumsum(hop[kinds] * lengths) - hop[kinds] * lengths
        senders += (moved - moved[beginnings]) % size * stride
        stride *= size
    return RowColumns(first, messages[jobs], kinds[:, None], lengths[:, None], senders=senders)
