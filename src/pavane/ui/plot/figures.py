"""The common part of all plots: distinguishable colours, units of time, new figures, and their files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable, replacing
from pavane.judge.result import Result
from pavane.text import installing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#bf7f00", "#009463", "#7f006a", "#d03050", "#404000", "#0000fe")
"""Those of the player: a contrast of 3 to 1 with paper at least, apart in lightness as well as in hue."""

LINK = "#8a8a86"
"""Lines of networks."""

STYLES = ("-", "--", "-.", ":")

INK, MUTED, FAINT, PAPER = "#222222", "#767676", "#d4d4d0", "#ffffff"

ENDINGS = (".svg", ".png", ".pdf")

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))

Kind = Literal["svg", "png", "pdf"]


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure in inches; without a screen, and without touching the user's own figures."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from pavane.ui.plot.picture import Picture

        figure = Picture(figsize=(width, height), layout="constrained")
    except ImportError:
        raise InputError(f"pictures need matplotlib; install it with: {installing('plot')}") from None
    FigureCanvasAgg(figure)
    return figure


def axes_or_new(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def line_look(index: int) -> dict[str, Any]:
    """Return the colour and style of a line by its index: other styles where the colours are used up."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[index // len(COLOURS) % len(STYLES)]}


def whole_ticks(axis: Axis) -> None:
    """Put ticks of an axis at whole numbers only: there is no half step."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def time_unit(seconds: float) -> tuple[float, str]:
    """Return the seconds of a unit in which a time is 1 or more, and its name."""
    return next(((scale, unit) for scale, unit in UNITS if seconds >= scale), UNITS[-1])


def in_message_times(result: Result) -> str:
    """Return how many message times a schedule takes, in brackets for a title; nothing where messages are whole."""
    pieces = result.problem.collective.pieces
    if pieces == 1 or result.per_message is None:
        return ""
    return f" ({pieces} pieces a message: {result.per_message} message times)"


def refuse_undrawable(path: str | Path) -> None:
    """Refuse a file that no picture could be written to, before the work that fills it."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: a picture ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, a page in .html")
    new_figure(1, 1)  # says so at once if there is nothing to draw with
    refuse_unwritable(path)


def write_figure(path: str | Path, drawn: Axes | Figure) -> None:
    """Write a figure as the file's ending says, whole or not at all; the same figure is the same file."""
    refuse_undrawable(path)
    kind: Any = Path(path).suffix.lower()[1:]
    with replacing(path) as file:
        file.write(figure_bytes(drawn, kind))


def figure_bytes(drawn: Axes | Figure, kind: Kind) -> bytes:
    """Return the file of a figure; the same figure is the same file."""
    import matplotlib

    figure: Any = drawn if hasattr(drawn, "savefig") else drawn.figure
    # Neither dates nor random marks in the file.
    about: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    written = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "pavane"}):
        figure.savefig(written, format=kind, dpi=150, metadata=about)
    return written.getvalue()
