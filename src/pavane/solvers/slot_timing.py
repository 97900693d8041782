"""When a transfer uses the channels and ports of its path, for solvers in steps and in slots alike."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from pavane.model.arrays import Longs
from pavane.model.problem import Problem

T = TypeVar("T", int, Longs)


class Timing(NamedTuple):
    """When a transfer uses the units of its path: all in one step, or under tdm one after the other."""

    hop: int = 0
    """The slots from the sender's port to the first channel, and from one channel to the next."""
    router: int = 0
    """Those from the last channel to the receiver's port."""
    busy: int = 1
    """For how many slots a packet uses each unit."""
    period: int | None = None

    @classmethod
    def of(cls, problem: Problem, period: int | None = None) -> Timing:
        """Return the timing of a problem; slots are counted round its period where it repeats."""
        rules = problem.rules
        if not rules.has_slots:
            return cls()
        return cls(rules.hop_slots, rules.router_delay, rules.packet_slots, period if rules.wrap else None)

    def uses(self, units: list[int], num_channels: int) -> tuple[list[int], list[int]]:
        """Return the units that a path uses, with repetitions, and the shift of each use.

        The channels come first, in order, then the port of the sender and that of the receiver, if they matter.
        """
        if not self.hop:
            return units, [0] * len(units)
        when = [number * self.hop for number in range(1, num_channels + 1)]
        when = [*when, 0, num_channels * self.hop + self.router][: len(units)]
        slots = [(unit, first + later) for unit, first in zip(units, when, strict=True) for later in range(self.busy)]
        period = self.period
        return [unit for unit, _ in slots], [slot if period is None else slot % period for _, slot in slots]

    def arrival(self, num_channels: T) -> T:
        """Return how long after its start a transfer uses the receiver's port for the last time."""
        return num_channels * self.hop + self.router + self.busy - 1
