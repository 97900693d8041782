"""Success rates and evaluations of the papers' algorithms, beside what the papers report (gecco07 Figs. 9 and 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.plot.figures import COLOURS, MUTED, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_success(tables: list[dict[str, Any]]) -> Figure:
    """Draw, for every figure that was studied, the success rate and the median evaluations to success."""
    lines = [line for table in tables for line in table["lines"] if "success" in line]
    if not lines:
        raise InputError("there is nothing to draw: the method does none of these figures")
    figure = new_figure(9, 1.6 + 0.28 * len(lines))
    rate, effort = figure.subplots(1, 2, sharey=True)
    places = range(len(lines))
    rate.barh(places, [float(line["success"].rstrip(" %")) for line in lines], color=COLOURS[0], label="here")
    printed = [line.get("paper's success") for line in lines]
    known = [(place, float(text.rstrip(" %"))) for place, text in zip(places, printed, strict=True) if text]
    if known:
        rate.plot([value for _, value in known], [place for place, _ in known], "D", color=COLOURS[1], label="paper")
        rate.legend(frameon=False, fontsize=8)
    rate.set_xlim(0, 105)
    rate.set_xlabel("success rate in %")
    rate.set_yticks(list(places), [line["where"] for line in lines], fontsize=8)
    rate.invert_yaxis()
    counted = [(place, line["evaluations"]) for place, line in zip(places, lines, strict=True) if line["evaluations"]]
    effort.plot([value for _, value in counted], [place for place, _ in counted], "o", color=COLOURS[2])
    effort.set_xscale("log")
    effort.set_xlabel("median evaluations to success")
    effort.grid(axis="x", color=MUTED, alpha=0.3)
    return figure
