"""All-to-all on a product of two networks, by store-and-forward: a leg along each factor, by the tables of the factors.

A message of displacement (a, b) goes a along the first factor and b along the second, in either order. The table of the
first factor is run once for every b, one run after the other, and that of the second factor once for every a; channels
of the two factors are different, so both go on at the same time. The legs of a message are in run b of one and in run a
of the other: whichever is earlier goes first. Only messages whose legs would overlap wait: their leg along the second
factor is in a further run at the end. Of these there are few, as each pair of runs has one message in common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints, Longs, ranges
from pavane.model.problem import Problem
from pavane.model.table_schedule import TableSchedule
from pavane.solvers.path_blocks import is_exchange
from pavane.solvers.tables.staggered import staggered_shop
from pavane.solvers.tables.turned import turned_orbits
from pavane.symmetry.cayley import CayleyNetwork, cayley_of
from pavane.symmetry.factors import product_factors

Part = tuple[TableSchedule, Longs, Ints, Longs, Longs, Longs]
"""A table of a factor, rows of it, the kinds of the product, and first steps, tails and messages of these rows."""


class _Legs(NamedTuple):
    """Legs along one factor, an entry each: the displacement along it and along the other factor, and its run."""

    own: Longs
    other: Longs
    runs: Longs
    is_first: Longs
    """1 where the leg comes before the one along the other factor, if that exists, else 0."""


def product_legs(problem: Problem, cayley: CayleyNetwork) -> TableSchedule | None:
    """Return a table of legs along two factors; None where the network is no product, or a factor has no table."""
    rules, network = problem.rules, cayley.network
    is_plain = problem.is_plain and rules.duplex == "full" and rules.ports == "all"
    if not (is_plain and is_exchange(problem) and rules.switching == "store-and-forward"):
        return None
    factors = product_factors(network)
    tables = None if factors is None else [_table_of(Problem(factor, "alltoall", rules)) for factor in factors]
    if factors is None or tables is None or tables[0] is None or tables[1] is None:
        return None
    size, width = (factor.num_routers for factor in factors)
    heads = cayley.kinds.heads[0]
    if len(np.unique(heads)) < len(heads):
        return None
    legs = _legs(tables[0], tables[1], size, width)
    strides = (width, 1)
    parts: list[Part] = []
    for factor, table, leg, stride, other_stride in zip(factors, tables, legs, strides, strides[::-1], strict=True):
        assert table is not None
        kinds = table.kinds(factor).heads[0].astype(np.int64) * stride
        kind_of = np.array([int(np.flatnonzero(heads == head)[0]) for head in kinds.tolist()], dtype=np.int32)
        rows, at = _rows(table, leg.own)
        starts = table.steps[rows] + leg.runs[at] * table.num_steps
        behind = np.where(leg.is_first[at] == 1, 0, leg.other[at]) * other_stride
        tails = table.tails[rows].astype(np.int64) * stride + behind
        messages = leg.own[at] * stride + leg.other[at] * other_stride
        parts.append((table, rows, kind_of, starts, tails, messages))
    return _joined(parts, cayley)


def _table_of(problem: Problem) -> TableSchedule | None:
    """Return the shortest table of a factor, without clocks; it may be a product again."""
    cayley = cayley_of(problem.network)
    found = [] if cayley is None else [make(problem, cayley) for make in (staggered_shop, turned_orbits, product_legs)]
    tables = [table for table in found if table is not None and not table.clocks]
    return min(tables, key=lambda table: table.num_steps, default=None)


def _legs(first: TableSchedule, second: TableSchedule, size: int, width: int) -> tuple[_Legs, _Legs]:
    """Return the legs along both factors, with their runs."""
    a, b = (each.reshape(-1) for each in np.meshgrid(np.arange(size), np.arange(width), indexing="ij"))
    begins, ends = zip(*(_spans(table, count) for table, count in ((first, size), (second, width))), strict=True)
    runs_of_first, runs_of_second = b, (a + size // 2) % size
    start_1, end_1 = (each[a] + runs_of_first * first.num_steps for each in (begins[0], ends[0]))
    start_2, end_2 = (each[b] + runs_of_second * second.num_steps for each in (begins[1], ends[1]))
    has_both = (a > 0) & (b > 0)
    goes_first = (end_1 <= start_2) | ~has_both
    overlaps = np.flatnonzero(has_both & ~goes_first & (end_2 > start_1))
    # Messages that wait and go equally far along the second factor have a further run each.
    order = overlaps[np.argsort(b[overlaps], kind="stable")]
    is_new = np.diff(b[order], prepend=-1) != 0
    number = np.arange(len(order)) - np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    after = -(-max(size * second.num_steps, width * first.num_steps) // second.num_steps)
    runs_of_second = runs_of_second.copy()
    runs_of_second[order] = after + number
    goes_first[order] = True
    along_1, along_2 = np.flatnonzero(a > 0), np.flatnonzero(b > 0)
    is_first = goes_first.astype(np.int64)
    return (
        _Legs(a[along_1], b[along_1], runs_of_first[along_1], is_first[along_1]),
        _Legs(b[along_2], a[along_2], runs_of_second[along_2], np.where(has_both, 1 - is_first, 1)[along_2]),
    )


def _spans(table: TableSchedule, size: int) -> tuple[Longs, Longs]:
    """Return the first step of the message to each displacement, and the first step after it."""
    begins, ends = np.full(size, table.num_steps, dtype=np.int64), np.zeros(size, dtype=np.int64)
    np.minimum.at(begins, table.messages, table.steps)
    np.maximum.at(ends, table.messages, table.steps + table.row_lengths)
    return begins, ends


def _rows(table: TableSchedule, displacements: Longs) -> tuple[Longs, Longs]:
    """Return the rows of messages to some displacements, and the place of each row's displacement among these."""
    order = np.argsort(table.messages, kind="stable")
    first, last = (np.searchsorted(table.messages[order], displacements, side=side) for side in ("left", "right"))
    counts = last - first
    at = np.repeat(np.arange(len(displacements)), counts)
    return order[ranges(first, counts)], at


def _joined(parts: list[Part], cayley: CayleyNetwork) -> TableSchedule:
    """Return one table of the rows of both factors, without steps in which nothing happens."""
    counts, kinds, lengths = [], [], []
    for table, rows, kind_of, *_ in parts:
        num_runs = np.diff(table.run_offsets)[rows]
        each = ranges(table.run_offsets[rows], num_runs)
        counts.append(num_runs)
        kinds.append(kind_of[table.run_kinds[each]])
        lengths.append(table.run_lengths[each])
    starts, tails, messages = (np.concatenate([part[at] for part in parts]) for at in (3, 4, 5))
    spans = np.concatenate([table.row_lengths[rows] for table, rows, *_ in parts])
    changes = np.zeros(int((starts + spans).max(initial=0)) + 1, dtype=np.int64)
    np.add.at(changes, starts, 1)
    np.add.at(changes, starts + spans, -1)
    is_used = np.cumsum(changes)[:-1] > 0
    number = np.cumsum(is_used) - 1
    return TableSchedule(
        int(is_used.sum()),
        cayley.translations,
        number[starts],
        tails.astype(np.int32),
        messages,
        np.concatenate([[0], np.cumsum(np.concatenate(counts))]),
        np.concatenate(kinds),
        np.concatenate(lengths),
    )
