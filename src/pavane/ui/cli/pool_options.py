"""Who works for a command: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.ui.cli import options
from pavane.ui.cli.notes import note

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.parallel.pools import Workers


@dataclass(frozen=True)
class CrewOptions:
    """How many work, and where."""

    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Processes to work with. [default: 1 for small problems, else as many as "
            "usable cores; of a cluster: all]",
        ),
    ] = None
    cluster: options.ClusterOption = None

    @contextmanager
    def hired(self, problem: Problem | None = None, searches: int = 1) -> Iterator[Workers]:
        """Return who works, as long as the block lasts.

        Where nothing is said, these are as many processes of this machine as suit a number of searches for problems of
        one size; where they are of different sizes, one for each core.
        """
        from pavane.parallel.pools import workers_of

        if self.cluster is None:
            yield workers_of(_suited(problem, searches) if self.workers is None else self.workers)
            return
        from pavane.parallel.cluster import hired_from

        with hired_from(self.cluster, self.workers, note) as workers:
            yield workers


def _suited(problem: Problem | None, searches: int) -> int:
    if problem is None:
        from pavane.parallel.cores import usable_cores

        return usable_cores()
    from pavane.search.worker_counts import suited_workers

    return suited_workers(problem, searches)
