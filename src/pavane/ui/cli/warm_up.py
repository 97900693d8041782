"""`pavane warm-up`: compile what searches use now, so that later commands seldom have to."""

from __future__ import annotations

import time
from typing import Annotated, NamedTuple

from pavane.text import counted
from pavane.ui.cli.options import option
from pavane.ui.cli.progress import Bar, shown
from pavane.ui.cli.report import tell


class WarmUpProgress(NamedTuple):
    """How far compiling has come."""

    kernel: str
    """What is compiled now; empty: nothing."""
    done: int
    total: int


def of_warm_up(now: WarmUpProgress) -> Bar:
    """Say what is compiled."""
    doing = f"compiling {now.kernel}" if now.kernel else "trying what is compiled"
    return Bar(doing, now.done, now.total, f"{now.done}/{now.total}")


def command(
    workers: Annotated[
        int | None, option("--workers N", "Processes to work with. [default: one for each core]")
    ] = None,
) -> None:
    """Compile the kernels of most searches; they are stored on disk for all later commands."""
    from pavane.jit.cache_folder import kernel_cache
    from pavane.parallel.cores import usable_cores
    from pavane.parallel.pools import as_workers
    from pavane.search.warm_up_runs import REHEARSALS, rehearsed

    started, total, done = time.monotonic(), len(REHEARSALS), 0
    with shown(of_warm_up) as progress:

        def hear(kernel: str) -> None:
            progress(WarmUpProgress(kernel, done, total))

        hear("")
        for _ in rehearsed(as_workers(workers or usable_cores()), hear):
            done += 1
            hear("")
    seconds = counted(round(time.monotonic() - started), "second")
    tell([f"compiled in {seconds}, and kept in {kernel_cache()}"])
