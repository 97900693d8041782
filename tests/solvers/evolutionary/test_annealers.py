"""Annealers at work: wherever they work, and whoever is lost, they do the same."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pavane.parallel.pool import Pool, SerialPool
from pavane.parallel.pools import local_pool
from pavane.parallel.tasks import OnUpdate, WorkerLost
from pavane.solvers.evolutionary.annealers import AnnealingState, advanced, rows_of
from pavane.solvers.evolutionary.kernels.annealing import AnnealingPhase
from tests.jit.annealing import CASES, prepared

T = TypeVar("T")


class Unlucky(SerialPool):
    """A pool of two that loses every second call."""

    size = 2

    def results(
        self,
        function: Callable[..., T],
        tasks: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        on_update: OnUpdate | None = None,
    ) -> Iterator[tuple[int, T | WorkerLost]]:
        """Answer the others."""
        for number, call in enumerate(tasks):
            lost = WorkerLost("killed")
            yield number, lost if number % 2 else function(self.shared, None, *call)


def worked(make: Callable[[Any], Pool]) -> AnnealingState:
    """Let annealers work twice, once without mates and once with."""
    search, annealers, counters = prepared(*CASES[1], size=5)
    temperatures, num_moves = np.full(40, 2.0), np.array([40, 40, 39, 0, 40])
    with make(search) as pool:
        first = AnnealingPhase(rows_of(annealers, np.arange(0)), temperatures, num_moves)
        progress = advanced(pool, search, annealers, counters, first)
        mates = rows_of(progress.annealers, np.array([4, 0, 0, 1, 2]))
        return advanced(pool, search, progress.annealers, counters, AnnealingPhase(mates, temperatures, num_moves))


def told(progress: AnnealingState) -> tuple[npt.NDArray[Any], ...]:
    """Return all that means something: what steps there are beyond the end of a path does not."""
    search, *_ = prepared(*CASES[1], size=5)
    annealers, first_hop = progress.annealers, search.tables.first_hop
    lengths = first_hop[annealers.paths + 1] - first_hop[annealers.paths]
    has_step = np.arange(annealers.steps.shape[2]) < lengths[:, :, None]
    columns = annealers._replace(steps=np.where(has_step, annealers.steps, -1))
    return *columns, progress.num_moves, progress.fewest


def two_processes(search: Any) -> Pool:
    """Return two processes."""
    return local_pool(2, search)


def test_the_crew_changes_nothing() -> None:
    """This process, two processes, or a pool that loses calls: solutions, moves and conflicts are the same."""
    alone = worked(SerialPool)
    assert alone.num_moves.sum() > 0
    for make in (two_processes, Unlucky):
        other = worked(make)
        assert [column.tolist() for column in told(other)] == [column.tolist() for column in told(alone)]
