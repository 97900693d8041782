"""Pictures of a network, and of a schedule as one small picture per step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pavane.judge.result import Result
from pavane.model.arrays import Ints, Reals
from pavane.model.network import Network
from pavane.model.schedule import Transfer
from pavane.model.slots import channel_uses
from pavane.networks.positions import positions_of
from pavane.text import counted
from pavane.ui.plot.figures import COLOURS, INK, LINK, PAPER, STYLES, axes_or_new, in_message_times, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

MOST_STEPS_DRAWN = 24
"""More steps than these are not drawn one by one; the heat map of loads shows them all."""

MOST_PATHS_DRAWN = 300
"""A step with more transfers shows its busy channels, without telling whose they are."""

MOST_NAMES = 64
"""Names of routers are written up to this many; above that they would hide the network."""

MOST_CAPACITIES_SHOWN = 5
"""A legend shows this many widths at most."""

THIN, WIDE = 0.8, 4.0
"""The widths of lines for a capacity of one and for the largest, where in proportion they would be wider."""

ASIDE = 0.35
"""How far beside a link, in radii of routers, what goes one way is drawn."""

PARALLEL = 0.5
"""How far apart parallel links are drawn, in radii of routers."""

MOST_ORIGINS_SHOWN = 32
"""Origins that a legend names; of more it would be as large as the picture."""

LEGEND: dict[str, Any] = {"title": "capacity", "title_fontsize": 8, "fontsize": 8, "frameon": False, "ncols": 5}


def plot_network(network: Network, ax: Axes | None = None) -> Axes:
    """Draw the routers (circles; pure switches are squares), their processors and the channels between them.

    A line is as wide as its channel's capacity; a legend says which width is which.
    """
    ax = axes_or_new(ax, 6.0, 6.0)
    _draw_network(ax, network, positions_of(network), names=network.num_routers <= MOST_NAMES)
    ax.set_title(f"{network.name}: {network.num_routers} routers, {network.num_channels} channels", fontsize=10)
    if network.capacities is not None:
        ax.legend(handles=capacity_lines(network), **LEGEND, loc="upper center", bbox_to_anchor=(0.5, 0.02))
    return ax


def plot_schedule(result: Result, steps: range | None = None) -> Figure:
    """Draw each step, or those of `steps`, as a small picture, transfers coloured by the origin of what they carry.

    Under tdm a picture shows the channels that packets are on in a slot.

    Transfers that share a channel stand side by side. At most `MOST_STEPS_DRAWN` steps are drawn; the title says which
    are not.
    """
    problem, schedule = result.problem, result.schedule
    if schedule is None:
        raise ValueError("only a result with a schedule can be drawn")
    requested = range(schedule.num_steps) if steps is None else steps
    shown = requested[:MOST_STEPS_DRAWN]
    columns = math.ceil(math.sqrt(len(shown) * 1.4)) or 1
    rows = math.ceil(len(shown) / columns) or 1
    each = 6.0 if len(requested) == 1 < schedule.num_steps else 2.9
    figure = new_figure(each * columns, (each + 0.2) * rows + 0.5)
    at, uses = positions_of(problem.network), channel_uses(problem, schedule)
    names = problem.network.num_routers <= MOST_NAMES
    owners = [int(owner) for owner in dict.fromkeys(problem.ends[:, 0].tolist())]
    look_of = origin_looks(problem.network, owners)
    hidden = False
    for index, step in enumerate(shown, 1):
        ax = figure.add_subplot(rows, columns, index)
        _draw_network(ax, problem.network, at, names=names)
        now = uses.steps == step
        numbers = uses.transfers[now].tolist() if problem.rules.has_slots else schedule.of_step(step)
        if len(numbers) > MOST_PATHS_DRAWN:
            _draw_busy(ax, problem.network, at, uses.channels[now])
            hidden = True
        else:
            transfers = [schedule.transfer(number) for number in numbers]
            if problem.rules.has_slots:  # of each packet the channel that it is on
                here = uses.channels[now].tolist()
                transfers = [whole._replace(path=(channel,)) for whole, channel in zip(transfers, here, strict=True)]
            looks = [look_of[int(problem.ends[transfer.messages[0]][0])] for transfer in transfers]
            _draw_paths(ax, problem.network, at, transfers, looks)
        what = "channel" if problem.rules.has_slots else "transfer"
        ax.set_title(f"{problem.rules.step_word} {step + 1}: {len(numbers)} {what}s", fontsize=9)
        # All is inside the axes, so the layout need not measure it, which takes as long as drawing it.
        for artist in (*ax.collections, *ax.texts):
            artist.set_in_layout(False)
    left = requested[len(shown) :]
    more = f"; {problem.rules.step_word}s {left[0] + 1} to {left[-1] + 1} are not drawn" if left else ""
    figure.suptitle(
        f"{problem.collective.kind} on {problem.network.name}: {counted(schedule.num_steps, problem.rules.step_word)}"
        f"{in_message_times(result)}, {result.status_text}{more}",
        fontsize=11,
    )
    if len(owners) <= MOST_ORIGINS_SHOWN and not hidden:
        title = "for" if problem.pattern == "reduction" else "part" if problem.pattern == "allreduce" else "from"
        handles = _origin_lines(problem.network, look_of)
        figure.legend(handles=handles, **{**LEGEND, "title": title, "ncols": 8}, loc="outside lower left")
    if problem.network.capacities is not None:
        figure.legend(handles=capacity_lines(problem.network), **LEGEND, loc="outside lower right")
    return figure


def _origin_lines(network: Network, look_of: Mapping[int, tuple[str, str]]) -> list[Line2D]:
    """Return lines for a legend: the look of each origin."""
    from matplotlib.lines import Line2D

    lines = []
    for owner, (colour, style) in look_of.items():
        look: dict[str, Any] = {"color": colour, "linestyle": style}
        lines.append(Line2D([], [], **look, label=_processor_name(network, owner)))
    return lines


def origin_looks(network: Network, origins: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the colour and the style of the lines of each origin.

    Neighbours have different colours as far as there are any; where a colour repeats, the style of the line differs.
    """
    near: list[set[int]] = [{router} for router in range(network.num_routers)]
    for tail, head in network.channels.tolist():
        near[tail].add(head)
        near[head].add(tail)
    used = [0] * len(COLOURS)
    beside: list[Counter[int]] = [Counter() for _ in range(network.num_routers)]
    looks = {}
    for origin in origins:
        router = int(network.router_of[origin])
        colour = min(range(len(COLOURS)), key=lambda number: (beside[router][number], used[number], number))
        for other in near[router]:
            beside[other][colour] += 1
        looks[origin] = COLOURS[colour], STYLES[used[colour] % len(STYLES)]
        used[colour] += 1
    return looks


