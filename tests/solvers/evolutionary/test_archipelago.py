"""What islands of all algorithms share: seeds, and the run that a search reports."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.archipelago import best_run, generators_of, state_of
from pavane.solvers.evolutionary.islands import Islands
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.solver import seed_of
from tests.plain_device import PlainDevice
from tests.solvers.evolutionary.cases import encoding
from tests.solvers.evolutionary.test_islands import compiled_here


def test_the_first_of_many_generators_draws_what_one_would() -> None:
    """The others differ from it and from each other, and the same seed makes the same ones."""
    first, *others = generators_of(np.random.default_rng(7), 4)
    alone = np.random.default_rng(7)
    assert seed_of(first) == seed_of(alone)
    assert first.random(5).tolist() == alone.random(5).tolist()
    assert len({7, *map(seed_of, others)}) == 4
    again = generators_of(np.random.default_rng(7), 4)
    assert [seed_of(rng) for rng in again] == [7, *map(seed_of, others)]


def test_the_state_of_a_generator_is_six_words() -> None:
    """The state and the step in two words each, half a word and whether there is one."""
    rng = np.random.default_rng(3)
    before = state_of(rng)
    rng.integers(0, 2**32, dtype=np.uint32)
    after = state_of(rng)
    assert before.shape == (6,)
    assert before[2:4].tolist() == after[2:4].tolist()
    assert before[:2].tolist() != after[:2].tolist()
    assert (int(before[5]), int(after[5])) == (0, 1)


@compiled_here
def test_looks_at_islands_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search without success returns the run that came nearest, and reports conflicts on the way."""
    monkeypatch.setattr("pavane.solvers.evolutionary.archipelago.SECONDS_PER_LAUNCH", 1e-9)
    islands = Islands(UMDA(population=20).evolution(), encoding("ring:8", "AAS", 7), PlainDevice())
    looks: list[tuple[int, int]] = []
    budget = Budget(on_conflicts=lambda made, left: looks.append((made, left)))
    found = best_run(islands, [(1, 2), (3, 4)], 200, budget)
    assert found.schedule is None
    assert found.run is not None
    assert found.run.evaluations == 200
    assert looks[-1] == (200, found.run.trace[-1][1])
    assert len(looks) > 2
