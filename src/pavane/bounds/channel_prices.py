"""The bound by the best prices on channels: how loaded the busiest channel must be, however messages are routed.

For private messages without combining. A channel carries one message a step, so no schedule has fewer steps than the
busiest channel has messages; and prices that show how loaded it must be (see `price_search`) prove their bound by
themselves (see `prices`): whatever found the prices, the bound is exact.

Under store-and-forward a message may be relayed along any path, and every hop takes a port of a processor at both its
ends: ports get prices as channels do. To a wormhole they get none. Every message pays the same for its two ports on
whatever path, so a list that prices both proves (A + B) / (a + b), where channels alone prove A / a and ports alone
B / b; and that lies between the two.

The sums of distances over channels of gecco08 section 3 are the case of equal prices, the bisection that of a cut.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried, some_of
from pavane.bounds.price_program import by_linear_program, fits_a_program
from pavane.bounds.price_search import MOST_PRICE, by_weights, is_over
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.bounds.traffic import Traffic
from pavane.model.arrays import Longs, Reals
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "channel-prices"

MOST_PAIRS = 50_000_000
"""Above this many pairs of source and channel a turn takes too long for what it is worth."""

MOST_PAIRS_OF_TINY = 5000
"""Up to this many the linear program takes less time than loading machine code."""

MOST_PAIRS_IN_ALL_TURNS = 160_000_000
"""The pairs of source and channel that all turns together may look at: a few seconds."""

MOST_TURNS = 200
"""More turns hardly find better prices."""

FEW_TURNS = 4
"""Where all channels of a kind are alike, these settle it."""

SCALES = (1, 2, 3, 4, 6, 12, 60, 1000, MOST_PRICE)
"""Largest prices to try when prices become whole numbers; the first that loses nothing makes the plainest list."""

MOST_DENOMINATOR = 5000
"""The largest common denominator that is looked for in prices that are fractions of the dearest."""

MOST_DENOMINATORS = 4
"""How many common denominators are tried, the smallest ones that fit."""

NEARLY_WHOLE = 1e-4
"""How far a price times the denominator may be from a whole number, for the errors of a linear program."""


def priced_by_load(problem: Problem, deadline: float | None = None) -> Bound | None:
    """Return the best bound by prices on channels, found before a moment of clock.now(); None where none applies.

    A few turns of multiplicative weights often settle small networks; else the linear program does, or where it takes
    longer, more turns.
    """
    traffic = Traffic.of(problem)
    if traffic is None or traffic.num_pairs > MOST_PAIRS or is_over(deadline):
        return None
    if not fits_a_program(traffic):
        weights = by_weights(traffic, _most_turns(traffic), deadline)
        return priced(problem, _rounded(traffic, weights.per_unit, deadline), NAME)
    is_tiny = traffic.num_pairs <= MOST_PAIRS_OF_TINY
    weights = by_weights(traffic, 3 * FEW_TURNS if is_tiny else FEW_TURNS, deadline)
    candidates = [weights.per_unit]
    if not (weights.is_settled or is_tiny or traffic.is_minimal or is_over(deadline)):
        weights = by_weights(traffic, MOST_TURNS, deadline)
        candidates.append(weights.per_unit)
    if not weights.is_settled and not is_over(deadline):
        best = by_linear_program(traffic, deadline)
        candidates += [] if best is None else [best]
    bounds = [priced(problem, _rounded(traffic, per_unit, deadline), NAME) for per_unit in candidates]
    # Of lists that prove as much, the one with the fewest different prices.
    return max(bounds, key=lambda bound: (bound.figure, -sum(map(len, bound.certificate.values()))))


def _most_turns(traffic: Traffic) -> int:
    """Return how many turns are worth their time; where any path will do they take twice as long."""
    num_pairs = traffic.num_pairs if traffic.is_minimal else 2 * traffic.num_pairs
    return min(MOST_TURNS, max(10, MOST_PAIRS_IN_ALL_TURNS // num_pairs))


def tightest_prices(problem: Problem, deadline: float | None = None) -> Bound | None:
    """Return the bound by prices on channels with the largest fraction; None where none applies or time is over.

    It is the best of all where the linear program fits, and its prices have a small common denominator.
    """
    traffic = Traffic.of(problem)
    if traffic is None or traffic.num_pairs > MOST_PAIRS or is_over(deadline):
        return None
    best = by_linear_program(traffic, deadline) if fits_a_program(traffic) else None
    if best is None:
        best = by_weights(traffic, _most_turns(traffic), deadline).per_unit
    found: Bound | None = None
    for prices in _whole_prices(best / best.max()):
        bound = priced(problem, traffic.price_list(prices), NAME)
        assert bound.exact is not None
        if found is None or found.exact is None or bound.exact > found.exact:
            found = bound
        if is_over(deadline):
            break
    return found


def _whole_prices(shares: Reals) -> Iterator[Longs]:
    """Yield whole prices in about the given proportions, the plainest first."""
    denominators = np.arange(1, MOST_DENOMINATOR + 1)
    errors = np.zeros(MOST_DENOMINATOR)
    for share in np.unique(shares):
        errors = np.maximum(errors, np.abs(denominators * share - np.rint(denominators * share)))
    fitting = denominators[errors <= NEARLY_WHOLE][:MOST_DENOMINATORS]
    for scale in (*fitting.tolist(), *SCALES):
        yield np.rint(shares * scale).astype(np.int64)


def _rounded(traffic: Traffic, per_unit: Reals, deadline: float | None) -> CertificatePrices:
    """Return whole prices that prove as many steps as rounding can keep, in the plainest numbers if there is time."""
    shares = per_unit / per_unit.max()
    best_prices = np.rint(shares * SCALES[-1]).astype(np.int64)
    best = 0 if is_over(deadline) else _proven_steps(traffic, best_prices)
    for scale in SCALES[:-1]:
        if is_over(deadline):
            break
        prices = np.rint(shares * scale).astype(np.int64)
        steps = _proven_steps(traffic, prices)
        # Coarser prices may prove more by chance, and are better to read where they prove as much.
        if steps >= best:
            best, best_prices = steps, prices
            break
    return traffic.price_list(best_prices)


def _proven_steps(traffic: Traffic, per_unit: Longs) -> int:
    paid, _ = traffic.buy(per_unit)
    return -(-paid // int((per_unit * traffic.capacity).sum()))


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the dearest channel and whatever else has a price must carry."""
    prices, need, sold = figures_of(problem, bound)
    subject = _listed(problem, prices)
    different = np.unique(np.concatenate((prices.channels, prices.injection, prices.ejection)))
    if len(different[different > 0]) == 1:
        price = int(different.max())
        messages = counted(need // price, carried(problem))
        return f"{subject} must carry {messages} in all, {sold // price:,} {unit.each}"
    return f"weighted by their load, {subject} must carry {need:,} in all, and {unit.subject} has room for {sold:,}"


def _listed(problem: Problem, prices: CertificatePrices) -> str:
    """Name the dearest channels, and count the ports that have a price."""
    network = problem.network
    num_channels = int((prices.channels > 0).sum())
    num_sending, num_receiving = int((prices.injection > 0).sum()), int((prices.ejection > 0).sum())
    items = []
    if num_channels:
        dearest = np.argsort(-prices.channels, kind="stable")[:num_channels]
        names = [
            f"{network.routers[tail]}>{network.routers[head]}" for tail, head in network.channels[dearest].tolist()
        ]
        items.append(f"{'channel' if num_channels == 1 else 'channels'} {some_of(names, 1)}")
    if num_sending or num_receiving:
        kind = "port" if num_sending and num_receiving else "injection port" if num_sending else "ejection port"
        items.append(counted(num_sending + num_receiving, kind))
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1])))
