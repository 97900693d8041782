"""Machines of GPUs."""

from pavane.model.network import Network
from pavane.networks.links import two_way

# The hybrid cube mesh of the V100 model: GPUs linked twice, and GPUs linked once.
_DOUBLE = [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)]
_SINGLE = [(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)]


def dgx_1() -> Network:
    """Return the DGX-1 (V100): 8 GPUs of 6 NVLinks each in a hybrid cube mesh, doubled links as parallel channels."""
    links = [link for link in _DOUBLE for _ in range(2)] + _SINGLE
    # Two boards of four GPUs; links between boards join corresponding corners.
    board = [(0.0, 2.0), (0.0, 0.0), (2.0, 0.0), (2.0, 2.0)]
    positions = board + [(x + 3.5, y + 0.7) for x, y in board]
    return Network("dgx-1", 8, two_way(links), positions=positions)
