"""Equivalent problems: those that differ in the numbers of routers and processors only, such as mirrored faults.

Two problems are equivalent if one can be renumbered into the other: routers onto routers, with the same capacity
between any two, and processors with the same role in the collective. Both then need the same number of steps. Parallel
channels count by their total capacity, processors on one router by their roles, and messages by their units.

Equivalent problems have the same canonical form (see `canonical_form`). Where that takes too much work a problem counts
as different from all others.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.messages import message_ends, message_pieces
from pavane.model.problem import Problem
from pavane.symmetry.canonical_form import MOST_VERTICES, canonical_order

MOST_WORK = 4_000_000_000
"""Pairs of vertices considered for one problem: some ten seconds. Scheduling a problem once more takes longer."""


class Equivalence:
    """Finds the first of several problems that is equivalent to another; all routing rules must be symmetric."""

    def __init__(self, most_work: int = MOST_WORK) -> None:
        self._most_work = most_work
        self._colours: dict[Hashable, int] = {}
        """One table of colours for all problems, so that equal colours mean the same in each."""
        self._first: dict[Hashable, int] = {}

    def first_like(self, problem: Problem, number: int) -> int:
        """Return the number of the first problem that is equivalent to this one, which has a number, too."""
        if problem.restriction is not None or problem.network.num_routers > MOST_VERTICES:
            return number  # restricted turns depend on directions
        colours, edges = self._graph(problem)
        order = canonical_order(colours, edges, self._most_work)
        if order is None:
            return number
        collective = problem.collective
        # The owner of a part of an allreduce does not matter, only how many parts of which units there are.
        is_allreduce = problem.pattern == "allreduce"
        units = sorted(message_pieces(collective, message_ends(collective)).tolist()) if is_allreduce else ()
        graph = colours[order].tobytes(), edges[np.ix_(order, order)].tobytes()
        key = (problem.rules, collective.kind, collective.pieces, tuple(units), *graph)
        return self._first.setdefault(key, number)

    def _graph(self, problem: Problem) -> tuple[Longs, Longs]:
        """Return a colour for each vertex and a number for each pair of vertices.

        Vertices are routers, and processors where messages differ by pairs or by sizes.
        """
        network, collective = problem.network, problem.collective
        num_routers, roles = network.num_routers, _roles(problem)
        colours: list[Hashable] = [("router", *sorted(roles[p] for p in there)) for there in network.processors_on]
        is_apart = collective.kind == "PAIRS" or (problem.pattern == "private" and bool(collective.sizes))
        if is_apart:
            colours += ["processor"] * network.num_processors
        edges = np.zeros((len(colours), len(colours)), dtype=np.int64)
        np.add.at(edges, (network.tails, network.heads), network.capacity)
        if is_apart:
            edges[num_routers + np.arange(network.num_processors), network.router_of] = 1
            ends = message_ends(collective)
            sources, targets = num_routers + ends.T
            edges[sources, targets] = message_pieces(collective, ends)
        numbers = [self._colours.setdefault(colour, len(self._colours)) for colour in colours]
        return np.array(numbers, dtype=np.int64), edges


def _roles(problem: Problem) -> list[tuple[int, ...]]:
    """Return the role of each processor: whether it sends, and receives, and the units of its own message."""
    collective = problem.collective
    senders, receivers = frozenset(collective.senders), frozenset(collective.receivers)
    processors = range(problem.network.num_processors)
    if problem.pattern == "allreduce":
        return [(p in senders,) for p in processors]
    units = {size[0]: size[-1] for size in collective.sizes} if problem.pattern != "private" else {}
    return [(p in senders, p in receivers, units.get(p, 1)) for p in processors]
