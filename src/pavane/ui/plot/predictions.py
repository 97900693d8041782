"""Pictures of predictions: bars in parts for networks side by side, curves for networks of a family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pavane.campaign.workload_model.prediction import Prediction
from pavane.errors import InputError
from pavane.ui.plot.figures import (
    COLOURS,
    FAINT,
    INK,
    MUTED,
    axes_or_new,
    line_look,
    new_figure,
    plain_log_ticks,
    styled,
    time_unit,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HATCHES = ("", "//", "..", "xx", "--", "\\\\")
"""Of phases whose colour is used up."""


SEEN = 0.98
"""A bound below this share of a time is seen beside it."""


@styled
def plot_predictions(made: Sequence[Prediction], ax: Axes | None = None) -> Axes:
    """Draw a bar for each network, a part for each phase, and a mark at what is proven to be the least."""
    shown = _complete(made)
    axes = axes_or_new(ax, 7.6, 1.6 + 0.5 * len(shown) + 0.12 * len(shown[0].phases))
    unit, name = time_unit(max(each.seconds or 0.0 for each in shown))
    labelled: set[str] = set()
    for at, each in enumerate(shown):
        start, parts = 0.0, 0
        for index, phase in enumerate(each.phases):
            width = phase.times * (phase.seconds or 0.0) / unit
            computes = not phase.collective
            colour = FAINT if computes else COLOURS[parts % len(COLOURS)]
            hatch = "" if computes else HATCHES[parts // len(COLOURS) % len(HATCHES)]
            parts += not computes
            key = "computing" if computes else f"{index} {phase.name}"
            label = None if key in labelled else ("computing" if computes else phase.name)
            labelled.add(key)
            look: dict[str, Any] = {
                "height": 0.62,
                "color": colour,
                "hatch": hatch,
                "edgecolor": "white",
                "linewidth": 0.6,
            }
            axes.barh(at, width, left=start, label=label, **look)
            start += width
        least = (each.bound or 0.0) / unit
        axes.plot([least, least], [at - 0.42, at + 0.42], color=INK, linewidth=1.5, label=None if at else "at least")
        if each.share is not None:
            text = f"{100 * each.share:.0f} %"
            axes.annotate(text, (start, at), (5, 0), textcoords="offset points", va="center", color=MUTED)
    axes.set_yticks(range(len(shown)), [each.network.name for each in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(right=1.1 * max(each.seconds or 0.0 for each in shown) / unit or 1.0)
    axes.set_xlabel(f"predicted time [{name}]; in grey the share of communication")
    axes.set_title(shown[0].workload.name)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return axes


@styled
def plot_speedups(made: Sequence[Prediction]) -> Figure:
    """Draw time and speed-up over processors, a line for each family, with what is proven to be the least."""
    figure = new_figure(10, 4.2)
    left, right = figure.subplots(1, 2)
    shown = _complete(made)
    unit, name = time_unit(min(each.seconds or 0.0 for each in shown))
    is_seen = any((each.bound or 0.0) < SEEN * (each.seconds or 0.0) for each in shown)
    processors = sorted({each.network.num_processors for each in shown})
    for index, (family, members) in enumerate(_families(shown).items()):
        sizes, look = [each.network.num_processors for each in members], line_look(index)
        left.plot(sizes, [(each.seconds or 0.0) / unit for each in members], marker="o", label=family, **look)
        least = [(each.bound or 0.0) / unit for each in members]
        left.plot(sizes, least, linestyle=":", color=look["color"], linewidth=1)
        if all(each.speedup is not None for each in members):
            right.plot(sizes, [each.speedup or 0.0 for each in members], marker="o", label=family, **look)
            bounds = [(each.alone or 0.0) / (each.bound or 1.0) for each in members]
            right.plot(sizes, bounds, linestyle=":", color=look["color"], linewidth=1)
    if right.lines:
        right.plot(processors, processors, color=MUTED, linewidth=0.8, label="as many as processors")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(processors, [str(number) for number in processors])
        axes.minorticks_off()
        axes.set_xlabel("processors (dotted: lower bound)" if is_seen else "processors (lower bounds lie on the lines)")
        axes.grid()
        if axes.lines:
            axes.set_yscale("log")
            plain_log_ticks(axes.yaxis)
            axes.legend()
    left.set_ylabel(f"predicted time [{name}]")
    right.set_ylabel("speed-up")
    figure.suptitle(shown[0].workload.name)
    return figure


def _families(made: Sequence[Prediction]) -> dict[str, list[Prediction]]:
    """Return predictions by the family of their network, the smallest network first."""
    found: dict[str, list[Prediction]] = {}
    for each in sorted(made, key=lambda each: each.network.num_processors):
        found.setdefault(each.network.name.split(":")[0], []).append(each)
    return found


def _complete(made: Sequence[Prediction]) -> list[Prediction]:
    shown = [each for each in made if each.seconds is not None]
    if not shown:
        raise InputError("there is no time to draw: no prediction has a schedule for every phase")
    return shown
