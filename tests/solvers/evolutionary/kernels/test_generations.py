"""Generations of UMDA and of the genetic algorithm, compiled and uncompiled."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.solvers.evolutionary.encoding import Encoding
from pavane.solvers.evolutionary.kernels.bit_words import MEETINGS, Key, below, key_of
from pavane.solvers.evolutionary.kernels.generations import (
    GenerationLimits,
    Population,
    Variation,
    new_scratch,
    replace_worst,
    run_generations,
    sample,
    sort_by_conflicts,
    tournament,
)
from pavane.solvers.evolutionary.kernels.mutation import Mutation
from tests.solvers.evolutionary.cases import encoding

CASES = [("ring:6", "AAS", 5), ("petersen", "AAB", 4)]
KEY = Key(123_456_789, 987_654_321)
MUTATION = Mutation(0.9, 0.3, True, False, 1)
SAMPLING = Variation(MUTATION, 0, is_sampled=True)
CROSSING = Variation(MUTATION, 0, False, crossover=0.8, num_elite=1)
each_variation = pytest.mark.parametrize("variation", [SAMPLING, CROSSING])
each_case = pytest.mark.parametrize(("spec", "kind", "num_steps"), CASES)


@pytest.mark.parametrize("width", [1, 2])
def test_samples_follow_the_marginals_of_the_parents(width: int) -> None:
    """Each value of an item is drawn as often as it occurs among the parents, not in the population."""
    population = np.array([[0, 0, 5, 0], [0, 1, 5, 1], [0, 2, 6, 2], [3, 3, 6, 3], [9, 9, 9, 9]], dtype=np.int32)
    parents = np.array([0, 1, 2, 3, 3])
    child, size = np.zeros(4, dtype=np.int32), 10_000
    drawn = np.empty((size, 4), dtype=np.int64)
    for i in range(size):
        sample(population, parents, child, key_of(KEY, i), width)
        drawn[i] = child
    for item in range(4):
        expected = np.bincount(population[parents, item], minlength=10) / len(parents)
        seen = np.bincount(drawn[:, item], minlength=10) / size
        assert (seen[expected == 0] == 0).all()
        assert np.abs(seen - expected).max() < 0.02
    together = np.mean((drawn[:, 0] == 3) == (drawn[:, 1] == 3))
    # Alone, items are independent: 0.4 * 0.4 + 0.6 * 0.6; drawn as one they agree.
    assert together == pytest.approx(0.52 if width == 1 else 1.0, abs=0.02)


def begun(code: Encoding, size: int = 16) -> Population:
    """Return a first population."""
    chromosomes = code.founders(size, KEY)
    return Population(chromosomes, code.fitness(chromosomes), np.arange(size))


def lived(
    code: Encoding,
    variation: Variation,
    population: Population,
    limits: GenerationLimits,
    kernel: Callable[..., tuple[int, int]] = run_generations,
) -> list[Any]:
    """Run generations; return what they made, the lines of the trace, and the trace."""
    trace = np.zeros((1000, 2), dtype=np.int64)
    scratch = new_scratch(code.genome, population.chromosomes)
    return [*kernel(code.genome, variation, population, KEY, limits, trace, scratch), trace.tolist()]


def run(kernel: Callable[..., tuple[int, int]], variation: Variation, code: Encoding) -> list[Any]:
    """Run a few generations and return the whole result."""
    population = begun(code)
    limits = GenerationLimits(3, 16, 39, int(population.fitness.min()), 16, 0)
    told = lived(code, variation._replace(num_polish=1), population, limits, kernel)
    return [*told, *(column.tolist() for column in population)]


@each_case
@each_variation
def test_compiled_equals_uncompiled(spec: str, kind: str, num_steps: int, variation: Variation) -> None:
    """Machine code and plain Python draw the same numbers and do the same with them, within their evaluations."""
    code = encoding(spec, kind, num_steps)
    plain, fast = (run(kernel, variation, code) for kernel in (run_generations, compiled(run_generations)))
    assert plain == fast
    assert plain[0] <= 39
    assert plain[3] != begun(code).chromosomes.tolist()


@each_variation
def test_fitness_belongs_to_the_chromosomes(variation: Variation) -> None:
    """After generations every chromosome has the fitness that is noted for it, and the best was not lost."""
    code = encoding("ring:6", "AAS", 5)
    *_, after, noted, _ = run(compiled(run_generations), variation, code)
    assert code.fitness(np.array(after, dtype=np.int32)).tolist() == noted
    assert min(noted) <= begun(code).fitness.min()


@each_variation
def test_a_success_ends_the_generations(variation: Variation) -> None:
    """A chromosome without conflicts is in the population, is reported last, and nothing is evaluated after it."""
    code = encoding("ring:4", "AAS", 4)
    population = begun(code)
    fewest = int(population.fitness.min())
    assert fewest > 0
    limits = GenerationLimits(50, 16, 5_000, fewest, 16, 0)
    made, lines, trace = lived(code, variation._replace(num_polish=5), population, limits)
    assert trace[lines - 1] == [made, 0]
    assert made < 5_000
    assert 0 in code.fitness(population.chromosomes)


def test_generations_end_with_what_may_be_evaluated() -> None:
    """UMDA stops in the middle of a generation, too."""
    code = encoding("ring:6", "AAS", 5)
    assert lived(code, SAMPLING, begun(code), GenerationLimits(1, 16, 100, 40, 16, 0))[0] == 16 + 8


def test_of_equals_the_newest_wins_a_tournament() -> None:
    """Whoever meets: the fewest conflicts win, and among equals the youngest."""
    fitness, age = np.array([5, 3, 3, 3, 7]), np.array([4, 1, 2, 0, 3])
    winners = set()
    for number in range(200):
        met = [int(below(KEY, MEETINGS + 3 * number + i, 5)) for i in range(3)]
        winner = int(tournament(fitness, age, 3, KEY, number))
        assert winner == min(met, key=lambda row: (fitness[row], -age[row]))
        winners.add(winner)
    assert winners == {0, 1, 2, 3, 4}


def test_rows_are_sorted_by_conflicts() -> None:
    """Equals keep their order, whatever the number of rows."""
    rng = np.random.default_rng(1)
    for size in range(40):
        rows, fitness = rng.permutation(size), rng.integers(0, 5, size)
        expected = rows[np.argsort(fitness[rows], kind="stable")].tolist()
        sort_by_conflicts(rows, fitness, np.zeros(size, dtype=np.int64))
        assert rows.tolist() == expected


def test_of_equally_bad_ones_the_older_are_replaced() -> None:
    """Children that are as bad as all others replace the older half, so that the population crosses a plateau."""
    code = encoding("ring:6", "AAS", 5)
    population = Population(np.arange(8, dtype=np.int32).reshape(4, 2), np.full(4, 6), np.array([2, 0, 3, 1]))
    scratch = new_scratch(code.genome, population.chromosomes)
    scratch.best_first[:], scratch.age[:] = [1, 3, 0, 2], [1, 3, 0, 2]
    scratch.children[:], scratch.child_fitness[:] = 9, 6
    replace_worst(population, scratch, 2, keeps_better=False)
    assert population.chromosomes.tolist() == [[9, 9], [2, 3], [9, 9], [6, 7]]
    assert population.oldest.tolist() == [3, 1, 2, 0]


def test_worse_children_may_be_dropped() -> None:
    """With `keeps_better` a child replaces only a chromosome with at least as many conflicts, and only then is new."""
    code = encoding("ring:6", "AAS", 5)
    population = Population(np.arange(8, dtype=np.int32).reshape(4, 2), np.array([6, 5, 7, 5]), np.array([2, 0, 3, 1]))
    scratch = new_scratch(code.genome, population.chromosomes)
    scratch.best_first[:], scratch.age[:] = [1, 3, 0, 2], [1, 3, 0, 2]
    scratch.children[:], scratch.child_fitness[:2] = 9, [7, 7]
    replace_worst(population, scratch, 2, keeps_better=True)
    assert population.chromosomes.tolist() == [[0, 1], [2, 3], [9, 9], [6, 7]]
    assert population.oldest.tolist() == [0, 3, 1, 2]


def test_the_elite_are_the_newest_of_the_best() -> None:
    """In a population of equals the genetic algorithm keeps the rows that were made last."""
    code = encoding("ring:6", "AAS", 5)
    chromosomes = code.founders(6, KEY)
    population = Population(chromosomes.copy(), np.full(6, 40), np.arange(6))
    crossing = Variation(MUTATION._replace(probability=0.0), 0, False, num_elite=2)
    lived(code, crossing, population, GenerationLimits(1, 6, 100, 40, 6, 0))
    assert population.chromosomes[:2].tolist() == [chromosomes[5].tolist(), chromosomes[4].tolist()]


def test_patience_ends_a_life_whatever_the_generations_per_call() -> None:
    """Generations stop as soon as so many evaluations have brought nothing."""
    code = encoding("ring:6", "AAS", 4)
    # Nothing is fewer than 0, so nothing brings anything: 4 children a generation.
    made, lines, _ = lived(code, SAMPLING, begun(code, 8), GenerationLimits(1000, 8, 10_000, 0, 8, 30))
    assert (made, lines) == (8 + 32, 0)
