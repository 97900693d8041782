"""The Pareto set: what nothing else is better than in one respect without being worse in another."""

from __future__ import annotations

from collections.abc import Sequence


def undominated(points: Sequence[tuple[float, ...]]) -> list[bool]:
    """Say which points no other dominates: one that is nowhere larger, and smaller somewhere. Equal points both stay.

    In ascending order a point is dominated by none after it, and whatever is dominated is so by an undominated one.
    """
    front: list[tuple[float, ...]] = []
    stays: dict[tuple[float, ...], bool] = {}
    for point in sorted(set(points)):
        stays[point] = not any(all(a <= b for a, b in zip(other, point, strict=True)) for other in front)
        if stays[point]:
            front.append(point)
    return [stays[point] for point in points]
