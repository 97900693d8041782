"""A search for the best prices on channels and ports of networks of any size, by multiplicative weights."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pavane.bounds.traffic import Traffic
from pavane.model.arrays import Reals

MOST_PAIRS_UNCOMPILED = 100_000
"""Up to this many pairs of source and channel, over all turns, take less time than loading machine code."""

MOST_PRICE = 10**6
"""The price of the dearest channel."""

LEAST_SHARE = 1e-7
"""No price falls below this share of the largest, so that it can rise again."""


def is_over(deadline: float | None) -> bool:
    """Say whether a moment of time.monotonic() has passed."""
    return deadline is not None and time.monotonic() >= deadline


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
