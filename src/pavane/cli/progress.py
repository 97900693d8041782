"""A progress line on stderr, for people only: nothing is shown where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pavane.search.fronts import FrontProgress
    from pavane.search.synthesis import Progress


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """Yield a callable that shows how far a search has come, until the block ends."""
    with _bar() as update:

        def show(now: Progress) -> None:
            tried = "any steps" if now.tried is None else f"{now.tried} steps"
            best = "none yet" if now.best is None else str(now.best)
            conflicts = "" if now.conflicts is None else f" ({now.conflicts} conflicts left)"
            text = f"{now.solver}: trying {tried}{conflicts}, best {best}, bound {now.bound}"
            update(text, now.seconds, now.seconds_left)

        yield show


@contextmanager
def shown_front_progress() -> Iterator[Callable[[FrontProgress], None]]:
    """Yield a callable that shows how far the search for a front has come, until the block ends."""
    with _bar() as update:

        def show(now: FrontProgress) -> None:
            tried = "" if now.tried is None else f": trying {now.tried} start-ups"
            best = ", ".join(f"{start_ups}/{tco}" for start_ups, tco in now.points[:8]) or "none yet"
            update(f"{now.solver}{tried}, best {best}", now.seconds, now.seconds_left)

        yield show


@contextmanager
def _bar() -> Iterator[Callable[[str, float, float | None], None]]:
    """Yield a callable that shows a text, the seconds so far and those left, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _text, _seconds, _left: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, left="")

        def update(text: str, seconds: float, seconds_left: float | None) -> None:
            left = f"{seconds:.0f} s" if seconds_left is None else f"{seconds_left:.0f} s left"
            total = None if seconds_left is None else seconds + seconds_left
            bar.update(task, description=text, total=total, completed=seconds, left=left)

        yield update
