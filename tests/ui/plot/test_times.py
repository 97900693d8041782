"""The picture of predicted times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pavane.timing import Costs, Profile, decision_table, read_sweep
from pavane.ui.plot.times import plot_times

COSTS = Costs(10, 1)
PROFILES = [Profile((1,) * 7, (1,) * 7), Profile((4, 4, 4), (1, 1, 1))]


def test_ticks_have_units_and_room() -> None:
    """Times stand in their own units, and sizes of messages are not printed over each other."""
    axes = plot_times(Costs(1e-6, 1e-9), PROFILES, ["seven", "three"], read_sweep("1000:1073741824:2"))
    axes.figure.canvas.draw()
    low, high = axes.get_ylim()
    shown = [label.get_text() for label in axes.get_yticklabels() if low <= label.get_position()[1] <= high]
    assert {"100 us", "1 ms", "1 s"} <= set(shown)
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_sizes_where_the_fastest_changes_are_marked() -> None:
    """By a line across; none where one schedule is the fastest at every size."""
    (crossover,) = (stretch.first for stretch in decision_table(COSTS, PROFILES) if stretch.first)
    axes = plot_times(COSTS, PROFILES, ["seven", "three"], read_sweep("1:1024:2"))
    assert np.asarray(axes.lines[-1].get_xdata()).tolist() == [crossover] * 2
    assert len(plot_times(COSTS, PROFILES, ["seven", "three"], read_sweep("1:4:2")).lines) == 2


def test_many_names_stay_within_the_axes() -> None:
    """Each line has its name at its end; names stand below the top of the axes, and none lies on another."""
    axes = plot_times(COSTS, [PROFILES[0]] * 12, [f"line {n}" for n in range(12)], read_sweep("1:1024:2"))
    axes.figure.canvas.draw()
    assert axes.get_legend() is None
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text().startswith("line ")]
    assert len(boxes) == 12
    top = axes.get_window_extent().y1
    assert all(box.y0 < top for box in boxes)
    heights = sorted(box.y0 for box in boxes)
    assert all(after - before > 8 for before, after in pairwise(heights))


def test_a_short_range_of_times_has_more_ticks() -> None:
    """Times of less than three powers of ten also have ticks at 2 and 5 times a power of ten."""
    axes = plot_times(Costs(1e-6, 1e-9), PROFILES[:1], ["seven"], read_sweep("1:65536:2"))
    low, high = axes.get_ylim()
    shown = [f"{tick:.0e}" for tick in axes.get_yticks() if low <= tick <= high]
    assert shown == ["1e-05", "2e-05", "5e-05", "1e-04", "2e-04", "5e-04"][: len(shown)]
    assert len(shown) >= 4
