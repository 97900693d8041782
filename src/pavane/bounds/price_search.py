"""A search for the best prices on channels and ports of networks of any size, by multiplicative weights.

Two players take turns. One sets prices: the more a unit has carried in all turns so far, the dearer it is. The other
sends the messages: the more a path has cost in all turns so far, the less it is taken. Each reckons that the next turn
will be like the last one. What both have done on average comes close to the best prices, and to the routing with the
least largest load, in far fewer turns than where messages just take what is cheapest at the moment (Rakhlin and
Sridharan 2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.bounds.traffic import Traffic
from pavane.jit import clock
from pavane.model.arrays import Reals

MOST_PAIRS_UNCOMPILED = 100_000
"""Up to this many pairs of source and channel, over all turns, take less time than loading machine code."""

MOST_PRICE = 10**6
"""The price of the dearest channel."""

PRICE_UNIT = 1000
"""Prices are whole multiples of the thousandth part of what makes a path e times as rare."""

RATE_OF_PATHS = 0.5
"""What an average channel's price makes a path rarer in one turn, as a power of e."""

RATE_OF_PRICES = 4.0
"""What an average load makes a unit dearer in one turn, as a power of e; halved where that is too much."""

LEAST_PROVEN = 0.96
"""Prices that prove less than this share of the best so far swing too far from turn to turn."""

LEAST_GROWTH = 5
"""Where this many times what the second half of the turns has brought does not prove one more step, it is given up."""

NUM_GAPS = 3
"""How many gaps between the loads of units are tried, the widest ones."""

TURNS_BETWEEN_LOOKS = 10
"""How often the second half of all turns is looked at for itself."""


def is_over(deadline: float | None) -> bool:
    """Return whether a moment of clock.now() has passed."""
    return deadline is not None and clock.now() >= deadline


@dataclass(frozen=True)
class PriceWeights:
    """What multiplicative weights have found."""

    per_unit: Reals
    is_settled: bool
    """Whether no other prices can prove more steps."""


class Turns(NamedTuple):
    """The sums of prices and of loads over all turns since a beginning, and the most that was proven."""

    number: int
    prices: Reals
    loads: Reals
    proven: float

    @classmethod
    def none(cls, traffic: Traffic) -> Turns:
        """Begin."""
        return cls(0, np.zeros(traffic.num_units), np.zeros(traffic.num_units), 0.0)


class Best:
    """The best prices so far and the least largest load so far."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self.proven, self.per_unit = 0.0, np.ones(traffic.num_units)
        self.largest_load, self.loads = np.inf, np.zeros(traffic.num_units)

    @property
    def is_settled(self) -> bool:
        """Whether no other prices can prove more steps: the largest load of a routing bounds what any can prove."""
        return self.is_near(self.largest_load)

    def is_near(self, proven: float) -> bool:
        """Return whether as much as that would prove no more steps."""
        return bool(np.ceil(self.proven - 1e-9) >= np.ceil(proven - 1e-9))

    def take(self, loads: Reals) -> None:
        """Take in the loads of a routing, in turns of their units."""
        if loads.max() < self.largest_load:
            self.largest_load, self.loads = float(loads.max()), loads

    def buy(self, prices: Reals) -> tuple[float, Reals]:
        """Return what prices prove and the loads at them, and remember the best."""
        capacity = self._traffic.capacity
        # The kernel wants whole numbers from 1 on.
        whole = np.maximum(np.rint(prices * PRICE_UNIT), 1).astype(np.int64)
        paid, loads = self._traffic.buy(whole, 1 / PRICE_UNIT)
        proven = paid / int((whole * capacity).sum())
        if proven > self.proven:
            self.proven, self.per_unit = proven, whole.astype(np.float64)
        return proven, loads / capacity

    def buy_busiest(self, deadline: float | None) -> None:
        """Try the same price on the busiest units alone, where a wide gap sets them apart: they may be narrow cuts."""
        order = np.argsort(-self.loads, kind="stable")
        gaps = -np.diff(self.loads[order])
        for last in np.argsort(-gaps, kind="stable")[:NUM_GAPS].tolist():
            if is_over(deadline):
                return
            prices = np.zeros(len(order))
            prices[order[: last + 1]] = 1.0
            self.buy(prices)


def by_weights(traffic: Traffic, most_turns: int, deadline: float | None) -> PriceWeights:
    """Let prices and messages answer each other, turn by turn, until no better prices can be or time is over."""
    if most_turns * traffic.num_pairs > MOST_PAIRS_UNCOMPILED:
        traffic.compile()
    capacity, room = traffic.capacity, int(traffic.capacity.sum())
    best, turns, rate = Best(traffic), Turns.none(traffic), RATE_OF_PRICES
    marks, equal = [turns], np.ones(traffic.num_units)
    prices, first_proven, learnt, num_bought = equal, 0.0, 0.0, 0
    while num_bought < most_turns and not (num_bought and is_over(deadline)):
        # Added up, prices make unlikely what has been dear; the last ones count twice.
        proven, loads = best.buy(RATE_OF_PATHS * (turns.prices + prices))
        num_bought += 1
        first_proven = first_proven or proven
        # Equal prices may prove more than what is learnt for a long while, and would hide that it grows.
        learnt = max(learnt, proven) if turns.number else learnt
        if proven < LEAST_PROVEN * turns.proven:
            turns, prices, rate = Turns.none(traffic), equal, rate / 2
            marks = [turns]
            continue
        all_loads = turns.loads + loads
        best.take(loads)
        best.take(all_loads / (turns.number + 1))
        dearer = rate / first_proven * (all_loads + loads)
        prices = np.exp(dearer - dearer.max())
        prices *= room / (prices * capacity).sum()
        turns = Turns(turns.number + 1, turns.prices + prices, all_loads, max(turns.proven, proven))
        if turns.number % TURNS_BETWEEN_LOOKS == 0 and num_bought < most_turns:
            # The first turns knew little, so the second half of them is looked at for itself.
            half = marks[len(marks) // 2]
            best.take((turns.loads - half.loads) / (turns.number - half.number))
            learnt = max(learnt, best.buy(RATE_OF_PATHS * (turns.prices - half.prices))[0])
            num_bought += 1
            marks.append(turns._replace(proven=learnt))
            if half.number and best.is_near(learnt + LEAST_GROWTH * (learnt - half.proven)):
                break
        if best.is_settled:
            break
    if not best.is_settled:
        best.buy_busiest(deadline)
    return PriceWeights(best.per_unit, best.is_settled)
