"""The Pareto set: points that no other point dominates."""

from __future__ import annotations

from collections.abc import Sequence


def undominated(points: Sequence[tuple[float, ...]]) -> list[bool]:
    """Return which points are not dominated by one that is nowhere larger, and smaller somewhere; equals both stay.

    In ascending order no point is dominated by a later one, and a dominated point is dominated by an undominated one.
    """
    front: list[tuple[float, ...]] = []
    stays: dict[tuple[float, ...], bool] = {}
    for point in sorted(set(points)):
        stays[point] = not any(all(a <= b for a, b in zip(other, point, strict=True)) for other in front)
        if stays[point]:
            front.append(point)
    return [stays[point] for point in points]
