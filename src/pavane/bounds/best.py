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
        if bound.argument not in best or bound.figure > best[bound.argument].figure:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: bound.figure, reverse=True))
