"""A Gantt chart of channels: which origin's messages each of them carries, step by step or slot by slot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pavane.judge.result import Result
from pavane.model.slots import channel_uses
from pavane.text import counted
from pavane.ui.plot.figures import COLOURS, PAPER, axes_or_new
from pavane.ui.plot.loads import MOST_LABELS, channel_names, drawable, mark_cells
from pavane.ui.plot.networks import MOST_ORIGINS_SHOWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "////", "\\\\\\\\", "....", "xxxx", "----")
"""How bars differ whose colours repeat."""


def plot_gantt(result: Result, ax: Axes | None = None) -> Axes:
    """Draw a Gantt chart: a row for each channel, a bar for each use of it, coloured by the origin of what it carries.

    Bars of transfers that share a channel stand one above the other.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    problem, schedule = drawable(result)
    network, uses = problem.network, channel_uses(problem, schedule)
    origins = problem.ends[schedule.messages[schedule.message_offsets[:-1]], 0]
    shown = list(dict.fromkeys(problem.ends[:, 0].tolist()))
    looks = _looks(shown)
    # Among the uses of a channel in a step, the number of each is its distance from the first.
    order = np.lexsort((uses.steps, uses.channels))
    cells = uses.channels[order].astype(np.int64) * schedule.num_steps + uses.steps[order]
    _, first, inverse, counts = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)
    height = 0.84 / counts[inverse]
    left, top = (
        uses.steps[order] - 0.46,
        uses.channels[order] - 0.42 + height * (np.arange(len(order)) - first[inverse]),
    )
    right, bottom = left + 0.92, top + height
    corners = np.stack([np.stack(at, axis=1) for at in ((left, top), (right, top), (right, bottom), (left, bottom))], 1)
    owners = origins[uses.transfers[order]].tolist()
    ax = axes_or_new(ax, 3 + min(12, 0.25 * schedule.num_steps), min(16, 2 + 0.16 * min(network.num_channels, 90)))
    for hatch in dict.fromkeys(looks[owner][1] for owner in shown):
        of_hatch = [number for number, owner in enumerate(owners) if looks[owner][1] == hatch]
        colours = [looks[owners[number]][0] for number in of_hatch]
        bars = PolyCollection(
            list(corners[of_hatch]), facecolors=colours, edgecolors=PAPER, linewidths=0.3, hatch=hatch
        )
        ax.add_collection(bars)
    ax.set_xlim(-0.5, schedule.num_steps - 0.5)
    ax.set_ylim(network.num_channels - 0.5, -0.5)
    mark_cells(ax, network.num_channels, schedule.num_steps, channel_names(network), problem)
    ax.set_ylabel("" if network.num_channels <= MOST_LABELS else "channel")
    if len(shown) <= MOST_ORIGINS_SHOWN:
        handles = [
            Patch(facecolor=looks[owner][0], hatch=looks[owner][1], edgecolor=PAPER, label=str(owner))
            for owner in shown
        ]
        title = "for" if problem.pattern == "reduction" else "from"
        look: dict[str, Any] = {"fontsize": 7, "frameon": False, "ncols": math.ceil(len(shown) / 16)}
        ax.legend(handles=handles, title=title, **look, loc="upper left", bbox_to_anchor=(1, 1))
    steps = counted(schedule.num_steps, problem.rules.step_word)
    ax.set_title(f"{problem.collective.kind} on {network.name}: channels in {steps}", fontsize=10)
    return ax


def _looks(origins: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the colour and the hatching of the bars of each origin; where a colour repeats, the hatching differs."""
    return {
        origin: (COLOURS[number % len(COLOURS)], HATCHES[number // len(COLOURS) % len(HATCHES)])
        for number, origin in enumerate(origins)
    }
