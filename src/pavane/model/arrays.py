"""The kinds of arrays that values and solvers are made of, by the names that signatures use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def ranges(firsts: Ints | Longs, counts: Ints | Longs) -> Longs:
    """Return the numbers of several ranges one after another: each has a first number and a count."""
    numbers: Longs = np.arange(counts.sum()) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
    return numbers
