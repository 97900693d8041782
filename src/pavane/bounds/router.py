"""The bound by one router: what must pass its channels, where processors share it or ports exceed them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cuts import RouterCut, explain_leaving, leaving
from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "router"

MOST_SLIM_ROUTERS = 256
"""On more slim routers than this only ports are counted: they say nearly the same, at once."""


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


def _by_cuts(problem: Problem) -> Iterator[Bound]:
    network = problem.network
    best = RouterCut(0, 1), np.zeros(0, dtype=bool)
    for home in np.unique(network.router_of).tolist():
        inside = np.arange(network.num_routers) == home
        for side in (inside, ~inside):
            cut = leaving(problem, side)
            if cut.exact > best[0].exact:
                best = cut, side
    if best[0].num_messages:
        yield best[0].bound(NAME, {"routers": np.flatnonzero(best[1]).tolist()})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages must leave or enter which router."""
    if "routers" in bound.certificate:
        return explain_leaving(problem, bound, unit)
    network = problem.network
    prices, need, sold = figures_of(problem, bound)
    first = network.channels[prices.channels > 0]
    side = 0 if len(set(first[:, 0].tolist())) == 1 and sold == network.out_degrees[first[0, 0]] else 1
    name = network.routers[first[0, side]]
    return (
        f"{counted(need, carried(problem))} must {('leave', 'enter')[side]} or pass router {name}, {sold} {unit.each}"
    )