def _processor_name(network: Network, processor: int) -> str:
    """Return how a legend names a processor: by its router where each router has one."""
    is_slim = all(len(processors) == 1 for processors in network.processors_on)
    return network.routers[network.router_of[processor]] if is_slim else f"p{processor}"


class Lanes:
    """Where the transfers of a step that share a channel are drawn, side by side."""

    def __init__(self, transfers: Sequence[Transfer]) -> None:
        used: Counter[int] = Counter(channel for transfer in transfers for channel in transfer.path)
        self._width = min(1.0, 2.4 / max(used.values(), default=1))
        self._taken: Counter[int] = Counter()

    def taken(self, path: tuple[int, ...]) -> list[float]:
        """Take a lane on each channel of a path; return how far aside they are, the first by one."""
        lanes = [1 + self._width * self._taken[channel] for channel in path]
        self._taken.update(path)
        return lanes


def capacity_lines(network: Network) -> list[Line2D]:
    """Return the lines of a legend: the widths of some capacities of a network, the least and the largest with them."""
    from matplotlib.lines import Line2D

    known = np.unique(list(_carried(network).values()))
    shown = known[np.unique(np.linspace(0, len(known) - 1, MOST_CAPACITIES_SHOWN).astype(int))].tolist()
    widths = _widths(np.array(shown), int(known.max())) if len(known) > 1 else np.array([THIN])
    return [
        Line2D([], [], color=LINK, linewidth=width, label=f"x{capacity}")
        for capacity, width in zip(shown, widths.tolist(), strict=True)
    ]


def _carried(network: Network) -> Counter[tuple[int, int]]:
    """Return what the channels from each router to each other carry in a step, parallel ones together."""
    carried: Counter[tuple[int, int]] = Counter()
    for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        carried[tail, head] += capacity
    return carried


def _widths(loads: npt.NDArray[np.integer], most: int) -> Reals:
    """Return the width of the line for each load or capacity, where `most` is the largest of all."""
    slope = min(THIN, (WIDE - THIN) / max(most - 1, 1))
    return np.asarray(THIN + slope * (loads - 1))


def _radius(at: Reals) -> float:
    """Return a radius at which neighbouring routers do not touch."""
    if len(at) < 2:
        return 0.06
    from scipy.spatial import cKDTree

    nearest = float(np.asarray(cKDTree(at).query(at, k=2)[0])[:, 1].min())
    return float(min(0.045, max(0.004, 0.3 * nearest)))


def _draw_network(ax: Axes, network: Network, at: Reals, *, names: bool) -> None:
    from matplotlib.collections import EllipseCollection, LineCollection, PatchCollection
    from matplotlib.patches import Circle, Rectangle

    radius = _radius(at)
    if network.capacities is None:
        lines = _parallel_lines(network, at)
        ax.add_collection(LineCollection(list(lines), colors=LINK, linewidths=THIN, zorder=1))
    else:
        _draw_capacities(ax, network, at)
    owned = [len(processors) for processors in network.processors_on]
    full = np.array([count > 0 for count in owned], dtype=bool)
    rim: dict[str, Any] = {"facecolor": PAPER, "edgecolor": INK, "linewidth": 0.7, "zorder": 3}
    if full.any():
        # One circle, shown at many positions: quick, and a small file.
        wide = [2 * radius]
        spots: dict[str, Any] = {"offsets": at[full], "offset_transform": ax.transData}
        ax.add_collection(EllipseCollection(wide, wide, [0], units="xy", **spots, **rim))
    if not full.all():
        squares = [Rectangle((x - radius, y - radius), 2 * radius, 2 * radius) for x, y in at[~full].tolist()]
        ax.add_collection(PatchCollection(squares, **rim))
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
    ax.set_xticks([])  # invisible, but titles would leave room for them
    ax.set_yticks([])


