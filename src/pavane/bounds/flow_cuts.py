"""The bound by the best cut of a broadcast: a set of routers whose messages have too few channels to leave by.

For a receiver's router r and a number of steps S, send every message from its origin to r over channels that each carry
at most S. Where that does not fit, the minimum cut is a set of routers, r outside, that holds more messages than its
channels can let out in S steps (`cuts.leaving` counts them again). The set's own ratio is the next S to try, so that a
few flows per router find the best set (Dinkelbach 1967). S is rounded up to whole steps where steps are bounded, and
kept as a fraction where message times are.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pavane.bounds.cuts import leaving
from pavane.jit import clock
from pavane.model.arrays import Flags, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "cut"

MOST_ROUTERS = 512
"""Above this, a flow for every router takes longer than it is worth."""


def best_cut(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest` by a cut, found before a moment of clock.now(); None where there is none."""
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
        while deadline is None or clock.now() < deadline:
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


def tightest_cut(problem: Problem, lowest: Fraction, deadline: float | None = None) -> Bound | None:
    """Return the bound by the cut with the largest ratio of all, if above `lowest`; None where there is none.

    At the deadline, a moment of clock.now(), it is the best that was found until then.
    """
    network = problem.network
    if problem.pattern != "broadcast" or problem.rules.combining or network.num_routers > MOST_ROUTERS:
        return None
    homes = np.bincount(network.router_of[problem.labels[:, 0]], minlength=network.num_routers)
    targets = np.unique(network.router_of[list(problem.collective.receivers)]).tolist()
    supplies = [homes]
    if problem.rules.duplex == "half":
        # With receivers on both sides everything must cross, whichever way: as if it came from one of them.
        supplies.append(np.zeros_like(homes))
        supplies[-1][targets[0]] = problem.num_messages
    best: Bound | None = None
    for supply in supplies:
        for target in targets:
            while deadline is None or clock.now() < deadline:
                inside = _overfull(problem, supply, target, lowest)
                cut = None if inside is None else leaving(problem, inside)
                if inside is None or cut is None or cut.exact <= lowest:
                    break
                lowest = cut.exact
                best = cut.bound(NAME, {"routers": np.flatnonzero(inside).tolist()})
    return best


def _overfull(problem: Problem, supply: Longs, target: int, ratio: Fraction) -> Flags | None:
    """Return routers with more messages for a target than `ratio` times what can leave them; None: there are none.

    Whole numbers suffice: channels count the ratio's numerator times, messages its denominator times.
    """
    from ortools.graph.python.max_flow import SimpleMaxFlow

    network = problem.network
    source, homes = network.num_routers, np.flatnonzero(supply)
    units = np.unique(problem.units)
    tails, heads, room = network.tails[units], network.heads[units], network.capacity[units].astype(np.int64)
    if problem.rules.duplex == "half":
        tails, heads, room = np.append(tails, heads), np.append(heads, tails), np.append(room, room)
    flow = SimpleMaxFlow()
    flow.add_arcs_with_capacity(
        np.append(tails, np.full(len(homes), source)),
        np.append(heads, homes),
        np.append(room * ratio.numerator, supply[homes] * ratio.denominator),
    )
    is_solved = flow.solve(source, target) == flow.OPTIMAL
    if not is_solved or flow.optimal_flow() == int(supply.sum()) * ratio.denominator:
        return None
    inside = np.zeros(network.num_routers + 1, dtype=bool)
    inside[flow.get_source_side_min_cut()] = True
    return inside[:-1]
