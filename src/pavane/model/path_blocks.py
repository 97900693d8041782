"""Schedules put together from blocks of transfers with equally long paths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Ints, Longs
from pavane.model.schedule import Schedule

GROWTH = 1.25
"""By how much a full column grows: less takes more copies, more takes more memory, of which there are gigabytes."""


class GrowingColumn:
    """Whole numbers that are added block by block, in one array from the beginning: joining blocks takes a copy."""

    def __init__(self) -> None:
        self._array, self._size = np.empty(1024, dtype=np.int32), 0

    def extend(self, size: int, values: npt.ArrayLike) -> None:
        """Append that many values, or one of them so often."""
        end = self._size + size
        if end > len(self._array):
            self._array.resize(int(GROWTH * end), refcheck=False)
        self._array[self._size : end] = values
        self._size = end

    @property
    def values(self) -> Ints:
        """Return all values so far."""
        return self._array[: self._size]


class PathBlocks:
    """Collects transfers block by block."""

    def __init__(self) -> None:
        self._columns = [GrowingColumn() for _ in range(6)]

    def add(
        self, steps: Longs | int, senders: Longs, receivers: Longs, messages: Longs | int, paths: npt.ArrayLike
    ) -> None:
        """Add a transfer for each row of `paths`, which has the channels; one step or message may be that of all."""
        rows = np.asarray(paths)
        size, length = rows.shape
        for column, values in zip(self._columns, (steps, senders, receivers, messages, length), strict=False):
            column.extend(size, values)
        self._columns[-1].extend(rows.size, rows.reshape(-1))

    def schedule(self, num_steps: int | None = None) -> Schedule:
        """Return the schedule of so many steps, or without steps that have no transfer."""
        steps, senders, receivers, messages, lengths, channels = (column.values for column in self._columns)
        return Schedule.from_columns(num_steps, steps, senders, receivers, (lengths, channels), messages)


def exchange_numbers(size: int, senders: Longs, receivers: Longs) -> Longs:
    """Return the numbers of messages of an all-to-all: by sender and receiver, without those to the sender itself."""
    return senders * (size - 1) + receivers - (receivers > senders)
