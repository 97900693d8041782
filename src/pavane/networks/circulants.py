"""Circulants: rings with jumps, and the quotients of the Gaussian and the Eisenstein integers, which are grids on tori.

Martinez, Beivide, Stafford, Moreto and Gabidulin, "Modeling toroidal networks with the Gaussian integers", IEEE
Transactions on Computers 57 (2008); Flahive and Bose, "The topology of Gaussian and Eisenstein-Jacobi interconnection
networks", IEEE Transactions on Parallel and Distributed Systems 21 (2010).
"""

from math import gcd

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.networks.layout import Positions, circle, rounded
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way

Vector = tuple[int, int]


def circulant(num_routers: int, *jumps: int) -> Network:
    """Return the circulant: router i is linked with the routers i + A, i - A, i + B, i - B and so on, modulo N."""
    name = f"circulant:{','.join(map(str, (num_routers, *jumps)))}"
    at_least(name, "N", num_routers, 2)
    if not jumps:
        raise InputError(
            f"network {name}: it has no jumps; write circulant:N,A,B,..., for example circulant:{name[10:]},1"
        )
    for jump in jumps:
        if not 1 <= jump <= num_routers // 2 or jumps.count(jump) > 1:
            raise InputError(f"network {name}: jump {jump}: expected different jumps from 1 to {num_routers // 2}")
    if gcd(num_routers, *jumps) > 1:
        shared = gcd(num_routers, *jumps)
        raise InputError(f"network {name}: N and all jumps are multiples of {shared}, so it is not connected")
    allow_size(name, sum(num_routers if 2 * jump == num_routers else 2 * num_routers for jump in jumps))
    routers = np.arange(num_routers)
    links = []
    for jump in jumps:
        tails = routers[: num_routers // 2] if 2 * jump == num_routers else routers
        links.append(np.stack([tails, (tails + jump) % num_routers], axis=1))
    return Network(name, num_routers, two_way(np.concatenate(links)), positions=circle(num_routers))


def gaussian(real: int, imaginary: int) -> Network:
    """Return the Gaussian network of A + Bi: the integers x + yi modulo A + Bi, linked where they differ by a unit.

    It is a piece of the square grid, closed to a torus: A^2 + B^2 routers of degree 4.
    """
    name, norm = f"gaussian:{real},{imaginary}", real**2 + imaginary**2
    _check_lattice(name, (real, imaginary), "A^2 + B^2", norm, 5)
    allow_size(name, 4 * norm)
    return _quotient(name, (real, imaginary), norm, ((1, 0), (0, 1)), np.array([[1.0, 0.0], [0.0, 1.0]]))


def eisenstein(first: int, second: int) -> Network:
    """Return the Eisenstein network of A + Bw, w a sixth root of one: integers x + yw modulo A + Bw, linked by units.

    It is a piece of the grid of triangles, closed to a torus: A^2 + AB + B^2 routers of degree 6.
    """
    name, norm = f"eisenstein:{first},{second}", first**2 + first * second + second**2
    _check_lattice(name, (first, second), "A^2 + AB + B^2", norm, 7)
    allow_size(name, 6 * norm)
    plane = np.array([[1.0, 0.0], [0.5, 0.75**0.5]])
    return _quotient(name, (first, second), norm, ((1, 0), (0, 1), (-1, 1)), plane)


def _check_lattice(name: str, modulus: Vector, formula: str, norm: int, least: int) -> None:
    """Refuse a modulus by which some units are equal."""
    for parameter, value in zip("AB", modulus, strict=True):
        at_least(name, parameter, value, 0)
    at_least(name, formula, norm, least)


def _quotient(name: str, modulus: Vector, norm: int, units: tuple[Vector, ...], plane: Positions) -> Network:
    """Return the integers of a plane modulo one of them, linked where they differ by a unit or its opposite.

    With g the greatest common divisor of A and B the group is Z_g x Z_(N/g), and routers are numbered row by row. Let
    e be (A, B) / g, and f such that e and f span all integers. The multiples of the modulus are spanned by g e and
    (N / g) f, so coordinates with respect to e and f count modulo g and N / g. Where it can be, the integer 1 has
    number 1, as on circulants.
    """
    divisor = gcd(*modulus)
    along = (modulus[0] // divisor, modulus[1] // divisor)
    beside = _completed(along)
    # The coordinates of (x, y) are its determinants with the other vector of the basis.
    matrix = np.array([[beside[1], -along[1]], [-beside[0], along[0]]])
    sizes = np.array([divisor, norm // divisor])
    if gcd(along[1], norm // divisor) == 1:
        matrix[:, 1] *= pow(-along[1], -1, norm // divisor)
    vectors = np.array(units)
    hops = vectors @ matrix
    digits = np.stack(np.divmod(np.arange(norm), sizes[1]), axis=1)
    heads = ((digits[:, None] + np.concatenate([hops, -hops])) % sizes) @ np.array([sizes[1], 1])
    links = [np.stack([np.arange(norm), heads[:, unit]], axis=1) for unit in range(len(units))]
    positions = rounded(_nearest(heads, np.concatenate([vectors, -vectors])) @ plane)
    return Network(name, norm, two_way(np.concatenate(links)), positions=positions)


def _completed(vector: Vector) -> Vector:
    """Return a vector that spans all pairs of whole numbers together with one whose entries have no common factor."""
    a, b = vector
    if b == 0:
        return 0, 1
    # a * y - b * x = 1: y is the inverse of a modulo b.
    y = pow(a, -1, b)
    return (a * y - 1) // b, y


def _nearest(heads: Longs, vectors: Longs) -> Longs:
    """Return for each router the integer on a shortest path from router 0, for its place in the drawing."""
    places = np.zeros((len(heads), 2), dtype=np.int64)
    is_placed = np.arange(len(heads)) == 0
    front = np.zeros(1, dtype=np.int64)
    while len(front):
        beyond = heads[front].reshape(-1)
        fresh, at = np.unique(beyond, return_index=True)
        at = at[~is_placed[fresh]]
        tails, units = np.divmod(at, len(vectors))
        places[beyond[at]] = places[front[tails]] + vectors[units]
        is_placed[beyond[at]] = True
        front = beyond[at]
    return places
