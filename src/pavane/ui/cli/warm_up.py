"""`pavane warm-up`: compile the kernels of most searches for later commands."""

from __future__ import annotations

import time
from typing import Annotated

from pavane.text import counted
from pavane.ui.cli.options import option
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import print_report


def command(
    workers: Annotated[
        int | None, option("--workers N", "Number of processes. [default: the number of usable cores]")
    ] = None,
) -> None:
    """Compile the kernels of most searches; they are stored on disk for all later commands."""
    started, done = time.monotonic(), 0
    with show_progress() as on_progress:
        # Imported while the progress line is there: they take a second or two.
        from pavane.jit.cache_folder import kernel_cache
        from pavane.parallel.cores import usable_cores
        from pavane.parallel.pools import as_workers
        from pavane.parallel.progress import Progress
        from pavane.search.warm_up_runs import REHEARSALS, rehearsed

        total = len(REHEARSALS)

        def report(kernel: str) -> None:
            activity = f"compiling {kernel}" if kernel else "running compiled kernels"
            on_progress(Progress(activity, time.monotonic() - started, done=done, total=total))

        report("")
        for _ in rehearsed(as_workers(workers or usable_cores()), report):
            done += 1
            report("")
    seconds = counted(round(time.monotonic() - started), "second")
    print_report([f"compiled in {seconds}, and stored in {kernel_cache()}"])
