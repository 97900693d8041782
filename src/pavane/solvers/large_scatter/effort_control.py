"""How many looks at channels each step gets: as planned, and fewer where the machine turns out too slow for that."""

from __future__ import annotations

from pavane.model.arrays import Longs
from pavane.parallel.budget import Budget

LEAST_PACED = 0.3
"""The part of the steps after which the pace so far tells whether the looks that are left can be made in time."""

SLOW = 0.65
"""With less than this part of the looks to be made in time all later steps get fewer; early steps are the slowest."""

MEMORY = 0.15
"""The part of the steps by whose pace, more or less, the next ones are judged."""


class EffortControl:
    """The looks of each step, as long as there is time for them."""

    def __init__(self, shares: Longs, at_leisure: Budget) -> None:
        self.shares, self.at_leisure = shares, at_leisure
        self.left, self.made, self.spent = at_leisure.seconds_left, 0.0, 0.0
        self.part, self.looked = 1.0, 0
        self.memory = max(0.0, 1.0 - 1.0 / max(1.0, MEMORY * len(shares)))

    def probes(self, number: int, at_a_time: int = 1) -> int:
        """Return the looks of the next step, by its number, or of each of those that are filled at a time."""
        if self.at_leisure.is_over:
            return 0
        left = self.at_leisure.seconds_left
        if self.left is not None and left is not None:
            self.made = self.memory * self.made + self.looked
            self.spent = self.memory * self.spent + self.left - left
            self.left = left
            if LEAST_PACED * len(self.shares) <= number:
                part = self.made / max(1e-9, self.spent) * left / max(1, int(self.shares[number:].sum()))
                self.part = min(1.0, part) if part < SLOW else 1.0
        probes = int(self.part * self.shares[min(number, len(self.shares) - 1)])
        self.looked = at_a_time * probes
        return probes
