"""Rows of a table as its makers write them, and the columns that they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule


class RowColumns(NamedTuple):
    """Rows as columns, an entry for each; all rows have the same number of places for runs, some of them empty."""

    steps: Longs
    targets: Longs
    """The target of each row's message, or its message where tables are for several pieces."""
    kinds: Ints | Longs
    """The kind of each run: kinds[row, place]."""
    lengths: Longs
    """The length of each run, 0 where there is none: lengths[row, place]. Rows without any run are left out."""
    phases: Longs | None = None
    """phases[row, dimension]; all blocks of a table have them, or none."""
    clock_of: Ints | Longs | None = None
    senders: Ints | Longs | None = None

    def compact(self) -> RowColumns:
        """Return the rows that have a run, with the columns as they are stored."""
        rows = np.flatnonzero(self.lengths.any(axis=1))
        nothing = np.zeros(len(rows), dtype=np.int32)
        return RowColumns(
            self.steps[rows],
            self.targets[rows],
            self.kinds[rows].astype(np.int32),
            self.lengths[rows],
            None if self.phases is None else self.phases[rows].astype(np.int64),
            nothing if self.clock_of is None else self.clock_of[rows].astype(np.int32),
            nothing if self.senders is None else self.senders[rows].astype(np.int32),
        )


def table_of(
    blocks: Sequence[RowColumns], num_steps: int, translations: Ints, clocks: tuple[Clock, ...] = (), pieces: int = 1
) -> SymmetricSchedule:
    """Return the table of all rows of some blocks, one after the other, repeated for each piece of a message."""
    rows = [block.compact() for block in blocks]
    steps, targets, clock_of, senders = (np.concatenate([block[at] for block in rows]) for at in (0, 1, 5, 6))
    phases = [block.phases for block in rows if block.phases is not None]
    counts = np.concatenate([(block.lengths > 0).sum(axis=1) for block in rows])
    kinds = np.concatenate([block.kinds[block.lengths > 0] for block in rows])
    lengths = np.concatenate([block.lengths[block.lengths > 0] for block in rows])
    each = np.arange(pieces)[:, None]
    return SymmetricSchedule(
        num_steps * pieces,
        translations,
        (steps + each * num_steps).reshape(-1),
        np.tile(senders, pieces),
        (targets * pieces + each).reshape(-1),
        np.concatenate([[0], np.cumsum(np.tile(counts, pieces))]),
        np.tile(kinds, pieces),
        np.tile(lengths, pieces).astype(np.int32),
        clocks,
        np.tile(clock_of, pieces) if clocks else None,
        np.tile(np.concatenate(phases), (pieces, 1)) if phases else None,
    )


def table_of_hops(
    steps: Longs, senders: Longs, kinds: Longs, messages: Longs, translations: Ints, last: int = 0
) -> SymmetricSchedule:
    """Return the table of rows of one channel each, which ends some slots after the last of their first slots."""
    return SymmetricSchedule(
        int(steps.max()) + 1 + last,
        translations,
        steps,
        senders.astype(np.int32),
        messages,
        np.arange(len(steps) + 1),
        kinds.astype(np.int32),
        np.ones(len(steps), dtype=np.int32),
    )
