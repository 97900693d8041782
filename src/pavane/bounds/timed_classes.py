"""A lower bound on the end of a timed allreduce: what must go between classes of routers.

All routers where sums rest lie in p classes with a member each. Until the first class knows all contributions to a
piece, a transfer has left each other class; then one enters each of these. So 2 (p - 1) transfers of every piece enter
classes, over channels that are held in windows, from the nearest member on until the nearest member before the end.
Classes are single routers, and parts without the slowest channels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.timed_cuts import fast_parts, least_packed_end
from pavane.bounds.timed_ways import TransferTimes
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "timed-classes"


def best_classes(problem: Problem) -> Bound | None:
    """Return the best bound by classes; None where there is none."""
    if problem.pattern != "allreduce" or not problem.num_messages:
        return None
    sizes, counts = np.unique(problem.message_bytes, return_counts=True)
    ways = TransferTimes(problem, int(sizes[0]))
    homes = np.unique(problem.network.router_of[list(problem.collective.senders)]).astype(np.int64)
    lead, rest = ways.windows(homes, homes)
    num_small = int(counts[0]) if len(sizes) > 1 else 0
    holds = ways.holds_of(int(sizes[-1])), ways.holds
    best: Bound | None = None
    for class_of in _partitions(ways, homes):
        heads, tails = class_of[ways.heads], class_of[ways.tails]
        entering = np.flatnonzero((heads >= 0) & (heads != tails) & np.isfinite(lead + rest))
        if not len(entering):
            continue
        _, group = np.unique(problem.units[entering], return_inverse=True)
        leads, rests, large, small = (
            _least(column[entering], group) for column in (lead, rest, holds[0].astype(float), holds[1].astype(float))
        )
        times = 2 * int(class_of.max())
        packed = large.astype(np.int64), small.astype(np.int64)
        finish = least_packed_end(leads + rests, packed, times * int(counts[-1]), times * num_small)
        if finish is not None and (best is None or finish > best.figure):
            classes = [np.flatnonzero(class_of == one).tolist() for one in range(int(class_of.max()) + 1)]
            best = Bound(finish, NAME, {"classes": classes}, objective="finish")
    return best


def _least(values: np.ndarray, group: Longs) -> np.ndarray:
    least = np.full(int(group.max()) + 1, np.inf)
    np.minimum.at(least, group, values)
    return least


def _partitions(ways: TransferTimes, homes: Longs) -> Iterator[Longs]:
    """Yield the class of each router, -1 of a switch in none: single routers, and parts without slow channels."""
    for labels in (np.arange(ways.num_routers), *(labels for labels, _ in fast_parts(ways))):
        class_of = _joined(ways, labels, homes)
        if class_of is not None:
            yield class_of


def _joined(ways: TransferTimes, labels: Longs, homes: Longs) -> Longs | None:
    """Return classes of parts: one without a member joins the nearest one, or is left out where nothing rests."""
    own = np.unique(labels[homes])
    if len(own) < 2:
        return None
    class_of = np.searchsorted(own, labels)
    class_of = np.where(np.isin(labels, own), class_of, -1)
    for router in np.flatnonzero((class_of < 0) & ways.rests).tolist():
        nearest = homes[int(np.argmin(ways.distances[homes, router]))]
        class_of[router] = class_of[nearest]
    return class_of
