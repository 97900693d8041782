"""Files that commands with tables write: the table as text, and a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.io.files import replacing
from pavane.ui.cli.outputs import is_stdout, write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pavane.judge.refusal import Refusal, TimedRefusal
    from pavane.judge.result import Result
    from pavane.judge.timed_result import TimedResult


def refuse_plot(path: Path | str | None) -> None:
    """Refuse a picture that cannot be drawn, before the work that fills it."""
    if path is not None:
        from pavane.ui.plot.figures import refuse_undrawable

        refuse_undrawable(path)


def write_plot(path: Path | str | None, draw: Callable[[], Axes | Figure]) -> None:
    """Draw a picture, if a file is named."""
    if path is not None:
        from pavane.ui.plot.figures import write_figure

        write_figure(path, draw())


def write_page(path: Path, result: Result | TimedResult | Refusal | TimedRefusal) -> None:
    """Write the page that plays a result, or shows a table."""
    from pavane.ui.player import player_page

    write_text(path, player_page(result))


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, or to stdout."""
    if is_stdout(path):
        write_bytes(text.encode())
        return
    with replacing(path) as file:
        file.write(text.encode())
