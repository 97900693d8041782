"""The octagon of Karim and Nguyen, larger rings of its kind and its scaling strategies (gecco07 section 4)."""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.layout import circle
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import cycle, two_way


def spidergon(num_routers: int) -> Network:
    """Return the ring with chords from each router to the one across it; 16 routers make the 16-gon of gecco08."""
    name = f"spidergon:{num_routers}"
    at_least(name, "N", num_routers, 4)
    if num_routers % 2:
        raise InputError(
            f"network {name}: N is {num_routers}, but chords join opposite routers; "
            f"give an even number, for example {num_routers + 1}"
        )
    allow_size(name, 3 * num_routers)
    return Network(name, num_routers, two_way(chorded_ring(num_routers)), positions=circle(num_routers))


def octagon() -> Network:
    """Return the octagon: a ring of 8 with chords from i to i + 4."""
    return Network("octagon", 8, two_way(chorded_ring(8)), positions=circle(8))


def fat_octagon(per_router: int) -> Network:
    """Return the octagon with K processors on each router, K*r to K*r + K - 1 on router r (gecco07 Fig. 8b)."""
    name = f"fat-octagon:{per_router}"
    at_least(name, "K", per_router, 1)
    allow_size(name, 8 * per_router, "processors")
    slim = octagon()
    owners = np.repeat(np.arange(8), per_router)
    return Network(name, slim.routers, slim.channels, owners, slim.positions)


def bridged_octagons(num_octagons: int) -> Network:
    """Return octagons in a row, each sharing a bridge router with the next (the first strategy of gecco07 section 4).

    The papers do not say which routers are bridges; here router 4 of each octagon is router 0 of the next one, so
    bridges lie opposite each other. Octagon j has the further routers 7j + 1 to 7j + 7.
    """
    name = f"bridged-octagons:{num_octagons}"
    at_least(name, "N", num_octagons, 1)
    allow_size(name, 24 * num_octagons)
    links, positions = [], np.zeros((7 * num_octagons + 1, 2))
    members = list(range(8))
    for j in range(num_octagons):
        links += [(members[a], members[b]) for a, b in chorded_ring(8)]
        # Router 0 at the left end and router 4 at the right one, where the next octagon begins.
        x, y = circle(8).T
        positions[members] = np.stack([2 * j - y, x], axis=1)
        members = [members[4], *range(7 * j + 8, 7 * j + 15)]
    return Network(name, len(positions), two_way(links), positions=positions)


def multi_octagon(num_octagons: int) -> Network:
    """Return octagons whose corresponding routers are linked (the second strategy of gecco07 section 4).

    The papers do not say how; here the N routers with the same number form a ring, which for N up to 3 links each
    with each. Router 8j + i is router i of octagon j.
    """
    name = f"multi-octagon:{num_octagons}"
    at_least(name, "N", num_octagons, 1)
    allow_size(name, 40 * num_octagons)
    links = [(8 * j + a, 8 * j + b) for j in range(num_octagons) for a, b in chorded_ring(8)]
    links += [(8 * j + i, 8 * k + i) for j, k in cycle(range(num_octagons)) for i in range(8)]
    positions = np.concatenate([circle(8, 1 + j) for j in range(num_octagons)])
    return Network(name, len(positions), two_way(links), positions=positions)


def chorded_ring(num_routers: int) -> list[tuple[int, int]]:
    """Return the links of a ring and of its longest chords."""
    half = num_routers // 2
    return cycle(range(num_routers)) + [(i, i + half) for i in range(half)]
