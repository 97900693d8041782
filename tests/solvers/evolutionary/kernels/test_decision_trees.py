"""Decision trees over integer items: what they learn, what they leave alone, and what samples keep of it."""

from collections.abc import Callable
from math import lgamma, log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pavane.jit import compiled
from pavane.solvers.evolutionary.decision_trees import TreeModel, new_forest
from pavane.solvers.evolutionary.kernels.decision_trees import Data, Growth, grow_trees, number_values, sample_trees

Ints = npt.NDArray[np.int32]


def sampled(model: TreeModel, size: int, seed: int, run: Callable[[Any], Any] = compiled) -> Ints:
    """Draw rows."""
    offspring = np.empty((size, len(model.values)), dtype=np.int32)
    run(sample_trees)(model.forest, model.values, np.random.default_rng(seed), offspring)
    return offspring


def grown(
    data: Ints,
    order: list[int] | None = None,
    *,
    most_candidates: int = 100,
    most_leaves: int = 16,
    leaf_price: float | None = None,
    test_price: float = 1.0,
    run: Callable[[Any], Any] = compiled,
) -> TreeModel:
    """Grow trees for rows of data."""
    values = np.ascontiguousarray(data.T)
    num_items, num_rows = values.shape
    columns = Data(values, np.empty_like(values), np.empty(num_items, dtype=np.int32))
    run(number_values)(columns)
    log_factorials = np.array([lgamma(n + 1) for n in range(num_rows + int(columns.num_codes.max()) + 1)])
    price = 0.5 * log(num_rows) if leaf_price is None else leaf_price
    growth = Growth(most_candidates, price, test_price, log_factorials)
    forest = new_forest(np.array(order if order is not None else range(num_items)), num_rows, most_leaves)
    run(grow_trees)(columns, growth, forest, 0, num_items, np.random.default_rng(0))
    return TreeModel(forest, values)


def drawn(size: int, num_items: int, num_values: int, seed: int = 0) -> Ints:
    """Draw independent items."""
    return np.random.default_rng(seed).integers(0, num_values, size=(size, num_items)).astype(np.int32)


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
def test_a_copy_stays_a_copy(order: list[int]) -> None:
    """Where one item copies another the samples keep it, whichever comes first, and the third item stays free."""
    data = drawn(400, 3, 5)
    data[:, 1] = data[:, 0] + 7
    trees = grown(data, order)
    offspring = sampled(trees, 500, 1)
    assert (offspring[:, 1] == offspring[:, 0] + 7).all()
    assert (trees.forest.fork_item[2] == -1).all()
    assert len(set(map(tuple, offspring[:, [0, 2]].tolist()))) == 25


def test_items_that_do_not_depend_stay_independent() -> None:
    """Among many independent items no tree forks, and pairs of items come in all combinations."""
    trees = grown(drawn(300, 60, 4))
    assert (trees.forest.fork_item == -1).all()
    offspring = sampled(trees, 400, 3)
    assert len(set(map(tuple, offspring[:, :2].tolist()))) == 16


def test_samples_without_forks_match_the_marginals() -> None:
    """A model without forks draws each value about as often as the parents have it, and no other value."""
    data = np.array([[0], [0], [0], [3], [3], [9]], dtype=np.int32)
    offspring = sampled(grown(data), 6000, 4)
    found, counts = np.unique(offspring, return_counts=True)
    assert found.tolist() == [0, 3, 9]
    # Four standard deviations of a count of 3000 are about 155.
    assert np.abs(counts - [3000, 2000, 1000]).max() < 160


def score(counts: list[int], num_values: int) -> float:
    """Return the logarithm of the K2 score of a leaf."""
    ways = lgamma(num_values) - lgamma(num_values + sum(counts))
    return ways + sum(lgamma(count + 1) for count in counts)


