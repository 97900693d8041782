"""Hierarchical rings (noc Fig. 2)."""

import math

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.layout import nested_circles
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import cycle, two_way


def hierarchical_rings(*sizes: int) -> Network:
    """Return rings joined by rings, sizes given from the level-0 ring outward; every router carries a processor.

    Routers are numbered ring by ring. noc Fig. 2 draws, but does not say, which router of a ring sits on the ring
    above; here it is the first one, at every level, so router 0 sits on one ring of each level.
    """
    name = f"hierarchical-rings:{','.join(map(str, sizes))}"
    if not sizes:
        raise InputError(f"network {name}: no ring sizes; give one for each level, for example hierarchical-rings:4,4")
    for level, size in enumerate(sizes):
        at_least(name, f"the size of level-{level} rings", size, 2)
    num_routers = math.prod(sizes)
    allow_size(name, sum(2 * num_routers // math.prod(sizes[:level]) for level in range(len(sizes))))
    links = []
    stride = 1
    for size in sizes:
        for first in range(0, num_routers, stride * size):
            links += cycle(range(first, first + stride * size, stride))
        stride *= size
    return Network(name, num_routers, two_way(links), positions=nested_circles(sizes))
