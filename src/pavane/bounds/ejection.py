"""The bound by ejection: the most that one processor must receive over its ports, (P - 1) / k of the papers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cut_loads import arriving
from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "ejection"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the processor that has the most to receive for its ports."""
    if problem.rules.combining:
        return
    if problem.pattern == "private":
        busiest = int((problem.num_received / np.maximum(problem.ejection, 1)).argmax())
        yield priced(problem, CertificatePrices.of(problem, ejection=[busiest]), NAME)
    else:
        receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
        own = np.bincount(problem.labels[:, 0], minlength=problem.network.num_processors)
        wanted = problem.num_messages - own[receivers]
        busiest = int(receivers[(wanted / np.maximum(problem.ejection[receivers], 1)).argmax()])
        yield arriving(problem, busiest).bound(NAME, {"processor": busiest})


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must receive how many messages."""
    if "channels" in bound.certificate:
        prices, need, sold = figures_of(problem, bound)
        processor = int(np.flatnonzero(prices.ejection)[0])
    else:
        processor = bound.certificate["processor"]
        cut = arriving(problem, processor)
        need, sold = cut.num_messages, cut.per_step
    return f"processor {processor} must receive {counted(need, carried(problem))}, {sold} {unit.each}"
