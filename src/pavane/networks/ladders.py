"""The twisted ladder (named in gecco07 section 4, without a definition)."""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.layout import grid
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way
from pavane.networks.octagons import chorded_ring


def twisted_ladder(num_routers: int) -> Network:
    """Return a ladder whose rails are closed crosswise: routers 0 to N/2 - 1 are one rail, the others the other one.

    Only the parity of the twists matters: an even number of them gives the prism, an odd number the Moebius
    ladder, which is meant here. As a graph it is the spidergon; it is drawn as a ladder.
    """
    name = f"twisted-ladder:{num_routers}"
    at_least(name, "N", num_routers, 4)
    if num_routers % 2:
        raise InputError(
            f"network {name}: N is {num_routers}, but a ladder has two rails of equal length; "
            f"give an even number, for example {num_routers + 1}"
        )
    allow_size(name, 3 * num_routers)
    # Rung i joins routers i and i + N/2; the rails end in the links N/2 - 1 to N/2 and N - 1 to 0, the twist.
    positions = grid((2, num_routers // 2)) * np.array([1.0, 1.5])
    return Network(name, num_routers, two_way(chorded_ring(num_routers)), positions=positions)
