"""Factors of a network that is a product: rows that are one network, and columns that are another.

Routers are numbered row by row: router (a, b) is a * n + b, if a row has n routers. Every channel stays in its row or
in its column, and all rows have the same channels, and all columns.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.network import Network


def product_factors(network: Network) -> tuple[Network, Network] | None:
    """Return the networks of a column and of a row; None where the network is no product."""
    size = network.num_routers
    offsets, outgoing = network.outgoing
    first = network.heads[outgoing[offsets[0] : offsets[1]]]
    for width in range(2, size // 2 + 1):
        is_likely = size % width == 0 and bool(((first < width) | (first % width == 0)).all())
        found = _split(network, width) if is_likely and network.is_slim else None
        if found is not None:
            return found
    return None


def _split(network: Network, width: int) -> tuple[Network, Network] | None:
    """Return the networks of a column and of a row of some width; None where the network is not their product."""
    rows, places = np.divmod(network.channels.astype(np.int64), width)
    is_in_row, is_in_column = rows[:, 0] == rows[:, 1], places[:, 0] == places[:, 1]
    if not (is_in_row ^ is_in_column).all():
        return None
    column = _repeated(network, is_in_column, places[:, 0], rows, width)
    row = _repeated(network, is_in_row, rows[:, 0], places, network.num_routers // width)
    return None if column is None or row is None else (column, row)


def _repeated(network: Network, chosen: Flags, copy: Longs, ends: Longs, num_copies: int) -> Network | None:
    """Return the network that some channels make in each of several copies; None where copies differ."""
    size = network.num_routers // num_copies
    keys = (ends[chosen, 0] * size + ends[chosen, 1]) * (int(network.capacity.max(initial=1)) + 1)
    keys += network.capacity[chosen]
    if len(keys) % num_copies or not len(keys):
        return None
    order = np.lexsort((keys, copy[chosen]))
    table = keys[order].reshape(num_copies, -1)
    copies = copy[chosen][order].reshape(num_copies, -1)
    if not (table == table[0]).all() or not (copies == np.arange(num_copies)[:, None]).all():
        return None
    own = np.flatnonzero(chosen)[order[: table.shape[1]]]
    return Network("factor", size, ends[own], capacities=None if network.capacities is None else network.capacity[own])
