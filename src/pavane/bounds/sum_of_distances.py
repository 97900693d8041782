"""The bound by the sum of distances: the channel uses of private messages over the channels (gecco08 section 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "sum-of-distances"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of equal prices on all channels."""
    if problem.pattern == "private" and not problem.rules.combining and problem.network.num_channels:
        yield priced(problem, CertificatePrices.of(problem, np.arange(problem.network.num_channels)), NAME)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many channels there are to cover."""
    _, need, sold = figures_of(problem, bound)
    return f"the {carried(problem)}s need {need:,} channel uses in all, and {unit.subject} offers {sold:,}"
