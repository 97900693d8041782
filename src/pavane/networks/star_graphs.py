"""Star graphs: routers are permutations (Akers, Harel and Krishnamurthy 1987)."""

from math import factorial

import numpy as np

from pavane.model.dictionary_order import permutations, ranks
from pavane.model.network import Network
from pavane.networks.layout import nested_circles
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way


def star_graph(num_symbols: int) -> Network:
    """Return the star graph: permutations of N symbols, linked where the first symbol and another one are exchanged.

    Routers stand in the order of a dictionary and are named by their permutations. The network with a hub is `star`.
    """
    name = f"star-graph:{num_symbols}"
    at_least(name, "N", num_symbols, 2)
    allow_size(name, (num_symbols - 1) * factorial(min(num_symbols, 30)))
    rows = permutations(num_symbols)
    links = []
    for place in range(1, num_symbols):
        exchanged = rows.copy()
        exchanged[:, [0, place]] = rows[:, [place, 0]]
        ends = np.stack([np.arange(len(rows)), ranks(exchanged)], axis=1)
        links.append(ends[ends[:, 0] < ends[:, 1]])
    names = ["".join(map(str, row)) for row in rows.tolist()]
    return Network(name, names, two_way(np.concatenate(links)), positions=nested_circles(range(2, num_symbols + 1)))
