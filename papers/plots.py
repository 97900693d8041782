"""Success rates and evaluations of the papers' algorithms, beside what the papers report (gecco07 Figs. 9 and 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.ui.plot.figures import COLOURS, MUTED, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def plot_success(tables: list[dict[str, Any]]) -> Figure:
    """Draw, for every figure that was studied, the success rate and the median evaluations to success."""
    lines = [line for table in tables for line in table["lines"] if "success" in line]
    if not lines:
        raise InputError("there is nothing to draw: the method does none of these figures")
    figure = new_figure(9, 1.6 + 0.28 * len(lines))
    rate, effort = figure.subplots(1, 2, sharey=True)
    rows = range(len(lines))
    rate.barh(rows, [float(line["success"].rstrip(" %")) for line in lines], color=COLOURS[0], label="here")
    printed = [line.get("paper's success") for line in lines]
    known = [(row, float(text.rstrip(" %"))) for row, text in zip(rows, printed, strict=True) if text]
    if known:
        rate.plot([value for _, value in known], [row for row, _ in known], "D", color=COLOURS[1], label="paper")
        rate.legend()
    rate.set_xlim(0, 105)
    rate.set_xlabel("success rate in %")
    rate.set_yticks(list(rows), [line["where"] for line in lines])
    rate.invert_yaxis()
    counted = [(row, line["evaluations"]) for row, line in zip(rows, lines, strict=True) if line["evaluations"]]
    effort.plot([value for _, value in counted], [row for row, _ in counted], "o", color=COLOURS[2])
    effort.set_xscale("log")
    effort.set_xlabel("median evaluations to success")
    effort.grid(axis="x", color=MUTED, alpha=0.3)
    return figure
