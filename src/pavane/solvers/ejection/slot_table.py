"""One slot table for all routers, for few ports, long packets or slow routers, by the search of `translation`.

The rows that the search packs for router 0 are a table where no translation delays what it moves. Where all ports may
be used, and hops and packets take one slot, turned packets give tables of any size without a search.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.translation import Translation
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork
from pavane.symmetry.translation_groups import groups_of

MOST_ROUTERS = 144
"""A table for 100 routers takes ten seconds to pack, one for 256 two minutes."""

MOST_TRIALS = 4_000_000
"""Trials for one period: ten times as many make the tables of tori of 100 routers shorter by one or two slots."""


def packed_slots(problem: Problem, cayley: CayleyNetwork, lowest: int) -> SymmetricSchedule | None:
    """Return a slot table of `lowest` slots or a few more for all-to-all scatter; None where none is packed."""
    solver = Translation(most_trials=MOST_TRIALS)
    if not problem.rules.has_slots or not solver.supports(problem):
        return None
    if cayley.sizes is None or problem.network.num_routers > MOST_ROUTERS:
        return None
    group = next(group for group in groups_of(problem) if group.sizes == cayley.sizes)
    for num_slots in _periods(lowest):
        rows = solver.rows(problem, group, num_slots, np.random.default_rng(0), Budget())
        if rows is not None:
            break
    else:
        return None
    heads, channels = problem.network.heads, cayley.kinds.channels
    kind_of = np.empty(problem.network.num_channels, dtype=np.int64)
    kind_of[channels] = np.arange(channels.shape[1])
    longest = max(len(row.path) for row in rows)
    kinds, lengths = np.zeros((2, len(rows), longest), dtype=np.int64)
    for number, (_, path) in enumerate(rows):
        kinds[number, : len(path)] = kind_of[path]
        lengths[number, : len(path)] = 1
    steps = np.array([row.start for row in rows], dtype=np.int64)
    targets = np.array([heads[row.path[-1]] for row in rows], dtype=np.int64)
    return table_of([RowColumns(steps, targets, kinds, lengths)], num_slots, cayley.translations)


def _periods(lowest: int) -> Iterator[int]:
    """Yield periods from the bound to its double, ever further apart."""
    yield lowest
    more = 1
    while more <= lowest:
        yield lowest + more
        more += 1 + more // 4
