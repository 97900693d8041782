"""Small problems have one process, others one for each core that they may use and have the memory for."""

from __future__ import annotations

import pytest

from pavane.search import worker_counts
from pavane.search.size import num_hops
from pavane.search.worker_counts import suited_workers
from tests.problems import problem_of


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has eight cores and plenty of memory."""
    monkeypatch.setattr(worker_counts, "usable_cores", lambda: 8)
    monkeypatch.setattr(worker_counts, "memory_of_machine", lambda: 2**40)


def test_small_problems_have_one_process() -> None:
    """Several searches for small problems are a large one."""
    small = problem_of("octagon")
    assert suited_workers(small) == 1
    assert suited_workers(small, 100) == 8
    assert suited_workers(problem_of("hypercube:6")) == 8


def test_no_more_processes_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each needs about as much as a schedule takes; where the system does not say what there is, cores count."""
    large = problem_of("torus:20x20")
    needed = worker_counts.BYTES_PER_HOP_SEARCHED * num_hops(large)
    for memory, workers in ((3.5 * needed, 3), (0.1 * needed, 1), (None, 8)):
        monkeypatch.setattr(worker_counts, "memory_of_machine", lambda memory=memory: memory)
        assert suited_workers(large) == workers
