"""Pictures of the papers' open questions: one for each, made of the rows of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from papers.open_questions import Question, Row
from papers.open_questions.limits_of_size import BUDGETS, MEMBERS, largest
from papers.open_questions.longer_paths import gain
from pavane.errors import InputError
from pavane.ui.plot.figures import COLOURS, FAINT, INK, MUTED, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MARKERS = "os^Dv"


@styled
def plot_question(question: Question, rows: Sequence[Row]) -> Figure:
    """Draw the answer to an open question."""
    if question.number not in FIGURES:
        raise InputError(
            f"there is no picture of open question {question.number}; choose {', '.join(map(str, FIGURES))}"
        )
    return FIGURES[question.number](rows)


def _fronts(rows: Sequence[Row]) -> Figure:
    """Draw start-ups against occupancy, a line a network; a hollow mark is the schedule without combining."""
    figure = new_figure(8.5, 6.5)
    panels = figure.subplots(2, 2)
    networks = list(dict.fromkeys(row["network"] for row in rows))
    for axes, (ports, kind) in zip(panels.flat, ((1, "AAB"), (1, "AAS"), ("all", "AAB"), ("all", "AAS")), strict=True):
        for row in rows:
            if (row["ports"], row["collective"]) != (ports, kind):
                continue
            index = networks.index(row["network"])
            look = {"color": COLOURS[index], "marker": MARKERS[index]}
            front = row["points"]
            axes.plot([p[0] for p in front], [p[1] for p in front], label=row["network"], markersize=5, **look)
            steps = row["alone"]["steps"]
            axes.plot([steps], [steps], linestyle="none", markersize=9, fillstyle="none", **look)
            axes.plot([front[-1][0], steps], [front[-1][1], steps], ":", color=look["color"], linewidth=0.8)
        axes.set(title=f"{kind}, {ports}-port", xlabel="start-ups", ylabel="TCO", xscale="log")
        _plain_ticks(axes.xaxis)
        axes.set_ylim(bottom=0)
        axes.grid()
    panels[0, 0].legend()
    figure.suptitle("Fronts with combining; hollow: without")
    return figure


def _plain_ticks(axis: Axis) -> None:
    """Write numbers of a logarithmic axis as numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    low, high = axis.get_view_interval()
    steps = (1, 2, 3, 5) if high / low > 30 else (1, 2, 3, 4, 5, 6, 8)
    ticks = [n * power for power in (1, 10, 100, 1000) for n in steps if low <= n * power <= high]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(ScalarFormatter())


def _fat(rows: Sequence[Row]) -> Figure:
    """Draw the steps of AAB and AAS for each size, all-port: fat networks both ways, and the slim one."""
    figure = new_figure(9, 5)
    shown = [row for row in rows if row["ports"] == "all"]
    order = sorted({(row["processors"], row["inside"] == "slim", row["network"]) for row in shown}, reverse=True)
    lines = {name: index for index, (_, _, name) in enumerate(order)}
    looks = {"messages": ("o", COLOURS[0]), "memory": ("D", COLOURS[1]), "slim": ("s", COLOURS[2])}
    panels = figure.subplots(1, 2, sharey=True)
    for axes, kind in zip(panels, ("AAB", "AAS"), strict=True):
        for inside, (marker, colour) in looks.items():
            found = [row for row in shown if row["inside"] == inside and row["collective"] == kind]
            label = "slim network" if inside == "slim" else f"fat, {inside} inside"
            axes.plot(
                [row["steps"] for row in found],
                [lines[row["network"]] for row in found],
                marker,
                color=colour,
                label=label,
                markersize=9 if inside == "messages" else 6,
                fillstyle="none" if inside == "messages" else "full",
            )
        for size in sorted({row["processors"] for row in shown})[1:]:
            axes.axhline(max(lines[name] for number, _, name in order if number == size) + 0.5, color=FAINT, zorder=0)
        axes.set(title=f"{kind}, all-port", xlabel="steps", xscale="log")
        _plain_ticks(axes.xaxis)
        axes.grid(axis="x")
    names = [f"{name}  ({size})" for size, _, name in order]
    panels[0].set_yticks(range(len(order)), names)
    panels[0].legend()
    return figure


def _rings(rows: Sequence[Row]) -> Figure:
    """Draw the steps of AAS and AAB against the sum of capacities: rings of each capacity, and the mesh."""
    figure = new_figure(9, 4.2)
    for axes, size in zip(figure.subplots(1, 2), sorted({row["processors"] for row in rows}), strict=True):
        for index, (kind, ports) in enumerate((("AAB", 1), ("AAB", "all"), ("AAS", 1), ("AAS", "all"))):
            found = [row for row in rows if (row["processors"], row["collective"], row["ports"]) == (size, kind, ports)]
            rings = sorted((row for row in found if row["capacity"]), key=lambda row: row["capacity"])
            look = {"color": COLOURS[index], "linestyle": "-" if ports == 1 else "--"}
            costs = [row["cost"] for row in rings]
            marks: dict[str, Any] = {
                "marker": "o",
                "fillstyle": "full" if ports == 1 else "none",
                "markersize": 6 if ports == 1 else 10,
            }
            axes.plot(costs, [row["steps"] for row in rings], label=f"{kind}, {ports}-port", **marks, **look)
            mesh = next((row for row in found if row["capacity"] is None), None)
            if mesh is not None:
                axes.plot([mesh["cost"]], [mesh["steps"]], "*", markersize=12, color=COLOURS[index], zorder=5 - index)
            if (kind, ports) == ("AAS", 1):
                for row in rings:
                    where = (row["cost"], row["steps"])
                    axes.annotate(f"x{row['capacity']}", where, (4, 5), textcoords="offset points", color=MUTED)
        axes.set(title=f"{size} processors; star: mesh", xlabel="sum of capacities", ylabel="steps", yscale="log")
        _plain_ticks(axes.yaxis)
        axes.margins(x=0.1)
        axes.grid()
        axes.legend()
    return figure


