"""Schedules as data frames."""

from __future__ import annotations

import sys

import pytest

from pavane.errors import InputError
from tests.interactive.test_saving import octagon


def test_a_data_frame_has_a_row_for_each_transfer() -> None:
    """Row i is transfer i, column by column."""
    schedule = octagon().schedule
    assert schedule is not None
    frame = schedule.to_dataframe()
    assert list(frame.columns) == ["step", "sender", "receiver", "path", "messages"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == [tuple(transfer) for transfer in schedule]


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas is no dependency of its own."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    schedule = octagon().schedule
    assert schedule is not None
    with pytest.raises(InputError, match="a data frame needs pandas; install it with: pip install pandas"):
        schedule.to_dataframe()
