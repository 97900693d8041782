"""A progress line on stderr, for people only: nothing is shown where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pavane.synthesize import Progress


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """Yield a callable that shows how far a search has come, until the block ends."""
    if not sys.stderr.isatty():
        yield lambda _: None
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

        def show(now: Progress) -> None:
            tried = "any steps" if now.tried is None else f"{now.tried} steps"
            best = "none yet" if now.best is None else str(now.best)
            conflicts = "" if now.conflicts is None else f" ({now.conflicts} conflicts left)"
            left = f"{now.seconds:.0f} s" if now.seconds_left is None else f"{now.seconds_left:.0f} s left"
            total = None if now.seconds_left is None else now.seconds + now.seconds_left
            bar.update(
                task,
                description=f"{now.solver}: trying {tried}{conflicts}, best {best}, bound {now.bound}",
                total=total,
                completed=now.seconds,
                left=left,
            )

        yield show
