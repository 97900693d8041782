"""Rows of a table as its makers write them, and the columns that they become."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.model.table_schedule import Clock, TableSchedule


class TableRow(NamedTuple):
    """One row: its first step, its runs of channel kinds, the message, and where it starts."""

    step: int
    runs: tuple[tuple[int, int], ...]
    """Kind and length of each run."""
    message: int
    tail: int = 0
    phase: tuple[int, ...] = ()
    clock: int = 0


def table_of_rows(
    num_steps: int, translations: Ints, rows: Iterable[TableRow], clocks: tuple[Clock, ...] = ()
) -> TableSchedule:
    """Return a table of single rows."""
    listed = list(rows)
    most = max((len(clock.moduli) for clock in clocks), default=0)
    runs = np.array([run for row in listed for run in row.runs], dtype=np.int32).reshape(-1, 2)
    phases = np.array([row.phase + (0,) * (most - len(row.phase)) for row in listed], dtype=np.int64)
    return TableSchedule(
        num_steps,
        translations,
        np.array([row.step for row in listed], dtype=np.int64),
        np.array([row.tail for row in listed], dtype=np.int32),
        np.array([row.message for row in listed], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(row.runs) for row in listed], dtype=np.int64)]),
        runs[:, 0].copy(),
        runs[:, 1].copy(),
        clocks,
        np.array([row.clock for row in listed], dtype=np.int32),
        phases.reshape(len(listed), most),
    )


class RowColumns(NamedTuple):
    """Many rows as columns; a row has the same number of places for runs as all others, some of them empty."""

    steps: Longs
    targets: Longs
    """The target of each row's message, or its message where tables are for several pieces."""
    kinds: Ints | Longs
    """The kind of each run: kinds[row, place]."""
    lengths: Longs
    """The length of each run, 0 where there is none: lengths[row, place]. Rows without any run are left out."""
    phases: Longs | None = None
    clock_of: Ints | Longs | None = None
    tails: Ints | Longs | None = None

    def table(
        self, num_steps: int, translations: Ints, clocks: tuple[Clock, ...] = (), pieces: int = 1
    ) -> TableSchedule:
        """Return the table of these rows, repeated for each piece of a message."""
        rows = np.flatnonzero(self.lengths.any(axis=1))
        is_run = self.lengths[rows] > 0
        counts = is_run.sum(axis=1)
        each = np.arange(pieces)[:, None]

        def repeated(column: Ints | Longs) -> Ints:
            return np.tile(column, (pieces,) + (1,) * (column.ndim - 1))

        return TableSchedule(
            num_steps * pieces,
            translations,
            (self.steps[rows] + each * num_steps).reshape(-1),
            repeated(np.zeros(len(rows), dtype=np.int32) if self.tails is None else self.tails[rows].astype(np.int32)),
            (self.targets[rows] * pieces + each).reshape(-1),
            np.concatenate([[0], np.cumsum(repeated(counts))]),
            repeated(self.kinds[rows][is_run].astype(np.int32)),
            repeated(self.lengths[rows][is_run].astype(np.int32)),
            clocks,
            None if self.clock_of is None else repeated(self.clock_of[rows].astype(np.int32)),
            None if self.phases is None else repeated(self.phases[rows]).astype(np.int64),
        )
