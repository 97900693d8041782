"""Bottlenecks: sets of routers that few channels lead into for what must enter them.

A schedule that meets a bound by a cut lets every message into the set once, and has it copied inside. So the
assignment of channels should know the sets that are nearly as tight as the tightest: rings on a bridge, boxes on a
cable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import numpy as np

from pavane.model.arrays import Flags
from pavane.model.problem import Problem

MOST_ROUTERS = 512
"""On larger networks growing a set from every router takes seconds."""

MOST_ROUTERS_PATIENT = 64
"""On larger networks a set that grows wider and wider is given up."""

PATIENCE = 3.0
"""It is given up when the tightest router needs more than this many times its steps."""

MOST_SETS = 1000
"""The most sets that are kept, the tightest ones."""

SLACK = 1.4
"""A set matters if the tightest one, or a single router, needs at most this many times its steps."""


def tight_sets(problem: Problem) -> Flags:
    """Return the bottlenecks of several routers each, one row a set and one column a router; perhaps none."""
    num_routers = problem.network.num_routers
    if num_routers > MOST_ROUTERS:
        return np.zeros((0, num_routers), dtype=bool)
    alone = max(next(_grown(problem, start))[1] for start in range(num_routers))
    least = alone / PATIENCE if num_routers > MOST_ROUTERS_PATIENT else 0.0
    steps_of: dict[frozenset[int], float] = {}
    for start in range(num_routers):
        steps_of.update(takewhile(lambda grown: grown[1] >= least, _grown(problem, start)))
    if problem.passes_switches or not problem.is_plain:
        # Nothing must enter switches alone. Plain problems keep the sets that they have always had.
        homes = set(problem.network.router_of.tolist())
        steps_of = {members: steps for members, steps in steps_of.items() if not homes.isdisjoint(members)}
    most = max(steps_of.values())
    tight = [members for members, steps in steps_of.items() if len(members) > 1 and SLACK * steps >= most]
    tight.sort(key=lambda members: (-steps_of[members], len(members), sorted(members)))
    rows = np.zeros((len(tight[:MOST_SETS]), num_routers), dtype=bool)
    for row, members in zip(rows, tight, strict=False):
        row[list(members)] = True
    return rows


def _grown(problem: Problem, start: int) -> Iterator[tuple[frozenset[int], float]]:
    """Yield sets grown from one router by the neighbour that makes them tightest, with the steps that each needs."""
    network = problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    born = np.bincount(network.router_of[problem.labels[:, 0]], minlength=network.num_routers).tolist()
    # Under half duplex a link carries what must leave, too: together, everything.
    must_enter = [0] * network.num_routers if problem.rules.duplex == "half" else born
    carried: list[int] = network.capacity.tolist()
    members, entering, inside = {start}, int(network.in_degrees[start]), must_enter[start]
    around: set[int] = set()

    def entering_with(router: int) -> int:
        """Return what the channels into the set carry where the router has joined it."""
        more = sum(carried[channel] for channel in network.in_channels[router] if tails[channel] not in members)
        fewer = sum(carried[channel] for channel in network.out_channels[router] if heads[channel] in members)
        return entering + more - fewer

    newest = start
    while True:
        yield frozenset(members), (problem.num_messages - inside) / max(entering, 1)
        around |= {heads[channel] for channel in network.out_channels[newest]}
        around |= {tails[channel] for channel in network.in_channels[newest]}
        around -= members
        if not around or 2 * len(members) >= network.num_routers:
            return
        newest = max(
            sorted(around),
            key=lambda router: (problem.num_messages - inside - must_enter[router]) / max(entering_with(router), 1),
        )
        entering = entering_with(newest)
        inside += must_enter[newest]
        members.add(newest)
