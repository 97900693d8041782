"""Predicted times against the size of a message, one line a schedule, with the sizes where the fastest changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pavane.plot.figures import MUTED, axes_or_new, line_look
from pavane.timing import Costs, Profile, decision_table, predicted, size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))


def plot_times(
    costs: Costs, profiles: Sequence[Profile], labels: Sequence[str], sizes: Sequence[int], ax: Axes | None = None
) -> Axes:
    """Draw the time of each schedule over message sizes in bytes, and mark where another becomes the fastest."""
    axes = axes_or_new(ax, 7.0, 4.6)
    rows = [[predicted(costs, size, about) for size in sizes] for about in profiles]
    shortest = min(min(row) for row in rows)
    scale, unit = next(((scale, unit) for scale, unit in UNITS if shortest >= scale), UNITS[-1])
    for index, (row, label) in enumerate(zip(rows, labels, strict=True)):
        axes.plot(
            sizes,
            [seconds / scale for seconds in row],
            label=label,
            **line_look(index),
        )
    axes.set_xscale("log", base=2)
    if shortest > 0:
        axes.set_yscale("log")
    for stretch in decision_table(costs, profiles)[1:]:
        if sizes[0] < stretch.first < sizes[-1]:
            axes.axvline(stretch.first, color=MUTED, linewidth=0.8, linestyle=":")
    ticks = list(sizes)[:: max(1, len(sizes) // 8)]
    axes.set_xticks(ticks, [size_text(size) for size in ticks])
    axes.minorticks_off()
    axes.set(xlabel="size of a message", ylabel=f"predicted time [{unit}]")
    axes.legend(frameon=False, fontsize="small")
    axes.grid(alpha=0.25)
    return axes
