"""The common part of all plots: distinguishable colours, units of time, new figures, and their files."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

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

WRONG = "#d40000"
"""Channels at which a rule is broken."""

ENDINGS = (".svg", ".png", ".pdf")

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps"))

SHORT_RANGE = 500
"""An axis that ends below this many times its beginning also has ticks at 2 and 5 times the powers of ten."""

NEAR_ENDS = 0.08
"""Lines whose ends are no further from each other than this share of the axis have their names above each other."""

MOST_POWERS = {"x": 6, "y": 12}
"""Powers of ten that have a tick each, by the axis; of more every second one has one."""

MOST_SIZES = 7
"""Sizes of messages that fit below an axis of a paper."""

Kind = Literal["svg", "png", "pdf"]


P = ParamSpec("P")
T = TypeVar("T")


LETTERS, LINE = 8.0, 1.3
"""The size of text and the width of lines, in points; letters of 8 points are the least that journals take."""

FILES: Any = {"svg.hashsalt": "pavane", "svg.fonttype": "none", "pdf.fonttype": 42}
"""In files text is text, to be searched and edited; and they have no random marks."""


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a function draw in the style of all pictures: no frame, letters and lines of one size."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            import matplotlib
        except ImportError:
            raise _without_matplotlib() from None
        sizes = dict.fromkeys(
            ("font.size", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"), LETTERS
        )
        titles = dict.fromkeys(("axes.titlesize", "figure.titlesize"), LETTERS + 1)
        plain = {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "grid.alpha": 0.25}
        lines = {"lines.linewidth": LINE, "legend.title_fontsize": LETTERS, "axes.axisbelow": True}
        settings: Any = {**sizes, **titles, **plain, **lines}
        with matplotlib.rc_context(settings):
            return draw(*args, **kwargs)

    return drawn


def _without_matplotlib() -> InputError:
    return InputError(f"pictures need matplotlib; install it with: {installing('plot')}")


def new_figure(width: float, height: float, *, layout: Any = "constrained") -> Figure:
    """Return an empty figure in inches; without a screen, and without touching the user's own figures."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from pavane.ui.plot.picture import Picture

        figure = Picture(figsize=(width, height), layout=layout)
    except ImportError:
        raise _without_matplotlib() from None
    FigureCanvasAgg(figure)
    return figure


def axes_or_new(ax: Axes | None, width: float = 6.4, height: float = 4.2) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def line_look(index: int) -> dict[str, Any]:
    """Return the colour and style of a line by its index: other styles where the colours are used up."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[index // len(COLOURS) % len(STYLES)]}


def plain_log_ticks(axis: Axis) -> None:
    """Write numbers out on a logarithmic axis; the limits of the axis must be final."""
    _set_log_ticks(axis, lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")


def time_ticks(axis: Axis) -> None:
    """Write times on a logarithmic axis of seconds, each in its own unit; the limits of the axis must be final."""

    def text(seconds: float, _: int) -> str:
        scale, unit = time_unit(seconds * 1.0000001)
        return f"{seconds / scale:g} {unit}"

    _set_log_ticks(axis, text)


def _set_log_ticks(axis: Axis, text: Callable[[float, int], str]) -> None:
    """Put ticks with a text at the powers of ten, and on a short range also at 2 and 5 times these."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    is_short = high < SHORT_RANGE * low
    axis.set_major_locator(
        LogLocator(subs=(1.0, 2.0, 5.0))
        if is_short
        else LogLocator(numticks=MOST_POWERS["x" if axis is axis.axes.xaxis else "y"])
    )
    axis.set_major_formatter(FuncFormatter(text))
    axis.set_minor_formatter(NullFormatter())


def size_ticks(axes: Axes, sizes: Sequence[int], text: Callable[[int], str]) -> None:
    """Write some of the sizes below a logarithmic axis, as many as have room beside each other."""
    shown: list[int] = []
    apart = math.log(sizes[-1] / sizes[0]) / MOST_SIZES if sizes[-1] > sizes[0] else 1.0
    for size in sizes:
        if not shown or math.log(size / shown[-1]) >= apart:
            shown.append(size)
    axes.set_xticks(shown, [text(size) for size in shown])
    axes.minorticks_off()


def label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names beside the right ends of lines, in their colours, each at a height of its own within the axes.

    An end is its place, the name and the colour. The scales and the limits of the axes must be final.
    """
    limits = axes.transScale.transform(list(zip(axes.get_xlim(), axes.get_ylim(), strict=True)))
    (left, low), (right, high) = limits.tolist()
    tall = 0.8 * 72 * axes.get_figure(root=True).get_size_inches()[1]  # type: ignore[union-attr]
    groups: list[list[tuple[float, float, tuple[float, float, str, str]]]] = []
    placed = [(*axes.transScale.transform([end[:2]])[0].tolist(), end) for end in ends]
    for across, up, end in sorted(placed, key=lambda each: each[0]):
        if not groups or across - groups[-1][-1][0] > NEAR_ENDS * (right - left):
            groups.append([])
        groups[-1].append((across, tall * (up - low) / (high - low or 1.0), end))
    for group in groups:
        upwards = sorted(group, key=lambda each: each[1])
        places = _spread([height for _, height, _ in upwards], 1.25 * LETTERS, tall)
        for place, (_, height, (x, y, name, colour)) in zip(places, upwards, strict=True):
            axes.annotate(name, (x, y), (5, place - height), textcoords="offset points", va="center", color=colour)


def _spread(heights: Sequence[float], step: float, top: float) -> list[float]:
    """Return rising heights moved until they are a step apart: upwards, and down again from the top of the axes."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + step) if places else height)
    for number in range(len(places) - 1, -1, -1):
        most = top if number == len(places) - 1 else places[number + 1] - step
        places[number] = min(places[number], most)
    return places


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
    # No dates in the file.
    about: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    written = io.BytesIO()
    with matplotlib.rc_context(FILES):
        figure.savefig(written, format=kind, dpi=150, metadata=about)
    return written.getvalue()
