"""Copies of a network joined by rails: `dgx-1@4` is four of them, processors of the same number on a switch each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.model.network import Network
from pavane.networks.layout import Positions, circle, side_by_side, under
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way


class Uplink(NamedTuple):
    """A link from a router of every copy to a rail."""

    router: int
    rail: str
    """The name of the rail: a switch that all copies share."""
    capacity: int = 1
    latency_ps: int | None = None
    bytes_per_second: int | None = None


def rails_of(network: Network, capacity: int = 1) -> list[Uplink]:
    """Return an uplink of every processor, to a rail of its own number."""
    return [Uplink(router, f"R{processor}", capacity) for processor, router in enumerate(network.router_of.tolist())]


def joined_copies(
    network: Network, num_copies: int, uplinks: Sequence[Uplink] | None = None, scale: int = 1
) -> Network:
    """Return copies of a network joined by rails, pure switches to which every copy has its uplinks.

    Unless others are given, processor p of every copy has an uplink of capacity 1 to the rail `Rp`. Copies come one
    after the other, then the rails; router 3 of copy 0 is called `0.3`, and processors are numbered copy by copy. The
    capacities of the network are multiplied by `scale`, so that uplinks may carry less than its channels.
    """
    name = f"{network.name}@{num_copies}"
    at_least(name, "M", num_copies, 2)
    if not network.num_processors:
        raise InputError(f"network {name}: {network.name} has no processors that rails could join; give it some")
    if uplinks is None:
        uplinks = rails_of(network)
    allow_size(name, num_copies * (network.num_channels + 2 * len(uplinks)))
    allow_size(name, num_copies * network.num_routers, "routers")
    number = {rail: index for index, rail in enumerate(dict.fromkeys(uplink.rail for uplink in uplinks))}
    size, first_rail = network.num_routers, num_copies * network.num_routers
    copies = size * np.arange(num_copies)[:, None, None]
    ends = np.array([(uplink.router, first_rail + number[uplink.rail]) for uplink in uplinks]).reshape(-1, 2)
    ways = two_way((np.array([[1, 0]]) * copies + ends).reshape(-1, 2))
    capacities = [
        np.tile(network.capacity * scale, num_copies),
        np.tile(np.repeat([uplink.capacity for uplink in uplinks], 2), num_copies),
    ]
    joined = Network(
        name,
        [f"{copy}.{router}" for copy in range(num_copies) for router in network.routers] + list(number),
        np.concatenate([(copies + network.channels).reshape(-1, 2), ways]),
        (copies[:, 0] + network.router_of).reshape(-1),
        under(side_by_side(_positions(network), num_copies), len(number)),
        capacities=np.concatenate(capacities),
        speeds=_speeds(network, num_copies, uplinks),
        boxes=_boxes(network, num_copies, len(number)),
    )
    return joined.of_gpus() if network.has_gpus else joined


def _speeds(network: Network, num_copies: int, uplinks: Sequence[Uplink]) -> ChannelSpeeds | None:
    """Return the speeds of all channels, as far as those of the network and of its uplinks are known."""
    if network.speeds is None:
        return None

    def column(own: Longs | None, above: list[int | None]) -> Longs | None:
        if own is None or None in above:
            return None
        cables = np.repeat(np.array(above, dtype=np.int64), 2)
        return np.concatenate([np.tile(own, num_copies), np.tile(cables, num_copies)])

    latencies = column(network.speeds.latencies, [one.latency_ps for one in uplinks])
    rates = column(network.speeds.bandwidths, [one.bytes_per_second for one in uplinks])
    return None if latencies is None and rates is None else ChannelSpeeds(latencies=latencies, bandwidths=rates)


def _boxes(network: Network, num_copies: int, num_rails: int) -> Ints:
    """Return the machine of each router: every copy is one, or as many as the network has, and rails are in none."""
    own = np.zeros(network.num_routers, dtype=np.int32) if network.boxes is None else network.boxes
    number = 1 + own.max(initial=0)
    copies = [np.where(own < 0, own, own + copy * number) for copy in range(num_copies)]
    return np.concatenate([*copies, np.full(num_rails, -1, dtype=np.int32)])


def _positions(network: Network) -> Positions:
    """Return where to draw a copy: as the network says, or processors on a circle with pure switches above them.

    Processors that are joined by switches alone stand in a row instead.
    """
    if network.positions is not None:
        return network.positions
    owners = np.unique(network.router_of)
    switches = np.setdiff1d(np.arange(network.num_routers), owners)
    drawn = np.isin(network.channels, owners).all(axis=1).any()
    row = np.stack([np.arange(len(owners), dtype=np.float64), np.zeros(len(owners))], axis=1)
    positions = np.zeros((network.num_routers, 2))
    at = under(circle(len(owners), len(owners) / 5) if drawn else row, len(switches))
    positions[np.concatenate([owners, switches])] = at
    return positions
