"""Gantt charts of channels: which origin's messages each of them carries, in steps, in slots or over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pavane.judge.refusal import Refusal
from pavane.judge.result import Result
from pavane.judge.timed_case import TimedCase
from pavane.model.links import PICOSECONDS
from pavane.model.problem import Problem
from pavane.model.slots import channel_uses
from pavane.text import counted
from pavane.timing import picoseconds_text
from pavane.ui.plot.figures import COLOURS, INK, PAPER, WRONG, axes_or_new, styled, time_unit
from pavane.ui.plot.loads import MOST_LABELS, channel_names, drawable, mark_cells
from pavane.ui.plot.networks import MOST_ORIGINS_SHOWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "////", "\\\\\\\\", "....", "xxxx", "----")
"""How bars differ whose colours repeat."""


@styled
def plot_gantt(result: Result, ax: Axes | None = None) -> Axes:
    """Draw a Gantt chart: a row for each channel, a bar for each use of it, coloured by the origin of what it carries.

    Bars of transfers that share a channel stand one above the other.
    """
    problem, schedule = drawable(result)
    network, uses = problem.network, channel_uses(problem, schedule)
    origins = problem.ends[schedule.messages[schedule.message_offsets[:-1]], 0]
    looks = _looks(list(dict.fromkeys(problem.ends[:, 0].tolist())))
    # Among the uses of a channel in a step, the number of each is its distance from the first.
    order = np.lexsort((uses.steps, uses.channels))
    cells = uses.channels[order].astype(np.int64) * schedule.num_steps + uses.steps[order]
    _, first, inverse, counts = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
    height = 0.84 / counts[inverse]
    left = uses.steps[order] - 0.46
    top = uses.channels[order] - 0.42 + height * (np.arange(len(order)) - first[inverse])
    owners = origins[uses.transfers[order]].tolist()
    ax = axes_or_new(ax, 3 + min(12, 0.25 * schedule.num_steps), min(16, 2 + 0.16 * min(network.num_channels, 90)))
    _draw_bars(ax, (left, top, left + 0.92, top + height), owners, looks)
    ax.set_xlim(-0.5, schedule.num_steps - 0.5)
    ax.set_ylim(network.num_channels - 0.5, -0.5)
    mark_cells(ax, network.num_channels, schedule.num_steps, channel_names(network), problem)
    ax.set_ylabel("" if network.num_channels <= MOST_LABELS else "channel")
    _name_origins(ax, problem, looks)
    steps = counted(schedule.num_steps, problem.rules.step_word)
    ax.set_title(f"{problem.collective.title} on {network.name}\nchannels in {steps}")
    return ax


@styled
def plot_time_line(result: Result | Refusal, ax: Axes | None = None) -> Axes:
    """Draw a Gantt chart of start times: a row for each channel, a bar for as long as a transfer holds it.

    Bars are coloured by the origin of what is carried, and those of transfers that break rules are framed in red. A
    dashed line is the bound.
    """
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be drawn")
    network, case, finish = problem.network, TimedCase(problem, schedule, 1), result.finish or 0
    scale, unit = time_unit(finish / PICOSECONDS)
    scale *= PICOSECONDS
    looks = _looks(list(dict.fromkeys(problem.ends[:, 0].tolist())))
    transfers = np.repeat(np.arange(len(schedule)), schedule.path_lengths)
    left = schedule.starts[transfers] / scale
    right = (schedule.starts + case.holds)[transfers] / scale
    top, bottom = schedule.path_channels - 0.42, schedule.path_channels + 0.42
    owners = problem.ends[schedule.messages[transfers], 0].tolist()
    ax = axes_or_new(ax, 9, min(16, 2 + 0.16 * min(network.num_channels, 90)))
    _draw_bars(ax, (left, top, right, bottom), owners, looks)
    if isinstance(result, Refusal):
        _frame_bars(ax, (left, top, right, bottom), np.isin(transfers, sorted(result.wrong)))
    ax.set_xlim(0, max(finish, 1) / scale)
    ax.set_ylim(network.num_channels - 0.5, -0.5)
    ax.set_xlabel(f"time [{unit}]")
    if network.num_channels <= MOST_LABELS:
        ax.set_yticks(range(network.num_channels), channel_names(network))
    else:
        ax.set_ylabel("channel")
    _name_origins(ax, problem, looks)
    title = f"{problem.collective.title} on {network.name}: ends after {picoseconds_text(finish)}"
    if isinstance(result, Refusal):
        title += f", {result.status_text}\n{result.violations[0].text}"
    elif result.bound is not None:
        ax.axvline(result.bound.figure / scale, color=INK, linewidth=1, linestyle="--", clip_on=False)
        title += f", bound {picoseconds_text(result.bound.figure)} (dashed)"
    ax.set_title(title)
    return ax


def _draw_bars(
    ax: Axes, sides: Sequence[npt.NDArray[np.floating]], owners: list[int], looks: Mapping[int, tuple[str, str]]
) -> None:
    """Draw bars by their left, top, right and bottom, as the origin of each looks."""
    from matplotlib.collections import PolyCollection

    left, top, right, bottom = sides
    corners = np.stack([np.stack(at, axis=1) for at in ((left, top), (right, top), (right, bottom), (left, bottom))], 1)
    for hatch in dict.fromkeys(hatch for _, hatch in looks.values()):
        of_hatch = [number for number, owner in enumerate(owners) if looks[owner][1] == hatch]
        colours = [looks[owners[number]][0] for number in of_hatch]
        ax.add_collection(
            PolyCollection(list(corners[of_hatch]), facecolors=colours, edgecolors=PAPER, linewidths=0.3, hatch=hatch)
        )


def _frame_bars(ax: Axes, sides: Sequence[npt.NDArray[np.floating]], chosen: npt.NDArray[np.bool_]) -> None:
    """Draw red frames around some bars, above all others."""
    from matplotlib.patches import Rectangle

    for left, top, right, bottom in zip(*(side[chosen].tolist() for side in sides), strict=True):
        frame = Rectangle((left, top), right - left, bottom - top, fill=False, edgecolor=WRONG, linewidth=1.6, zorder=3)
        ax.add_patch(frame)


def _name_origins(ax: Axes, problem: Problem, looks: Mapping[int, tuple[str, str]]) -> None:
    """Add a legend of the origins, where they are few."""
    from matplotlib.patches import Patch

    if len(looks) > MOST_ORIGINS_SHOWN:
        return
    handles = [
        Patch(facecolor=colour, hatch=hatch, edgecolor=PAPER, label=str(owner))
        for owner, (colour, hatch) in looks.items()
    ]
    title = "for" if problem.pattern == "reduction" else "from"
    look: dict[str, Any] = {"ncols": math.ceil(len(looks) / 16)}
    ax.legend(handles=handles, title=title, **look, loc="upper left", bbox_to_anchor=(1, 1))


def _looks(origins: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the colour and the hatching of the bars of each origin; where a colour repeats, the hatching differs."""
    return {
        origin: (COLOURS[number % len(COLOURS)], HATCHES[number // len(COLOURS) % len(HATCHES)])
        for number, origin in enumerate(origins)
    }
