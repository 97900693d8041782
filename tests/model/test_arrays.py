"""Arrays of whole numbers."""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import ranges


def test_ranges_follow_one_another() -> None:
    """Each range has its first number and its count; empty ones leave nothing."""
    assert ranges(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
    assert ranges(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)).tolist() == []
