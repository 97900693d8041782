"""A plot of what faults cost: for each collective the numbers of steps that faults lead to, and the one without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavane.plot.figures import COLOURS, INK, MUTED, axes_or_new
from pavane.studies.fault_study import FaultStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORSE = COLOURS[3]


def plot_faults(study: FaultStudy, ax: Axes | None = None) -> Axes:
    """Draw how many faults lead to how many steps, a row of discs per collective, and a line where no fault is."""
    ax = axes_or_new(ax, 6.4, 1.2 + 0.45 * len(study.columns))
    most = len(study.rows)
    for at, _ in enumerate(study.columns):
        whole = study.no_fault.replans[at].steps
        counts = study.histogram(at)
        sizes = [30 + 270 * number / most for number in counts.values()]
        colours = [MUTED if whole is not None and steps <= whole else WORSE for steps in counts]
        ax.scatter(list(counts), [at] * len(counts), s=sizes, c=colours, zorder=2)
        for steps, number in counts.items():
            ax.annotate(str(number), (steps, at), (11, 4), textcoords="offset points", fontsize=8)
        if whole is not None:
            ax.plot([whole, whole], [at - 0.35, at + 0.35], color=INK, linewidth=1.5, zorder=3)
        lost = most - sum(counts.values())
        if lost:
            text = f"{lost} without a schedule"
            ax.annotate(text, (1, at), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=8)
    ax.set_yticks(range(len(study.columns)), [column.title for column in study.columns])
    ax.set_ylim(len(study.columns) - 0.5, -0.6)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("steps; the line is without fault, figures count faults")
    what = f"pairs of {study.kind} faults" if study.double else f"single {study.kind} faults"
    ax.set_title(f"{study.network.name}: {most} {what}", fontsize=10)
    return ax
