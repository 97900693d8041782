"""A plot of what faults cost: for each collective the numbers of steps that faults lead to, and the one without."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pavane.campaign.faults import FaultColumn, FaultStudy
from pavane.ui.plot.figures import COLOURS, INK, MUTED, axes_or_new, styled, whole_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORSE = COLOURS[4]


@styled
def plot_faults(study: FaultStudy, ax: Axes | None = None) -> Axes:
    """Draw how many faults lead to how many steps, a row of discs per collective, and a line where no fault is."""
    ax = axes_or_new(ax, 7.6, 1.4 + 0.5 * len(study.columns))
    most = len(study.rows)
    for at, _ in enumerate(study.columns):
        whole = study.no_fault.replans[at].steps
        counts = study.histogram(at)
        sizes = [25 + 175 * number / most for number in counts.values()]
        colours = [MUTED if whole is not None and steps <= whole else WORSE for steps in counts]
        ax.scatter(list(counts), [at] * len(counts), s=sizes, c=colours, zorder=2)
        for (steps, number), size in zip(counts.items(), sizes, strict=True):
            above = (0, math.sqrt(size / math.pi) + 2)
            ax.annotate(str(number), (steps, at), above, textcoords="offset points", ha="center")
        if whole is not None:
            # Below the row, where no figure stands.
            ax.plot([whole, whole], [at + 0.1, at + 0.42], color=INK, linewidth=1.5, zorder=1)
        lost = most - sum(counts.values())
        if lost:
            text = f"{lost} without a schedule"
            ax.annotate(text, (1.02, at), xycoords=("axes fraction", "data"), va="center")
    ax.set_yticks(range(len(study.columns)), [_label(column) for column in study.columns])
    ax.set_ylim(len(study.columns) - 0.5, -0.8)
    whole_ticks(ax.xaxis)
    ax.set_xlabel("steps (figures count faults; line: steps without a fault; red: more steps)")
    what = f"pairs of {study.kind} faults" if study.double else f"single {study.kind} faults"
    ax.set_title(f"{study.network.name}: {most} {what}")
    return ax


def _label(column: FaultColumn) -> str:
    """Return the title of a column with both names of its collective."""
    collective = column.problem.collective
    return column.title.replace(collective.kind, collective.title, 1)
