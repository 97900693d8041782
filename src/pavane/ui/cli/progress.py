"""A progress line on stderr for terminals; nothing is shown if stderr is not a terminal, or with --quiet."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from pavane.jit import clock
from pavane.text import counted, point_text
from pavane.ui.cli.notes import is_quiet

if TYPE_CHECKING:
    from pavane.parallel.progress import Progress

MOMENT = 1.0
"""Seconds of work for which nothing is shown."""


class Bar(NamedTuple):
    """The content of a progress line: a text, how much of the whole is done, and what is left, in words."""

    text: str
    done: float
    whole: float | None
    left: str


def bar_of(now: Progress) -> Bar:
    """Describe the progress of a campaign, of a search for few steps, or of a search for a Pareto front."""
    time = f"{now.seconds:.0f} s" if now.seconds_left is None else f"{now.seconds_left:.0f} s left"
    if now.total is not None and now.done is not None:
        counts = [f"{number} {word}" for word, number in now.outcomes.items()]
        left = f"{now.done}/{now.total}" + ("" if now.seconds_left is None else f", {time}")
        return Bar(", ".join([*counts, now.activity]), now.done, now.total, left)
    text = now.activity
    if now.points is not None:
        tried = "" if now.num_steps is None else f": trying {now.num_steps} start-ups"
        best = "; ".join(point_text(start_ups, tco) for start_ups, tco in now.points[:8]) or "none yet"
        text += f"{tried}, best {best}"
    elif now.bound is not None:
        tried = f"{'any' if now.num_steps is None else now.num_steps} {now.step_word}s"
        best = "none yet" if now.best is None else str(now.best)
        conflicts = "" if now.conflicts is None else f" ({now.conflicts} conflicts left)"
        text += f": trying {tried}{conflicts}, best {best}, bound {now.bound}"
    if now.pieces is not None:
        before = "" if now.message_times is None else f" (best so far {now.message_times} message times)"
        text = f"{counted(now.pieces, 'piece')}{before}: {text}"
    return Bar(text, now.seconds, None if now.seconds_left is None else now.seconds + now.seconds_left, time)


@contextmanager
def show_progress() -> Iterator[Callable[[Progress], None]]:
    """Yield a callable that shows the progress of work until the block ends."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as ProgressLine

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    )
    with ProgressLine(*columns, console=Console(stderr=True), transient=True) as line:
        task, last = line.add_task("starting", total=None, left=""), Bar("starting", 0, None, "")

        def draw(bar: Bar) -> None:
            line.update(task, description=bar.text, completed=bar.done, total=bar.whole, left=bar.left)

        def show(now: Progress) -> None:
            nonlocal last
            last = bar_of(now)
            draw(last)

        def name_kernel(kernel: str) -> None:
            draw(Bar(f"compiling {kernel}, once", 0, None, "the clock is stopped") if kernel else last)

        with clock.reporting_to(name_kernel):
            yield show


@contextmanager
def waited_for(what: str) -> Iterator[None]:
    """Show the name of work whose progress is not known, if it takes more than a moment."""
    if is_quiet() or not sys.stderr.isatty():
        yield
        return
    guard, is_over, lines = threading.Lock(), False, ExitStack()

    def begin() -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner
        from rich.text import Text

        line = Live(
            Spinner("dots", Text(what)),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with guard:
            if not is_over:
                lines.enter_context(line)

    moment = threading.Timer(MOMENT, begin)
    moment.daemon = True
    moment.start()
    try:
        yield
    finally:
        moment.cancel()
        with guard:
            is_over = True
            lines.close()
