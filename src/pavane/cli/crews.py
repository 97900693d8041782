"""Who works for a command: processes of this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.cli import options
from pavane.cli.notes import note

if TYPE_CHECKING:
    from pavane.workers.hiring import Workers


@dataclass(frozen=True)
class CrewOptions:
    """How many work, and where."""

    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", help="Processes to work with. [default: 1; of a cluster: all]"),
    ] = None
    cluster: options.ClusterOption = None

    @contextmanager
    def hired(self, usual: int = 1) -> Iterator[Workers]:
        """Return who works, `usual` processes of this machine where nothing is said, as long as the block lasts."""
        from pavane.workers.hiring import workers_of

        if self.cluster is None:
            yield workers_of(usual if self.workers is None else self.workers)
            return
        from pavane.workers.cluster import hired_from

        with hired_from(self.cluster, self.workers, note) as workers:
            yield workers
