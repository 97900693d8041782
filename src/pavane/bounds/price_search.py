"""Two searches for the best prices on channels: multiplicative weights, and a linear program.

Spread the messages over their admissible paths, in fractions if need be, so that the busiest channel (under half
duplex: link) carries as little as possible. The dual of that linear program is a price on every channel.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pavane.bounds.traffic import Traffic
from pavane.model.arrays import Reals

MOST_FLOWS = 25_000
"""The largest linear program, in flows of one source over one channel, that takes about a second."""

MOST_PAIRS_UNCOMPILED = 100_000
"""Up to this many pairs of source and channel, over all turns, take less time than loading machine code."""

MOST_PRICE = 10**6
"""The price of the dearest channel."""

LEAST_SHARE = 1e-7
"""No price falls below this share of the largest, so that it can rise again."""


def is_over(deadline: float | None) -> bool:
    """Say whether a moment of time.monotonic() has passed."""
    return deadline is not None and time.monotonic() >= deadline


def fits_a_program(traffic: Traffic) -> bool:
    """Say whether the pairs of a source and a channel that its messages may take are few enough."""
    # Every target needs a channel of its own to be entered by.
    if np.count_nonzero(traffic.demand) > MOST_FLOWS:
        return False
    return sum(int(admissible.sum()) for admissible in traffic.admissible()) <= MOST_FLOWS


@dataclass(frozen=True)
class Weights:
    """What multiplicative weights have found."""

    per_unit: Reals
    is_settled: bool
    """Whether no other prices can prove more steps."""


def by_weights(traffic: Traffic, most_turns: int, deadline: float | None) -> Weights:
    """Make loaded channels dearer and idle ones cheaper, again and again.

    The paths taken in all turns, in equal shares, are one routing; its largest load bounds what any prices can prove
    (Plotkin, Shmoys and Tardos 1995). Where that is reached the search is over.
    """
    if most_turns * traffic.num_pairs > MOST_PAIRS_UNCOMPILED:
        traffic.compile()
    prices = np.ones(traffic.num_units)
    best, best_prices = 0.0, prices
    routed = np.zeros(traffic.num_units)
    mean_prices = np.zeros(traffic.num_units)

    def consider(candidate: Reals) -> tuple[float, Reals]:
        nonlocal best, best_prices
        # The kernel wants whole numbers from 1 on.
        whole = np.maximum(np.rint(candidate * MOST_PRICE), 1).astype(np.int64)
        paid, loads = traffic.buy(whole)
        proven = paid / int((whole * traffic.capacity).sum())
        if proven > best:
            best, best_prices = proven, whole.astype(np.float64)
        return proven, loads / traffic.capacity

    for turn in range(most_turns):
        proven, loads = consider(prices)
        # Later turns count more: the first ones know little.
        routed += 2 / (turn + 2) * (loads - routed)
        if np.ceil(best - 1e-9) >= np.ceil(routed.max() - 1e-9):
            return Weights(best_prices, True)
        if is_over(deadline):
            break
        prices = prices * np.exp(np.clip((loads / proven - 1) / np.sqrt(turn + 1), -2, 2))
        prices = np.maximum(prices / prices.max(), LEAST_SHARE)
        mean_prices += 2 / (turn + 2) * (prices / prices.sum() - mean_prices)
        if turn % 10 == 9:
            # What a list proves is concave in its prices, so the mean of many lists is no worse than they are.
            consider(mean_prices / mean_prices.max())
    return Weights(best_prices, False)


def by_linear_program(traffic: Traffic, deadline: float | None) -> Reals | None:
    """Return the price of each unit: the dual values of "load <= the largest load", which is minimized.

    One commodity per source: its flows leave the source and end where its messages do. Along channels that lead away
    from the source every path is shortest.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    network, num_units = traffic.network, traffic.num_units
    rows, channels = np.nonzero(np.stack(list(traffic.admissible())))
    num_flows, num_routers = len(rows), network.num_routers
    flows = np.arange(num_flows)
    entering, leaving = rows * num_routers + network.heads[channels], rows * num_routers + network.tails[channels]
    ones = np.ones(num_flows)
    kept = csr_array(
        (np.concatenate((ones, -ones)), (np.concatenate((entering, leaving)), np.concatenate((flows, flows)))),
        shape=(len(traffic.sources) * num_routers, num_flows + 1),
    )
    # What enters a router less what leaves it is what stays; at the source the rest follows. Routers out of reach
    # have no flows.
    stays = np.zeros(len(traffic.sources) * num_routers, dtype=bool)
    stays[entering] = True
    largest = np.full(num_units, num_flows)
    drawn_on = traffic.drawn_on[channels]
    draws = drawn_on < num_units
    load = csr_array(
        (
            np.concatenate((ones[draws], -traffic.capacity.astype(np.float64))),
            (np.concatenate((drawn_on[draws], np.arange(num_units))), np.concatenate((flows[draws], largest))),
        ),
        shape=(num_units, num_flows + 1),
    )
    options = {} if deadline is None else {"time_limit": max(0.01, deadline - time.monotonic())}
    solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse matrices
        np.append(np.zeros(num_flows), 1.0),
        A_ub=load,
        b_ub=np.zeros(num_units),
        A_eq=kept[stays],
        b_eq=traffic.demand.ravel()[stays],
        # The simplex method takes ten times as long on random networks with any routing.
        method="highs-ipm",
        options=options,
    )
    if solution.status != 0:
        return None
    per_unit = np.maximum(-np.asarray(solution.ineqlin.marginals, dtype=np.float64), 0.0)
    return per_unit if per_unit.max() > 0 else None
