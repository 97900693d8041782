"""Which steps are taken, for list scheduling one transfer after the other in plain Python.

For each channel and port the steps in which it is full are the bits of one whole number, so that the steps in which a
transfer fits are found by `and`. For many messages first fit is compiled (large_scatter/kernels/first_fit.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pavane.model.problem import Problem
from pavane.solvers.slot_timing import Timing

EVERY_STEP = -1
"""All bits set: every step, without end."""


class TransferUnits:
    """What transfers of a problem use: channels or links, then injection ports, then ejection ports."""

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.problem = problem
        self.units: list[int] = problem.units.tolist()
        self.inject = range(network.num_channels, network.num_channels + network.num_processors)
        self.eject = range(self.inject.stop, self.inject.stop + network.num_processors)
        self.capacity: list[int] = np.concatenate((network.capacity, problem.injection, problem.ejection)).tolist()

    def of(self, sender: int, receiver: int, path: Iterable[int]) -> list[int]:
        """Return the units that a transfer uses, those of its path first; a pure switch has no ports."""
        used = [self.units[channel] for channel in path]
        if sender >= 0:
            used.append(self.inject[sender])
        if receiver >= 0:
            used.append(self.eject[receiver])
        return used


class TakenSteps:
    """The steps in which units are taken, whatever the units are."""

    def __init__(self, capacity: Sequence[int], busy: int = 1) -> None:
        self.levels: list[list[int]] = [[0] * max(1, room) for room in capacity]
        """Of each unit and each number up to its capacity, the steps that have more uses than the number."""
        self.free = [EVERY_STEP] * len(capacity)
        """Of each unit the steps from which on it is free for a whole packet."""
        self.busy = busy

    def take_unit(self, unit: int, first: int) -> None:
        """Enter a use from a step on, for as many steps as a packet takes."""
        levels, rest = self.levels[unit], (1 << self.busy) - 1 << first
        for number, taken in enumerate(levels):
            levels[number], rest = taken | rest, taken & rest
            if not rest:
                break
        self.free[unit] = _free_for_a_packet(self.busy, levels[-1]) if self.busy > 1 else ~levels[-1]


class StepTable(TransferUnits, TakenSteps):
    """The steps that are taken, for every channel and port of a problem."""

    def __init__(self, problem: Problem) -> None:
        TransferUnits.__init__(self, problem)
        self.timing = Timing.of(problem)
        TakenSteps.__init__(self, self.capacity, self.timing.busy)

    def may_send(self, location: int) -> bool:
        """Return whether a location has a port to send from; behind a router without channels out it has none."""
        return location < 0 or self.capacity[self.inject[location]] > 0

    def sending(self, location: int) -> int:
        """Return the steps in which a location can send; a pure switch always can."""
        return self.free[self.inject[location]] if location >= 0 else EVERY_STEP

    def receiving(self, location: int) -> int:
        """Return the steps in which a location can receive."""
        return self.free[self.eject[location]] if location >= 0 else EVERY_STEP

    def free_for(self, sender: int, receiver: int, path: Iterable[int]) -> int:
        """Return the steps in which a transfer can take a path, all of whose uses are in one step."""
        steps = EVERY_STEP
        for unit in self.of(sender, receiver, path):
            steps &= self.free[unit]
        return steps

    def take(self, step: int, sender: int, receiver: int, path: Sequence[int]) -> None:
        """Enter a transfer."""
        hop = self.timing.hop
        firsts = [step + at * hop for at in range(1, len(path) + 1)] + [step] * (sender >= 0)
        firsts.append(step + len(path) * hop + self.timing.router)
        for unit, first in zip(self.of(sender, receiver, path), firsts):  # noqa: B905 (a pure switch has no port)
            self.take_unit(unit, first)


def _free_for_a_packet(busy: int, full: int) -> int:
    """Return the steps from which on a unit is free for a packet, from those that are full."""
    width = 1
    while width < busy:  # each bit stands for the next `width` steps
        more = min(width, busy - width)
        full |= full >> more
        width += more
    return ~full


def first_step(steps: int) -> int:
    """Return the number of the lowest bit."""
    return (steps & -steps).bit_length() - 1
