"""The bounds by equal prices: on all channels the sum of distances (gecco08 section 3), and on all ports the relays.

Under store-and-forward every hop is sent and received by a processor, those on the way too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced, sold_per_step
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

DISTANCES, RELAYS = "sum-of-distances", "relays"


def by_distances(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of equal prices on all channels."""
    if problem.pattern == "private" and not problem.rules.combining and problem.network.num_channels:
        yield priced(problem, CertificatePrices.of(problem, np.arange(problem.network.num_channels)), DISTANCES)


def by_relays(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds of equal prices on all injection ports, and on all ejection ports."""
    if problem.pattern != "private" or problem.rules.combining or not problem.network.num_channels:
        return
    if problem.rules.switching == "store-and-forward":
        everyone = np.arange(problem.network.num_processors)
        for prices in (
            CertificatePrices.of(problem, injection=everyone),
            CertificatePrices.of(problem, ejection=everyone),
        ):
            if sold_per_step(problem, prices):
                yield priced(problem, prices, RELAYS)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many channels there are to cover, or how often messages must be sent or received."""
    prices, need, sold = figures_of(problem, bound)
    if bound.argument == DISTANCES:
        return f"the {carried(problem)}s need {need:,} channel uses in all, and {unit.subject} offers {sold:,}"
    verb = "sent" if prices.injection.any() else "received"
    uses = f"{carried(problem)}s must be {verb} by processors {need:,} times in all"
    return f"{uses}, and {unit.subject} has {counted(sold, 'port')}"
