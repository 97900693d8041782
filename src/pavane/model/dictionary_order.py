"""Permutations in the order of a dictionary, as arrays: rows of symbols 0 to n - 1."""

from __future__ import annotations

from math import factorial

import numpy as np

from pavane.model.arrays import Ints, Longs


def permutations(num_symbols: int) -> Longs:
    """Return all permutations of some symbols, a row each, in the order of a dictionary."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for size in range(1, num_symbols + 1):
        # Before each permutation of fewer symbols every first symbol may stand; the others step aside.
        firsts = np.repeat(np.arange(size), len(rows))[:, None]
        rest = np.tile(rows, (size, 1))
        rows = np.concatenate([firsts, rest + (rest >= firsts)], axis=1)
    return rows


def ranks(rows: Longs) -> Ints:
    """Return the number of each permutation in the order of a dictionary."""
    num_symbols = rows.shape[1]
    numbers = np.zeros(len(rows), dtype=np.int32)
    for place in range(num_symbols):
        smaller = (rows[:, place + 1 :] < rows[:, place : place + 1]).sum(axis=1)
        numbers += (smaller * factorial(num_symbols - 1 - place)).astype(np.int32)
    return numbers
