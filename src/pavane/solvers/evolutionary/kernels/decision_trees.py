"""Binary decision trees over whole numbers: one tree per item says how the item depends on items before it in an order.

A fork of a tree asks "is item j equal to v?", and a leaf keeps the rows of the data that reach it. Values are names and
not sizes (the fifth path is no closer to the fourth than to the first), so a fork sets one value against the others;
any other grouping is a few forks. Sampling walks the tree and copies the item of a random row of the leaf, which is a
draw from the leaf's counts.

The score of a leaf is the Bayesian one of Cooper and Herskovits (K2): with n rows, n_x of value x and c values in all,
(c - 1)! / (c - 1 + n)! times the product of the n_x!. A fork is taken where it multiplies the score by more than its
price. For one item j all values v are judged together from one table of counts, and only its entries that are not zero
are looked at: a value x that no row with j = v has counts the same on the "no" side as before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

LEAST_GAIN = 1e-9
"""What rounding may make of a fork that separates nothing."""


class Data(NamedTuple):
    """The rows that trees are learned from, by columns."""

    values: Array
    """int32[items, rows]"""
    codes: Array
    """int32[items, rows]: the values again, those of each item numbered from 0."""
    num_codes: Array
    """int32[items]: how many different values each item has."""


class Growth(NamedTuple):
    """How trees grow."""

    most_candidates: int
    """How many random items before its own a tree may ask about."""
    leaf_price: float
    """What a fork costs."""
    test_price: float
    """What it costs besides, times the logarithm of how many tests there were to choose from."""
    log_factorials: Array
    """float64[rows + codes + 1]"""


class Forest(NamedTuple):
    """A tree for each item; position 0 is its root."""

    order: Array
    """int32[items]: a tree asks about items that come before its own."""
    rows: Array
    """int32[items, rows]: the rows of the data, in the order of the leaves that they reach."""
    fork_item: Array
    """int32[items, positions]: the item that a fork asks about; -1: the position is a leaf."""
    fork_value: Array
    """int32[items, positions]: the value that it asks for."""
    branch: Array
    """int32[items, positions]: the position of the "yes" branch; the "no" branch is behind it."""
    begins: Array
    """int32[items, positions]"""
    ends: Array
    """int32[items, positions]: the rows that reach position p are rows[item, begins[item, p] : ends[item, p]]."""


class ForestScratch(NamedTuple):
    """What growing works in; counts, totals, num_yes and gains are 0 between uses."""

    before: Array
    """int32[items]: the items before one; those that its tree may ask about come first."""
    mine: Array
    """int32[rows]: the codes of the tree's own item in the rows at a position."""
    totals: Array
    """int32[codes]: how often each of them occurs there."""
    entries: Array
    """int32[rows]"""
    counts: Array
    """int32[codes * codes]: how often the codes of another item and of the own occur together."""
    num_yes: Array
    """int32[codes]: how many rows have each code of the other item."""
    gains: Array
    """float64[codes]: what asking for each code of the other item gains."""


def new_scratch(data: Data) -> ForestScratch:
    """Make the memory for growing."""
    num_items, num_rows = data.values.shape
    most_codes = data.num_codes.max()
    return ForestScratch(
        np.empty(num_items, dtype=np.int32),
        np.empty(num_rows, dtype=np.int32),
        np.zeros(most_codes, dtype=np.int32),
        np.empty(num_rows, dtype=np.int32),
        np.zeros(most_codes * most_codes, dtype=np.int32),
        np.zeros(most_codes, dtype=np.int32),
        np.zeros(most_codes),
    )


def number_values(data: Data) -> None:
    """Number the values of each item from 0, in the order in which they are met, so that tables stay small."""
    values = data.values
    number_of = np.full(values.max() + 1, -1, dtype=np.int32)
    for item in range(len(values)):
        known = 0
        for row in range(values.shape[1]):
            value = values[item, row]
            if number_of[value] < 0:
                number_of[value] = known
                known += 1
            data.codes[item, row] = number_of[value]
        data.num_codes[item] = known
        for row in range(values.shape[1]):
            number_of[values[item, row]] = -1


# -- growing


def grow_trees(data: Data, growth: Growth, forest: Forest, first: int, last: int, rng: np.random.Generator) -> None:
    """Grow the trees of items order[first:last], each over random items before its own."""
    num_rows = data.values.shape[1]
    most_positions = forest.fork_item.shape[1]
    scratch = new_scratch(data)
    for turn in range(first, last):
        item = forest.order[turn]
        for row in range(num_rows):
            forest.rows[item, row] = row
        forest.begins[item, 0], forest.ends[item, 0] = 0, num_rows
        forest.fork_item[item, 0] = -1
        num_positions = 1
        candidates = scratch.before[: choose_candidates(data, growth, forest, turn, scratch, rng)]
        price = price_of(data, growth, candidates)
        position = 0
        while data.num_codes[item] > 1 and position < num_positions and num_positions + 2 <= most_positions:
            rows = forest.rows[item, forest.begins[item, position] : forest.ends[item, position]]
            other, code = best_test(data, growth, scratch, rows, item, candidates, price)
            if other >= 0:
                fork(data, forest, item, position, num_positions, other, code)
                num_positions += 2
            position += 1


