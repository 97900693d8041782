"""`--workers` and `--cluster`: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option

if TYPE_CHECKING:
    from pavane.model.problem import Problem
    from pavane.parallel.pools import Workers


@dataclass(frozen=True)
class PoolOptions:
    """Workers."""

    workers: Annotated[
        int | None,
        option(
            "--workers N",
            "Number of worker processes. [default: 1 for small problems, else the number of "
            "usable cores; of a cluster: all]",
        ),
    ] = None
    cluster: options.ClusterOption = None

    @contextmanager
    def open(self, problem: Problem | None = None, searches: int = 1) -> Iterator[Workers]:
        """Yield the workers for the duration of the block.

        By default these are as many processes of this machine as suit this number of searches for problems of the given
        size; without a problem, one for each core.
        """
        from pavane.parallel.pools import as_workers

        if self.cluster is None:
            yield as_workers(_suited(problem, searches) if self.workers is None else self.workers)
            return
        from pavane.parallel.cluster import cluster_workers

        with cluster_workers(self.cluster, self.workers, note) as workers:
            yield workers


def _suited(problem: Problem | None, searches: int) -> int:
    if problem is None:
        from pavane.parallel.cores import usable_cores

        return usable_cores()
    from pavane.search.worker_counts import suited_workers

    return suited_workers(problem, searches)
