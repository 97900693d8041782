"""Translations of networks with switches: they take each processor to every other, and every channel to another one.

Clusters of boxes are recognized by their links (`boxes`); without rails the first switch of processor 0 has a box, and
boxes follow one another. Trees are known by their names. Nothing here is trusted: the judge checks all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import grid_translations
from pavane.model.network import Network
from pavane.symmetry.boxes import boxes_of


def translations_of_processors(network: Network) -> tuple[Ints, Ints] | None:
    """Return translations as permutations of processors and of routers; None where none are known."""
    family, _, parameters = network.name.partition(":")
    sizes = [int(each) for each in parameters.split(",") if each.isdecimal()]
    if family == "kary-tree" and len(sizes) == 2:
        degree, num_levels = sizes
        if degree**num_levels == network.num_processors:
            routers = np.stack(list(_of_kary_tree(degree, num_levels)))
            return _checked(network, routers, grid_translations((degree,) * num_levels))
    if family == "fat-tree" and len(sizes) == 1:
        half = sizes[0] // 2
        if 2 * half**3 == network.num_processors:
            return _checked(network, np.stack(list(_of_fat_tree(half))), grid_translations((2 * half, half, half)))
    return _of_boxes(network)


def _checked(network: Network, routers: Longs, processors: Ints) -> tuple[Ints, Ints] | None:
    """Return translations if they fit the network."""
    if routers.shape[1] != network.num_routers or processors.shape[1] != network.num_processors:
        return None
    width = network.num_routers
    numbers = np.sort(network.tails.astype(np.int64) * width + network.heads)
    for homes, shift in zip(routers, processors, strict=True):
        images = homes[network.tails].astype(np.int64) * width + homes[network.heads]
        if not np.array_equal(network.router_of[shift], homes[network.router_of]):
            return None
        if not np.array_equal(np.sort(images), numbers) or (np.diff(numbers) == 0).any():
            return None
    return processors.astype(np.int32), routers.astype(np.int32)


def _rolled(sizes: Sequence[int], axis: int | None, first: int) -> Longs:
    """Return the routers of a block, numbered row by row from the first, each replaced by the next along an axis."""
    block = np.arange(int(np.prod(sizes)), dtype=np.int64).reshape(tuple(sizes)) + first
    return (block if axis is None else np.roll(block, -1, axis)).reshape(-1)


def _of_kary_tree(degree: int, num_levels: int) -> Iterator[Longs]:
    """Yield the translation of each digit of the hosts, the highest first.

    Switches of level l have num_levels - 1 digits. Those from l on are digits of the hosts below, one place on; those
    before l distinguish switches above the same hosts, and move with the digits of the hosts in the same place.
    """
    digits = num_levels - 1
    for digit in reversed(range(num_levels)):
        blocks = [_rolled((degree,) * num_levels, digits - digit, 0)]
        for level in range(num_levels):
            place = digit if digit < level else digit - 1 if digit > level else None
            first = degree**num_levels + level * degree**digits
            axis = None if place is None else digits - 1 - place
            blocks.append(_rolled((degree,) * digits, axis, first))
        yield np.concatenate(blocks)


def _of_fat_tree(half: int) -> Iterator[Longs]:
    """Yield the translations of pods, of edge routers in a pod, and of processors on an edge router.

    Aggregation routers of a pod move with the processors, and core routers of one aggregation router with the edges.
    """
    num_edge = 2 * half * half
    for edge_axis, aggregation_axis, core_axis in ((0, 0, None), (1, None, 1), (None, 1, 0)):
        edges = _rolled((2 * half, half), edge_axis, 0)
        aggregations = _rolled((2 * half, half), aggregation_axis, num_edge)
        yield np.concatenate([edges, aggregations, _rolled((half, half), core_axis, 2 * num_edge)])


def _of_boxes(network: Network) -> tuple[Ints, Ints] | None:
    """Return the translations of boxes and within boxes; a switch goes where its processors go."""
    num_processors = network.num_processors
    is_switch = np.bincount(network.router_of, minlength=network.num_routers) == 0
    if network.num_routers != num_processors + is_switch.sum() or not is_switch.any():
        return None
    processor_of = np.full(network.num_routers, -1)
    processor_of[network.router_of] = np.arange(num_processors)
    members: dict[int, list[int]] = {switch: [] for switch in np.flatnonzero(is_switch).tolist()}
    for tail, head in network.channels[is_switch[network.tails]].tolist():
        members[tail].append(int(processor_of[head]))
    switch_of = {tuple(sorted(group)): switch for switch, group in members.items()}
    own = [group for group in members.values() if 0 in group]
    if not own or len(switch_of) < len(members) or any(-1 in group for group in members.values()):
        return None
    joined = boxes_of(network)
    if not joined and num_processors % len(own[0]):
        return None
    placed = joined[0].processors if joined else np.arange(num_processors).reshape(-1, len(own[0]))
    shifts = np.empty((2, num_processors), dtype=np.int32)
    routers = np.empty((2, network.num_routers), dtype=np.int64)
    for axis, (homes, shift) in enumerate(zip(routers, shifts, strict=True)):
        shift[placed] = np.roll(placed, -1, axis)
        homes[network.router_of] = network.router_of[shift]
        for group, switch in switch_of.items():
            image = switch_of.get(tuple(sorted(shift[list(group)].tolist())))
            if image is None:
                return None
            homes[switch] = image
    return _checked(network, routers, shifts)
