"""Binary jumping along a line: the holder of an interval hands the smaller half over to somebody in it."""

from __future__ import annotations

from typing import NamedTuple


class Jump(NamedTuple):
    """A transfer between positions on a line, and the positions first to last - 1 that its receiver then cares for."""

    sender: int
    receiver: int
    first: int
    last: int

    @property
    def arc(self) -> range:
        """Return the positions along its path."""
        way = 1 if self.receiver > self.sender else -1
        return range(self.sender, self.receiver + way, way)


def jumps_from(size: int, start: int) -> list[list[Jump]]:
    """Return ceil(log2 size) steps in which one position reaches all; paths lie in disjoint intervals.

    A holder keeps the larger half of its interval, so the positions handed over add up, largest of each step, to
    size - 1.
    """
    steps: list[list[Jump]] = []
    intervals = [(0, size, start)]
    while len(intervals) < size:
        taken, onward = [], []
        for first, last, holder in intervals:
            half = (last - first + 1) // 2
            if last - first < 2:
                onward.append((first, last, holder))
                continue
            if holder < first + half:
                kept, given = (first, first + half), (first + half, last)
                receiver = min(holder + half, last - 1)
            else:
                kept, given = (last - half, last), (first, last - half)
                receiver = max(holder - half, first)
            taken.append(Jump(holder, receiver, *given))
            onward += [(*kept, holder), (*given, receiver)]
        steps.append(taken)
        intervals = onward
    return steps


def ring_start(size: int) -> int:
    """Return the position of the root on a two-way ring cut to a line, such that all its jumps are shortest paths."""
    return (size + 1) // 2 - 1
