"""A prediction at hand: drawn, replayed, and as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pavane.text.table import Column, Table
from pavane.timing import short_time_text
from pavane.ui.notebook.notebook_views import drawn, section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pavane.campaign.workload_model.prediction import Prediction


def plot_predictions(made: Sequence[Prediction]) -> Figure:
    """Draw predictions, a bar each; `Prediction.plot` is this."""
    from pavane.ui.plot.predictions import plot_predictions as bars

    figure = bars(made).get_figure(root=True)
    assert figure is not None
    return figure


def simulate_prediction(made: Prediction) -> tuple[float | None, ...]:
    """Replay a prediction in SimGrid; `Prediction.simulated` is this."""
    from pavane.execution.simulated_phases import replay_phases

    return replay_phases(made)


def prediction_view(made: Prediction) -> str:
    """Return a prediction as HTML: a bar, and a table of its phases."""
    columns = [
        Column("phase"),
        Column("times", text="{:,}".format),
        Column("takes", text=short_time_text),
        Column("at least", text=short_time_text),
        Column("what"),
        Column("schedule"),
    ]
    rows = [
        [
            phase.name,
            phase.times,
            phase.seconds,
            phase.bound if phase.collective else phase.seconds,
            phase.collective or "computing",
            phase.choice or "",
        ]
        for phase in made.phases
    ]
    picture = "" if made.seconds is None else drawn(made.plot)
    return section(repr(made)[1:-1], picture, Table(columns, rows).html())
