"""Pictures of how a schedule uses channels and routers, and of what each step carries; and of how a search went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pavane.judge.result import Result, Run
from pavane.model.arrays import Reals
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.slots import channel_uses, ejection_steps
from pavane.search.pareto_fronts import ParetoFront
from pavane.text import counted
from pavane.ui.plot.figures import (
    COLOURS,
    FAINT,
    MUTED,
    PAPER,
    axes_or_new,
    in_message_times,
    plain_log_ticks,
    styled,
    whole_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 64
"""Rows that are named beside them; of more the names would lie on each other."""


@styled
def plot_load(result: Result, ax: Axes | None = None) -> Axes:
    """Draw a heat map of channels by steps: messages carried by each unit of capacity, idle channels left white.

    Under tdm it shows the slots in which each channel is used.
    """
    problem, schedule = drawable(result)
    network = problem.network
    load = np.zeros((network.num_channels, schedule.num_steps))
    uses = channel_uses(problem, schedule)
    np.add.at(load, (uses.channels, uses.steps), schedule.payloads[uses.transfers])
    load /= network.capacity[:, None]
    label = "messages"
    if network.capacities is not None:
        label = "messages / capacity" if problem.rules.combining else "load / capacity"
    ax = _heat_map(load, channel_names(network), label, problem, ax, is_scaled=network.capacities is not None)
    ax.set_ylabel("" if network.num_channels <= MOST_LABELS else "channel")
    there = int(network.capacity.sum(dtype=np.int64)) * schedule.num_steps
    idle = there - len(uses.steps)
    share = 100 * idle / max(there, 1)
    ax.set_title(f"{problem.collective.title} on {network.name}\n{idle:,} of {there:,} idle ({share:.1f} %)")
    return ax


@styled
def plot_routers(result: Result, ax: Axes | None = None) -> Axes:
    """Draw a heat map of routers by steps: how many output ports of each are busy, those to its processors with them.

    Under tdm it shows how full the table of each router is, slot by slot.
    """
    problem, schedule = drawable(result)
    network = problem.network
    busy = np.zeros((network.num_routers, schedule.num_steps))
    uses, ejections = channel_uses(problem, schedule), ejection_steps(problem, schedule)
    np.add.at(busy, (network.tails[uses.channels], uses.steps), 1)
    to_processor = schedule.receivers >= 0
    homes = network.router_of[schedule.receivers[to_processor]]
    np.add.at(busy, (homes[:, None], ejections[to_processor]), 1)
    ax = _heat_map(busy, network.routers, "busy output ports", problem, ax, is_scaled=True)
    ax.set_ylabel("router")
    there = (int(network.capacity.sum(dtype=np.int64)) + int(problem.ejection.sum())) * schedule.num_steps
    share = 100 * busy.sum() / max(there, 1)
    ports = f"{int(busy.sum()):,} of {there:,} output ports busy"
    ax.set_title(f"{problem.collective.title} on {network.name}\n{ports} ({share:.1f} %)")
    return ax


def channel_names(network: Network) -> list[str]:
    """Return how an axis names each channel: by its routers, and its capacity where it has one."""
    return [
        f"{network.routers[tail]}>{network.routers[head]}{f' x{capacity}' if capacity > 1 else ''}"
        for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True)
    ]


def drawable(result: Result) -> tuple[Problem, Schedule]:
    """Return problem and schedule of a result; refuse one without a schedule."""
    if result.schedule is None:
        raise ValueError("only a result with a schedule can be drawn")
    return result.problem, result.schedule


def _heat_map(
    values: Reals, names: Sequence[str], label: str, problem: Problem, ax: Axes | None, *, is_scaled: bool
) -> Axes:
    """Draw a value for each row and step as a shade; with a scale, or where all are 0 and 1 with a legend."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    num_rows, num_steps = values.shape
    ax = axes_or_new(ax, 3 + min(12, 0.25 * num_steps), min(16, 2 + 0.16 * min(num_rows, 90)))
    most = max(1, math.ceil(values.max(initial=0)))
    shades = LinearSegmentedColormap.from_list("pavane", ["#ffffff", "#56b4e9", COLOURS[0], "#00263d"])
    rows, columns = (max(1, size) for size in values.shape)  # a network without channels has none
    drawn = ax.imshow(
        values,
        aspect="auto",
        cmap=shades,
        vmin=0,
        vmax=most if is_scaled else max(most, 2),
        interpolation="nearest",
        extent=(-0.5, columns - 0.5, rows - 0.5, -0.5),
    )
    if is_scaled or most > 1:
        whole: dict[str, Any] = {"ticks": MaxNLocator(integer=True)} if "/" not in label else {}
        ax.figure.colorbar(drawn, ax=ax, label=label, **whole)
    else:
        looks: dict[str, Any] = {"busy": shades(0.5), "idle": PAPER}
        handles = [Patch(facecolor=look, edgecolor=MUTED, label=name) for name, look in looks.items()]
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
    mark_cells(ax, num_rows, num_steps, names, problem)
    return ax


