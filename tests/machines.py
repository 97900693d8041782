"""Machines of GPUs whose links differ in speed, as networks with capacities.

MI250 box: 16 GPUs, in links of 50 GB/s. NDv2: two DGX-1 boxes, in units of 12.5 GB/s, with a cable of that speed from
GPU 1 of each box to GPU 0 of the other. DGX A100: 8 GPUs a box, each with 300 GB/s to its box's switch and 25 GB/s to
one of two rails, in units of 25 GB/s. DGX-2: two boxes of 16 GPUs on a switch, 125 GB/s each, with 12.5 GB/s from odd
GPUs to their even neighbour's number in the other box, in units of 12.5 GB/s.
"""

from __future__ import annotations

from pavane.model.network import Network

Capacities = dict[tuple[int, int], int]
"""What the channel from a router to another carries in a step."""

MI250 = {
    0: {1: 4, 4: 2, 8: 1},
    1: {0: 4, 5: 1, 9: 1, 10: 1},
    2: {3: 4, 6: 1, 9: 1, 10: 1},
    3: {2: 4, 7: 2, 11: 1},
    4: {0: 2, 5: 4, 6: 1},
    5: {1: 1, 4: 4, 6: 1, 7: 1},
    6: {2: 1, 4: 1, 5: 1, 7: 4},
    7: {3: 2, 5: 1, 6: 4},
    8: {0: 1, 9: 4, 12: 2},
    9: {1: 1, 2: 1, 8: 4, 13: 1},
    10: {1: 1, 2: 1, 11: 4, 14: 1},
    11: {3: 1, 10: 4, 15: 2},
    12: {8: 2, 13: 4, 14: 1},
    13: {9: 1, 12: 4, 14: 1, 15: 1},
    14: {10: 1, 12: 1, 13: 1, 15: 4},
    15: {11: 2, 13: 1, 14: 4},
}
"""The links between the GPUs of a box."""

DGX_1 = {
    (0, 1): 2,
    (0, 2): 1,
    (0, 3): 1,
    (0, 4): 2,
    (1, 2): 1,
    (1, 3): 2,
    (1, 5): 1,
    (2, 3): 2,
    (2, 6): 2,
    (3, 7): 1,
    (4, 5): 2,
    (4, 6): 1,
    (4, 7): 1,
    (5, 6): 1,
    (5, 7): 2,
    (6, 7): 2,
}
"""The links between the GPUs of a box, each both ways."""


def mi250() -> Network:
    """Return one box of 16 GPUs."""
    return _network("mi250", 16, _mi250_box(0, 1), 16)


def mi250_pair(link: int = 50, cable: int = 16) -> Network:
    """Return two boxes; every GPU has a cable to one switch. Speeds are in GB/s."""
    capacities = _mi250_box(0, link) | _mi250_box(16, link)
    for gpu in range(32):
        capacities[gpu, 32] = capacities[32, gpu] = cable
    return _network("mi250 x2", 33, capacities, 32)


def ndv2() -> Network:
    """Return two boxes of 8 GPUs with one cable each way."""
    capacities: Capacities = {}
    for first in (0, 8):
        for (here, there), links in DGX_1.items():
            capacities[first + here, first + there] = capacities[first + there, first + here] = 2 * links
    capacities[1, 8] = capacities[9, 0] = 1
    return _network("ndv2", 16, capacities, 16)


def a100(boxes: int) -> Network:
    """Return boxes of 8 GPUs on a switch each; several boxes are joined by two rails."""
    capacities: Capacities = {}
    num_gpus = 8 * boxes
    for gpu in range(num_gpus):
        switch, rail = num_gpus + gpu // 8, num_gpus + boxes + gpu % 2
        capacities[gpu, switch] = capacities[switch, gpu] = 12
        if boxes > 1:
            capacities[gpu, rail] = capacities[rail, gpu] = 1
    return _network(f"a100 x{boxes}", num_gpus + boxes + (2 if boxes > 1 else 0), capacities, num_gpus)


def dgx2() -> Network:
    """Return two boxes of 16 GPUs on a switch each."""
    capacities: Capacities = {}
    for gpu in range(32):
        switch = 32 + gpu // 16
        capacities[gpu, switch] = capacities[switch, gpu] = 10
        if gpu % 2:
            capacities[gpu, (gpu + 16) % 32 - 1] = 1
    return _network("dgx-2 x2", 34, capacities, 32)


def _mi250_box(first: int, link: int) -> Capacities:
    return {(first + here, first + there): links * link for here, row in MI250.items() for there, links in row.items()}


def _network(name: str, num_routers: int, capacities: Capacities, num_gpus: int) -> Network:
    """Return a network whose first routers have a GPU each; the others are switches."""
    return Network(name, num_routers, list(capacities), range(num_gpus), capacities=list(capacities.values()))
