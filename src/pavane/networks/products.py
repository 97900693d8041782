"""Products of networks: `star-graph:4+ring:6` has a router for each pair of their routers, and the channels of both."""

from __future__ import annotations

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.limits import allow_size


def product_of(first: Network, second: Network) -> Network:
    """Return the product of two networks with a processor on every router.

    Router (a, b) has the number a * n + b, where the second network has n routers. It has the channels of router a of
    the first network, to routers of the same b, and those of router b of the second one.
    """
    name = f"{first.name}+{second.name}"
    for each in (first, second):
        if not each.is_slim:
            raise InputError(
                f"network {name}: {each.name} does not have a processor on every router; products are of networks that "
                "have"
            )
    size, width = first.num_routers, second.num_routers
    allow_size(name, first.num_channels * width + second.num_channels * size)
    allow_size(name, size * width, "routers")
    along_first = first.channels[:, None, :].astype(np.int64) * width + np.arange(width)[None, :, None]
    along_second = second.channels[None, :, :] + width * np.arange(size)[:, None, None]
    capacities = None
    if first.capacities is not None or second.capacities is not None:
        capacities = np.concatenate([np.repeat(first.capacity, width), np.tile(second.capacity, size)])
    positions = None
    if first.positions is not None and second.positions is not None:
        # Each router of the first network becomes a small picture of the second one.
        spread = 2.0 * (np.ptp(second.positions, axis=0).max() + 1.0)
        positions = (first.positions[:, None, :] * spread + second.positions[None, :, :]).reshape(-1, 2)
    return Network(
        name,
        [f"{a}.{b}" for a in first.routers for b in second.routers],
        np.concatenate([along_first.reshape(-1, 2), along_second.reshape(-1, 2)]),
        positions=positions,
        capacities=capacities,
    )
