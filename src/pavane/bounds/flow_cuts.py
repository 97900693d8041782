"""The bound by the best cut of a broadcast: a set of routers whose messages have too few channels to leave by.

For a receiver's router r and a number of steps S, send every message from its origin to r over channels that each carry
at most S. Where that does not fit, the minimum cut is a set of routers, r outside, that holds more messages than its
channels can let out in S steps (`cuts.leaving` counts them again). The set's own ratio is the next S to try, so that a
few flows per router find the best set.
"""

from __future__ import annotations

import time

import numpy as np

from pavane.bounds.cuts import leaving
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "cut"

MOST_ROUTERS = 512
"""Above this, a flow for every router takes longer than it is worth."""


def best_cut(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest` by a cut, found before a moment of time.monotonic(); None where there is none."""
    network = problem.network
    if problem.pattern != "broadcast" or problem.rules.combining or network.num_routers > MOST_ROUTERS:
        return None
    from ortools.graph.python.max_flow import SimpleMaxFlow

    source = network.num_routers
    homes, messages = np.unique(network.router_of[problem.labels[:, 0]], return_counts=True)
    tails = np.concatenate((network.tails, np.full(len(homes), source)))
    heads = np.concatenate((network.heads, homes))
    best: Bound | None = None
    for target in np.unique(network.router_of[list(problem.collective.receivers)]).tolist():
        while deadline is None or time.monotonic() < deadline:
            flow = SimpleMaxFlow()
            capacity = np.concatenate((lowest * network.capacity.astype(np.int64), messages))
            flow.add_arcs_with_capacity(tails, heads, capacity)
            flow.solve(source, target)
            # What is at the target itself need not cross anything.
            if flow.optimal_flow() == int(messages.sum()):
                break
            inside = np.zeros(network.num_routers + 1, dtype=bool)
            inside[flow.get_source_side_min_cut()] = True
            cut = leaving(problem, inside[:-1])
            if cut.steps <= lowest:
                break
            lowest = cut.steps
            best = cut.bound(NAME, {"routers": np.flatnonzero(inside[:-1]).tolist()})
    return best
