"""The best bound of each argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pavane.model.bound import Bound, OccupancyBound

AnyBound = TypeVar("AnyBound", Bound, OccupancyBound)


def best_of_each(bounds: Iterable[AnyBound]) -> tuple[AnyBound, ...]:
    """Return the best bound of each argument, the highest first; of equal ones the first."""
    best: dict[str, AnyBound] = {}
    for bound in bounds:
        if bound.argument not in best or _figure(bound) > _figure(best[bound.argument]):
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=_figure, reverse=True))


def _figure(bound: Bound | OccupancyBound) -> int:
    return bound.steps if isinstance(bound, Bound) else bound.tco
