"""Predicted times against the size of a message, one line a schedule, with the sizes where the fastest changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pavane.timing import Costs, Profile, decision_table, predicted, size_text
from pavane.ui.plot.figures import MUTED, label_ends, line_look, new_figure, size_ticks, styled, time_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def plot_times(costs: Costs, profiles: Sequence[Profile], labels: Sequence[str], sizes: Sequence[int]) -> Axes:
    """Draw the time of each schedule over message sizes in bytes, and mark where another becomes the fastest."""
    figure = new_figure(7.0, 4.6)
    axes = figure.add_subplot()
    rows = [[predicted(costs, size, about) for size in sizes] for about in profiles]
    shortest = min(min(row) for row in rows)
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        axes.plot(sizes, row, label=label, **line_look(index))
    axes.set_xscale("log", base=2)
    if shortest > 0:
        axes.set_yscale("log")
        time_ticks(axes.yaxis)
    for stretch in decision_table(costs, profiles):
        if sizes[0] < stretch.first < sizes[-1]:
            axes.axvline(stretch.first, color=MUTED, linewidth=0.8, linestyle=":")
    size_ticks(axes, sizes, size_text)
    axes.set(xlabel="size of a message", ylabel="predicted time" if shortest > 0 else "predicted time [s]")
    looks = [line_look(index)["color"] for index in range(len(rows))]
    label_ends(axes, [(sizes[-1], row[-1], label, look) for row, label, look in zip(rows, labels, looks, strict=True)])
    axes.grid()
    return axes
