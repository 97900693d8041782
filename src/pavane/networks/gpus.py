"""Machines whose GPUs are linked with each other, without switches between them."""

import numpy as np

from pavane.model.network import Network
from pavane.networks.layout import side_by_side, under
from pavane.networks.limits import allow_size, at_least
from pavane.networks.links import two_way

# The hybrid cube mesh of the V100 model: GPUs linked twice, and GPUs linked once.
_DOUBLE = [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)]
_SINGLE = [(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)]

# The same machine as msccl-tools, TACCL and TE-CCL number its GPUs: a pair, and by how many links it is joined.
_NDV2_DOUBLE = [(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)]
_NDV2_SINGLE = [(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)]
_NDV2 = {pair: 1 + (pair in _NDV2_DOUBLE) for pair in sorted(_NDV2_DOUBLE + _NDV2_SINGLE)}

# From each GPU of an MI250 box to its neighbours: the number of xGMI links.
_MI250: tuple[dict[int, int], ...] = (
    {1: 4, 4: 2, 8: 1},
    {0: 4, 5: 1, 9: 1, 10: 1},
    {3: 4, 6: 1, 9: 1, 10: 1},
    {2: 4, 7: 2, 11: 1},
    {0: 2, 5: 4, 6: 1},
    {1: 1, 4: 4, 6: 1, 7: 1},
    {2: 1, 4: 1, 5: 1, 7: 4},
    {3: 2, 5: 1, 6: 4},
    {0: 1, 9: 4, 12: 2},
    {1: 1, 2: 1, 8: 4, 13: 1},
    {1: 1, 2: 1, 11: 4, 14: 1},
    {3: 1, 10: 4, 15: 2},
    {8: 2, 13: 4, 14: 1},
    {9: 1, 12: 4, 14: 1, 15: 1},
    {10: 1, 12: 1, 13: 1, 15: 4},
    {11: 2, 13: 1, 14: 4},
)

# Two boards of four GPUs; links between boards join corresponding corners.
_BOARD = [(0.0, 2.0), (2.0, 2.0), (0.0, 0.0), (2.0, 0.0)]
_CUBE_MESH = np.array(_BOARD + [(x + 3.5, y + 0.7) for x, y in _BOARD])

# Four rows of four; the outer rows are bent, because GPUs in them are linked past each other.
_FOUR_ROWS = np.array(
    [(x, y + bend * (x in (1, 2))) for y, bend in ((2, 0.0), (3, 0.4), (1, 0.0), (0, -0.4)) for x in range(4)]
)


def dgx_1() -> Network:
    """Return the DGX-1 (V100): 8 GPUs of 6 NVLinks each in a hybrid cube mesh, doubled links as parallel channels."""
    links = [link for link in _DOUBLE for _ in range(2)] + _SINGLE
    board = [(0.0, 2.0), (0.0, 0.0), (2.0, 0.0), (2.0, 2.0)]
    positions = board + [(x + 3.5, y + 0.7) for x, y in board]
    return Network("dgx-1", 8, two_way(links), positions=positions).of_gpus()


def ndv2(num_boxes: int = 1) -> Network:
    """Return N boxes of 8 V100 in hybrid cube meshes, each with one NIC, in units of 12.5 GB/s, as TE-CCL has them.

    An NVLink is 25 GB/s and the NIC 12.5 GB/s: GPU 1 of a box sends through it, and GPU 0 receives through it. The NICs
    of two boxes are joined directly, those of more boxes by a switch. GPU g of box b is processor 8*b + g, numbered as
    msccl-tools does, which is not the order of `dgx-1`.
    """
    name = name_of_boxes("ndv2", num_boxes)
    allow_size(name, (2 * len(_NDV2) + 2) * num_boxes)
    links = np.array(list(_NDV2), dtype=np.int64)
    box = two_way(links)
    carried = np.tile(np.repeat([2 * count for count in _NDV2.values()], 2), num_boxes)
    channels = np.concatenate([box + 8 * b for b in range(num_boxes)])
    first = 8 * np.arange(num_boxes)
    if num_boxes <= 2:
        cables = np.stack([first + 1, first[::-1]], axis=1) if num_boxes == 2 else np.zeros((0, 2), dtype=np.int64)
        # One box above the other, so that cables pass between the GPUs.
        positions = np.concatenate([_CUBE_MESH - np.array([0.0, 4.7 * b]) for b in range(num_boxes)])
        names = _names(num_boxes, 8)
    else:
        switch = np.full(num_boxes, 8 * num_boxes)
        cables = np.stack([first + 1, switch, switch, first], axis=1).reshape(-1, 2)
        positions = under(side_by_side(_CUBE_MESH, num_boxes), 1)
        names = [*_names(num_boxes, 8), "S"]
    capacities = np.concatenate([carried, np.ones(len(cables), dtype=np.int64)])
    owners = range(8 * num_boxes)
    ends = np.concatenate([channels, cables])
    boxes = boxes_of(num_boxes, 8, len(names))
    return Network(name, names, ends, owners, positions, capacities=capacities, boxes=boxes).of_gpus()


def mi250(num_boxes: int = 1) -> Network:
    """Return N boxes of 16 GPUs (8 AMD MI250), linked by one to four xGMI links of 50 GB/s, as ForestColl has them.

    In one box a capacity is the number of links. Several boxes are joined by a switch, to which each GPU has 16 GB/s,
    so that a link is 25 and a way to the switch 8, in units of 2 GB/s. GPU g of box b is processor 16*b + g.
    """
    name = name_of_boxes("mi250", num_boxes)
    box = [(tail, head) for tail, row in enumerate(_MI250) for head in row]
    allow_size(name, (len(box) + 32) * num_boxes)
    counts = np.array([count for row in _MI250 for count in row.values()])
    channels = np.concatenate([np.array(box) + 16 * b for b in range(num_boxes)])
    names, num_gpus = _names(num_boxes, 16), 16 * num_boxes
    if num_boxes == 1:
        return Network(name, names, channels, positions=_FOUR_ROWS, capacities=counts).of_gpus()
    cables = two_way(np.stack([np.arange(num_gpus), np.full(num_gpus, num_gpus)], axis=1))
    capacities = np.concatenate([np.tile(25 * counts, num_boxes), np.full(len(cables), 8)])
    positions = under(side_by_side(_FOUR_ROWS, num_boxes), 1)
    ends = np.concatenate([channels, cables])
    names.append("S")
    boxes = boxes_of(num_boxes, 16, len(names))
    return Network(name, names, ends, range(num_gpus), positions, capacities=capacities, boxes=boxes).of_gpus()


def name_of_boxes(family: str, num_boxes: int) -> str:
    """Return the name of a machine of one or more boxes, which must be one at least."""
    at_least(f"{family}:{num_boxes}", "N", num_boxes, 1)
    return family if num_boxes == 1 else f"{family}:{num_boxes}"


def boxes_of(num_boxes: int, size: int, num_routers: int, num_switches: int = 0) -> list[int] | None:
    """Return the machine of each router: GPUs box by box, switches of each box, and others that are in none."""
    if num_boxes == 1:
        return None
    inside = [box for number in (size, num_switches) for box in range(num_boxes) for _ in range(number)]
    return inside + [-1] * (num_routers - len(inside))


def _names(num_boxes: int, size: int) -> list[str]:
    """Return the names of GPUs: their numbers, behind that of the box where there are several."""
    return [f"{box}." * (num_boxes > 1) + str(gpu) for box in range(num_boxes) for gpu in range(size)]
