"""Pictures of a network, and of a schedule as one small picture per step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.schedule import Schedule
from pavane.networks.positions import positions_of
from pavane.plot.figures import COLOURS, FAINT, INK, PAPER, axes_or_new, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STEPS_DRAWN = 24
"""More steps than these are not drawn one by one; the heat map of loads shows them all."""

MOST_PATHS_DRAWN = 300
"""A step with more transfers shows its busy channels, without telling whose they are."""

MOST_NAMES = 64
"""Names of routers are written up to this many; above that they would hide the network."""


def plot_network(network: Network, ax: Axes | None = None) -> Axes:
    """Draw the routers (circles; pure switches are squares), their processors and the channels between them."""
    ax = axes_or_new(ax, 6.0, 6.0)
    _draw_network(ax, network, positions_of(network), names=network.num_routers <= MOST_NAMES)
    ax.set_title(f"{network.name}: {network.num_routers} routers, {network.num_channels} channels", fontsize=10)
    return ax


def plot_schedule(result: Result, steps: range | None = None) -> Figure:
    """Draw each step, or those of `steps`, as a small picture, transfers coloured by the origin of what they carry.

    At most `MOST_STEPS_DRAWN` steps are drawn; the title says which are not.
    """
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be drawn")
    asked = range(schedule.num_steps) if steps is None else steps
    shown = asked[:MOST_STEPS_DRAWN]
    columns = math.ceil(math.sqrt(len(shown) * 1.4)) or 1
    rows = math.ceil(len(shown) / columns) or 1
    each = 6.0 if len(asked) == 1 < schedule.num_steps else 2.9
    figure = new_figure(each * columns, (each + 0.2) * rows + 0.5)
    at = positions_of(problem.network)
    names = problem.network.num_routers <= MOST_NAMES
    owners = {owner: index for index, owner in enumerate(dict.fromkeys(problem.ends[:, 0].tolist()))}
    for index, step in enumerate(shown, 1):
        ax = figure.add_subplot(rows, columns, index)
        _draw_network(ax, problem.network, at, names=names)
        numbers = schedule.of_step(step)
        if len(numbers) > MOST_PATHS_DRAWN:
            _draw_busy(ax, problem.network, at, schedule, numbers)
            ax.set_title(f"step {step + 1}: {len(numbers)} transfers", fontsize=9)
            continue
        for number in numbers:
            transfer = schedule.transfer(number)
            owner = owners[int(problem.ends[transfer.messages[0]][0])]
            _draw_path(ax, problem.network, at, transfer.path, COLOURS[owner % len(COLOURS)], len(transfer.messages))
        ax.set_title(f"step {step + 1}: {len(numbers)} transfers", fontsize=9)
    left = asked[len(shown) :]
    more = f"; steps {left[0] + 1} to {left[-1] + 1} are not drawn" if left else ""
    figure.suptitle(
        f"{problem.collective.kind} on {problem.network.name}: {schedule.num_steps} steps, {result.status_text}{more}",
        fontsize=11,
    )
    return figure


def _radius(at: np.ndarray[Any, Any]) -> float:
    """Return a radius at which neighbouring routers do not touch."""
    if len(at) < 2:
        return 0.06
    from scipy.spatial import cKDTree

    nearest = float(np.asarray(cKDTree(at).query(at, k=2)[0])[:, 1].min())
    return float(min(0.045, max(0.004, 0.3 * nearest)))


def _draw_network(ax: Axes, network: Network, at: np.ndarray[Any, Any], *, names: bool) -> None:
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Circle, Rectangle

    radius = _radius(at)
    links = np.unique(np.sort(network.channels, axis=1), axis=0)
    ax.add_collection(LineCollection(list(at[links]), colors=FAINT, linewidths=0.8, zorder=1))
    owned = [len(processors) for processors in network.processors_on]
    shapes: list[Any] = [
        Circle((x, y), radius) if count else Rectangle((x - radius, y - radius), 2 * radius, 2 * radius)
        for (x, y), count in zip(at.tolist(), owned, strict=True)
    ]
    ax.add_collection(PatchCollection(shapes, facecolor=PAPER, edgecolor=INK, linewidth=0.7, zorder=3))
    dots = [
        (x + 1.35 * radius * math.sin(turn), y + 1.35 * radius * math.cos(turn))
        for (x, y), count in zip(at.tolist(), owned, strict=True)
        if count > 1
        for turn in (2 * math.pi * (index + 0.5) / count for index in range(count))
    ]
    if dots:
        small: list[Any] = [Circle(dot, 0.25 * radius) for dot in dots]
        ax.add_collection(PatchCollection(small, facecolor=INK, edgecolor="none", zorder=3))
    if names:
        box = ax.get_position()
        width = ax.figure.get_size_inches()[0] * box.width if hasattr(ax.figure, "get_size_inches") else 5.0
        for (x, y), name in zip(at.tolist(), network.routers, strict=True):
            size = min(9.0, 72 * width * radius * 2 / max(2, 1.1 * len(name)))
            if size >= 2.5:
                ax.text(x, y, name, ha="center", va="center_baseline", fontsize=size, color=INK, zorder=4)
    ax.set_xlim(-0.08, 1.08)
    ax.set_ylim(-0.08, 1.08)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _draw_busy(ax: Axes, network: Network, at: np.ndarray[Any, Any], schedule: Schedule, numbers: range) -> None:
    """Draw the channels that carry anything in a step, each a little to the right of its link."""
    from matplotlib.collections import LineCollection

    first, last = schedule.path_offsets[numbers.start], schedule.path_offsets[numbers.stop]
    busy = np.unique(schedule.path_channels[first:last])
    ends = np.stack((at[network.tails[busy]], at[network.heads[busy]]), axis=1)
    along = ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    aside = np.column_stack((along[:, 1], -along[:, 0])) / length * _radius(at) * 0.35
    ax.add_collection(LineCollection(list(ends + aside[:, None]), colors=COLOURS[0], linewidths=0.6, zorder=2))


def _draw_path(
    ax: Axes, network: Network, at: np.ndarray[Any, Any], path: tuple[int, ...], colour: str, carried: int
) -> None:
    """Draw a path a little to the right of its links, as on a road, with an arrow at its end."""
    radius = _radius(at)
    for index, channel in enumerate(path):
        start, end = at[network.tails[channel]], at[network.heads[channel]]
        along = (end - start) / (float(np.hypot(*(end - start))) or 1.0)
        aside = np.array([along[1], -along[0]]) * radius * 0.35
        last = index == len(path) - 1
        ax.annotate(
            "",
            xy=tuple(end + aside - along * radius * (1.0 if last else 0.6)),
            xytext=tuple(start + aside + along * radius * (1.0 if index == 0 else 0.6)),
            arrowprops={
                "arrowstyle": "-|>" if last else "-",
                "color": colour,
                "lw": 1.1 if carried == 1 else 1.8,
                "shrinkA": 0,
                "shrinkB": 0,
                "mutation_scale": 7,
            },
            zorder=2,
        )
