"""Annealers at work: wherever they work, and whoever is lost, they do the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pavane.parallel.pool import Alone, Crew, Hearing, Lost, crew_of
from pavane.solvers.evolutionary.annealers import AnnealingProgress, advanced, rows_of
from pavane.solvers.evolutionary.kernels.annealing import AnnealingPhase
from tests.jit.annealing import CASES, prepared

T = TypeVar("T")


class Unlucky(Alone):
    """A crew of two that loses every second call."""

    size = 2

    def answers(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        hear: Hearing | None = None,
    ) -> Iterator[tuple[int, T | Lost]]:
        """Answer the others."""
        for number, call in enumerate(calls):
            lost = Lost("killed")
            yield number, lost if number % 2 else function(self.shared, None, *call)


def worked(make: Callable[[Any], Crew]) -> AnnealingProgress:
    """Let annealers work twice, once without mates and once with."""
    search, annealers, counters = prepared(*CASES[1], size=5)
    temperatures, num_moves = np.full(40, 2.0), np.array([40, 40, 39, 0, 40])
    with make(search) as crew:
        first = AnnealingPhase(rows_of(annealers, np.arange(0)), temperatures, num_moves)
        progress = advanced(crew, search, annealers, counters, first)
        mates = rows_of(progress.annealers, np.array([4, 0, 0, 1, 2]))
        return advanced(crew, search, progress.annealers, counters, AnnealingPhase(mates, temperatures, num_moves))


def told(progress: AnnealingProgress) -> tuple[npt.NDArray[Any], ...]:
    """Return all that means something: what steps there are beyond the end of a path does not."""
    search, *_ = prepared(*CASES[1], size=5)
    annealers, first_hop = progress.annealers, search.tables.first_hop
    lengths = first_hop[annealers.paths + 1] - first_hop[annealers.paths]
    has_step = np.arange(annealers.steps.shape[2]) < lengths[:, :, None]
    columns = annealers._replace(steps=np.where(has_step, annealers.steps, -1))
    return *columns, progress.num_moves, progress.fewest


def two_processes(search: Any) -> Crew:
    """Return two processes."""
    return crew_of(2, search)


def test_the_crew_changes_nothing() -> None:
    """This process, two processes, or a crew that loses calls: solutions, moves and conflicts are the same."""
    alone = worked(Alone)
    assert alone.num_moves.sum() > 0
    for make in (two_processes, Unlucky):
        other = worked(make)
        assert [column.tolist() for column in told(other)] == [column.tolist() for column in told(alone)]
