"""Rows of a table as its makers write them, and the columns that they become."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints
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
