"""Curves of time against the size of a message."""

from __future__ import annotations

import numpy as np

from pavane.campaign.size_sweep.selector_file import RangeObject, SelectorIndex, SizeObject
from pavane.ui.plot.size_curves import plot_size_curves


def test_a_line_for_the_schedules_the_bound_and_each_baseline() -> None:
    """Lines go through the sizes that have a figure; a dotted line stands between two ranges."""
    small = [SizeObject(1000, 2_000_000, 2_000_000, {"ring": 4_000_000}), SizeObject(2000, 3_000_000)]
    large = [SizeObject(8000, 9_000_000, 6_000_000, {"ring": 12_000_000})]
    ranges = [RangeObject("a.json", 1, small), RangeObject("b.json", 4, large)]
    axes = plot_size_curves(SelectorIndex("pavane/selector/1", "ring:4", "AAB", 0.01, ranges))
    lines = {line.get_label(): np.asarray(line.get_xydata()).tolist() for line in axes.lines}
    assert lines["selector"] == [[1000, 2e-6], [2000, 3e-6], [8000, 9e-6]]
    assert lines["bound"] == [[1000, 2e-6], [8000, 6e-6]]
    assert lines["ring"] == [[1000, 4e-6], [8000, 12e-6]]
    (between,) = (line for line in axes.lines if line.get_linestyle() == ":")
    assert list(np.asarray(between.get_xdata())) == [4000, 4000]
    assert [text.get_text() for text in axes.texts] == ["1 piece", "4 pieces", "bound", "selector", "ring"]
    assert axes.get_legend() is None
