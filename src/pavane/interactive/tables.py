"""Schedules as tables of pandas, where that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.errors import InputError

if TYPE_CHECKING:
    import pandas

    from pavane.model.schedule import Schedule


def dataframe(schedule: Schedule) -> pandas.DataFrame:
    """Return a row for each transfer; `Schedule.to_dataframe` is this."""
    try:
        import pandas
    except ImportError:
        raise InputError("a data frame needs pandas; install it with: pip install pandas") from None
    transfers = list(schedule)
    return pandas.DataFrame(
        {
            "step": schedule.steps,
            "sender": schedule.senders,
            "receiver": schedule.receivers,
            "path": pandas.Series([transfer.path for transfer in transfers], dtype=object),
            "messages": pandas.Series([transfer.messages for transfer in transfers], dtype=object),
        }
    )
