"""Loads of units that are used for intervals of time, for the rules of symmetric schedules and of start times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs


class Load(NamedTuple):
    """Intervals of steps in which units are used, and how often at once."""

    units: Longs
    starts: Longs
    ends: Longs
    """The first step after each interval."""
    weights: Longs

    def above(self, capacities: Longs) -> Iterator[tuple[int, int, int]]:
        """Yield unit, step and load where a unit's load rises above its capacity."""
        last = int(self.starts.max(initial=0)) + 1
        if last * len(capacities) <= 8 * len(self.units) and (self.ends == self.starts + 1).all():
            # Uses of one step each are counted, step by step.
            loads = np.bincount(self.units * last + self.starts, self.weights, last * len(capacities))
            for at in np.flatnonzero(loads.reshape(-1, last) > capacities[:, None]).tolist():
                yield at // last, at % last, int(loads[at])
            return
        units = np.concatenate([self.units, self.units])
        steps = np.concatenate([self.starts, self.ends])
        changes = np.concatenate([self.weights, -self.weights])
        # What ends before a step ends before others begin in it. One key sorts sooner than two, where it has 63 bits.
        times, span = 2 * steps + (changes > 0), 2 * int(steps.max(initial=0)) + 2
        is_short = span * (int(units.max(initial=0)) + 1) < 2**63
        order = np.argsort(units * span + times) if is_short else np.lexsort((times, units))
        units, steps, load = units[order], steps[order], np.cumsum(changes[order])
        for at in np.flatnonzero((load > capacities[units]) & (changes[order] > 0)).tolist():
            yield int(units[at]), int(steps[at]), int(load[at])
