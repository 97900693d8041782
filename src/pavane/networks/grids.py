"""Products of lines, rings or complete networks: mesh, torus and HyperX, of any number of dimensions."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from pavane.errors import InputError
from pavane.model.grid import MOST_DIMENSIONS, Grid
from pavane.model.network import Network
from pavane.networks.layout import grid
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import Links, cycle, two_way


def mesh(*sizes: int) -> Network:
    """Return the mesh; routers are numbered row by row, the last dimension fastest."""
    return _product("mesh", sizes, lambda size: size - 1, lambda size: cycle(range(size))[: size - 1])


def torus(*sizes: int) -> Network:
    """Return the torus: a mesh whose rows are closed to rings; a dimension of size 2 has one link, of size 1 none."""
    return _product("torus", sizes, lambda size: size if size > 2 else size - 1, lambda size: cycle(range(size)))


def hyperx(*sizes: int) -> Network:
    """Return HyperX: routers that differ in one coordinate are linked."""
    return _product(
        "hyperx",
        sizes,
        lambda size: size * (size - 1) // 2,
        lambda size: [(a, b) for a in range(size) for b in range(a + 1, size)],
    )


GRIDS: dict[str, Callable[[tuple[int, ...]], Grid]] = {
    "mesh": lambda sizes: Grid(sizes, (False,) * len(sizes)),
    "torus": lambda sizes: Grid(sizes, tuple(size > 2 for size in sizes)),
}
"""The families whose members are grids, and the grid of each size."""


def product_links(sizes: Sequence[int], links_along: Callable[[int], list[tuple[int, int]]]) -> Links:
    """Return the links of a product, dimension by dimension; `links_along` gives those of one row of some size."""
    routers = np.arange(math.prod(sizes)).reshape(sizes)
    links = [np.zeros((0, 2), dtype=np.int64)]
    for axis, size in enumerate(sizes):
        row = np.array(links_along(size), dtype=np.int64).reshape(-1, 2)
        ends = [routers.take(row[:, end], axis=axis).ravel() for end in (0, 1)]
        links.append(np.stack(ends, axis=1))
    return np.concatenate(links)


def _product(
    family: str,
    sizes: tuple[int, ...],
    num_links_along: Callable[[int], int],
    links_along: Callable[[int], list[tuple[int, int]]],
) -> Network:
    name = f"{family}:{'x'.join(map(str, sizes))}"
    if not 1 <= len(sizes) <= MOST_DIMENSIONS:
        raise InputError(f"network {name[:60]}: it has {len(sizes)} dimensions; give 1 to {MOST_DIMENSIONS}")
    for dimension, size in enumerate(sizes, start=1):
        at_least(name, f"dimension {dimension}", size, 1)
    num_routers = math.prod(sizes)
    at_least(name, "the number of routers", num_routers, 2)
    allow_size(name, sum(2 * num_routers // size * num_links_along(size) for size in sizes))
    channels = two_way(product_links(sizes, links_along))
    is_grid = GRIDS[family](sizes) if family in GRIDS else None
    return Network(name, num_routers, channels, positions=grid(sizes), grid=is_grid)
