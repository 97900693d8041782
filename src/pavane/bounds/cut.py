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

from pavane.bounds.cut_loads import leaving
from pavane.jit import clock
from pavane.model.arrays import Flags, Longs
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.problem import Problem

NAME = "cut"

MOST_ROUTERS = 512
"""Above this, a flow for every router takes longer than it is worth."""


def best_cut(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest` by a cut, found before a moment of clock.now(); None where there is none."""
    return _search(problem, Fraction(lowest), deadline, in_steps=True)


def tightest_cut(problem: Problem, lowest: Fraction, deadline: float | None = None) -> Bound | None:
    """Return the bound by the cut with the largest ratio of all, if above `lowest`; None where there is none.

    At the deadline, a moment of clock.now(), it is the best that was found until then.
    """
    return _search(problem, lowest, deadline, in_steps=False)


def _search(problem: Problem, lowest: Fraction, deadline: float | None, *, in_steps: bool) -> Bound | None:
    """Search for cuts with ever larger ratios, rounded up to whole steps if `in_steps`."""
    network = problem.network
    if problem.pattern != "broadcast" or problem.rules.combining or network.num_routers > MOST_ROUTERS:
        return None
    homes = np.bincount(network.router_of[problem.labels[:, 0]], minlength=network.num_routers)
    targets = np.unique(network.router_of[list(problem.collective.receivers)]).tolist()
    supplies, is_shared = [homes], problem.rules.duplex == "half" and not in_steps
    if is_shared:
        # With receivers on both sides everything must cross, whichever way: as if it came from one of them.
        supplies.append(np.zeros_like(homes))
        supplies[-1][targets[0]] = problem.num_messages
    best: Bound | None = None
    for supply in supplies:
        for target in targets:
            while deadline is None or clock.now() < deadline:
                inside = _overfull(problem, supply, target, lowest, is_shared)
                if inside is None:
                    break
                cut = leaving(problem, inside)
                ratio = Fraction(cut.steps) if in_steps else cut.exact
                if ratio <= lowest:
                    break
                lowest = ratio
                best = cut.bound(NAME, {"routers": np.flatnonzero(inside).tolist()})
    return best


def _overfull(problem: Problem, supply: Longs, target: int, ratio: Fraction, is_shared: bool) -> Flags | None:
    """Return routers with more messages for a target than `ratio` times what can leave them; None: there are none.

    Whole numbers suffice: channels count the ratio's numerator times, messages its denominator times. A shared link
    carries messages either way.
    """
    network = problem.network
    source, homes = network.num_routers, np.flatnonzero(supply)
    units = np.unique(problem.units) if is_shared else np.arange(network.num_channels)
    tails, heads, room = network.tails[units], network.heads[units], network.capacity[units].astype(np.int64)
    if is_shared:
        tails, heads, room = np.append(tails, heads), np.append(heads, tails), np.append(room, room)
    flow = MaximumFlow(
        np.append(tails, np.full(len(homes), source)),
        np.append(heads, homes),
        np.append(room * ratio.numerator, supply[homes] * ratio.denominator),
        source,
        target,
    )
    is_enough = flow.value == int(supply.sum()) * ratio.denominator
    return None if is_enough else flow.source_side(source + 1)[:-1]
