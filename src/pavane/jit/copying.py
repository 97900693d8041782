"""Fills and copies arrays entry by entry.

An assignment to a whole array, `target[:] = source`, makes numba compile how it would put unequal shapes into words,
which takes longer than most kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def fill_line(target: Array, value: int | float) -> None:
    """Set all entries of an array of one dimension."""
    for index in range(len(target)):
        target[index] = value


def copy_line(target: Array, source: Array) -> None:
    """Copy an array of one dimension."""
    for index in range(len(source)):
        target[index] = source[index]


def copy_table(target: Array, source: Array) -> None:
    """Copy an array of two dimensions."""
    for row in range(source.shape[0]):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]


def copy_tables(target: Array, source: Array) -> None:
    """Copy an array of three dimensions."""
    for table in range(source.shape[0]):
        for row in range(source.shape[1]):
            for column in range(source.shape[2]):
                target[table, row, column] = source[table, row, column]
