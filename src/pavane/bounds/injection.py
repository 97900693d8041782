"""The bound by injection: the most that one processor must send over its ports, (P - 1) / k of the papers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "injection"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the processor that has the most private messages to send for its ports."""
    if problem.rules.combining or problem.pattern != "private":
        return
    busiest = int((problem.num_sent / np.maximum(problem.injection, 1)).argmax())
    yield priced(problem, CertificatePrices.of(problem, injection=[busiest]), NAME)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must send how many messages."""
    prices, need, sold = figures_of(problem, bound)
    processor = int(np.flatnonzero(prices.injection)[0])
    return f"processor {processor} must send {counted(need, carried(problem))}, {sold} {unit.each}"
