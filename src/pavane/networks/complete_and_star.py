"""The network of diameter 1, and the one of diameter 2 with the fewest links."""

import numpy as np

from pavane.model.network import Network
from pavane.networks.layout import circle
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way


def complete(num_routers: int) -> Network:
    """Return the network with a link between each two routers."""
    name = f"complete:{num_routers}"
    at_least(name, "N", num_routers, 2)
    allow_size(name, num_routers * (num_routers - 1))
    links = np.stack(np.triu_indices(num_routers, 1), axis=1)
    return Network(name, num_routers, two_way(links), positions=circle(num_routers))


def star(num_routers: int) -> Network:
    """Return the star of `num_routers` routers in all: router 0, the hub, is linked with each other one."""
    name = f"star:{num_routers}"
    at_least(name, "N", num_routers, 2)
    allow_size(name, 2 * (num_routers - 1))
    positions = np.concatenate([np.zeros((1, 2)), circle(num_routers - 1)])
    return Network(name, num_routers, two_way([(0, i) for i in range(1, num_routers)]), positions=positions)