@pytest.mark.parametrize("seed", range(20))
def test_the_first_fork_is_the_best_by_the_score(seed: int) -> None:
    """The root's fork is the test with the largest gain, by a K2 score counted from scratch, if it beats the price."""
    rng = np.random.default_rng(seed)
    data = drawn(60, 3, 3, seed)
    data[:, 2] = np.where(rng.random(60) < 0.3, data[:, seed % 2], data[:, 2])
    trees = grown(data, leaf_price=1.0, test_price=0.0, most_leaves=2)
    used = len(set(data[:, 2].tolist()))
    whole = score(np.bincount(data[:, 2]).tolist(), used)
    gains = {}
    for item in (0, 1):
        for value in set(data[:, item].tolist()):
            yes = data[:, item] == value
            parts = (np.bincount(data[side, 2], minlength=3).tolist() for side in (yes, ~yes))
            gains[item, value] = sum(score(part, used) for part in parts) - whole
    best = max(gains, key=lambda test: gains[test])
    if gains[best] > 1.0:
        assert (trees.forest.fork_item[2, 0], trees.forest.fork_value[2, 0]) == best
    else:
        assert trees.forest.fork_item[2, 0] == -1


def test_the_leaves_hold_every_row_once() -> None:
    """The leaves of a tree share the rows, and every row of a leaf passes the tests on the way to it."""
    data = drawn(200, 4, 3)
    data[:, 3] = np.where(data[:, 0] == 1, data[:, 1], data[:, 2])
    trees = grown(data)
    assert (trees.forest.fork_item[3] >= 0).sum() > 2
    seen: list[int] = []
    stack: list[tuple[int, npt.NDArray[np.int64]]] = [(0, np.arange(200))]
    while stack:
        position, expected = stack.pop()
        rows = trees.forest.rows[3, trees.forest.begins[3, position] : trees.forest.ends[3, position]]
        assert sorted(rows.tolist()) == expected.tolist()
        assert len(rows) > 0
        if trees.forest.fork_item[3, position] < 0:
            seen += rows.tolist()
            continue
        yes = data[expected, trees.forest.fork_item[3, position]] == trees.forest.fork_value[3, position]
        stack += [
            (trees.forest.branch[3, position], expected[yes]),
            (trees.forest.branch[3, position] + 1, expected[~yes]),
        ]
    assert sorted(seen) == list(range(200))


def test_forks_ask_about_earlier_items() -> None:
    """A tree asks only about items before its own in the order, and at most about the candidates allowed."""
    data = drawn(300, 6, 3)
    data[:, 1:] = np.where(np.random.default_rng(5).random((300, 5)) < 0.8, data[:, :1], data[:, 1:])
    order = [3, 1, 5, 0, 2, 4]
    trees = grown(data, order)
    assert (trees.forest.fork_item >= 0).any()
    for index, item in enumerate(order):
        assert set(trees.forest.fork_item[item].tolist()) <= {-1, *order[:index]}
    limited = grown(data, order, most_candidates=1)
    assert (limited.forest.fork_item >= 0).any()
    assert all(len(set(limited.forest.fork_item[item].tolist()) - {-1}) <= 1 for item in order)
    assert (grown(data, order, most_candidates=0).forest.fork_item == -1).all()


def test_the_number_of_leaves_is_limited() -> None:
    """A tree has no more leaves than asked for."""
    data = drawn(400, 2, 8)
    data[:, 1] = data[:, 0]
    assert (grown(data, most_leaves=4).forest.fork_item >= 0).sum() == 3


@pytest.mark.parametrize("most_candidates", [2, 100])
def test_machine_code_does_what_the_source_says(most_candidates: int) -> None:
    """Compiled and uncompiled grow the same trees and draw the same offspring from the same generator."""
    data = drawn(80, 5, 4)
    data[:, 4] = np.where(data[:, 2] == 1, data[:, 0], data[:, 4])
    data[:, 1] = data[:, 3] * 10
    plain = grown(data, most_candidates=most_candidates, run=lambda kernel: kernel)
    machine = grown(data, most_candidates=most_candidates)
    assert (plain.forest.fork_item >= 0).any()
    for one, other in zip(plain.forest, machine.forest, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(sampled(plain, 40, 9, run=lambda kernel: kernel), sampled(machine, 40, 9))
