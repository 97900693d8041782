"""The bound by bisection: what must cross between two halves of the network, P^2 / (2 B_C) of the papers.

Messages that cross more than once count as often as they must cross.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cut_loads import explain_leaving, leaving, marked
from pavane.bounds.phrases import Unit, carried, some_of
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.bounds.splits import bisection
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "bisection"

MOST_ROUTERS_BISECTED = 1024
"""Above this a good bisection takes longer than it is worth; the other bounds remain."""

MOST_ROUTERS_ONE_WAY = 128
"""Up to this number of routers the channels each way are priced alone, too."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield what must cross between the halves, both ways and each way."""
    network = problem.network
    if problem.rules.combining or not 2 <= network.num_routers <= MOST_ROUTERS_BISECTED:
        return
    inside = marked(network, bisection(network).side)
    if problem.pattern == "private":
        out = inside[network.tails] & ~inside[network.heads]
        back = inside[network.heads] & ~inside[network.tails]
        for crossing in (out | back, out, back) if network.num_routers <= MOST_ROUTERS_ONE_WAY else (out | back,):
            if crossing.any():
                yield priced(problem, CertificatePrices.of(problem, np.flatnonzero(crossing)), NAME)
    else:
        for side in (inside, ~inside):
            cut = leaving(problem, side)
            if cut.num_messages:
                yield cut.bound(NAME, {"routers": np.flatnonzero(side).tolist()})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how often messages must cross between the halves, and where."""
    if "routers" in bound.certificate:
        return explain_leaving(problem, bound, unit)
    network = problem.network
    prices, need, sold = figures_of(problem, bound)
    is_priced = prices.channels > 0
    num_channels = int(is_priced.sum())
    ends = sorted({network.routers[tail] for tail in network.tails[is_priced].tolist()})
    return (
        f"{carried(problem)}s must cross between two halves {counted(need, 'time')} in all, {counted(sold, 'time')} "
        f"{unit.each}; {counted(num_channels, 'channel')} {'joins' if num_channels == 1 else 'join'} them, at "
        f"{'router' if len(ends) == 1 else 'routers'} {some_of(ends)}"
    )
