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
    into: list[int] = network.in_degrees.tolist()
    members, entering, inside = {start}, into[start], must_enter[start]
    joining: dict[int, int] = {}
    """What the channels carry, both ways, that join each router around the set with it."""
    newest = start
    while True:
        yield frozenset(members), (problem.num_messages - inside) / max(entering, 1)
        for channels, ends in ((network.out_channels[newest], heads), (network.in_channels[newest], tails)):
            for channel in channels:
                if ends[channel] not in members:
                    joining[ends[channel]] = joining.get(ends[channel], 0) + carried[channel]
        if not joining or 2 * len(members) >= network.num_routers:
            return
        newest = max(
            sorted(joining),
            key=lambda router: (
                (problem.num_messages - inside - must_enter[router]) / max(entering + into[router] - joining[router], 1)
            ),
        )
        entering += into[newest] - joining.pop(newest)
        inside += must_enter[newest]
        members.add(newest)
