"""Kernels on chromosomes, compiled and uncompiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavane.kernels import compiled
from pavane.kernels.evolution import (
    Tables,
    Variation,
    conflicts,
    draw,
    ga_generations,
    new_loads,
    polish,
    sample,
    umda_generations,
)
from tests.solvers.evolution.cases import encoding

CASES = [("ring:6", "AAS", 5), ("petersen", "AAB", 4)]
each_case = pytest.mark.parametrize(("spec", "kind", "num_steps"), CASES)


def new_state(seed: int) -> np.ndarray[Any, Any]:
    """Return a state of the random numbers."""
    return np.random.default_rng(seed).integers(1, 2**32, size=4, dtype=np.int64)


def test_random_numbers_are_even() -> None:
    """Each of n numbers is drawn about as often as the others."""
    state = new_state(0)
    drawn = np.bincount([draw(state, 10) for _ in range(20_000)], minlength=10)
    # Nine degrees of freedom: chi-square is above 27.9 once in a thousand times; the seed is fixed.
    assert ((drawn - 2000) ** 2 / 2000).sum() < 27.9


@pytest.mark.parametrize("width", [1, 2])
def test_samples_follow_the_marginals_of_the_parents(width: int) -> None:
    """Each value of an item is drawn as often as it occurs among the parents, not in the population."""
    population = np.array([[0, 0, 5, 0], [0, 1, 5, 1], [0, 2, 6, 2], [3, 3, 6, 3], [9, 9, 9, 9]], dtype=np.int32)
    parents = np.array([0, 1, 2, 3, 3])
    state, child, size = new_state(1), np.zeros(4, dtype=np.int32), 10_000
    drawn = np.empty((size, 4), dtype=np.int64)
    for i in range(size):
        sample(population, parents, child, state, width)
        drawn[i] = child
    for item in range(4):
        expected = np.bincount(population[parents, item], minlength=10) / len(parents)
        seen = np.bincount(drawn[:, item], minlength=10) / size
        assert (seen[expected == 0] == 0).all()
        assert np.abs(seen - expected).max() < 0.02
    together = np.mean((drawn[:, 0] == 3) == (drawn[:, 1] == 3))
    # Alone, items are independent: 0.4 * 0.4 + 0.6 * 0.6; drawn as one they agree.
    assert together == pytest.approx(0.52 if width == 1 else 1.0, abs=0.02)


@each_case
def test_polish_keeps_count(spec: str, kind: str, num_steps: int) -> None:
    """After many moves count and loads equal a recount, trees are still trees, and nothing got worse."""
    code, rng = encoding(spec, kind, num_steps), np.random.default_rng(2)
    population = code.random(10, rng)
    code.repair(population, rng)
    known = np.zeros(len(code.tables.room), dtype=np.int64)
    loads, fresh, state = new_loads(code.tables), new_loads(code.tables), new_state(3)
    for row in population:
        before = conflicts(code.tables, row, loads)
        after = polish(code.tables, row, state, loads, before, 30, known)
        assert after == conflicts(code.tables, row, fresh)
        assert (loads == fresh).all()
        assert after < before
        repaired = row[None].copy()
        code.repair(repaired, rng)
        if kind == "AAB" and not (row[2::3] == num_steps).any():
            assert (repaired[0] == row).all()


def run(
    kernel: Callable[..., tuple[int, int]], tables: Tables, start: np.ndarray[Any, Any], fitness: np.ndarray[Any, Any]
) -> list[Any]:
    """Run a few generations and return all that comes out."""
    population, fitness, state = start.copy(), fitness.copy(), new_state(5)
    trace, oldest = np.zeros((1000, 2), dtype=np.int64), np.arange(len(population))
    variation = Variation(0.9, 0.3, True, 1, 1)
    if kernel.__name__ == "umda_generations":
        made = kernel(tables, variation, population, fitness, oldest, state, 1, 3, 23, trace)
    else:
        made = kernel(tables, variation, population, fitness, state, 2, 0.8, 1, 3, 23, trace)
    return [made, population.tolist(), fitness.tolist(), state.tolist(), trace.tolist(), oldest.tolist()]


@each_case
@pytest.mark.parametrize("kernel", [umda_generations, ga_generations])
def test_compiled_equals_uncompiled(
    spec: str, kind: str, num_steps: int, kernel: Callable[..., tuple[int, int]]
) -> None:
    """Machine code and plain Python draw the same numbers and do the same with them, within their evaluations."""
    code, rng = encoding(spec, kind, num_steps), np.random.default_rng(4)
    population = code.random(16, rng)
    code.repair(population, rng)
    fitness = code.fitness(population)
    plain, fast = (run(k, code.tables, population, fitness) for k in (kernel, compiled(kernel)))
    assert plain == fast
    assert plain[0][0] <= 23
    assert plain[1] != population.tolist()


@pytest.mark.parametrize("kernel", [umda_generations, ga_generations])
def test_fitness_belongs_to_the_chromosomes(kernel: Callable[..., tuple[int, int]]) -> None:
    """After generations every chromosome has the fitness that is noted for it, and the best was not lost."""
    code, rng = encoding("ring:6", "AAS", 5), np.random.default_rng(4)
    population = code.random(16, rng)
    code.repair(population, rng)
    fitness = code.fitness(population)
    _, after, noted, *_ = run(compiled(kernel), code.tables, population, fitness)
    assert code.fitness(np.array(after, dtype=np.int32)).tolist() == noted
    assert min(noted) <= fitness.min()
