"""Time against the size of a message: the schedules of a selector, the bound, and the baselines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from pavane.campaign.size_sweep.selector_file import SelectorIndex
from pavane.model.links import PICOSECONDS
from pavane.text import counted
from pavane.timing import rounded_size_text
from pavane.ui.plot.figures import INK, MUTED, axes_or_new, line_look, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_size_curves(index: SelectorIndex, ax: Axes | None = None) -> Axes:
    """Draw when the schedules of a selector end over message sizes, with the bound dashed and the baselines beside.

    A dotted line stands where another schedule is chosen.
    """
    axes = axes_or_new(ax, 7.0, 4.6)
    listed = [size for part in index.ranges for size in part.sizes]
    sizes = [size.bytes for size in listed]
    scale, unit = time_unit(min(size.finish for size in listed) / PICOSECONDS)
    names = dict.fromkeys(name for size in listed for name in size.baselines)
    lines: dict[str, list[int | None]] = {"selector": [size.finish for size in listed]}
    lines |= {name: [size.baselines.get(name) for size in listed] for name in names}
    for number, (name, times) in enumerate(lines.items()):
        axes.plot(*_points(sizes, times, scale), label=name, marker=".", **line_look(number))
    bounds = _points(sizes, [size.bound for size in listed], scale)
    axes.plot(*bounds, label="bound", color=INK, linestyle="--", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for part, after in pairwise(index.ranges):
        axes.axvline((part.sizes[-1].bytes * after.sizes[0].bytes) ** 0.5, color=MUTED, linewidth=0.8, linestyle=":")
    for part in index.ranges:
        middle = (part.sizes[0].bytes * part.sizes[-1].bytes) ** 0.5
        at = ("data", "axes fraction")
        axes.annotate(counted(part.pieces, "piece"), (middle, 0.02), xycoords=at, ha="center", fontsize=7, color=MUTED)
    ticks = sizes[:: max(1, len(sizes) // 8)]
    axes.set_xticks(ticks, [rounded_size_text(size) for size in ticks])
    axes.minorticks_off()
    axes.set(xlabel="size of a message", ylabel=f"time [{unit}]")
    axes.set_title(f"{index.collective} on {index.network}", fontsize=10)
    axes.legend(frameon=False, fontsize="small")
    axes.grid(alpha=0.25)
    return axes


def _points(sizes: Sequence[int], times: Sequence[int | None], scale: float) -> tuple[list[int], list[float]]:
    """Return the sizes that have a time, and the times in a unit."""
    known = [(size, time / PICOSECONDS / scale) for size, time in zip(sizes, times, strict=True) if time is not None]
    return [size for size, _ in known], [time for _, time in known]
