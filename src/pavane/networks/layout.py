"""Where to draw the routers of regular networks.

Coordinates are rounded, so that a network is the same value on every machine.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.float64]

_DECIMALS = 6


def circle(num_routers: int, radius: float = 1.0) -> Positions:
    """Return positions on a circle, clockwise from the top."""
    return rounded(radius * _clockwise(np.arange(num_routers) / num_routers))


def circle_of_circles(num_circles: int, size: int) -> Positions:
    """Return positions on small circles along a large one, circle by circle."""
    return nested_circles((size, num_circles))


def nested_circles(sizes: Sequence[int]) -> Positions:
    """Return positions on circles of circles, innermost size first; the first of each circle lies to the centre."""
    radii, extent = [1.0], 1.0
    for size in sizes[1:]:
        # Wide enough that neighbouring circles do not touch.
        radii.append(extent * max(1.8, 1.3 / math.sin(math.pi / size)))
        extent += radii[-1]
    digits = np.unravel_index(np.arange(math.prod(sizes)), tuple(reversed(sizes)))
    positions = np.zeros((math.prod(sizes), 2))
    turns = np.zeros(len(positions))
    for digit, size, radius in zip(digits, reversed(sizes), reversed(radii), strict=True):
        turns = turns + digit / size
        positions += radius * _clockwise(turns)
        turns = turns + 0.5
    return rounded(positions)


def grid(sizes: Sequence[int]) -> Positions:
    """Return positions on a grid in row-major order: the last dimension to the right, the one before it down.

    The third dimension runs askew, as cubes are drawn; three more lay such blocks out on a larger grid, a little
    askew so that their links do not hide others, and so on.
    """
    digits = np.unravel_index(np.arange(math.prod(sizes)), tuple(sizes))[::-1]
    positions = np.zeros((math.prod(sizes), 2))
    step, skew = 1.0, 0.0
    for first in range(0, len(sizes), 3):
        directions = ((step, skew * step), (skew * step, -step), (0.45 * step, 0.35 * step))
        for digit, direction in zip(digits[first : first + 3], directions, strict=False):
            positions += np.outer(digit, direction)
        step, skew = 0.5 + float(np.ptp(positions, axis=0).max()), 0.07
    return rounded(positions)


def rows(*sizes: int) -> Positions:
    """Return positions in rows of the given sizes, the first row at the bottom, all equally wide."""
    width = max(sizes)
    return rounded(
        np.concatenate(
            [
                np.stack([(np.arange(size) + 0.5) * width / size, np.full(size, height * width / 4)], axis=1)
                for height, size in enumerate(sizes)
            ]
        )
    )


def layers(num_boxes: int, size: int, num_tops: int) -> Positions:
    """Return positions of boxes side by side, their members in a row, a switch above each, and others above all."""
    members = np.stack([np.arange(size, dtype=np.float64), np.zeros(size)], axis=1)
    boxes = side_by_side(members, num_boxes)
    middles = boxes.reshape(num_boxes, size, 2).mean(axis=1)
    middles[:, 1] = max(float(np.ptp(boxes[:, 0])) / 4, 1.0)
    return under(np.concatenate([boxes, rounded(middles)]), num_tops)


def side_by_side(positions: Positions, num_copies: int) -> Positions:
    """Return positions of copies from left to right, copy by copy."""
    step = float(np.ptp(positions[:, 0])) * 1.15 + max(1.0, 0.15 * float(np.ptp(positions[:, 1])))
    offsets = np.stack([step * np.arange(num_copies), np.zeros(num_copies)], axis=1)
    return rounded((offsets[:, None] + positions).reshape(-1, 2))


def under(positions: Positions, num_tops: int) -> Positions:
    """Return positions with a row of others above them, spread over their width."""
    left, width = float(positions[:, 0].min()), max(float(np.ptp(positions[:, 0])), 1.0)
    across = left + width * (np.arange(num_tops) + 0.5) / max(num_tops, 1)
    height = float(positions[:, 1].max()) + max(width / 4, 1.0)
    return rounded(np.concatenate([positions, np.stack([across, np.full(num_tops, height)], axis=1)]))


def _clockwise(turns: npt.NDArray[np.float64]) -> Positions:
    angles = 2 * np.pi * turns
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1)


def rounded(positions: Positions) -> Positions:
    """Return positions to six decimals."""
    # Adding zero turns -0.0 into 0.0.
    return np.round(positions, _DECIMALS) + 0.0
