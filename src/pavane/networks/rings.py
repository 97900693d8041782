"""Rings and the line (noc section 2)."""

from pavane.model.grid import Grid
from pavane.model.network import Network
from pavane.networks.layout import circle, grid
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import cycle, two_way


def ring(num_routers: int, *, oneway: bool = False) -> Network:
    """Return the ring, two-way or with channels from each router to the next only.

    Two routers get one link, as in a torus dimension of size 2; one-way they get the same two channels.
    """
    name = f"ring:{num_routers}" + ",oneway" * oneway
    at_least(name, "N", num_routers, 2)
    allow_size(name, num_routers * (1 if oneway else 2))
    if oneway:
        channels = [(i, (i + 1) % num_routers) for i in range(num_routers)]
        return Network(name, num_routers, channels, positions=circle(num_routers))
    channels_each_way = two_way(cycle(range(num_routers)))
    around = Grid((num_routers,), (num_routers > 2,))
    return Network(name, num_routers, channels_each_way, positions=circle(num_routers), grid=around)


def line(num_routers: int) -> Network:
    """Return the line: a ring without the link that closes it."""
    name = f"line:{num_routers}"
    at_least(name, "N", num_routers, 2)
    allow_size(name, 2 * (num_routers - 1))
    links = [(i, i + 1) for i in range(num_routers - 1)]
    sizes = (num_routers,)
    return Network(name, num_routers, two_way(links), positions=grid(sizes), grid=Grid(sizes, (False,)))
