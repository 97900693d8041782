"""Pictures of predictions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.campaign.workload_model.prediction import Prediction, predict
from pavane.errors import InputError
from pavane.ui.plot.figures import figure_bytes
from pavane.ui.plot.predictions import plot_predictions, plot_speedups

WORKLOAD = {"workload": 1, "phases": [{"compute": "8/P"}, {"collective": "alltoall", "bytes": 10}, {"compute": "1us"}]}


def made(*specs: str) -> list[Prediction]:
    """Return predictions for some networks."""
    return [predict(WORKLOAD, spec) for spec in specs]


def test_bars_have_a_part_for_each_phase() -> None:
    """Networks are rows; parts add up to the time, and computing is told once."""
    axes = plot_predictions(made("ring:3", "complete:4"))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ring:3", "complete:4"]
    assert len(axes.patches) == 6
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["at least", "computing", "alltoall"]


def test_curves_go_by_family() -> None:
    """Each family is a line over processors, with its bound and, of the speed-up, the ideal."""
    figure = plot_speedups(made("ring:3", "complete:3", "ring:4", "complete:4"))
    left, right = figure.axes
    assert len(left.lines) == 4
    assert len(right.lines) == 5
    assert figure_bytes(figure, "svg").startswith(b"<?xml")


def test_what_has_no_time_is_not_drawn() -> None:
    """A prediction without all its schedules is left out; with none left there is nothing to draw."""
    (one,) = made("ring:3")
    lost = replace(one, phases=(replace(one.phases[1], communication=None),))
    assert len(plot_predictions([one, lost]).get_yticklabels()) == 1
    with pytest.raises(InputError, match="no prediction has a schedule for every phase"):
        plot_predictions([lost])