def _parallel_lines(network: Network, at: Reals) -> Reals:
    """Return a line for each link; parallel ones side by side."""
    ways = Counter((tail, head) for tail, head in network.channels.tolist())
    links = Counter[tuple[int, int]]()
    for (tail, head), count in ways.items():
        pair = (min(tail, head), max(tail, head))
        links[pair] = max(links[pair], count)
    lines = [
        _beside(at, np.array([pair for pair, there in links.items() if there == count]), PARALLEL * shift)
        for count in sorted(set(links.values()))
        for shift in np.arange(count) - (count - 1) / 2
    ]
    return np.concatenate(lines) if lines else np.empty((0, 2, 2))


def _draw_capacities(ax: Axes, network: Network, at: Reals) -> None:
    """Draw links as wide as their capacities; where the two ways differ, each beside the link."""
    from matplotlib.collections import LineCollection

    carried = _carried(network)
    most = max(carried.values())
    # Both ways alike: one line in the middle; the other way round is left out.
    alike = [(a, b) for (a, b), capacity in carried.items() if a < b and carried.get((b, a)) == capacity]
    single = [(a, b) for (a, b), capacity in carried.items() if carried.get((b, a)) != capacity]
    for ends, far in ((alike, 0.0), (single, ASIDE)):
        if ends:
            lines = _beside(at, np.array(ends), far)
            loads = np.array([carried[pair] for pair in ends])
            # Many lines of the same width are clearer as thin ones.
            widths = _widths(loads, most) if len(set(carried.values())) > 1 else np.full(len(ends), THIN)
            ax.add_collection(LineCollection(list(lines), colors=LINK, linewidths=widths, zorder=1))


def _beside(at: Reals, ends: Ints, far: float) -> Reals:
    """Return lines between routers, to the right of their direction by as many radii."""
    lines = np.stack((at[ends[:, 0]], at[ends[:, 1]]), axis=1)
    along = lines[:, 1] - lines[:, 0]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    aside = np.column_stack((along[:, 1], -along[:, 0])) / length * _radius(at) * far
    return np.asarray(lines + aside[:, None])


def _draw_busy(ax: Axes, network: Network, at: Reals, channels: Ints) -> None:
    """Draw channels, as often as they are used in a step, each a little to the right of its link; wider for more."""
    from matplotlib.collections import LineCollection

    busy, loads = np.unique(channels, return_counts=True)
    lines = _beside(at, network.channels[busy], ASIDE)
    widths = 0.75 * _widths(loads, int(network.capacity.max()))
    ax.add_collection(LineCollection(list(lines), colors=COLOURS[0], linewidths=widths, zorder=2))


def _draw_paths(
    ax: Axes, network: Network, at: Reals, transfers: Sequence[Transfer], looks: Sequence[tuple[str, str]]
) -> None:
    """Draw paths to the right of their links, as on a road, with a head at each end; a look is colour and style."""
    from matplotlib.collections import LineCollection, PolyCollection

    radius, lanes = _radius(at), Lanes(transfers)
    lines: list[Any] = []
    heads: list[Any] = []
    colours, styles, widths = [], [], []
    for transfer, (colour, style) in zip(transfers, looks, strict=True):
        path, width = transfer.path, 1.1 if len(transfer.messages) == 1 else 1.8
        for index, (channel, lane) in enumerate(zip(path, lanes.taken(path), strict=True)):
            start, end = at[network.tails[channel]], at[network.heads[channel]]
            along = (end - start) / (float(np.hypot(*(end - start))) or 1.0)
            aside = np.array([along[1], -along[0]]) * radius * ASIDE * lane
            is_last = index == len(path) - 1
            first = start + aside + along * radius * (1.0 if index == 0 else 0.6)
            last = end + aside - along * radius * (1.0 if is_last else 0.6)
            lines.append((first, last))
            colours.append(colour)
            styles.append(style)
            widths.append(width)
            if is_last:
                back, half = last - along * radius * 0.7, np.array([along[1], -along[0]]) * radius * 0.28
                heads.append((last, back + half, back - half))
    ax.add_collection(LineCollection(lines, colors=colours, linestyles=styles, linewidths=widths, zorder=2))
    shades = [colour for transfer, (colour, _) in zip(transfers, looks, strict=True) if transfer.path]
    ax.add_collection(PolyCollection(heads, facecolors=shades, edgecolors="none", zorder=2.5))
