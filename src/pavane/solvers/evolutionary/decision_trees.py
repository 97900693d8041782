"""The model of MBOA: a decision tree per item, learned from chromosomes and sampled for new ones.

An item may depend on items that come before it in an order; the order is random and new for each model, which keeps the
dependencies free of cycles, lets every tree grow by itself, and gives each pair of items a chance either way. The work
is done by kernels/decision_trees.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.kernels.decision_trees import (
    Data,
    Forest,
    Growth,
    grow_trees,
    number_values,
    sample_trees,
)

ENTRIES_PER_CALL = 20_000_000
"""Entries of the data that trees may go through at their roots between two looks at the clock."""


@dataclass(frozen=True)
class TreeLearner:
    """How trees grow; MBOA explains the settings."""

    most_candidates: int = 1000
    most_leaves: int = 32
    leaf_price: float = 0.5
    test_price: float = 1.0

    def learned(self, parents: Ints, rng: np.random.Generator, budget: Budget) -> TreeModel | None:
        """Learn from the parents; None if time ran out."""
        values = np.ascontiguousarray(parents.T)
        num_items, num_rows = values.shape
        data = Data(values, np.empty_like(values), np.empty(num_items, dtype=np.int32))
        compiled(number_values)(data)
        numbers = np.arange(1, num_rows + int(data.num_codes.max()) + 1)
        growth = Growth(
            self.most_candidates,
            self.leaf_price * float(np.log(num_rows)),
            self.test_price,
            np.concatenate(([0.0], np.cumsum(np.log(numbers)))),
        )
        model = TreeModel(new_forest(rng.permutation(num_items), num_rows, self.most_leaves), values)
        stride = max(1, ENTRIES_PER_CALL // (num_rows * max(1, min(num_items, self.most_candidates))))
        for first in range(0, num_items, stride):
            if budget.is_over:
                return None
            compiled(grow_trees)(data, growth, model.forest, first, min(first + stride, num_items), rng)
        return model


@dataclass(frozen=True, eq=False)
class TreeModel:
    """What was learned: the trees, and the values of the items in the parents."""

    forest: Forest
    values: Ints

    def sampled(self, size: int, rng: np.random.Generator) -> Ints:
        """Draw `size` offspring."""
        offspring = np.empty((size, len(self.values)), dtype=np.int32)
        compiled(sample_trees)(self.forest, self.values, rng, offspring)
        return offspring


def new_forest(order: Ints | Longs, num_rows: int, most_leaves: int) -> Forest:
    """Return trees that are not grown yet, for items in an order."""
    shape = (len(order), 2 * most_leaves - 1)
    return Forest(
        order.astype(np.int32),
        np.empty((len(order), num_rows), dtype=np.int32),
        np.full(shape, -1, dtype=np.int32),
        *(np.zeros(shape, dtype=np.int32) for _ in range(4)),
    )
