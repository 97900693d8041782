"""Hypercubes and what is made of them."""

import numpy as np

from pavane.model.grid import Grid
from pavane.model.network import Network
from pavane.networks.grids import product_links
from pavane.networks.layout import circle_of_circles, grid
from pavane.networks.limits import allow_size, at_least, power
from pavane.networks.links import Links, two_way


def hypercube(dimension: int) -> Network:
    """Return the hypercube: routers whose numbers differ in one bit are linked, a grid of two in every dimension."""
    name = f"hypercube:{dimension}"
    at_least(name, "D", dimension, 1)
    allow_size(name, dimension * power(2, dimension))
    sizes = (2,) * dimension
    channels = two_way(_cube_links(dimension))
    return Network(name, 2**dimension, channels, positions=grid(sizes), grid=Grid(sizes, (False,) * dimension))


def folded_hypercube(dimension: int) -> Network:
    """Return the hypercube with a further link between complements, the K-ring of gecco07 section 4.

    In dimension 1 the complement is the neighbour, so the smallest folded hypercube has dimension 2.
    """
    name = f"folded-hypercube:{dimension}"
    at_least(name, "D", dimension, 2)
    allow_size(name, (dimension + 1) * power(2, dimension))
    half = np.arange(2 ** (dimension - 1))
    complements = np.stack([half, 2**dimension - 1 - half], axis=1)
    links = np.concatenate([_cube_links(dimension), complements])
    return Network(name, 2**dimension, two_way(links), positions=grid((2,) * dimension))


def cube_connected_cycles(dimension: int) -> Network:
    """Return the hypercube with each router replaced by a ring, one router per dimension.

    Router D * x + i stands at corner x of the cube and has the link that flips bit i of x.
    """
    name = f"cube-connected-cycles:{dimension}"
    at_least(name, "D", dimension, 3)
    allow_size(name, 3 * dimension * power(2, dimension))
    corners = np.arange(2**dimension)
    links = []
    for i in range(dimension):
        here = dimension * corners + i
        low = corners[(corners >> i) & 1 == 0]
        links.append(np.stack([here, dimension * corners + (i + 1) % dimension], axis=1))
        links.append(np.stack([dimension * low + i, dimension * (low ^ (1 << i)) + i], axis=1))
    positions = circle_of_circles(len(corners), dimension)
    return Network(name, dimension * len(corners), two_way(np.concatenate(links)), positions=positions)


def _cube_links(dimension: int) -> Links:
    return product_links((2,) * dimension, lambda _: [(0, 1)])
