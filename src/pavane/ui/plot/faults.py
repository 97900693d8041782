"""A plot of what faults cost: for each collective the numbers of steps that faults lead to, and the one without."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pavane.campaign.faults import FaultStudy
from pavane.ui.plot.figures import COLOURS, INK, MUTED, axes_or_new, whole_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORSE = COLOURS[4]


def plot_faults(study: FaultStudy, ax: Axes | None = None) -> Axes:
    """Draw how many faults lead to how many steps, a row of discs per collective, and a line where no fault is."""
    from matplotlib.lines import Line2D

    ax = axes_or_new(ax, 7.6, 1.4 + 0.5 * len(study.columns))
    most = len(study.rows)
    for at, _ in enumerate(study.columns):
        whole = study.no_fault.replans[at].steps
        counts = study.histogram(at)
        sizes = [30 + 270 * number / most for number in counts.values()]
        colours = [MUTED if whole is not None and steps <= whole else WORSE for steps in counts]
        ax.scatter(list(counts), [at] * len(counts), s=sizes, c=colours, zorder=2)
        for (steps, number), size in zip(counts.items(), sizes, strict=True):
            above = (0, math.sqrt(size / math.pi) + 1)
            ax.annotate(str(number), (steps, at), above, textcoords="offset points", fontsize=8, ha="center")
        if whole is not None:
            ax.plot([whole, whole], [at - 0.35, at + 0.35], color=INK, linewidth=1.5, zorder=3)
        lost = most - sum(counts.values())
        if lost:
            text = f"{lost} without a schedule"
            ax.annotate(text, (1, at), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=8)
    ax.set_yticks(range(len(study.columns)), [column.title for column in study.columns])
    ax.set_ylim(len(study.columns) - 0.5, -0.8)
    whole_ticks(ax.xaxis)
    ax.set_xlabel("steps; figures count faults")
    handles = [
        Line2D([], [], color=INK, linewidth=1.5, label="without fault"),
        Line2D([], [], color=MUTED, marker="o", linestyle="none", label="no more steps"),
        Line2D([], [], color=WORSE, marker="o", linestyle="none", label="more steps"),
    ]
    ax.legend(handles=handles, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    what = f"pairs of {study.kind} faults" if study.double else f"single {study.kind} faults"
    ax.set_title(f"{study.network.name}: {most} {what}", fontsize=10)
    return ax
