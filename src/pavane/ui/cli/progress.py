"""A progress line on stderr, for people only: none where stderr is no terminal, or where quiet is asked for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pavane.jit import clock
from pavane.text import counted
from pavane.ui.cli.notes import is_quiet, note

if TYPE_CHECKING:
    from pavane.atlas.sweeps import SweepProgress
    from pavane.campaign.benchmark import StudyProgress
    from pavane.campaign.faults import FaultProgress
    from pavane.campaign.network_comparison import CompareProgress
    from pavane.campaign.workload_model.prediction import PredictionProgress
    from pavane.parallel.progress import Progress

Now = TypeVar("Now")

MOMENT = 1.0
"""Seconds of work that nobody needs to be told of."""


class Bar(NamedTuple):
    """What a progress line shows: a text, how much of a whole is done, and what is left, in words."""

    text: str
    done: float
    whole: float | None
    left: str


class BoundsProgress(NamedTuple):
    """How far the proofs of bounds have come."""

    argument: str
    """The one tried last."""
    best: int


def of_bounds(now: BoundsProgress) -> Bar:
    """Say which argument has been tried, and what is proven so far."""
    return Bar(f"tried {now.argument}, best bound {counted(now.best, 'step')}", 0, None, "")


def of_search(now: Progress) -> Bar:
    """Describe the progress of a search: for few steps, for several numbers of pieces, or for a Pareto front."""
    if now.points is not None:
        tried = "" if now.num_steps is None else f": trying {now.num_steps} start-ups"
        best = ", ".join(f"{start_ups}/{tco}" for start_ups, tco in now.points[:8]) or "none yet"
        return _timed(f"{now.activity}{tried}, best {best}", now.seconds, now.seconds_left)
    tried = "any steps" if now.num_steps is None else f"{now.num_steps} steps"
    best = "none yet" if now.best is None else str(now.best)
    conflicts = "" if now.conflicts is None else f" ({now.conflicts} conflicts left)"
    text = f"{now.activity}: trying {tried}{conflicts}, best {best}, bound {now.bound}"
    if now.pieces is not None:
        before = "" if now.message_times is None else f" (best so far {now.message_times} message times)"
        text = f"{counted(now.pieces, 'piece')}{before}: {text}"
    return _timed(text, now.seconds, now.seconds_left)


def of_study(now: StudyProgress) -> Bar:
    """Say how far a study has come."""
    errors = f", {counted(now.errors, 'error')}" if now.errors else ""
    words = "success" if now.successes == 1 else "successes"
    left = "" if now.seconds_left is None else f"{now.seconds_left:.0f} s left"
    return Bar(f"{now.done} of {now.total} runs, {now.successes} {words}{errors}", now.done, now.total, left)


def of_faults(now: FaultProgress) -> Bar:
    """Say how many re-plans are done."""
    return Bar(f"{now.title}, {now.fault}", now.done, now.total, f"{now.done}/{now.total}")


def of_prediction(now: PredictionProgress) -> Bar:
    """Say for which network and which phase schedules are searched for."""
    return Bar(f"{now.network}, {now.phase}", now.done, now.total, f"{now.done}/{now.total}")


def of_comparison(now: CompareProgress) -> Bar:
    """Say how many searches have an answer."""
    left = "" if now.seconds_left is None else f"{now.seconds_left:.0f} s left at most"
    return Bar(f"{now.done} of {now.total} searches, {now.proven} proven, {now.last}", now.done, now.total, left)


def of_sweep(now: SweepProgress) -> Bar:
    """Say how far a sweep has come."""
    left = "" if now.seconds_left is None else f"{now.seconds_left:.0f} s left"
    return Bar(f"{now.done} of {now.total} problems, {now.last}", now.done, now.total, left)


def _timed(text: str, seconds: float, seconds_left: float | None) -> Bar:
    """Measure by the time, where it is limited."""
    if seconds_left is None:
        return Bar(text, seconds, None, f"{seconds:.0f} s")
    return Bar(text, seconds, seconds + seconds_left, f"{seconds_left:.0f} s left")


@contextmanager
def shown(said: Callable[[Now], Bar]) -> Iterator[Callable[[Now], None]]:
    """Yield a callable that shows how far work has come until the block ends; `said` puts that into words."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[left]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task, last = line.add_task("starting", total=None, left=""), Bar("starting", 0, None, "")

        def draw(bar: Bar) -> None:
            line.update(task, description=bar.text, completed=bar.done, total=bar.whole, left=bar.left)

        def show(now: Now) -> None:
            nonlocal last
            last = said(now)
            draw(last)

        def name_kernel(what: str) -> None:
            draw(Bar(f"compiling {what}, for this once", 0, None, "the clock stands still") if what else last)

        with clock.heard_by(name_kernel):
            yield show


@contextmanager
def waited_for(what: str) -> Iterator[None]:
    """Show what is being done and cannot say how far it is, if it takes more than a moment."""
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


@contextmanager
def offered_warm_up() -> Iterator[None]:
    """Tell people in one line, when a command has to compile, how to have that done for all commands at once."""
    is_said = not sys.stderr.isatty() or sys.argv[1:2] == ["warm-up"]

    def say(_: str) -> None:
        nonlocal is_said
        if not is_said:
            is_said = True
            note("compiles for its first use; `pavane warm-up` does so beforehand, for most searches at once")

    with clock.heard_by(say):
        yield
