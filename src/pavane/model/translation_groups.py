"""Abelian groups of translations: networks that look the same from every router, like rings, tori and circulants.

Numbering the routers row by row in a shape of several sizes, every translation of that shape must keep the channels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem


def translations(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yield the shapes under which numbering routers row by row makes every translation a symmetry."""
    for sizes in _factorizations(problem.network.num_routers):
        if generators(problem, sizes) is not None:
            yield sizes


def _factorizations(number: int, least: int = 2) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a product of factors of at least two, in every order."""
    if number >= least:
        yield (number,)
    for factor in range(2, number // 2 + 1):
        if number % factor == 0:
            for rest in _factorizations(number // factor):
                yield (factor, *rest)


def generators(problem: Problem, sizes: tuple[int, ...]) -> Longs | None:
    """Return the kind of each channel, by its displacement; None where routers differ in their channels."""
    network = problem.network
    tails = np.stack(np.unravel_index(network.tails, sizes), axis=1)
    heads = np.stack(np.unravel_index(network.heads, sizes), axis=1)
    moved = np.ravel_multi_index(tuple(((heads - tails) % np.array(sizes)).T), sizes)
    order = np.lexsort((moved, network.tails))
    if network.num_channels % network.num_routers or not network.num_channels:
        return None
    degree = network.num_channels // network.num_routers
    table = moved[order].reshape(network.num_routers, degree)
    owners = network.tails[order].reshape(network.num_routers, degree)
    if not (table == table[0]).all() or not (owners == np.arange(network.num_routers)[:, None]).all():
        return None
    kinds = np.empty(network.num_channels, dtype=np.int64)
    kinds[order] = np.tile(np.arange(degree), network.num_routers)
    return kinds
