"""Pictures of a study: how conflicts vanish as a search goes on, and how many runs have succeeded by when."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.formats.files import refuse_unwritable, replacing
from pavane.studies.trials import Study, Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = ("svg", "png", "pdf")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's palette, which people of every colour vision can tell apart, less its yellow, pale on white."""
STYLES = ("-", "--", "-.", ":")

Unit = Literal["evaluations", "seconds"]


def plot_convergence(study: Study, ax: Axes | None = None) -> Axes:
    """Draw the fewest conflicts so far against evaluations: the median of each method's runs, with its quartiles."""
    axes = _axes(ax)
    silent = []
    for place, method in enumerate(study.methods):
        runs = [run for run in study.of(method) if run.error is None and run.trace]
        if not runs:
            silent.append(method)
            continue
        evaluations, quartiles = _envelope(runs)
        looks = _looks(place)
        axes.step(evaluations, quartiles[1], where="post", label=method, **looks)
        axes.fill_between(
            evaluations, quartiles[0], quartiles[2], step="post", color=looks["color"], alpha=0.2, linewidth=0
        )
    axes.set(xlabel="evaluations", ylabel="fewest conflicts so far", title="Convergence: median and quartiles")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    _finish(axes, f"no conflicts recorded: {', '.join(silent)}" if silent else "")
    return axes


def plot_run_lengths(study: Study, ax: Axes | None = None, *, unit: Unit | None = None) -> Axes:
    """Draw the share of runs that have succeeded by so many evaluations; failures count, and never rise.

    Where a method does not count evaluations, seconds take their place for all of them. A line ends where the longest
    run ended; a bar across its end says that some runs failed.
    """
    axes = _axes(ax)
    ended = [run for run in study.runs if run.error is None]
    unit = unit or ("seconds" if any(run.evaluations is None for run in ended) else "evaluations")
    positive = False
    for place, method in enumerate(study.methods):
        runs = [run for run in ended if run.method == method]
        lengths = sorted(_length(run, unit) for run in runs if run.is_success)
        if not runs:
            continue
        longest = max(_length(run, unit) for run in runs)
        shares = [n / len(runs) for n in range(1, len(lengths) + 1)]
        first = lengths[0] if lengths else longest
        final = shares[-1] if shares else 0.0
        looks = _looks(place)
        axes.step([first, *lengths, longest], [0.0, *shares, final], where="post", label=method, **looks)
        if len(lengths) < len(runs):
            axes.plot([longest], [final], marker="|", markersize=10, color=looks["color"], linestyle="none")
        positive = positive or longest > 0
    axes.set(xlabel=unit, ylabel="share of runs that succeeded", title="Run lengths", ylim=(-0.02, 1.02))
    if positive:
        axes.set_xscale("log")
    _finish(axes, "")
    return axes


def write_plot(path: str | Path, study: Study) -> None:
    """Write both pictures side by side into one file; its ending says which format."""
    ending = refuse_unplottable(path)
    import matplotlib
    from matplotlib.figure import Figure

    # The same study gives the same file: no date, and names of parts that do not change.
    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with matplotlib.rc_context({"svg.hashsalt": "pavane"}), replacing(path) as file:
        figure = Figure(figsize=(11, 4.5), layout="constrained")
        left, right = figure.subplots(1, 2)
        plot_convergence(study, left)
        plot_run_lengths(study, right)
        figure.suptitle(f"{study.problem.collective.kind} on {study.problem.network.name} in {study.num_steps} steps")
        figure.savefig(file, format=ending, metadata=dates[ending])


def refuse_unplottable(path: str | Path) -> str:
    """Refuse a picture that could not be drawn, before the work that fills it; return its ending."""
    ending = Path(path).suffix.lower().lstrip(".")
    if ending not in ENDINGS:
        raise InputError(f"{path}: a picture ends in .svg, .png or .pdf; name it so")
    _refuse_without_matplotlib()
    refuse_unwritable(path)
    return ending


def _refuse_without_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError("pictures need matplotlib, which is not installed; run: pip install 'pavane[plot]'")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    _refuse_without_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def _looks(place: int) -> dict[str, Any]:
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[place // len(COLOURS) % len(STYLES)]}


def _length(run: Trial, unit: Unit) -> float:
    length = run.evaluations if unit == "evaluations" else run.seconds
    return 0.0 if length is None else float(length)


def _envelope(runs: list[Trial]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return where any run got better or ended, and the quartiles of the conflicts of all runs there.

    A run that has ended keeps its last figure: a success its 0, a failure what it came to.
    """
    start = max(1, *(run.trace[0][0] for run in runs))  # from where every run has a figure
    end = max(run.evaluations or run.trace[-1][0] for run in runs)
    places = np.unique([start, max(start, end), *(made for run in runs for made, _ in run.trace if made > start)])
    conflicts = np.empty((len(runs), len(places)))
    for row, run in zip(conflicts, runs, strict=True):
        made, left = np.array(run.trace).T
        row[:] = left[np.searchsorted(made, places, side="right") - 1]
    return places, np.percentile(conflicts, (25, 50, 75), axis=0)


def _finish(axes: Axes, remark: str) -> None:
    if remark:
        axes.text(0.5, 0.02, remark, transform=axes.transAxes, ha="center", fontsize="small", color="0.35")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    axes.grid(alpha=0.25)
