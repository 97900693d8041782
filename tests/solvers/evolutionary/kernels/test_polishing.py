"""Polish of chromosomes: counts are kept, trees stay trees."""

import numpy as np
import pytest

from pavane.solvers.evolutionary.encoding import Counting
from pavane.solvers.evolutionary.kernels.bit_words import Key, key_of
from pavane.solvers.evolutionary.kernels.genes import conflicts, new_loads
from pavane.solvers.evolutionary.kernels.polishing import polish
from tests.solvers.evolutionary.cases import encoding


@pytest.mark.parametrize(("spec", "kind", "num_steps"), [("ring:6", "AAS", 5), ("petersen", "AAB", 4)])
@pytest.mark.parametrize("counting", ["pairs", "excess"])
def test_polish_keeps_count(spec: str, kind: str, num_steps: int, counting: Counting) -> None:
    """After many moves count and loads equal a recount, trees are still trees, and nothing got worse."""
    code, rng = encoding(spec, kind, num_steps, conflicts=counting), np.random.default_rng(2)
    population, key = code.founders(10, Key(2, 3)), Key(3, 4)
    known = np.zeros(len(code.genome.room), dtype=np.int64)
    loads, fresh = new_loads(code.genome), new_loads(code.genome)
    for number, row in enumerate(population):
        before = conflicts(code.genome, row, loads)
        after = polish(code.genome, row, key_of(key, number), loads, before, 30, known)
        assert after == conflicts(code.genome, row, fresh)
        assert (loads == fresh).all()
        assert after < before
        repaired = row[None].copy()
        code.repair(repaired, rng)
        if kind == "AAB" and not (row[2::3] == num_steps).any():
            assert (repaired[0] == row).all()


def test_polish_finds_a_step_for_what_comes_too_late() -> None:
    """A transfer that has no step in time counts as a conflict until polish gives it one."""
    code, key = encoding("ring:6", "AAS", 6), Key(3, 4)
    known = np.zeros(len(code.genome.room), dtype=np.int64)
    loads, fresh = new_loads(code.genome), new_loads(code.genome)
    for number, row in enumerate(code.founders(10, Key(2, 3))):
        row[1::10] = 6
        before = conflicts(code.genome, row, loads)
        after = polish(code.genome, row, key_of(key, number), loads, before, 60, known)
        assert after == conflicts(code.genome, row, fresh)
        assert after < before
        assert (loads == fresh).all()
        assert (row[1::2] == 6).sum() <= after < len(row[1::10])
