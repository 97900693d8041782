"""Predicted times against the size of a message, one line a schedule, with the sizes where the fastest changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pavane.timing import Costs, Profile, Stretch, decision_table, predicted, size_text
from pavane.ui.plot.figures import MUTED, axes_or_new, line_look, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS_ACROSS = 105
"""Small letters that fit across the picture."""


def plot_times(
    costs: Costs, profiles: Sequence[Profile], labels: Sequence[str], sizes: Sequence[int], ax: Axes | None = None
) -> Axes:
    """Draw the time of each schedule over message sizes in bytes, and mark where another becomes the fastest."""
    axes = axes_or_new(ax, 7.0, 4.6)
    rows = [[predicted(costs, size, about) for size in sizes] for about in profiles]
    shortest = min(min(row) for row in rows)
    scale, unit = time_unit(shortest)
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        axes.plot(sizes, [seconds / scale for seconds in row], label=label, **line_look(index))
    axes.set_xscale("log", base=2)
    if shortest > 0:
        axes.set_yscale("log")
    _name_regions(axes, decision_table(costs, profiles), labels, sizes)
    ticks = list(sizes)[:: max(1, len(sizes) // 8)]
    axes.set_xticks(ticks, [size_text(size) for size in ticks])
    axes.minorticks_off()
    axes.set(xlabel="size of a message", ylabel=f"predicted time [{unit}]")
    axes.legend(frameon=False, fontsize="small")
    axes.grid(alpha=0.25)
    return axes


def _name_regions(axes: Axes, stretches: Sequence[Stretch], labels: Sequence[str], sizes: Sequence[int]) -> None:
    """Mark where another schedule becomes the fastest, and write above each region which one it is."""
    starts = [max(float(sizes[0]), stretch.first) for stretch in stretches]
    ends = [*starts[1:], float(sizes[-1])]
    across = math.log2(sizes[-1] / sizes[0]) if sizes[-1] > sizes[0] else 1.0
    shown = [
        (stretch, start, min(end, float(sizes[-1])))
        for stretch, start, end in zip(stretches, starts, ends, strict=True)
        if start < min(end, sizes[-1]) or len(stretches) == 1
    ]
    for number, (stretch, start, end) in enumerate(shown):
        if number:
            axes.axvline(start, color=MUTED, linewidth=0.8, linestyle=":")
        colour = line_look(stretch.fastest)["color"]
        axes.axvspan(start, end, color=colour, alpha=0.06, linewidth=0)
        room = LETTERS_ACROSS * math.log2(max(end / start, 1.0)) / across
        text = f"fastest: {labels[stretch.fastest]}"
        # In narrow regions names stand upright inside, in wide ones above.
        turn = 90 if len(text) > room else 0
        axes.annotate(
            text,
            (math.sqrt(start * end), 1),
            (0, 4 if not turn else -4),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="bottom" if not turn else "top",
            rotation=turn,
            fontsize=7,
            color=colour,
        )
