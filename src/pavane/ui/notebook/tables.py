"""Schedules and comparisons as pandas data frames, where pandas is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.text.table import Table

if TYPE_CHECKING:
    import pandas

    from pavane.campaign.network_comparison import Comparison
    from pavane.model.schedule import Schedule


def dataframe(schedule: Schedule) -> pandas.DataFrame:
    """Return a row for each transfer; `Schedule.to_dataframe` is this."""
    frame = Table.of(("step", "sender", "receiver", "path", "messages"), schedule).dataframe()
    return frame.astype(dict.fromkeys(("step", "sender", "receiver"), "int32"))


def comparison_dataframe(comparison: Comparison) -> pandas.DataFrame:
    """Return a row for each network; `Comparison.to_dataframe` is this."""
    from pavane.campaign.network_comparison.tables import figures_table

    return figures_table(comparison).dataframe()
