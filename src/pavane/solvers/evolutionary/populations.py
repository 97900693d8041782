"""The run of an evolutionary algorithm: encode, draw a population, let generations pass, read the schedule off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.counting import Evaluations
from pavane.solvers.evolutionary.encoders import encode
from pavane.solvers.evolutionary.encoding import Coding, Encoding, new_key
from pavane.solvers.evolutionary.kernels.bit_words import Key
from pavane.solvers.evolutionary.kernels.generations import (
    GenerationLimits,
    Population,
    Variation,
    new_scratch,
    run_generations,
)
from pavane.solvers.solver import Finding

WORK_PER_CALL = 2_000_000
"""Genes handled between two looks at the clock: about a tenth of a second."""


@dataclass(frozen=True)
class Evolution:
    """An evolutionary algorithm: how it encodes, how it makes new chromosomes, and when it stops."""

    coding: Coding
    variation: Variation
    """How it makes new chromosomes."""
    population_size: int
    patience: int
    """After how many evaluations without improvement a new population is drawn; 0: never."""
    most_evaluations: int
    """Where the budget does not say."""


def evolve(evolution: Evolution, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
    """Look for a schedule of `num_steps` steps."""
    evaluations = Evaluations(budget, evolution.most_evaluations)
    most_steps = problem.num_deliveries
    if num_steps < 1 or evaluations.are_over:
        return Finding(None, run=evaluations.run, is_final=num_steps >= most_steps)
    encoding = encoded(evolution, problem, num_steps, rng)
    if encoding is None:
        return Finding(None, run=evaluations.run, is_final=True)
    key = new_key(rng)
    chromosome = None
    while chromosome is None and not evaluations.are_over:
        chromosome = _survivor(evolution, encoding, evaluations, key)
    schedule = None if chromosome is None else encoding.schedule(chromosome)
    return Finding(schedule, run=evaluations.run, is_final=num_steps >= most_steps)


def encoded(evolution: Evolution, problem: Problem, num_steps: int, rng: np.random.Generator) -> Encoding | None:
    """Encode schedules of so many steps; none without empty steps has more than there are deliveries."""
    return encode(problem, min(num_steps, problem.num_deliveries), evolution.coding, rng)


class _Life(NamedTuple):
    """A population between two calls of the kernel."""

    population: Population
    fewest: int
    """The fewest conflicts so far."""
    improved: int
    """The evaluations that were made when they became so few."""


def _survivor(evolution: Evolution, encoding: Encoding, evaluations: Evaluations, key: Key) -> Ints | None:
    """Evolve a new population until a conflict-free chromosome appears.

    Returns None once patience or evaluations run out.
    """
    founded = _founded(evolution, encoding, evaluations, key)
    if not isinstance(founded, _Life):
        return founded
    population, fewest, improved = founded
    chromosomes, fitness, _ = population
    scratch = new_scratch(encoding.genome, chromosomes)
    work = evolution.population_size * encoding.num_genes * (1 + evolution.variation.num_polish)
    num_generations = max(1, WORK_PER_CALL // max(1, work))
    while True:
        is_patient = not evolution.patience or evaluations.made - improved < evolution.patience
        if evaluations.are_over or not is_patient:
            return None
        limits = GenerationLimits(
            num_generations, evaluations.made, evaluations.most, fewest, improved, evolution.patience
        )
        trace = np.empty((fewest + 1, 2), dtype=np.int64)
        made, num_lines = compiled(run_generations)(
            encoding.genome, evolution.variation, population, key, limits, trace, scratch
        )
        for improved, fewest in trace[:num_lines].tolist():
            evaluations.note(fewest, improved - evaluations.made)
        evaluations.made = made
        if fewest == 0:
            best: Ints = chromosomes[int(fitness.argmin())]
            return best


def _founded(evolution: Evolution, encoding: Encoding, evaluations: Evaluations, key: Key) -> _Life | Ints:
    """Draw a population, and return its first chromosome without conflicts if there is one."""
    chromosomes = encoding.founders(min(evolution.population_size, evaluations.left), key, evaluations.made)
    fitness = encoding.fitness(chromosomes)
    for number, conflicts in enumerate(fitness.tolist(), start=1):
        evaluations.note(conflicts, after=number)
        if conflicts == 0:
            evaluations.made += number
            first: Ints = chromosomes[number - 1]
            return first
    evaluations.made += len(chromosomes)
    population = Population(chromosomes, fitness, np.arange(len(chromosomes)))
    return _Life(population, int(fitness.min()), evaluations.made)
