"""Pictures of studies."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from matplotlib import pyplot

from pavane.campaign.solver_study import Study
from pavane.ui.plot import plot_run_lengths
from pavane.ui.plot.figures import new_figure
from tests.campaign.fakes import PROBLEM, ended, study_by_hand


def test_run_lengths_are_drawn() -> None:
    """A line per method: the share of its runs that succeeded by then; one without failures continues to the end."""
    axes = new_figure(4, 3).add_subplot()
    assert plot_run_lengths(study_by_hand(), axes) is axes
    good, bad, mark = axes.lines
    third = pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert np.asarray(good.get_xdata()).tolist() == [10, 10, 20, 40, 500]
    assert np.asarray(good.get_ydata()).tolist() == third
    assert np.asarray(bad.get_xydata()).tolist() == [[100, 0], [100, 0.5], [500, 0.5]]
    assert np.asarray(mark.get_xydata()).tolist() == [[500, 0.5]]
    assert (axes.get_xlabel(), axes.get_xscale()) == ("evaluations", "log")


def test_a_method_whose_runs_all_broke_has_no_line() -> None:
    """The others are drawn."""
    made = study_by_hand()
    runs = tuple(run if run.method == "good" else msgspec.structs.replace(run, error="Broken") for run in made.runs)
    axes = plot_run_lengths(replace(made, runs=runs))
    assert [line.get_label() for line in axes.lines] == ["good"]


def test_run_lengths_in_seconds_where_evaluations_are_not_counted() -> None:
    """All methods are drawn by the same measure."""
    runs = (ended(0, 500, success=True), ended(0, None, success=True, method="silent"))
    found = Study(PROBLEM, 3, ("m", "silent"), (0,), runs)
    axes = plot_run_lengths(found)
    assert axes.get_xlabel() == "seconds"
    assert [np.asarray(line.get_xdata()).tolist()[0] for line in axes.lines] == [0.5, 1.0]


def test_pictures_in_python_need_no_axes() -> None:
    """Without axes a new figure is made, and none that pyplot knows."""
    assert plot_run_lengths(study_by_hand()) is not plot_run_lengths(study_by_hand())
    assert pyplot.get_fignums() == []
