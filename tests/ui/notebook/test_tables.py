"""Schedules as data frames."""

from __future__ import annotations

import sys

import pytest

from pavane.campaign.network_comparison.tables import figures_table
from pavane.errors import InputError
from tests.campaign.network_comparison.made import cell, made_up
from tests.ui.notebook.test_saving import octagon


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


def test_a_comparison_has_a_row_for_each_network() -> None:
    """The columns are those of the CSV file."""
    found = made_up({"ring:8": (cell(8),), "octagon": (cell(4),)})
    frame = found.to_dataframe()
    assert list(frame.columns) == figures_table(found).titles
    assert frame["network"].tolist() == ["ring:8", "octagon"]
    assert frame["AAS steps"].tolist() == [8, 4]
