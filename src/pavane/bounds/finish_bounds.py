"""All lower bounds on the end of schedules with start times; the judge checks them in `timed_certificates`."""

from __future__ import annotations

from collections.abc import Iterator

from pavane.bounds.timed_classes import NAME as CLASSES
from pavane.bounds.timed_classes import best_classes
from pavane.bounds.timed_cuts import CUT, PORTS, TAIL, best_cuts
from pavane.bounds.timed_prices import NAME as PRICES
from pavane.bounds.timed_prices import best_prices
from pavane.model.bound import Bound
from pavane.model.problem import Problem

EXPLANATIONS = {
    CUT: "what must enter a set of routers takes so long on the channels into it",
    TAIL: "what must enter a set of routers, and spread there, takes so long",
    PORTS: "what the processors of a router send, or receive, takes their ports so long",
    PRICES: "at these prices of channels the messages pay for so much time",
    CLASSES: "what the classes of routers must exchange takes so long on the channels between them",
}
"""The argument of each bound in words."""


def bounds_on_finish(problem: Problem) -> Iterator[Bound]:
    """Yield bounds of each argument.

    Tails and classes count single transfers, so they do not hold where routers copy and add.
    """
    yield from best_cuts(problem)
    others = () if problem.has_trees else (best_prices(problem), best_classes(problem))
    yield from (bound for bound in others if bound is not None)
