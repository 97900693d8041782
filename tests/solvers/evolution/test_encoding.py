"""What both encodings keep: values in range, conflicts counted as by hand, schedules that the judge accepts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.kernels.evolution_genes import path_of, step_of
from pavane.kernels.evolution_mutation import Mutation
from pavane.model.problem import Rules
from pavane.solvers.evolution.encoding import Encoding
from tests.solvers.evolution.cases import encoding

CASES = [
    ("kautz:2,2", "AAS", 4, Rules(ports=1)),
    ("fat-octagon:2", "OAS", 5, Rules(duplex="half")),
    ("ring:5", "AOG", 2, Rules(routing="any")),
    ("hypercube:3", "AAB", 3, Rules()),
    ("ring:6", "OAB", 2, Rules(ports=1, duplex="half")),
    ("kautz:2,2", "AAR", 4, Rules(switching="store-and-forward")),
]
each_case = pytest.mark.parametrize(("spec", "kind", "num_steps", "rules"), CASES)


def counted(code: Encoding, chromosome: np.ndarray[tuple[int], np.dtype[np.int32]]) -> int:
    """Count the conflicts of a chromosome transfer by transfer."""
    genome = code.genome
    late, load = 0, Counter[tuple[int, int]]()
    for gene in range(code.num_genes):
        step, path = step_of(genome, chromosome, gene), path_of(genome, chromosome, gene)
        if step >= genome.num_steps:
            late += 1
            continue
        for unit in genome.units[genome.unit_offsets[path] : genome.unit_offsets[path + 1]].tolist():
            load[unit, step] += 1
    return late + sum(max(0, many - int(genome.capacity[unit])) for (unit, _), many in load.items())


@each_case
def test_values_stay_in_range(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Drawn, mutated and repaired chromosomes have every item below its cardinality."""
    code, rng = encoding(spec, kind, num_steps, rules), np.random.default_rng(3)
    population = code.random(20, rng)
    for _ in range(5):
        code.mutate(population, Mutation(0.9, 0.3, True, 1), rng)
        code.repair(population, rng)
        assert population.shape == (20, code.num_items)
        assert (population >= 0).all()
        assert (population < code.cardinalities).all()


@each_case
def test_fitness_counts_loads_above_capacity(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Fitness is what every unit carries too much in each step, ports included, and the transfers that come late."""
    code, rng = encoding(spec, kind, num_steps, rules), np.random.default_rng(4)
    population = code.random(10, rng)
    code.repair(population, rng)
    assert code.fitness(population).tolist() == [counted(code, row) for row in population]


@each_case
def test_no_conflicts_means_a_valid_schedule(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """A chromosome with fitness 0 is a valid schedule of the problem that was asked."""
    code, rng = encoding(spec, kind, num_steps, rules).with_steps(20), np.random.default_rng(5)
    population = code.random(400, rng)
    for _ in range(40):
        code.mutate(population, Mutation(1.0, 0.3, True, 3), rng)
        code.repair(population, rng)
        fitness = code.fitness(population)
        if fitness.min() == 0:
            schedule = code.schedule(population[int(fitness.argmin())])
            assert not verify(code.asked, schedule)
            return
        # Keep the better half, twice: enough of a search for problems with room to spare.
        population = np.tile(population[np.argsort(fitness, kind="stable")[:200]], (2, 1))
    pytest.fail("no chromosome without conflicts turned up")
