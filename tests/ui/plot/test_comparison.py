"""The picture of cost against time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from pavane.campaign.network_comparison.compared import Comparison
from pavane.timing import Costs
from pavane.ui.plot import comparison
from pavane.ui.plot.comparison import MOST_LABELLED, plot_comparison
from pavane.ui.plot.figures import figure_bytes
from tests.campaign.network_comparison.made import cell, made_up

ALL = {
    "ring:8": (cell(8),),
    "mesh:2x4": (cell(8),),
    "octagon": (cell(4),),
    "torus:2x4": (cell(4),),
    "complete:8": (cell(1),),
    "line:8": (cell(16),),
    "ring:9": (cell(10),),
    "mesh:3x3": (cell(6),),
}


def crowd() -> Comparison:
    """Return a comparison of more networks than have labels."""
    rows = {f"random-regular:12,4,{seed}": (cell(7 + seed % 3),) for seed in range(MOST_LABELLED)}
    return made_up({**rows, "ring:12": (cell(18),), "torus:3x4": (cell(6),)})


def points(axes: Any) -> list[tuple[float, float]]:
    """Return where marks are, in the data's own units."""
    return [(x, y) for some in axes.collections for x, y in some.get_offsets().tolist()]


def texts(found: Comparison, size: int | None = None) -> list[str]:
    """Return the labels of a picture."""
    (axes,) = plot_comparison(found, size).axes
    return [text.get_text() for text in axes.texts]


def test_one_mark_a_network() -> None:
    """Each network is a point: cost to the right, time upward, in steps where there are no sizes."""
    (axes,) = plot_comparison(made_up(ALL)).axes
    assert sorted(points(axes)) == sorted(
        (row.figures.cost, float(row.cells[0].steps or 0)) for row in made_up(ALL).rows
    )
    assert axes.get_ylabel() == "steps of alltoall (AAS)"


def test_the_front_is_drawn_for_each_number_of_processors() -> None:
    """A line goes through the Pareto set of 8 processors, and one through that of 9."""
    (axes,) = plot_comparison(made_up(ALL)).axes
    fronts = [[tuple(point) for point in np.asarray(line.get_xydata()).tolist()] for line in axes.lines]
    assert fronts == [[(14, 16), (16, 8), (24, 4), (24, 4), (56, 1)], [(18, 10), (24, 6)]]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["8 processors", "9 processors"]


def test_every_network_is_named() -> None:
    """Networks at one point share a label."""
    found = texts(made_up(ALL))
    assert sorted(found) == sorted(
        ["ring:8", "mesh:2x4", "octagon, torus:2x4", "complete:8", "line:8", "ring:9", "mesh:3x3"]
    )


def test_in_a_crowd_the_front_is_named() -> None:
    """Where there are too many networks to name, those of the Pareto set are."""
    assert sorted(texts(crowd())) == ["ring:12", "torus:3x4"]


def test_without_room_the_front_alone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best stand above their marks then, whatever is there; here no spot is looked at."""
    monkeypatch.setattr(comparison, "DIRECTIONS", 0)
    named = texts(made_up(ALL))
    assert "complete:8" in named
    assert 0 < len(named) < len(ALL)


@pytest.mark.parametrize("make", [lambda: made_up(ALL), crowd], ids=["few", "many"])
def test_labels_do_not_collide(make: Callable[[], Comparison]) -> None:
    """No label covers another, nor a mark."""
    figure = plot_comparison(make())
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    marks = [axes.transData.transform(point) for point in points(axes)]
    assert not any(box.contains(*mark) for box in boxes for mark in marks)
    frame = axes.get_window_extent()
    assert all(frame.contains(box.x0, box.y0) and frame.contains(box.x1, box.y1) for box in boxes)


def test_sizes_stand_side_by_side() -> None:
    """A picture for each size, or for one that is asked for, with times in a unit that suits them."""
    found = made_up(ALL, costs=Costs(1e-6, 1e-9), message_bytes=(64, 10**6))
    figure = plot_comparison(found)
    assert [axes.get_title() for axes in figure.axes] == ["messages of 64 B", "messages of 1,000,000 B"]
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "predicted time of alltoall (AAS) [us]",
        "predicted time of alltoall (AAS) [ms]",
    ]
    (one,) = plot_comparison(found, 64).axes
    assert one.get_title() == "messages of 64 B"


def test_the_same_comparison_is_the_same_picture() -> None:
    """Labels depend on nothing but what is drawn; a network without a time has no mark."""
    found = made_up({**ALL, "star:8": (cell(None),)})
    assert figure_bytes(plot_comparison(found), "svg") == figure_bytes(plot_comparison(found), "svg")
    assert "star:8" not in texts(found)
    assert texts(made_up({"ring:8": (cell(None),)})) == []