def mark_cells(ax: Axes, num_rows: int, num_steps: int, names: Sequence[str], problem: Problem) -> None:
    """Write the numbers of steps below, and where there are few rows their names, with a grid between the cells."""
    ax.set_xlabel(problem.rules.step_word)
    marks = np.unique(np.linspace(0, num_steps - 1, min(num_steps, 20)).astype(int))
    ax.set_xticks(marks, [str(mark + 1) for mark in marks])
    if num_rows <= MOST_LABELS:
        ax.set_yticks(range(num_rows), names)
        ax.set_xticks(np.arange(num_steps + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(num_rows + 1) - 0.5, minor=True)
        ax.grid(which="minor", color=FAINT, linewidth=0.4)
        ax.tick_params(which="minor", length=0)


@styled
def plot_steps(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the number of transfers and of busy channels of each step, and the number of channels there are.

    A channel counts as often as it carries something, and up to its capacity.
    """
    problem, schedule = drawable(result)
    ax = axes_or_new(ax)
    steps = np.arange(1, schedule.num_steps + 1)
    transfers = np.bincount(schedule.steps, minlength=schedule.num_steps)
    busy = np.bincount(channel_uses(problem, schedule).steps, minlength=schedule.num_steps)
    ax.bar(
        steps - 0.2,
        transfers,
        0.4,
        color=COLOURS[0],
        label="injected packets" if problem.rules.has_slots else "transfers",
    )
    is_wide = problem.network.capacities is not None
    ax.bar(steps + 0.2, busy, 0.4, color=COLOURS[1], label="loads of channels" if is_wide else "busy channels")
    there = int(problem.network.capacity.sum(dtype=np.int64))
    ax.axhline(there, color=MUTED, linewidth=1, linestyle="--", label="capacities" if is_wide else "channels")
    ax.set_xlabel(problem.rules.step_word)
    ax.set_ylabel(f"in each {problem.rules.step_word}")
    whole_ticks(ax.xaxis)
    whole_ticks(ax.yaxis)
    ax.set_xlim(0.4, schedule.num_steps + 0.6)
    # Room for the legend above the highest line, so that it covers nothing.
    ax.set_ylim(0, 1.22 * max(there, float(transfers.max(initial=0)), float(busy.max(initial=0)), 1))
    ax.legend(loc="upper center", ncols=3)
    steps_text = counted(schedule.num_steps, problem.rules.step_word)
    ax.set_title(
        f"{problem.collective.title} on {problem.network.name}, {steps_text}{in_message_times(result)}",
    )
    return ax


@styled
def plot_front_trace(front: ParetoFront) -> Axes:
    """Draw the TCO of each point of a front against the evaluations of the search: how it came down."""
    ax = axes_or_new(None)
    end = max((mark.evaluations for mark in front.trace), default=1)
    tallest = 1
    for number, point in enumerate(front.points):
        marks = [mark for mark in front.trace if mark.start_ups == point.start_ups]
        counts, left = [max(1, mark.evaluations) for mark in marks], [mark.tco for mark in marks]
        look: dict[str, Any] = {"linewidth": 1.4, "color": COLOURS[number % len(COLOURS)]}
        name = counted(point.start_ups, "start-up")
        ax.step([*counts, max(1, end)], [*left, point.tco], where="post", label=name, **look)
        tallest = max(tallest, point.tco, *left)
    _finish_trace(ax, tallest, "TCO of the best")
    if front.points:
        ax.legend()
    return ax


@styled
def plot_trace(run: Run, ax: Axes | None = None, label: str | None = None) -> Axes:
    """Draw the conflicts of the best schedule so far against the evaluations of one run."""
    ax = axes_or_new(ax)
    points = [*run.trace, (run.evaluations, run.trace[-1][1])] if run.trace else []
    counts, left = [max(1, count) for count, _ in points], [conflicts for _, conflicts in points]
    number = len(ax.lines)
    tallest = max(left, default=1) if number == 0 else max(ax.get_ylim()[1] / 1.05, *left)
    ax.step(counts, left, where="post", label=label, linewidth=1.4, color=COLOURS[number % len(COLOURS)])
    _finish_trace(ax, max(1, tallest), "conflicts of the best")
    if label is not None:
        ax.legend()
    return ax


def _finish_trace(ax: Axes, tallest: float, what: str) -> None:
    """Set the scales and the titles of the axes of a search."""
    ax.set_xscale("log")
    plain_log_ticks(ax.xaxis)
    ax.set_ylim(0, 1.05 * tallest)
    whole_ticks(ax.yaxis)
    ax.set_xlabel("evaluations")
    ax.set_ylabel(what)
