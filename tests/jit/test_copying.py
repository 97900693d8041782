"""Copies of arrays, entry by entry."""

from __future__ import annotations

import numpy as np

from pavane.jit.copying import copy_line, copy_table, copy_tables


def test_copies_are_equal() -> None:
    """Arrays of one, two and three dimensions are copied, lines of other arrays as well."""
    source = np.arange(24).reshape(2, 3, 4)
    whole, table, line = np.zeros((2, 3, 4), dtype=int), np.zeros((3, 4), dtype=int), np.zeros(3, dtype=int)
    copy_tables(whole, source)
    copy_table(table, source[1])
    copy_line(line, source[0, :, 2])
    assert (whole == source).all()
    assert (table == source[1]).all()
    assert line.tolist() == [2, 6, 10]
