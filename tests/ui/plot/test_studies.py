"""Pictures of studies."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pavane.campaign.benchmark import Study
from pavane.errors import InputError
from tests.campaign.benchmark.fakes import PROBLEM, ended, study_by_hand


@pytest.fixture
def two_methods() -> Study:
    """Return a study of two methods, by hand."""
    return study_by_hand()


@pytest.fixture
def axes() -> object:
    """Return axes that no window shows."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes: object = figure.subplots()
    return axes


def test_run_lengths_are_drawn(two_methods: Study, axes: object) -> None:
    """A line per method: the share of its runs that succeeded by then; one without failures continues to the end."""
    from matplotlib.axes import Axes

    from pavane.ui.plot import plot_run_lengths

    assert isinstance(axes, Axes)
    assert plot_run_lengths(two_methods, axes) is axes
    good, bad, mark = axes.lines
    third = pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert np.asarray(good.get_xdata()).tolist() == [10, 10, 20, 40, 500]
    assert np.asarray(good.get_ydata()).tolist() == third
    assert np.asarray(bad.get_xydata()).tolist() == [[100, 0], [100, 0.5], [500, 0.5]]
    assert np.asarray(mark.get_xydata()).tolist() == [[500, 0.5]]
    assert (axes.get_xlabel(), axes.get_xscale()) == ("evaluations", "log")


def test_a_method_whose_runs_all_broke_has_no_line(two_methods: Study, axes: object) -> None:
    """The others are drawn."""
    from matplotlib.axes import Axes

    from pavane.ui.plot import plot_run_lengths

    assert isinstance(axes, Axes)
    runs = tuple(run if run.method == "good" else replace(run, error="Broken") for run in two_methods.runs)
    plot_run_lengths(replace(two_methods, runs=runs), axes)
    assert [line.get_label() for line in axes.lines] == ["good"]


def test_run_lengths_in_seconds_where_evaluations_are_not_counted(axes: object) -> None:
    """All methods are drawn by the same measure."""
    from matplotlib.axes import Axes

    from pavane.ui.plot import plot_run_lengths

    assert isinstance(axes, Axes)
    runs = (ended(0, 500, success=True), ended(0, None, success=True, method="silent"))
    found = Study(PROBLEM, 3, ("m", "silent"), (0,), None, None, runs)
    plot_run_lengths(found, axes)
    assert axes.get_xlabel() == "seconds"
    assert [np.asarray(line.get_xdata()).tolist()[0] for line in axes.lines] == [0.5, 1.0]


@pytest.mark.parametrize(("ending", "opening"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_are_written(ending: str, opening: bytes, two_methods: Study, tmp_path: Path) -> None:
    """In the format that the ending names, and the same for the same study."""
    pytest.importorskip("matplotlib")
    from pavane.ui.plot import plot_run_lengths
    from pavane.ui.plot.figures import write_figure

    path = tmp_path / f"a.{ending}"
    write_figure(path, plot_run_lengths(two_methods))
    first = path.read_bytes()
    assert first.startswith(opening)
    if ending == "svg":
        write_figure(path, plot_run_lengths(two_methods))
        assert path.read_bytes() == first


def test_pictures_in_python_need_no_axes(two_methods: Study) -> None:
    """Without axes a new figure is made, and none that pyplot knows."""
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    from pavane.ui.plot import plot_run_lengths

    assert plot_run_lengths(two_methods) is not plot_run_lengths(two_methods)
    assert pyplot.get_fignums() == []


def test_no_matplotlib_is_one_line(two_methods: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the extra to install."""
    from pavane.ui.plot import plot_run_lengths

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"pip install '\.\[plot\]'"):
        plot_run_lengths(two_methods)