def choose_candidates(
    data: Data, growth: Growth, forest: Forest, turn: int, scratch: ForestScratch, rng: np.random.Generator
) -> int:
    """Put the items that a tree may ask about first in `scratch.before`, and return their number."""
    before = scratch.before
    num_before = 0
    for earlier in range(turn):
        if data.num_codes[forest.order[earlier]] > 1:
            before[num_before] = forest.order[earlier]
            num_before += 1
    num_candidates = min(num_before, growth.most_candidates)
    if num_candidates < num_before:
        for pick in range(num_candidates):
            other = pick + int(rng.random() * (num_before - pick))
            before[pick], before[other] = before[other], before[pick]
    return num_candidates


def price_of(data: Data, growth: Growth, candidates: Array) -> float:
    """Return what a fork must gain to be taken."""
    num_tests = 0
    for candidate in candidates:
        num_tests += data.num_codes[candidate]
    price = growth.leaf_price
    if num_tests > 0:
        price += growth.test_price * np.log(num_tests)
    return price


def best_test(
    data: Data, growth: Growth, scratch: ForestScratch, rows: Array, item: int, candidates: Array, price: float
) -> tuple[int, int]:
    """Return the item and the code whose test gains most for some rows, if more than the price; otherwise -1, -1."""
    log_factorials, num_yes, gains = growth.log_factorials, scratch.num_yes, scratch.gains
    size, cases = len(rows), data.num_codes[item] - 1
    distinct = 0
    for at in range(size):
        code = data.codes[item, rows[at]]
        scratch.mine[at] = code
        if scratch.totals[code] == 0:
            distinct += 1
        scratch.totals[code] += 1
    best_gain, best_item, best_code = price + LEAST_GAIN, -1, -1
    always = log_factorials[cases] + log_factorials[cases + size]
    for pick in range(len(candidates) if distinct > 1 else 0):
        candidate = candidates[pick]
        weigh_tests(data, log_factorials, scratch, rows, item, candidate)
        for test in range(data.num_codes[candidate]):
            yes = num_yes[test]
            if 0 < yes < size:
                gain = always + gains[test] - log_factorials[cases + yes] - log_factorials[cases + size - yes]
                if gain > best_gain:
                    best_gain, best_item, best_code = gain, candidate, test
            num_yes[test] = 0
            gains[test] = 0.0
    for at in range(size):
        scratch.totals[scratch.mine[at]] = 0
    return best_item, best_code


def weigh_tests(
    data: Data, log_factorials: Array, scratch: ForestScratch, rows: Array, item: int, candidate: int
) -> None:
    """Find for each code of a candidate how many rows have it, and what the codes of the own item gain by asking."""
    counts, entries, mine = scratch.counts, scratch.entries, scratch.mine
    num_codes = data.num_codes[item]
    for at in range(len(rows)):
        entry = data.codes[candidate, rows[at]] * num_codes + mine[at]
        entries[at] = entry
        counts[entry] += 1
    for at in range(len(rows)):
        count = counts[entries[at]]
        if count > 0:
            test, total = entries[at] // num_codes, scratch.totals[mine[at]]
            scratch.gains[test] += log_factorials[count] + log_factorials[total - count] - log_factorials[total]
            scratch.num_yes[test] += count
            counts[entries[at]] = 0


def fork(data: Data, forest: Forest, item: int, position: int, num_positions: int, other: int, code: int) -> None:
    """Make a leaf a fork that asks whether another item has a code; its branches are two new positions."""
    rows = forest.rows[item]
    begin, end = forest.begins[item, position], forest.ends[item, position]
    middle, far = begin, end - 1
    while middle <= far:
        row = rows[middle]
        if data.codes[other, row] == code:
            forest.fork_value[item, position] = data.values[other, row]
            middle += 1
        else:
            rows[middle], rows[far] = rows[far], row
            far -= 1
    forest.fork_item[item, position] = other
    forest.branch[item, position] = num_positions
    forest.begins[item, num_positions], forest.ends[item, num_positions] = begin, middle
    forest.begins[item, num_positions + 1], forest.ends[item, num_positions + 1] = middle, end
    forest.fork_item[item, num_positions] = forest.fork_item[item, num_positions + 1] = -1


# -- sampling


def sample_trees(forest: Forest, values: Array, rng: np.random.Generator, offspring: Array) -> None:
    """Fill each row of `offspring` item by item, in the order, so that what an item depends on is there before it.

    `values` are those of the data, and offspring an int32[size, items].
    """
    for child in range(len(offspring)):
        for item in forest.order:
            position = 0
            while forest.fork_item[item, position] >= 0:
                is_other = offspring[child, forest.fork_item[item, position]] != forest.fork_value[item, position]
                position = forest.branch[item, position] + (1 if is_other else 0)
            begin, end = forest.begins[item, position], forest.ends[item, position]
            row = forest.rows[item, begin + int(rng.random() * (end - begin))]
            offspring[child, item] = values[item, row]
