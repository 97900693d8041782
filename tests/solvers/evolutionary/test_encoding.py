"""What both encodings keep: values in range, conflicts counted as by hand, schedules that the judge accepts."""

from collections import Counter

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.model.problem import Rules
from pavane.solvers.evolutionary.encoding import Counting, Encoding
from pavane.solvers.evolutionary.kernels.bit_words import Key
from pavane.solvers.evolutionary.kernels.genes import path_of, step_of
from pavane.solvers.evolutionary.kernels.mutation import Mutation
from tests.solvers.evolutionary.cases import encoding

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
    beyond = [max(0, many - int(genome.capacity[unit])) for (unit, _), many in load.items()]
    return late + sum(many * (many + 1) // 2 if genome.counts_pairs else many for many in beyond)


@each_case
def test_values_stay_in_range(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """Drawn, mutated and repaired chromosomes have every item below its cardinality."""
    code, rng = encoding(spec, kind, num_steps, rules), np.random.default_rng(3)
    population = code.founders(20, Key(3, 3))
    for _ in range(5):
        code.mutate(population, Mutation(0.9, 0.3, True, True, 1), rng)
        code.repair(population, rng)
        assert population.shape == (20, code.num_items)
        assert (population >= 0).all()
        assert (population < code.cardinalities).all()


@each_case
@pytest.mark.parametrize("counting", ["pairs", "excess"])
def test_fitness_counts_conflicts(spec: str, kind: str, num_steps: int, rules: Rules, counting: Counting) -> None:
    """Fitness is what every unit has in conflict in each step, ports included, and the transfers that come late.

    Where a unit takes one transfer, n of them are n (n - 1) / 2 pairs in conflict, and n - 1 too many.
    """
    code = encoding(spec, kind, num_steps, rules, counting)
    population = code.founders(10, Key(4, 4))
    assert code.fitness(population).tolist() == [counted(code, row) for row in population]


@each_case
def test_no_conflicts_means_a_valid_schedule(spec: str, kind: str, num_steps: int, rules: Rules) -> None:
    """A chromosome with fitness 0 is a valid schedule of the problem that was asked."""
    code, rng = encoding(spec, kind, 20, rules), np.random.default_rng(5)
    population = code.founders(400, Key(5, 5))
    for _ in range(40):
        code.mutate(population, Mutation(1.0, 0.3, False, False, 3), rng)
        code.repair(population, rng)
        fitness = code.fitness(population)
        if fitness.min() == 0:
            schedule = code.schedule(population[int(fitness.argmin())])
            assert not verify(code.original, schedule)
            return
        # Keep the better half, twice: enough of a search for problems with room to spare.
        population = np.tile(population[np.argsort(fitness, kind="stable")[:200]], (2, 1))
    pytest.fail("no chromosome without conflicts turned up")
