"""The links inside clusters of SimGrid with a topology: TORUS, FAT_TREE and DRAGONFLY, as SimGrid builds them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from pavane.errors import InputError
from pavane.io.network_builder import allow_count
from pavane.io.parsing import shown, whole


class ClusterLink(NamedTuple):
    """A link between two hosts or switches, by their names."""

    end: str
    other: str
    width: int = 1
    """How many times the bandwidth of the cluster's links it has."""


def cluster_links(where: str, shape: str, parameters: str, hosts: Sequence[str]) -> Iterator[ClusterLink]:
    """Yield the links of a cluster; names that are no hosts are switches. Refuses parameters that do not fit."""
    numbers = [
        [whole(number, f"{where} has topo_parameters {shown(parameters)}") for number in part.split(",")]
        for part in parameters.split(";")
    ]
    makers = {"TORUS": _torus, "FAT_TREE": _fat_tree, "DRAGONFLY": _dragonfly}
    if shape not in makers:
        raise InputError(f"{where} is a {shape.lower()}; known are flat, torus, fat_tree and dragonfly")
    return makers[shape](where, numbers, hosts)


def _refuse_unless(fits: bool, where: str, example: str, num_hosts: int) -> None:
    if not fits:
        raise InputError(
            f"{where} has topo_parameters that do not describe its {num_hosts:,} hosts; write them like {example}"
        )


def _torus(where: str, numbers: list[list[int]], hosts: Sequence[str]) -> Iterator[ClusterLink]:
    """A host has a link to the next one in each dimension; the first dimension varies fastest."""
    sizes = numbers[0]
    fits = len(numbers) == 1 and math.prod(sizes) == len(hosts)
    _refuse_unless(fits, where, "3,2,2 for 12 hosts", len(hosts))
    stride = 1
    for size in sizes:
        for number, host in enumerate(hosts):
            place = number // stride % size
            if size > 1:
                yield ClusterLink(host, hosts[number + ((place + 1) % size - place) * stride])
        stride *= size


def _fat_tree(where: str, numbers: list[list[int]], hosts: Sequence[str]) -> Iterator[ClusterLink]:
    """Children and parents differ in the digit of their level: levels; children; parents; parallel links."""
    levels = numbers[0][0]
    fits = len(numbers) == 4 and 1 <= levels < 64 and [len(each) for each in numbers] == [1, levels, levels, levels]
    _refuse_unless(fits and math.prod(numbers[1]) == len(hosts), where, "2;4,4;1,2;1,2 for 16 hosts", len(hosts))
    children, parents, parallel = numbers[1:]
    below = hosts
    for level in range(levels):
        # The first digit varies fastest: those of lower levels number parents, those above children.
        inner, outer = math.prod(parents[:level]), math.prod(children[level + 1 :])
        allow_count(where, inner * outer * children[level] * parents[level] * parallel[level], "links")
        switches = [f"{hosts[0]}/level {level + 1}/{number}" for number in range(inner * parents[level] * outer)]
        for above, low, child, parent, _ in product(
            range(outer), range(inner), range(children[level]), range(parents[level]), range(parallel[level])
        ):
            lower = below[low + inner * (child + children[level] * above)]
            yield ClusterLink(lower, switches[low + inner * (parent + parents[level] * above)])
        below = switches


def _dragonfly(where: str, numbers: list[list[int]], hosts: Sequence[str]) -> Iterator[ClusterLink]:
    """Groups; chassis of a group; routers of a chassis; hosts of a router: the first three with widths of links."""
    fits = [len(each) for each in numbers] == [2, 2, 2, 1]
    (groups, blue), (chassis, black), (blades, green) = numbers[:3] if fits else ([0, 0],) * 3
    per_router, per_group = numbers[-1][0], chassis * blades
    fits = fits and groups * per_group * per_router == len(hosts) and groups <= per_group
    _refuse_unless(fits, where, "3,4;4,3;5,1;2 for 120 hosts", len(hosts))
    allow_count(where, groups * per_group * (chassis + blades), "links")
    routers = [f"{hosts[0]}/router {number}" for number in range(groups * per_group)]
    for number, host in enumerate(hosts):
        yield ClusterLink(host, routers[number // per_router])
    for first in range(0, len(routers), blades):
        for one, other in combinations(routers[first : first + blades], 2):
            yield ClusterLink(one, other, green)
    for first, blade in product(range(0, len(routers), per_group), range(blades)):
        for one, other in combinations(routers[first + blade : first + per_group : blades], 2):
            yield ClusterLink(one, other, black)
    for low, high in combinations(range(groups), 2):  # router n of a group leads to group n
        yield ClusterLink(routers[low * per_group + high], routers[high * per_group + low], blue)
