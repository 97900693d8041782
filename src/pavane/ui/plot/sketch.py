"""Shapes of a picture collected by their look, so that it has one artist per look and not one per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
Line = Sequence[Point]


class Pen(NamedTuple):
    """How a line looks."""

    colour: str
    width: float
    style: str = "-"


class Rim(NamedTuple):
    """How a router looks: its filling, its outline and its name."""

    face: str
    edge: str
    width: float = 0.7
    style: str = "-"
    ink: str = "#222222"


class Label(NamedTuple):
    """A text at a point, of letters of so many points; `beside` is the side of the point that it is on."""

    at: Point
    text: str
    size: float
    colour: str
    beside: str = ""
    weight: str = "normal"


ANCHORS = {
    "": ("center", "center_baseline"),
    "below": ("center", "top"),
    "above": ("center", "bottom"),
    "right": ("left", "center_baseline"),
    "left": ("right", "center_baseline"),
}
"""Which point of a text is at the point of its label."""


@dataclass
class Sketch:
    """Lines, arrow heads, routers and texts, in the units of the axes they will be drawn in."""

    links: dict[Pen, list[Line]] = field(default_factory=dict)
    paths: dict[Pen, list[Line]] = field(default_factory=dict)
    heads: dict[str, list[Line]] = field(default_factory=dict)
    circles: dict[tuple[float, Rim], list[Point]] = field(default_factory=dict)
    squares: dict[tuple[float, Rim], list[Point]] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)

    def link(self, pen: Pen, line: Line) -> None:
        """Add a line below all others."""
        self.links.setdefault(pen, []).append(line)

    def path(self, pen: Pen, line: Line) -> None:
        """Add a line above the links."""
        self.paths.setdefault(pen, []).append(line)

    def head(self, colour: str, corners: Line) -> None:
        """Add the head of an arrow."""
        self.heads.setdefault(colour, []).append(corners)

    def circle(self, place: Point, radius: float, rim: Rim) -> None:
        """Add a router with a processor, or a processor."""
        self.circles.setdefault((radius, rim), []).append(place)

    def square(self, place: Point, half: float, rim: Rim) -> None:
        """Add a router without processors."""
        self.squares.setdefault((half, rim), []).append(place)

    def draw(self, ax: Axes) -> None:
        """Add the shapes to axes, routers above lines and names above routers."""
        from matplotlib.collections import EllipseCollection, PatchCollection
        from matplotlib.patches import PathPatch, Rectangle

        # `add_artist` does not measure what it adds, which takes longer than to draw it.
        for order, pens in ((1, self.links), (2, self.paths)):
            for pen, lines in pens.items():
                look: dict[str, Any] = {"edgecolor": pen.colour, "linewidth": pen.width, "linestyle": pen.style}
                ax.add_artist(PathPatch(_joined(lines), fill=False, capstyle="butt", zorder=order, **look))
        for colour, shapes in self.heads.items():
            ax.add_artist(PathPatch(_joined(shapes, closed=True), facecolor=colour, linewidth=0, zorder=2.5))
        for (radius, rim), places in self.circles.items():
            # One circle, shown at many places.
            spots: dict[str, Any] = {"offsets": places, "offset_transform": ax.transData}
            wide = [2 * radius]
            ax.add_artist(EllipseCollection(wide, wide, [0], units="xy", **spots, **_look(rim)))
        for (half, rim), places in self.squares.items():
            shown = [Rectangle((x - half, y - half), 2 * half, 2 * half) for x, y in places]
            ax.add_artist(PatchCollection(shown, **_look(rim)))
        for label in self.labels:
            across, up = ANCHORS[label.beside]
            box = {"bbox": {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.3}} if label.beside else {}
            look = {"fontsize": label.size, "color": label.colour, "weight": label.weight, "zorder": 4, **box}
            ax.text(*label.at, label.text, {"ha": across, "va": up, **look})
        # All is inside the axes, so that the layout need not measure it.
        for artist in ax.get_children():
            artist.set_in_layout(artist is ax.title)


def _look(rim: Rim) -> dict[str, Any]:
    return {
        "facecolor": rim.face,
        "edgecolor": rim.edge,
        "linewidth": rim.width,
        "linestyle": rim.style,
        "zorder": 3,
    }


def _joined(lines: Sequence[Line], *, closed: bool = False) -> Any:
    """Return one path of many lines."""
    from matplotlib.path import Path

    lines = [[*line, line[0]] for line in lines] if closed else lines
    ends = np.cumsum([len(line) for line in lines])
    codes = np.full(ends[-1], Path.LINETO, dtype=Path.code_type)
    codes[np.concatenate(([0], ends[:-1]))] = Path.MOVETO
    if closed:
        codes[ends - 1] = Path.CLOSEPOLY
    return Path(np.concatenate([np.asarray(line, dtype=float) for line in lines]), codes)
