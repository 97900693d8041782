"""Cost against time, one mark a network: a staircase joins the Pareto set of each number of processors.

Labels stand beside their marks where there is room, and else further off, joined to them by a thin line; where no room
is found in a crowd, a network that is not in the Pareto set has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pavane.campaign.network_comparison.compared import Comparison, ComparisonRow
from pavane.model.messages import kind_title
from pavane.text import counted
from pavane.timing import size_text
from pavane.ui.plot.figures import (
    COLOURS,
    FAINT,
    INK,
    MUTED,
    PAPER,
    letters,
    new_figure,
    plain_log_ticks,
    styled,
    time_unit,
    whole_ticks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PICTURES = 4
"""Sizes of messages that are drawn side by side."""

MOST_NAMED = 2
"""Collectives whose two names fit beside an axis; of more the papers' names alone are written."""

MOST_LABELLED = 30
"""Where there are more networks, those in the Pareto set alone have labels."""

NEAR, FAR = (7.0, 11.0, 16.0, 24.0), (38.0, 56.0, 80.0, 110.0)
"""How far from its mark a label may stand, in points; where it is near it had better not cover a line."""

DIRECTIONS = 16


@styled
def plot_comparison(found: Comparison, size: int | None = None) -> Figure:
    """Draw cost against time for messages of a size, or for each size of the comparison side by side."""
    sizes = (found.message_bytes[:MOST_PICTURES] or (None,)) if size is None else (found.size_or_default(size),)
    figure = new_figure(1.2 + 6.2 * len(sizes), 5.2)
    pictures = figure.subplots(1, len(sizes), squeeze=False)[0]
    for axes, each in zip(pictures, sizes, strict=True):
        _draw(found, each, axes)
    figure.draw_without_rendering()  # labels are put where there is room, so that all else must be at its place
    for axes, each in zip(pictures, sizes, strict=True):
        _label(found, each, axes)
    return figure


@dataclass(frozen=True)
class _Mark:
    """A network in the picture."""

    row: ComparisonRow
    cost: int
    time: float
    is_best: bool


def _marks(found: Comparison, size: int | None) -> list[_Mark]:
    best = set(map(id, found.pareto(size)))
    timed = ((row, found.total(row, size)) for row in found.rows)
    shortest = min((time for row in found.rows if (time := found.total(row, size))), default=1.0)
    scale = time_unit(shortest)[0] if size is not None else 1.0
    # To twelve digits, as the Pareto set counts them: what takes equally long is at one point.
    return [
        _Mark(row, row.figures.cost, float(f"{time / scale:.12g}"), id(row) in best)
        for row, time in timed
        if time is not None
    ]


def _draw(found: Comparison, size: int | None, axes: Axes) -> None:
    marks = _marks(found, size)
    counts = sorted({mark.row.figures.processors for mark in marks})
    for number, count in enumerate(counts):
        some = [mark for mark in marks if mark.row.figures.processors == count]
        colour = COLOURS[number % len(COLOURS)]
        label = f"{count} processors"
        front = sorted((mark.cost, mark.time) for mark in some if mark.is_best)
        if front:
            x, y = zip(*front, strict=True)
            axes.step(x, y, where="post", color=colour, linewidth=1.2, zorder=2)
            axes.scatter(x, y, s=34, color=colour, zorder=3, label=label)
        others = [mark for mark in some if not mark.is_best]
        axes.scatter(
            [mark.cost for mark in others],
            [mark.time for mark in others],
            s=22,
            facecolors="none",
            edgecolors=colour,
            alpha=0.7,
            zorder=3,
            label=None if front else label,
        )
    names = found.collectives
    collectives = " + ".join(names if len(names) > MOST_NAMED else map(kind_title, names))
    if size is None:
        axes.set_ylabel(f"{found.rules.step_word}s of {collectives}")
    else:
        shortest = min((time for row in found.rows if (time := found.total(row, size))), default=1.0)
        axes.set_ylabel(f"predicted time of {collectives} [{time_unit(shortest)[1]}]")
    title = [f"messages of {size_text(size)}"] if size is not None else []
    title += [counted(counts[0], "processor")] if len(counts) == 1 else []
    axes.set_title(", ".join(title))
    axes.set_xlabel("cost: channels, by their capacities")
    for axis, values in (("x", [mark.cost for mark in marks]), ("y", [mark.time for mark in marks])):
        if values and min(values) > 0 and max(values) > 8 * min(values):
            getattr(axes, f"set_{axis}scale")("log")
            plain_log_ticks(axes.xaxis if axis == "x" else axes.yaxis)
        elif axis == "x" or size is None:
            whole_ticks(axes.xaxis if axis == "x" else axes.yaxis)
    axes.margins(0.12)
    axes.grid()
    if len(counts) > 1:
        axes.legend()


