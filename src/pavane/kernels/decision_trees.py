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

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SMALLEST_GAIN = 1e-9
"""What rounding may make of a fork that separates nothing."""


def number_values(values: Array, codes: Array, num_codes: Array) -> None:
    """Number the values of each item from 0, in the order in which they are met, so that tables stay small."""
    number_of = np.full(values.max() + 1, -1, dtype=np.int32)
    for item in range(len(values)):
        known = 0
        for row in range(values.shape[1]):
            value = values[item, row]
            if number_of[value] < 0:
                number_of[value] = known
                known += 1
            codes[item, row] = number_of[value]
        num_codes[item] = known
        for row in range(values.shape[1]):
            number_of[values[item, row]] = -1


def grow_trees(
    first: int,
    last: int,
    order: Array,
    values: Array,
    codes: Array,
    num_codes: Array,
    most_candidates: int,
    leaf_price: float,
    test_price: float,
    log_factorials: Array,
    rng: np.random.Generator,
    rows: Array,
    fork_item: Array,
    fork_value: Array,
    branch: Array,
    begins: Array,
    ends: Array,
) -> None:
    """Grow the trees of items order[first:last], each over at most `most_candidates` random items before it.

    Data are columns: values[item, row]. A fork costs `leaf_price`, and `test_price` times the logarithm of how many
    tests there were to choose from. Place p of the tree of an item is a leaf where fork_item[item, p] is -1; otherwise
    the "yes" branch is at place branch[item, p] and the "no" branch behind it. The rows that reach the place are
    rows[item, begins[item, p] : ends[item, p]].
    """
    num_rows = values.shape[1]
    most_places = fork_item.shape[1]
    most_codes = num_codes.max()
    counts = np.zeros(most_codes * most_codes, dtype=np.int32)
    num_yes = np.zeros(most_codes, dtype=np.int32)
    gains = np.zeros(most_codes)
    totals = np.zeros(most_codes, dtype=np.int32)
    before = np.empty(len(order), dtype=np.int32)
    mine = np.empty(num_rows, dtype=np.int32)
    entries = np.empty(num_rows, dtype=np.int32)
    for turn in range(first, last):
        item = order[turn]
        for row in range(num_rows):
            rows[item, row] = row
        begins[item, 0], ends[item, 0] = 0, num_rows
        fork_item[item, 0] = -1
        num_places = 1

        num_before = 0
        for earlier in range(turn):
            if num_codes[order[earlier]] > 1:
                before[num_before] = order[earlier]
                num_before += 1
        num_candidates = min(num_before, most_candidates)
        num_tests = 0
        for pick in range(num_candidates):
            if num_candidates < num_before:
                other = pick + int(rng.random() * (num_before - pick))
                before[pick], before[other] = before[other], before[pick]
            num_tests += num_codes[before[pick]]
        price = leaf_price
        if num_tests > 0:
            price += test_price * np.log(num_tests)

        cases = num_codes[item] - 1
        place = 0
        while cases > 0 and place < num_places and num_places + 2 <= most_places:
            begin, end = begins[item, place], ends[item, place]
            size = end - begin
            distinct = 0
            for at in range(size):
                code = codes[item, rows[item, begin + at]]
                mine[at] = code
                if totals[code] == 0:
                    distinct += 1
                totals[code] += 1
            best_gain, best_item, best_code = price + SMALLEST_GAIN, -1, -1
            for pick in range(num_candidates if distinct > 1 else 0):
                candidate = before[pick]
                for at in range(size):
                    entry = codes[candidate, rows[item, begin + at]] * num_codes[item] + mine[at]
                    entries[at] = entry
                    counts[entry] += 1
                for at in range(size):
                    count = counts[entries[at]]
                    if count > 0:
                        test, code = entries[at] // num_codes[item], mine[at]
                        total = totals[code]
                        gains[test] += log_factorials[count] + log_factorials[total - count] - log_factorials[total]
                        num_yes[test] += count
                        counts[entries[at]] = 0
                always = log_factorials[cases] + log_factorials[cases + size]
                for test in range(num_codes[candidate]):
                    yes = num_yes[test]
                    if 0 < yes < size:
                        gain = always + gains[test] - log_factorials[cases + yes] - log_factorials[cases + size - yes]
                        if gain > best_gain:
                            best_gain, best_item, best_code = gain, candidate, test
                    num_yes[test] = 0
                    gains[test] = 0.0
            for at in range(size):
                totals[mine[at]] = 0
            if best_item >= 0:
                middle, far = begin, end - 1
                while middle <= far:
                    row = rows[item, middle]
                    if codes[best_item, row] == best_code:
                        fork_value[item, place] = values[best_item, row]
                        middle += 1
                    else:
                        rows[item, middle], rows[item, far] = rows[item, far], row
                        far -= 1
                fork_item[item, place] = best_item
                branch[item, place] = num_places
                begins[item, num_places], ends[item, num_places] = begin, middle
                begins[item, num_places + 1], ends[item, num_places + 1] = middle, end
                fork_item[item, num_places] = fork_item[item, num_places + 1] = -1
                num_places += 2
            place += 1


def sample_trees(
    order: Array,
    values: Array,
    rows: Array,
    fork_item: Array,
    fork_value: Array,
    branch: Array,
    begins: Array,
    ends: Array,
    rng: np.random.Generator,
    offspring: Array,
) -> None:
    """Fill each row of `offspring` item by item, in the order, so that what an item depends on is there before it."""
    for child in range(len(offspring)):
        for item in order:
            place = 0
            while fork_item[item, place] >= 0:
                is_other = offspring[child, fork_item[item, place]] != fork_value[item, place]
                place = branch[item, place] + (1 if is_other else 0)
            begin, end = begins[item, place], ends[item, place]
            offspring[child, item] = values[item, rows[item, begin + int(rng.random() * (end - begin))]]
