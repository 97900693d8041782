"""Steps for planned paths, one step after the other: units that can no longer afford to be idle come first.

A unit of capacity is urgent if the hops that are planned over it fill nearly all steps that are left. Where a hop draws
on two units, as with one port on an injection and an ejection, the hops of a step are a matching, and one of largest
weight covers the urgent units. If no message had to wait for another, all of them could be covered (Koenig's
theorem). Late messages are left to ejection search.
"""

from __future__ import annotations

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs, Reals
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.hop_network import HopNetwork, counted
from pavane.solvers.ejection.kernels.forwarding import NO_MESSAGE, Draws, Journeys, Waiting, let_wait, take_hops
from pavane.solvers.rerouting import RoutePlan

MOST_EXPONENT = 60.0
"""A unit that can be idle in more steps than this is not urgent at all."""

WORTH_OF_HOPS_LEFT = 1e-3
"""The weight of the hops that a message has left, among equally urgent units."""

WORTH_OF_THE_LAST_MOMENT = 10.0
"""The weight of a message that has as many hops left as there are steps."""

MOST_LANES = 600
"""With more lanes on a side matchings take too long, and hops are taken by their weights one after the other."""


def forward(network: HopNetwork, plan: RoutePlan, num_steps: int, rng: np.random.Generator, budget: Budget) -> Journeys:
    """Return the planned paths with steps: `num_steps` of them, and more for late messages.

    If time is over before, some hops have no step.
    """
    offsets = np.concatenate(([0], np.cumsum(plan.lengths))).astype(np.int64)
    # Only planned hops matter; they are renumbered.
    used, entries = np.unique(plan.arcs, return_inverse=True)
    journeys = Journeys(
        offsets,
        entries.astype(np.int32).reshape(-1),
        np.full(len(plan.arcs), -1, dtype=np.int32),
        offsets[:-1].copy(),
    )
    first, counts = network.unit_offsets[used], np.diff(network.unit_offsets)[used]
    owner, at = counted(counts)
    draws = Draws(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        network.units[first[owner] + at],
        plan.loads.copy(),
        network.capacity.copy(),
    )
    size, longest = len(plan.lengths), int(plan.lengths.max(initial=0))
    waiting = Waiting(
        np.full((len(used), longest + 1), NO_MESSAGE, dtype=np.int32),
        np.full(size, NO_MESSAGE, dtype=np.int32),
        np.zeros(len(used), dtype=np.int32),
    )
    wait, take = compiled(let_wait), compiled(take_hops)
    wait(rng.permutation(size).astype(np.int32), journeys, waiting)
    sides = _Sides.of(draws, network.capacity)
    gone = np.zeros(size, dtype=np.int32)
    step = 0
    while waiting.most_left.any() and not budget.is_over:
        weights = _weights(draws, network.capacity, waiting.most_left, max(1, num_steps - step))
        order = np.argsort(-weights, kind="stable").astype(np.int32)
        order = order[: int(np.count_nonzero(waiting.most_left))]
        draws.room[:] = network.capacity
        num_gone = 0
        if sides is not None:
            matched = sides.matching(order, weights)
            num_gone = take(matched, 1, step, journeys, waiting, draws, gone, num_gone)
        num_gone = take(order, size, step, journeys, waiting, draws, gone, num_gone)
        wait(gone[:num_gone], journeys, waiting)
        step += 1
    return journeys


def _weights(draws: Draws, capacity: Longs, most_left: Ints, steps_left: int) -> Reals:
    """Return the worth of each hop in this step: by the urgency of its units and the hops left of waiting messages."""
    urgency = np.exp(-np.minimum(steps_left - draws.loads / capacity, MOST_EXPONENT))
    worth = WORTH_OF_HOPS_LEFT * most_left / (1 + most_left.max(initial=0))
    worth += WORTH_OF_THE_LAST_MOMENT * (most_left >= steps_left)
    owner = np.repeat(np.arange(len(most_left)), np.diff(draws.unit_offsets))
    worth += np.bincount(owner, urgency[draws.units], len(most_left))
    weights: Reals = np.where(most_left > 0, worth, 0.0)
    return weights


class _Sides:
    """The units of hops that draw on two each: every hop joins a lane of the left side and one of the right side."""

    def __init__(self, left: Longs, right: Longs, capacity: Longs) -> None:
        self.left_units, self.left = np.unique(left, return_inverse=True)
        self.right_units, self.right = np.unique(right, return_inverse=True)
        self.rows, _ = counted(capacity[self.left_units])
        self.columns, _ = counted(capacity[self.right_units])

    @classmethod
    def of(cls, draws: Draws, capacity: Longs) -> _Sides | None:
        """Split the units into two sides; None where hops draw on other numbers of units, or lanes are too many."""
        if not len(draws.units) or (np.diff(draws.unit_offsets) != 2).any():
            return None
        left, right = draws.units[::2], draws.units[1::2]
        if np.intersect1d(left, right).size:
            return None
        sides = cls(left, right, capacity)
        return sides if max(len(sides.rows), len(sides.columns)) <= MOST_LANES else None

    def matching(self, order: Ints, weights: Reals) -> Ints:
        """Return the hops of a matching of largest weight, out of some in the order of their weights."""
        from scipy.optimize import linear_sum_assignment

        table = np.zeros((len(self.left_units), len(self.right_units)))
        hops = np.zeros(table.shape, dtype=np.int32)
        # Of hops between the same units the last one written stands: the heaviest.
        turned = order[::-1]
        table[self.left[turned], self.right[turned]] = weights[turned]
        hops[self.left[turned], self.right[turned]] = turned
        whole = table[np.ix_(self.rows, self.columns)]
        row, column = linear_sum_assignment(whole, maximize=True)
        matched = whole[row, column] > 0
        chosen: Ints = hops[self.rows[row[matched]], self.columns[column[matched]]]
        return chosen