def _longer(rows: Sequence[Row]) -> Figure:
    """Draw, where longer paths gain, the steps with shortest paths and with any."""
    from matplotlib.ticker import MaxNLocator

    found = sorted((row for row in rows if gain(row)), key=lambda row: -gain(row) / row["minimal"]["steps"])
    figure = new_figure(8, 1.6 + 0.26 * max(1, len(found)))
    axes = figure.add_subplot()
    for line, row in enumerate(found):
        before, now = row["minimal"]["bound"], row["any"]["steps"]
        axes.plot([now, before], [line, line], color=FAINT, linewidth=3, zorder=1)
        axes.annotate(f"-{(before - now) / before:.0%}", (before, line), (6, -3), textcoords="offset points")
    axes.plot([r["minimal"]["bound"] for r in found], range(len(found)), "o", color=COLOURS[1], label="shortest paths")
    axes.plot([r["any"]["steps"] for r in found], range(len(found)), "D", color=COLOURS[0], label="any paths")
    names = [f"{r['network']} {r['ports']}-port {r['collective']}" for r in found]
    axes.set_yticks(range(len(found)), names)
    axes.invert_yaxis()
    axes.set(xlabel="steps", title=f"Longer paths gain in {len(found)} of {len(rows)} problems")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.margins(x=0.12, y=0.3)
    axes.set_xlim(left=0)
    axes.grid(axis="x")
    axes.legend()
    return figure


def _larger(rows: Sequence[Row]) -> Figure:
    """Draw the steps of each collective against processors; a bar reaches down to a bound that is not met."""
    figure = new_figure(9, 4.6)
    axes = figure.add_subplot()
    networks = list(dict.fromkeys(row["network"] for row in rows))
    for index, kind in enumerate(("AAS", "AAB", "OAS", "OAB")):
        found = [row for row in rows if row["collective"] == kind]
        lines = [networks.index(row["network"]) for row in found]
        look: dict[str, Any] = {"color": COLOURS[index], "fillstyle": "none" if kind == "AAB" else "full"}
        size = 10 if kind == "AAB" else 6
        axes.plot(lines, [row["steps"] for row in found], MARKERS[index], label=kind, markersize=size, **look)
        for line, row in zip(lines, found, strict=True):
            if row["bound"] < row["steps"]:
                axes.plot([line, line], [row["bound"], row["steps"]], "-_", color=COLOURS[index], markersize=12)
            if kind == "AAS":
                axes.annotate(str(row["steps"]), (line, row["steps"]), (5, 4), textcoords="offset points", color=INK)
    sizes = {row["network"]: row["processors"] for row in rows}
    axes.set_xticks(range(len(networks)), [f"{n}\n({sizes[n]})" for n in networks], rotation=30)
    axes.set(ylabel="steps", yscale="log", title="All-port, minimal routing; in brackets the processors")
    _plain_ticks(axes.yaxis)
    axes.margins(y=0.12)
    axes.grid(axis="y")
    axes.legend(ncols=4)
    return figure


def _limits(rows: Sequence[Row]) -> Figure:
    """Draw the processors of the largest network that is solved against evaluations, a panel a family and kind."""
    figure = new_figure(9, 5.5)
    panels = figure.subplots(2, 3, sharex=True)
    methods = list(dict.fromkeys(row["method"] for row in rows if row["method"] != "auto"))
    for line, kind in enumerate(("AAB", "AAS")):
        for axes, family in zip(panels[line], MEMBERS, strict=True):
            for row in rows:
                if (row["collective"], row["family"]) != (kind, family):
                    continue
                largest_of = {budget: largest(row, "bound", budget) for budget in BUDGETS}
                sizes = {budget: int(text.strip("+-") or 0) for budget, text in largest_of.items()}
                if row["method"] == "auto":
                    axes.axhline(max(sizes.values()), color=INK, linestyle=":", label="auto, 10 s")
                    continue
                most = row["members"][-1]["processors"]
                known = [budget for budget, text in largest_of.items() if "+" not in text or sizes[budget] == most]
                index = methods.index(row["method"])
                look: dict[str, Any] = {"color": COLOURS[index], "marker": MARKERS[index], "fillstyle": "none"}
                size = 6 + 2 * index
                axes.plot(known, [sizes[budget] for budget in known], label=row["method"], markersize=size, **look)
            axes.set(title=f"{kind}, {family}", xscale="log", xlim=(min(BUDGETS) / 2, max(BUDGETS) * 2))
            axes.set_ylim(bottom=0)
            axes.grid()
    for axes in panels[1]:
        axes.set_xlabel("evaluations")
    for axes in panels[:, 0]:
        axes.set_ylabel("processors")
        axes.legend()
    figure.suptitle(
        "The largest networks on which at least half of the searches reach the bound, where that is decided"
    )
    return figure


FIGURES: dict[int, Callable[[Sequence[Row]], Figure]] = {
    1: _fronts,
    2: _fat,
    3: _rings,
    4: _limits,
    5: _longer,
    6: _larger,
}
"""By the number of the question."""
