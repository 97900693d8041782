"""The bound by relays: under store-and-forward every hop is sent and received by a processor, those on the way too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced, sold_per_step
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "relays"


def make(problem: Problem) -> Iterator[Bound]:
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
                yield priced(problem, prices, NAME)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how often messages must be sent, or received."""
    prices, need, sold = figures_of(problem, bound)
    verb = "sent" if prices.injection.any() else "received"
    ports = counted(sold, "port")
    return f"{carried(problem)}s must be {verb} by processors {need:,} times in all, and {unit.subject} has {ports}"
