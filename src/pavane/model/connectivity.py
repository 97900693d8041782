"""Connectivity: the least number of channels, or routers, whose loss separates the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pavane.model.arrays import Ints


def least_cut(num_routers: int, channels: Ints, homes: list[int]) -> int:
    """Return the least number of channels whose loss separates two of the given routers, by maximum flows."""
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


def least_router_cut(num_routers: int, channels: Ints, homes: list[int]) -> int:
    """Return the least number of routers whose loss separates two of the other given ones; all but one if none does.

    Of a cut of c routers one of any c + 1 is not a member, and some other given router is separated from that one
    (Even).
    """
    cut_between = router_cuts(num_routers, channels)
    least, number = max(0, len(homes) - 1), 0
    while number <= least and number < len(homes):
        here = homes[number]
        for there in homes[number + 1 :]:
            least = min(least, cut_between(here, there), cut_between(there, here))
        number += 1
    return least


def router_cuts(num_routers: int, channels: Ints) -> Callable[[int, int], int]:
    """Return a function of two routers: the least number of others whose loss separates them; large if none does.

    A router is split into an entry and an exit with one unit between them, so that maximum flows count routers.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    each = np.arange(num_routers)
    tails = np.concatenate((each, channels[:, 0] + num_routers))
    heads = np.concatenate((each + num_routers, channels[:, 1]))
    size = 2 * num_routers
    ends = np.stack((tails, heads))
    capacity = csr_array((np.ones(len(tails), dtype=np.int32), (ends[0], ends[1])), shape=(size, size))
    joined = set(map(tuple, channels.tolist()))

    def cut_between(source: int, target: int) -> int:
        if (source, target) in joined:
            return num_routers
        return int(maximum_flow(capacity, source + num_routers, target).flow_value)

    return cut_between
