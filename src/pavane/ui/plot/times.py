"""Predicted times against the size of a message, one line a schedule, with the sizes where the fastest changes.

A strip above the lines has the colour of the fastest schedule at each size, and is named where there is room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pavane.timing import Costs, Profile, Stretch, decision_table, predicted, size_text
from pavane.ui.plot.figures import LETTERS, MUTED, label_ends, line_look, new_figure, size_ticks, styled, time_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRIP = 1.04
"""The height of the strip that shows the fastest schedule, above the axes."""


@styled
def plot_times(
    costs: Costs, profiles: Sequence[Profile], labels: Sequence[str], sizes: Sequence[int], title: str = ""
) -> Axes:
    """Draw the time of each schedule over message sizes in bytes, and mark where another becomes the fastest."""
    figure = new_figure(7.0, 4.6)
    axes = figure.add_subplot()
    figure.suptitle(title)
    rows = [[predicted(costs, size, about) for size in sizes] for about in profiles]
    shortest = min(min(row) for row in rows)
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        axes.plot(sizes, row, label=label, **line_look(index))
    axes.set_xscale("log", base=2)
    if shortest > 0:
        axes.set_yscale("log")
        time_ticks(axes.yaxis)
    if len(rows) > 1:
        _name_regions(axes, decision_table(costs, profiles), labels, sizes)
    size_ticks(axes, sizes, size_text)
    axes.set(xlabel="size of a message", ylabel="predicted time" if shortest > 0 else "predicted time [s]")
    looks = [line_look(index)["color"] for index in range(len(rows))]
    label_ends(axes, [(sizes[-1], row[-1], label, look) for row, label, look in zip(rows, labels, looks, strict=True)])
    axes.grid()
    return axes


def _name_regions(axes: Axes, stretches: Sequence[Stretch], labels: Sequence[str], sizes: Sequence[int]) -> None:
    """Mark where another schedule becomes the fastest, and draw above each region which one it is."""
    starts = [max(float(sizes[0]), stretch.first) for stretch in stretches]
    ends = [*starts[1:], float(sizes[-1])]
    across = math.log2(sizes[-1] / sizes[0]) if sizes[-1] > sizes[0] else 1.0
    shown = [
        (stretch, start, min(end, float(sizes[-1])))
        for stretch, start, end in zip(stretches, starts, ends, strict=True)
        if start < min(end, sizes[-1]) or len(stretches) == 1
    ]
    # Letters that fit across the axes, which have about two thirds of the figure.
    room = 0.6 * 72 * axes.get_figure(root=True).get_size_inches()[0] / (0.6 * LETTERS)  # type: ignore[union-attr]
    for number, (stretch, start, end) in enumerate(shown):
        if number:
            axes.axvline(start, color=MUTED, linewidth=0.8, linestyle=":")
        colour, fastest = line_look(stretch.fastest)["color"], f"fastest: {labels[stretch.fastest]}"
        above = axes.get_xaxis_transform()
        axes.plot([start, end], [STRIP] * 2, transform=above, color=colour, linewidth=5, clip_on=False, label="_strip")
        is_wide = len(fastest) <= room * math.log2(max(end / start, 1.0)) / across
        if is_wide or len(shown) == 1:
            axes.text(math.sqrt(start * end), STRIP + 0.02, fastest, transform=above, ha="center", color=colour)
