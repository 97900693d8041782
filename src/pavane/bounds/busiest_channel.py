"""The bound by the busiest channel, where every message has one path, as under dimension-order (noc section 2).

On a torus of even size messages have a choice; there the best prices on channels say more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.prices import Prices, priced
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "busiest-channel"

MOST_HOPS_AT_ONCE = 4_000_000
"""The number of pairs of source and channel that are looked at together, for memory's sake."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the load of the busiest channel."""
    network, restriction = problem.network, problem.restriction
    if restriction is None or problem.pattern != "private" or problem.rules.combining:
        return
    starts, ends = (network.router_of[problem.labels[:, side]] for side in (0, 1))
    homes, row_of = np.unique(starts, return_inverse=True)
    demand = np.zeros((len(homes), network.num_routers), dtype=np.int64)
    np.add.at(demand, (row_of, ends), 1)
    loads = np.zeros(network.num_channels, dtype=np.int64)
    batch = max(1, MOST_HOPS_AT_ONCE // max(network.num_channels, 1))
    for first in range(0, len(homes), batch):
        mine = restriction.loads(homes[first : first + batch], demand[first : first + batch])
        if mine is None:
            return
        np.add.at(loads, problem.units, mine)
    if loads.any():
        busiest = np.flatnonzero(problem.units == loads.argmax())
        yield priced(problem, Prices.of(problem, busiest), NAME)
