"""Pictures of a study: conflicts over the course of a search, and successful runs over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pavane.campaign.runs import RunLine
from pavane.campaign.solver_study import Study
from pavane.ui.plot.figures import axes_or_new, line_look, plain_log_ticks, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Unit = Literal["evaluations", "seconds"]


@styled
def plot_run_lengths(study: Study, ax: Axes | None = None) -> Axes:
    """Draw the share of runs that have succeeded against evaluations; failures count, and never rise.

    Where a method does not count evaluations, seconds stand for them in all of them. The line of a method whose runs
    all succeeded continues to the end of the longest run of all; others end where their own longest run ended, with a
    bar across.
    """
    axes = axes_or_new(ax)
    ended = [run for run in study.runs if run.error is None]
    unit: Unit = "seconds" if any(run.evaluations is None for run in ended) else "evaluations"
    positive, end = False, max((_length(run, unit) for run in ended), default=0.0)
    for index, method in enumerate(study.methods):
        runs = [run for run in ended if run.method == method]
        lengths = sorted(_length(run, unit) for run in runs if run.is_success)
        if not runs:
            continue
        longest = max(_length(run, unit) for run in runs) if len(lengths) < len(runs) else end
        shares = [n / len(runs) for n in range(1, len(lengths) + 1)]
        first = lengths[0] if lengths else longest
        final = shares[-1] if shares else 0.0
        look = line_look(index)
        axes.step([first, *lengths, longest], [0.0, *shares, final], where="post", label=method, **look)
        if len(lengths) < len(runs):
            axes.plot([longest], [final], marker="|", markersize=10, color=look["color"], linestyle="none")
        positive = positive or longest > 0
    axes.set(xlabel=unit, ylabel="share of runs that succeeded", title="RunLine lengths", ylim=(-0.02, 1.02))
    if positive:
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    axes.grid()
    return axes


def _length(run: RunLine, unit: Unit) -> float:
    length = run.evaluations if unit == "evaluations" else run.seconds
    return 0.0 if length is None else float(length)
