"""What networks are, for comparison with tables of capacities."""

import numpy as np

from pavane.model.network import Network


def carried(network: Network) -> dict[tuple[int, int], int]:
    """Return the capacity from each router to each neighbour; no two channels may be parallel."""
    ways = {(int(tail), int(head)): int(c) for (tail, head), c in zip(network.channels, network.capacity, strict=True)}
    assert len(ways) == network.num_channels
    return ways


def drawn_apart(network: Network) -> bool:
    """Tell whether each router has a position of its own."""
    return network.positions is not None and len(np.unique(network.positions, axis=0)) == network.num_routers