# -- labels


Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


def _label(found: Comparison, size: int | None, axes: Axes) -> None:
    """Write the names of networks where they cover neither marks nor each other."""
    marks = _marks(found, size)
    chosen = [mark for mark in marks if mark.is_best]
    if len(marks) <= MOST_LABELLED:
        chosen += [mark for mark in marks if not mark.is_best]
    where = _points(axes, [(mark.cost, mark.time) for mark in marks])
    centres = dict(zip(map(id, marks), where, strict=True))
    taken: list[Box] = [_around(x, y, 3.5, 3.5) for x, y in where]
    stairs = _stairs([(mark, centres[id(mark)]) for mark in marks if mark.is_best])
    frame = _frame(axes)
    for name, mark in _named(chosen):
        width, height = _extent(axes, name)
        x, y = centres[id(mark)]
        spot = (
            _spot((x, y), (width, height), NEAR, [*taken, *stairs], frame)
            or _spot((x, y), (width, height), NEAR, taken, frame)
            or _spot((x, y), (width, height), FAR, taken, frame)
        )
        if spot is None:
            if not mark.is_best:
                continue
            spot = x, y + NEAR[0] + height / 2
        taken.append(_around(*spot, width / 2, height / 2))
        _write(axes, mark, name, (spot[0] - x, spot[1] - y), abs(spot[1] - y) + abs(spot[0] - x) > width / 2 + 16)


def _stairs(best: Sequence[tuple[_Mark, tuple[float, float]]]) -> list[Box]:
    """Return what the lines of the Pareto set cover: to the next cost at the same time, then down."""
    boxes = []
    for count in {mark.row.figures.processors for mark, _ in best}:
        front = sorted(where for mark, where in best if mark.row.figures.processors == count)
        for (x, y), (right, low) in pairwise(front):
            boxes += [(x, y - 1, right, y + 1), (right - 1, low, right + 1, y)]
    return boxes


def _named(marks: Sequence[_Mark]) -> Iterator[tuple[str, _Mark]]:
    """Yield the label of each point; networks at one point share theirs."""
    at: dict[tuple[int, float], list[_Mark]] = {}
    for mark in marks:
        at.setdefault((mark.cost, mark.time), []).append(mark)
    for some in at.values():
        more = f" and {len(some) - 1} more" if len(some) > 2 else ""
        yield (some[0].row.name + more if more else ", ".join(mark.row.name for mark in some)), some[0]


def _write(axes: Axes, mark: _Mark, name: str, offset: tuple[float, float], is_far: bool) -> None:
    arrow = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 3} if is_far else None
    axes.annotate(
        name,
        (mark.cost, mark.time),
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=letters(),
        color=INK if mark.is_best else MUTED,
        bbox={"facecolor": PAPER, "alpha": 0.75, "linewidth": 0, "pad": 0.6},
        arrowprops=arrow,
        zorder=4,
    ).set_in_layout(False)


def _spot(
    at: tuple[float, float], extent: tuple[float, float], radii: Sequence[float], taken: Sequence[Box], frame: Box
) -> tuple[float, float] | None:
    """Return the centre of a free box nearest to a mark: to its right first, then around it; None where none is."""
    width, height = extent
    for radius in radii:
        for turn in range(DIRECTIONS):
            angle = (1 if turn % 2 else -1) * math.tau * ((turn + 1) // 2) / DIRECTIONS
            across, up = math.cos(angle), math.sin(angle)
            spot = at[0] + across * (radius + width / 2), at[1] + up * (radius + height / 2)
            box = _around(*spot, width / 2 + 1, height / 2 + 0.5)
            if _is_inside(box, frame) and not any(_overlap(box, other) for other in taken):
                return spot
    return None


def _points(axes: Axes, places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return where data are drawn, in points."""
    pixels = axes.transData.transform(places).tolist() if places else []
    scale = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    return [(x * scale, y * scale) for x, y in pixels]


def _frame(axes: Axes) -> Box:
    box, scale = axes.get_window_extent(), 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    return box.x0 * scale + 3, box.y0 * scale + 3, box.x1 * scale - 3, box.y1 * scale - 3


def _extent(axes: Axes, text: str) -> tuple[float, float]:
    """Return how wide and how high a label is, in points."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    shown = axes.text(0, 0, text, fontsize=letters(), transform=None)
    box = shown.get_window_extent()
    shown.remove()
    # Letters come out a little wider at other resolutions.
    return 1.04 * box.width * 72 / figure.dpi + 3, box.height * 72 / figure.dpi


def _around(x: float, y: float, across: float, up: float) -> Box:
    return x - across, y - up, x + across, y + up


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _is_inside(box: Box, frame: Box) -> bool:
    return frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2] and box[3] <= frame[3]
