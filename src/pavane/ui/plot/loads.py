"""Pictures of how a schedule uses channels and routers, and of what each step carries; and of how a search went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pavane.judge.result import Result
from pavane.model.arrays import Reals
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.slots import channel_uses
from pavane.ui.plot.figures import (
    COLOURS,
    FAINT,
    MUTED,
    PAPER,
    axes_or_new,
    styled,
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
