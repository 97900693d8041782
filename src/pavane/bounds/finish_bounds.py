"""All lower bounds on the end of timed schedules; the judge (`pavane.judge.timed_certificates`) checks them."""

from __future__ import annotations

from pavane.bounds.timed_classes import best_classes
from pavane.bounds.timed_cuts import best_cuts
from pavane.bounds.timed_prices import best_prices
from pavane.model.bound import Bound
from pavane.model.timed import TimedProblem


def timed_bounds(timed: TimedProblem) -> tuple[Bound, ...]:
    """Return the highest bound of each argument, the highest first.

    Tails and classes count single transfers, so they do not hold where routers copy and add.
    """
    best: dict[str, Bound] = {}
    others = () if timed.problem.has_trees else (best_prices(timed), best_classes(timed))
    for bound in (*best_cuts(timed), *(one for one in others if one is not None)):
        if bound.argument not in best or bound.figure > best[bound.argument].figure:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: -bound.figure))
