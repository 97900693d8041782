"""The bound by one router: what must pass its channels, where processors share it or ports exceed them.

A pure switch counts together with the processors around it: a box of GPUs on a switch is one fat router to the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from pavane.bounds.cut_loads import RouterCut, ends_across, explain_leaving, leaving, widths
from pavane.bounds.phrases import Unit, carried, some_of
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.arrays import Flags
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "router"

MOST_SLIM_ROUTERS = 256
"""On more slim routers than this only ports are counted: they say nearly the same, at once."""

MOST_ROUTERS_WITH_SWITCHES = 2048
"""On more routers only single ones are looked at: a table of what each has for each other takes too much memory."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds of the routers that have the most to let out and in for their channels."""
    network = problem.network
    if problem.rules.combining or (network.is_slim and network.num_routers > MOST_SLIM_ROUTERS):
        return
    yield from _by_prices(problem) if problem.pattern == "private" else _by_cuts(problem)


def _by_prices(problem: Problem) -> Iterator[Bound]:
    network = problem.network
    start, end = (network.router_of[problem.ends[:, side]] for side in (0, 1))
    moving = start != end
    for ends, degrees, rim in (
        (start[moving], network.out_degrees, network.tails),
        (end[moving], network.in_degrees, network.heads),
    ):
        loads = np.bincount(ends, minlength=network.num_routers)
        busiest = int((loads / np.maximum(degrees, 1)).argmax())
        if loads[busiest]:
            yield priced(problem, CertificatePrices.of(problem, np.flatnonzero(rim == busiest)), NAME)
    around = _around_switches(problem)
    for sides in (around, ~around) if len(around) else ():
        loads = ends_across(problem, sides, problem.ends)
        inside = sides[int((loads / np.maximum(widths(network, sides), 1)).argmax())]
        out = np.flatnonzero(inside[network.tails] & ~inside[network.heads])
        if loads.any() and len(out):
            yield priced(problem, CertificatePrices.of(problem, out), NAME)


def _around_switches(problem: Problem) -> Flags:
    """Return the pure switches with the processors' routers that they are joined to, one row a set."""
    network, is_switch = problem.network, problem.is_switch
    if network.num_routers > MOST_ROUTERS_WITH_SWITCHES:
        return np.zeros((0, network.num_routers), dtype=bool)
    inside = np.eye(network.num_routers, dtype=bool)
    for near, far in (network.channels.T, network.channels.T[::-1]):
        inside[near, far] |= ~is_switch[far]
    around: Flags = inside[is_switch & (inside.sum(axis=1) > 1)]
    return around


def _by_cuts(problem: Problem) -> Iterator[Bound]:
    best = RouterCut(0, 1), np.zeros(0, dtype=bool)
    for inside in chain(_busiest_router(problem), _around_switches(problem)):
        for side in (inside, ~inside):
            cut = leaving(problem, side)
            if cut.exact > best[0].exact:
                best = cut, side
    if best[0].num_messages:
        yield best[0].bound(NAME, {"routers": np.flatnonzero(best[1]).tolist()})


def _busiest_router(problem: Problem) -> Iterator[Flags]:
    """Yield the router with processors that has the most messages to let out or in for its channels, as one set."""
    network, size = problem.network, problem.network.num_routers
    home = network.router_of
    owned = np.bincount(home[problem.labels[:, 0]], minlength=size)
    receivers = np.bincount(home[list(problem.collective.receivers)], minlength=size)
    sent = np.where(receivers < receivers.sum(), owned, 0)
    received = np.where(receivers > 0, owned.sum() - owned, 0)
    out_of, into = ([end.astype(np.int64) * network.num_channels + problem.units] for end in network.channels.T)
    if problem.rules.duplex == "half":
        sent = received = sent + received
        out_of = into = out_of + into
    ratios = np.zeros((size, 2))
    for column, (messages, uses) in enumerate(((sent, out_of), (received, into))):
        routers, units = np.divmod(np.unique(np.concatenate(uses)), network.num_channels)
        ratios[:, column] = messages / np.maximum(np.bincount(routers, network.capacity[units], size), 1)
    homes = np.unique(home)
    if len(homes):
        yield np.arange(size) == homes[int(ratios[homes].max(axis=1).argmax())]


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages must leave or enter which router."""
    if "routers" in bound.certificate:
        return explain_leaving(problem, bound, unit)
    network = problem.network
    prices, need, sold = figures_of(problem, bound)
    first = network.channels[prices.channels > 0]
    what = counted(need, carried(problem))
    from_one, to_one = (len(np.unique(ends)) == 1 for ends in first.T)
    if not from_one and not to_one:
        tails, heads = ([network.routers[router] for router in np.unique(ends)] for ends in first.T)
        return f"{what} must pass from routers {some_of(tails)} to routers {some_of(heads)}, {sold} {unit.each}"
    side = 0 if from_one and sold == network.out_degrees[first[0, 0]] else 1
    return (
        f"{what} must {('leave', 'enter')[side]} or pass router {network.routers[first[0, side]]}, {sold} {unit.each}"
    )
