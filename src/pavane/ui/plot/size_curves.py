"""Time against the size of a message: the schedules of a selector, the bound, and the baselines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pavane.campaign.size_sweep.selector_file import SelectorIndex
from pavane.model.links import PICOSECONDS
from pavane.model.messages import kind_title
from pavane.text import counted
from pavane.timing import rounded_size_text
from pavane.ui.plot.figures import INK, MUTED, axes_or_new, label_ends, line_look, size_ticks, styled, time_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def plot_size_curves(index: SelectorIndex, ax: Axes | None = None) -> Axes:
    """Draw when the schedules of a selector end over message sizes, with the bound dashed and the baselines beside.

    A dotted line stands where another schedule is chosen.
    """
    axes = axes_or_new(ax, 7.0, 4.6)
    listed = [size for part in index.ranges for size in part.sizes]
    sizes = [size.bytes for size in listed]
    names = dict.fromkeys(name for size in listed for name in size.baselines)
    lines: dict[str, list[int | None]] = {"selector": [size.finish for size in listed]}
    lines |= {name: [size.baselines.get(name) for size in listed] for name in names}
    looks = {name: {**line_look(number), "marker": "."} for number, name in enumerate(lines)}
    lines["bound"], looks["bound"] = [size.bound for size in listed], {"color": INK, "linestyle": "--", "linewidth": 1}
    ends = []
    for name, times in lines.items():
        known = [(size, time / PICOSECONDS) for size, time in zip(sizes, times, strict=True) if time is not None]
        if known:
            axes.plot(*zip(*known, strict=True), label=name, **looks[name])
            ends.append((*known[-1], name, looks[name]["color"]))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    time_ticks(axes.yaxis)
    for part, after in pairwise(index.ranges):
        axes.axvline((part.sizes[-1].bytes * after.sizes[0].bytes) ** 0.5, color=MUTED, linewidth=0.8, linestyle=":")
    for part in index.ranges:
        middle = (part.sizes[0].bytes * part.sizes[-1].bytes) ** 0.5
        at = ("data", "axes fraction")
        axes.annotate(counted(part.pieces, "piece"), (middle, 0.02), xycoords=at, ha="center", color=MUTED)
    size_ticks(axes, sizes, rounded_size_text)
    axes.set(xlabel="size of a message", ylabel="time")
    axes.set_title(f"{kind_title(index.collective)} on {index.network}")
    label_ends(axes, ends)
    axes.grid()
    return axes
