"""Boxes of GPUs that are joined by rails: recognized by their links, whatever the numbers of routers and processors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network


class Boxes(NamedTuple):
    """GPUs in boxes that are joined by rails."""

    processors: Longs
    """The processor at each box and position."""
    num_rails: int
    inner: tuple[Longs, Longs]
    """The channels of each processor to the switch of its box, and back."""
    outer: tuple[Longs, Longs]
    """The channels of each processor to its rail, and back."""
    capacities: tuple[int, int]
    """What a link carries in a step, inside and to the rail."""


def boxes_of(network: Network) -> list[Boxes]:
    """Return the network as boxes joined by rails, in up to two ways: boxes and rails may change roles."""
    sides = _sides(network)
    if sides is None:
        return []
    channel_of = {ends: channel for channel, ends in enumerate(map(tuple, network.channels.tolist()))}
    homes = network.router_of
    found = []
    for box_of, rail_of in (sides, sides[::-1]):
        placed = _placed(box_of, rail_of)
        inner, outer = (
            tuple(
                np.array([channel_of[ends] for ends in zip(*way, strict=True)])
                for way in ((homes.tolist(), hub.tolist()), (hub.tolist(), homes.tolist()))
            )
            for hub in (box_of, rail_of)
        )
        rooms = [np.unique(network.capacity[np.concatenate(links)]) for links in (inner, outer)]
        if placed is not None and len(rooms[0]) == len(rooms[1]) == 1:
            capacities = int(rooms[0][0]), int(rooms[1][0])
            found.append(Boxes(*placed, (inner[0], inner[1]), (outer[0], outer[1]), capacities))
    return found


def _sides(network: Network) -> tuple[Longs, Longs] | None:
    """Return two switches for each processor, on two sides: each switch is on one side for all its processors.

    None unless the network consists of processors that have two links each, one to a switch on either side.
    """
    homes, ends = network.router_of, {*map(tuple, network.channels.tolist())}
    hubs: dict[int, list[int]] = {int(router): [] for router in homes}
    if not hubs or not 4 * len(hubs) == 4 * len(homes) == len(ends) == network.num_channels:
        return None
    members: dict[int, list[int]] = {}
    for tail, head in ends:
        if tail in hubs and head not in hubs and (head, tail) in ends:
            hubs[tail].append(head)
            members.setdefault(head, []).append(tail)
    if any(len(pair) != 2 for pair in hubs.values()):
        return None
    side = {min(members): 0}
    waiting = list(side)
    for hub in waiting:
        for router in members[hub]:
            other = sum(hubs[router]) - hub
            if other not in side:
                side[other] = 1 - side[hub]
                waiting.append(other)
            elif side[other] == side[hub]:
                return None
    pairs = np.array([sorted(hubs[int(router)], key=lambda hub: side.get(hub, 0)) for router in homes])
    return (pairs[:, 0], pairs[:, 1]) if len(side) == len(members) else None


def _placed(box_of: Longs, rail_of: Longs) -> tuple[Longs, int] | None:
    """Return the processor at each box and position, and the number of rails; None unless all boxes are alike."""
    boxes, box = np.unique(box_of, return_inverse=True)
    rails, rail = np.unique(rail_of, return_inverse=True)
    members = np.bincount(box * len(rails) + rail, minlength=len(boxes) * len(rails))
    if len(boxes) < 2 or (members != members[0]).any():
        return None
    order = np.lexsort((np.arange(len(box)), rail, box)).reshape(len(boxes), len(rails), members[0])
    return order.transpose(0, 2, 1).reshape(len(boxes), -1), len(rails)
