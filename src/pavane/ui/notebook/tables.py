"""Schedules as pandas data frames, where pandas is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.text.table import Table

if TYPE_CHECKING:
    import pandas

    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule


def dataframe(schedule: Schedule, problem: Problem | None = None) -> pandas.DataFrame:
    """Return a row for each transfer, as `csv` exports it; `Schedule.to_dataframe` is this."""
    from pavane.io.formats.csv_table import COLUMNS, transfer_rows

    columns = ("start_ps" if schedule.has_times else "step", *(COLUMNS[1:-1] if problem is None else COLUMNS[1:]))
    return Table.of(columns, transfer_rows(schedule, problem)).dataframe()


def result_dataframe(result: Result) -> pandas.DataFrame:
    """Return a row for each transfer, as `csv` exports it; `Result.to_dataframe` is this."""
    whole = result.expanded()
    assert whole.schedule is not None
    return dataframe(whole.schedule, whole.problem)
