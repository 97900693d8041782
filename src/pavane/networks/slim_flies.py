"""Slim Fly (Besta and Hoefler 2014): the graphs of diameter 2 of McKay, Miller and Siran."""

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.galois import field, prime_power
from pavane.networks.layout import grid
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way


def slim_fly(order: int) -> Network:
    """Return the Slim Fly of 2*Q^2 routers, for a prime power Q = 4w + delta with delta -1, 0 or 1.

    Over the field of Q elements, router (0, x, y) is linked with (1, m, c) where y = m*x + c, and routers of one
    column (0, x) or (1, m) are linked where they differ by a member of a generator set. The degree is (3Q -
    delta) / 2. Router (s, x, y) has the number s*Q^2 + x*Q + y. Q = 5 gives the Hoffman-Singleton graph.
    """
    name = f"slim-fly:{order}"
    at_least(name, "Q", order, 3)
    delta = {0: 0, 1: 1, 2: 0, 3: -1}[order % 4]
    allow_size(name, order**2 * (3 * order - delta))
    factors = prime_power(order)
    if factors is None or order % 4 == 2:
        near = [q for q in range(max(3, order - 9), order + 10) if q % 4 != 2 and prime_power(q)]
        near.sort(key=lambda q: (abs(q - order), q))
        raise InputError(f"network {name}: Q is {order}, not a power of a prime; near ones are {near[0]} and {near[1]}")
    numbers = field(*factors)
    links = []
    for side, generators in enumerate(_generators(order, numbers.powers)):
        for x in range(order):
            column = side * order**2 + x * order
            links += [
                (column + y, column + int(numbers.sums[y, g]))
                for y in range(order)
                for g in generators
                if y < numbers.sums[y, g]
            ]
    slope, abscissa, shift = np.indices((order, order, order)).reshape(3, -1)
    ordinate = numbers.sums[numbers.products[slope, abscissa], shift]
    across = np.stack([abscissa * order + ordinate, order**2 + slope * order + shift], axis=1)
    everything = np.concatenate([np.array(links, dtype=np.int64), across])
    left = grid((order, order))[:, ::-1] * -1.0
    positions = np.concatenate([left, left + np.array([order + 1.0, 0.0])])
    return Network(name, 2 * order**2, two_way(everything), positions=positions)


def _generators(order: int, powers: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Return the two generator sets, each closed under negation, as powers of the primitive element."""
    if order % 4 == 3:
        w = (order + 1) // 4
        first = [*range(0, 2 * w - 1, 2), *range(2 * w - 1, 4 * w - 2, 2)]
        second = [*range(1, 2 * w, 2), *range(2 * w, 4 * w - 1, 2)]
    else:
        first = list(range(0, order - 1, 2))
        second = list(range(1, order, 2))[: len(first)]
    return [powers[e] for e in first], [powers[e % (order - 1)] for e in second]
