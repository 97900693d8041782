"""How many channels may be lost before routers are parted."""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Ints


def least_cut(num_routers: int, channels: Ints, homes: list[int]) -> int:
    """Return the least number of channels whose loss parts one of some routers from another, by maximum flows."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    if len(homes) < 2:
        return 0
    ones = np.ones(len(channels), dtype=np.int32)
    capacity = csr_array((ones, (channels[:, 0], channels[:, 1])), shape=(num_routers, num_routers))
    return int(
        min(
            maximum_flow(capacity, source, target).flow_value
            for other in homes[1:]
            for source, target in ((homes[0], other), (other, homes[0]))
        )
    )
