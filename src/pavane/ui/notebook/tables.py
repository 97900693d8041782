"""Schedules and comparisons as tables of pandas, where that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pavane.errors import InputError

if TYPE_CHECKING:
    import pandas

    from pavane.campaign.network_comparison import Comparison
    from pavane.model.schedule import Schedule


def dataframe(schedule: Schedule) -> pandas.DataFrame:
    """Return a row for each transfer; `Schedule.to_dataframe` is this."""
    pandas_ = _pandas()
    transfers = list(schedule)
    made: pandas.DataFrame = pandas_.DataFrame(
        {
            "step": schedule.steps,
            "sender": schedule.senders,
            "receiver": schedule.receivers,
            "path": pandas_.Series([transfer.path for transfer in transfers], dtype=object),
            "messages": pandas_.Series([transfer.messages for transfer in transfers], dtype=object),
        }
    )
    return made


def comparison_dataframe(found: Comparison) -> pandas.DataFrame:
    """Return a row for each network; `Comparison.to_dataframe` is this."""
    from pavane.campaign.network_comparison.tables import columns

    made: pandas.DataFrame = _pandas().DataFrame(columns(found))
    return made


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise InputError("a data frame needs pandas; install it with: pip install pandas") from None
    return pandas
