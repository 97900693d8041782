"""Where links are drawn: straight, or bowed around routers that they only pass, as wrap-around links of tori do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pavane.model.arrays import Ints, Reals
from pavane.ui.plot.sketch import Line, Point

CORNERS = 32
"""Of a bowed line."""

BOWS = (1.0, -1.0, 1.6, -1.6, 2.4, -2.4)
"""How far lines are bowed, in the order in which bows are tried; those of the player."""

MOST_CHECKED = 4_000_000
"""Pairs of a link and a router; of more every link is drawn straight, because to look for crossings takes too long."""


def nearest_distance(at: Reals) -> float:
    """Return the distance of the two routers that are nearest to each other."""
    if len(at) < 2:
        return 1.0
    from scipy.spatial import cKDTree

    return float(np.asarray(cKDTree(at).query(at, k=2)[0])[:, 1].min())


def link_lines(at: Reals, pairs: Ints, radius: float) -> list[Line]:
    """Return the line of each pair of routers, around routers of a radius that it would cross."""
    lines: list[Line] = [(tuple(at[a]), tuple(at[b])) for a, b in pairs.tolist()]
    if len(at) * len(pairs) > MOST_CHECKED:
        return lines
    least, near = min(0.55 * nearest_distance(at), 2.2 * radius), 1.2 * radius
    for number in np.flatnonzero(_crossed(at, pairs, near)).tolist():
        low, high = pairs[number].tolist()
        others = np.delete(at, [low, high], axis=0)
        made = [_bowed(at[low], at[high], bow * least) for bow in _outward_first(at, low, high)]
        lines[number] = min(made, key=lambda line: int((_distances(np.asarray(line), others) < near).sum()))
    return lines


def _crossed(at: Reals, pairs: Ints, near: float) -> np.ndarray:
    """Return whether the straight line of each pair passes near a third router."""
    start, along = at[pairs[:, 0]], at[pairs[:, 1]] - at[pairs[:, 0]]
    away = at[None] - start[:, None]
    share = np.clip((away * along[:, None]).sum(2) / np.maximum((along**2).sum(1), 1e-12)[:, None], 0, 1)
    distance = np.hypot(*np.moveaxis(away - share[..., None] * along[:, None], 2, 0))
    rows = np.arange(len(pairs))
    distance[rows, pairs[:, 0]] = distance[rows, pairs[:, 1]] = np.inf
    return np.asarray((distance < near).any(axis=1))


def _distances(line: Reals, places: Reals) -> Reals:
    """Return how far each place is from a line, measured to its corners and to the middles between them."""
    corners = np.concatenate((line, (line[1:] + line[:-1]) / 2))
    return np.asarray(np.hypot(*np.moveaxis(places[:, None] - corners[None], 2, 0)).min(axis=1))


def _outward_first(at: Reals, low: int, high: int) -> Sequence[float]:
    """Return the bows, of two that are alike the one away from the middle of the drawing first."""
    along, middle = at[high] - at[low], (at[high] + at[low]) / 2 - at.mean(axis=0)
    return BOWS if middle[1] * along[0] - middle[0] * along[1] >= 0 else tuple(-bow for bow in BOWS)


def _bowed(start: Reals, end: Reals, bow: float) -> Line:
    """Return a line that leaves steeply and then runs beside the straight one, at the distance of `bow` to its left."""
    along, share = end - start, np.linspace(0, 1, CORNERS + 1)
    left = np.array([-along[1], along[0]]) / (float(np.hypot(*along)) or 1.0)
    forth = 3 * (1 - share) ** 2 * share * 0.08 + 3 * (1 - share) * share**2 * 0.92 + share**3
    rise = 4 * share * (1 - share) * bow
    return [tuple(corner) for corner in (start + forth[:, None] * along + rise[:, None] * left).tolist()]


def beside(line: Line, aside: float) -> Line:
    """Return the same line further to the right of its direction."""
    if not aside:
        return line
    shifted = []
    for corner, (x, y) in enumerate(line):
        (ax, ay), (bx, by) = line[max(0, corner - 1)], line[min(len(line) - 1, corner + 1)]
        length = math.hypot(bx - ax, by - ay) or 1.0
        shifted.append((x + (by - ay) / length * aside, y - (bx - ax) / length * aside))
    return shifted


def trimmed(line: Line, first: float, last: float) -> Line:
    """Return a line without some of its length at its two ends."""
    return _without_end(_without_end(line, last)[::-1], first)[::-1]


def _without_end(line: Line, length: float) -> Line:
    """Return a line without some of its length at its end; at least half of its last straight part is left."""
    kept = list(line)
    while len(kept) > 2 and math.dist(kept[-1], kept[-2]) <= length:
        length -= math.dist(kept[-1], kept[-2])
        kept.pop()
    (ax, ay), (bx, by) = kept[-2:]
    share = min(0.5, length / (math.dist(kept[-1], kept[-2]) or 1.0))
    return [*kept[:-1], (bx - share * (bx - ax), by - share * (by - ay))]


def arrow_head(line: Line, long: float, wide: float) -> Line:
    """Return the corners of a head at the end of a line."""
    (ax, ay), tip = line[-2:]
    length = math.dist((ax, ay), tip) or 1.0
    dx, dy = (tip[0] - ax) / length, (tip[1] - ay) / length
    back: Point = tip[0] - dx * long, tip[1] - dy * long
    return [tip, (back[0] + dy * wide, back[1] - dx * wide), (back[0] - dy * wide, back[1] + dx * wide)]
