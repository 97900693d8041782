"""A prediction at hand: drawn, replayed, and as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from pavane.ui.notebook.notebook_views import drawn, section, table

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
    from pavane.timing import time_text

    def short(seconds: float | None) -> str:
        return "-" if seconds is None else time_text(float(f"{seconds:.4g}"))

    rows = [
        [
            escape(phase.name),
            f"{phase.times:,}",
            short(phase.seconds),
            short(phase.bound if phase.collective else phase.seconds),
            escape(phase.collective or "computing"),
            escape(str(phase.choice or "")),
        ]
        for phase in made.phases
    ]
    picture = "" if made.seconds is None else drawn(lambda: plot_predictions([made]))
    return section(repr(made)[1:-1], picture, table(["phase", "times", "takes", "at least", "what", "schedule"], rows))
