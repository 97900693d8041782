"""`pavane worker`: processes of this machine that work for a dask scheduler."""

from __future__ import annotations

import sys
from typing import Annotated

from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.report import print_report


def command(
    address: Annotated[str, argument("ADDRESS", "The scheduler: tcp://host:8786 or tls://host:8786.")],
    workers: Annotated[
        int | None, option("--workers N", "Number of processes. [default: the number of usable cores]", min=1)
    ] = None,
    is_warm: Annotated[
        bool, option("--warm-up/--no-warm-up", "Compile the kernels of most searches before the first task.")
    ] = True,
) -> None:
    """Work for a dask scheduler, in processes of one thread each; one that is killed is started again."""
    from pavane.parallel.cluster import warn_about_plain_tcp
    from pavane.parallel.cores import usable_cores
    from pavane.parallel.dask_workers import work_for

    def say(text: str) -> None:
        print_report([text])
        sys.stdout.flush()

    warn_about_plain_tcp(address, note)
    work_for(address, workers or usable_cores(), warm_up if is_warm else lambda: None, say)


def warm_up() -> None:
    """Compile the kernels of most searches; they are stored on disk for all processes of this machine."""
    from pavane.search.warm_up_runs import Rehearsal

    Rehearsal("torus:8x8", "aas", "packing")()
    Rehearsal("octagon", "aas", "umda", num_steps=4, evaluations=300)()
