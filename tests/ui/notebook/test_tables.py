"""Schedules as data frames."""

from __future__ import annotations

import pavane
from pavane.campaign.runs import COLUMNS
from tests.campaign.comparisons import made_up, run
from tests.ui.notebook.test_saving import octagon


def test_a_data_frame_has_a_row_for_each_transfer() -> None:
    """Row i is transfer i, column by column."""
    schedule = octagon().schedule
    assert schedule is not None
    frame = schedule.to_dataframe()
    assert list(frame.columns) == ["step", "from", "to", "route", "carries"]
    rows = [
        (each.start + 1, each.sender, each.receiver, " ".join(map(str, each.path)), " ".join(map(str, each.messages)))
        for each in schedule
    ]
    assert [tuple(row) for row in frame.itertuples(index=False)] == rows


def test_a_comparison_has_a_row_for_each_network() -> None:
    """The columns are those of the CSV file."""
    found = made_up({"ring:8": (run(8),), "octagon": (run(4),)})
    frame = found.to_dataframe()
    assert list(frame.columns) == [column.name for column in found.table().columns]
    assert frame["network"].tolist() == ["ring:8", "octagon"]
    assert frame["AAS"].tolist() == [8, 4]


def test_a_result_has_the_columns_of_the_csv() -> None:
    """Its data frame is what csv exports, row by row, with steps from 1."""
    result = octagon()
    frame = result.to_dataframe()
    assert frame.to_csv(index=False).splitlines() == str(result.export("csv")).splitlines()
    assert frame["step"].min() == 1
    assert result.schedule is not None
    assert result.schedule.to_dataframe(result.problem).equals(frame)


def test_a_study_has_a_row_for_each_run() -> None:
    """Its data frame has the columns of a run, and it shows itself in a notebook."""
    made = pavane.study(pavane.Problem("ring:4", "alltoall"), ["greedy", pavane.solvers.UMDA()], num_steps=3, seeds=2)
    frame = made.to_dataframe()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["method"].tolist() == ["greedy", "greedy", "umda", "umda"]
    assert "4 runs of alltoall (AAS) on ring:4 in 3 steps" in made._repr_html_()
    assert made.plot().axes
