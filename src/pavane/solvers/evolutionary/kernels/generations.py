"""Generations of UMDA (gecco08 section 4.5) and of a plain genetic algorithm.

Both vary, repair and evaluate every new chromosome alike. Both run until a chromosome has no conflict, which is then
left in the population, or until their limits are met; and both return the number of evaluations that the run has made
and of lines written to the trace, an int64[:, 2] of evaluations and conflicts whenever the best got better.

Among equals the newer one counts as better, in tournaments as well as for survival. Otherwise a population would stay
where it is on a plateau, and most of the way to a schedule without conflicts leads over plateaus.

`islands.cu` has the same generations for GPUs: what is changed here must be changed there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.evolutionary.kernels.bit_words import CROSSINGS, ITEMS, MEETINGS, Key, below, happens, key_of
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS, Array, Genome, conflicts, new_loads
from pavane.solvers.evolutionary.kernels.mutation import Mutation, vary
from pavane.solvers.evolutionary.kernels.polishing import polish
from pavane.solvers.evolutionary.kernels.repairing import RepairScratch, new_repair_scratch, repair


class Population(NamedTuple):
    """Chromosomes with their conflicts."""

    chromosomes: Array
    """int32[size, items]"""
    fitness: Array
    """int64[size]: the conflicts of each chromosome."""
    oldest: Array
    """int64[size]: the rows by age, the oldest first; kept by UMDA."""


class GenerationLimits(NamedTuple):
    """How far a run has come, and when to come back."""

    num_generations: int
    made: int
    """The evaluations that the run has made so far: each has words of its own."""
    most_evaluations: int
    """How many there may be."""
    fewest: int
    """The fewest conflicts in the life of the population so far."""
    improved: int
    """The evaluations that were made when they became so few, or the population was drawn."""
    patience: int
    """How many evaluations may bring nothing; 0: any."""


class Sampling(NamedTuple):
    """How UMDA makes new chromosomes."""

    mutation: Mutation
    num_polish: int
    """How often a transfer in conflict is moved to its best path and step."""
    whole_genes: bool
    """Whether the items of a gene are drawn together."""


class Crossing(NamedTuple):
    """How the genetic algorithm makes new chromosomes."""

    mutation: Mutation
    num_polish: int
    tournament_size: int
    crossover: float
    """The probability that a child has two parents."""
    num_elite: int
    """How many of the best survive unchanged."""


# -- what befalls every new chromosome


class GenerationScratch(NamedTuple):
    """What a generation works in, made once."""

    loads: Array
    """int32[units * steps]"""
    known: Array
    """int64[processors]"""
    repair: RepairScratch


def new_scratch(genome: Genome) -> GenerationScratch:
    """Make the memory for generations."""
    return GenerationScratch(new_loads(genome), np.zeros(len(genome.room), dtype=np.int64), new_repair_scratch(genome))


@inlined
def finish(
    genome: Genome, mutation: Mutation, num_polish: int, scratch: GenerationScratch, chromosome: Array, key: Key
) -> int:
    """Mutate, repair and evaluate a new chromosome, and polish it; return its conflicts."""
    vary(genome, mutation, chromosome, key)
    repair(genome, chromosome, key, scratch.repair)
    total = conflicts(genome, chromosome, scratch.loads)
    if num_polish > 0:
        total = polish(genome, chromosome, key, scratch.loads, total, num_polish, scratch.known)
    return total


@inlined
def tournament(fitness: Array, age: Array, size: int, key: Key, number: int) -> int:
    """Return the best of `size` random chromosomes, of equals the newest; `age` is lower for older ones."""
    best = below(key, MEETINGS + number * size, len(fitness))
    for i in range(1, size):
        other = below(key, MEETINGS + number * size + i, len(fitness))
        is_newer = age[other] > age[best]
        if fitness[other] < fitness[best] or (fitness[other] == fitness[best] and is_newer):
            best = other
    return best


@inlined
def copy_into(target: Array, source: Array) -> None:
    """Copy a row or a column entry by entry: machine code for assigned slices takes seconds longer to compile."""
    for at in range(len(source)):
        target[at] = source[at]


# -- founders


def found(genome: Genome, cardinalities: Array, chromosomes: Array, key: Key, made: int) -> None:
    """Draw chromosomes, and repair them; the transfers of broadcasts all begin in the first step.

    The restoration then postpones each as little as can be, which makes good building blocks (gecco08 section 4.4).
    """
    items, scratch = genome.num_items, new_repair_scratch(genome)
    for row in range(len(chromosomes)):
        own = key_of(key, made + row)
        for item in range(len(cardinalities)):
            chromosomes[row, item] = below(own, ITEMS + item, cardinalities[item])
            if items == BROADCAST_ITEMS and item % items == items - 1:
                chromosomes[row, item] = 0
        repair(genome, chromosomes[row], own, scratch)


# -- UMDA


@inlined
def sample(chromosomes: Array, parents: Array, child: Array, key: Key, width: int) -> None:
    """Draw a chromosome from the univariate marginals of the parents.

    Copying every item, or every `width` items, from a parent chosen at random draws each value with the frequency that
    it has among the parents. That is the marginal distribution, exactly, and no table of it is needed.
    """
    for first in range(0, len(child), width):
        parent = parents[below(key, ITEMS + first, len(parents))]
        for at in range(first, first + width):
            child[at] = chromosomes[parent, at]


def umda_generations(
    genome: Genome, sampling: Sampling, population: Population, key: Key, limits: GenerationLimits, trace: Array
) -> tuple[int, int]:
    """Run generations of UMDA (gecco08 section 4.5)."""
    chromosomes, fitness = population.chromosomes, population.fitness
    num_children = len(chromosomes) // 2
    children = np.empty((num_children, chromosomes.shape[1]), dtype=chromosomes.dtype)
    child_fitness = np.empty(num_children, dtype=np.int64)
    parents = np.empty(num_children, dtype=np.int64)
    age = np.empty(len(chromosomes), dtype=np.int64)
    width = genome.num_items if sampling.whole_genes else 1
    scratch = new_scratch(genome)
    best, improved = limits.fewest, limits.improved
    made, lines = limits.made, 0
    for _ in range(limits.num_generations):
        if limits.patience > 0 and made - improved >= limits.patience:
            return made, lines
        for i in range(len(age)):
            age[population.oldest[i]] = i
        # The binary tournament selects as many parents as there are chromosomes in half the population.
        own = key_of(key, made)
        for i in range(num_children):
            parents[i] = tournament(fitness, age, 2, own, i)
        # Of equally bad ones the older give way.
        worst_first = population.oldest[np.argsort(-fitness[population.oldest], kind="mergesort")]
        for i in range(num_children):
            if made == limits.most_evaluations:
                return made, lines
            own = key_of(key, made)
            sample(chromosomes, parents, children[i], own, width)
            child_fitness[i] = finish(genome, sampling.mutation, sampling.num_polish, scratch, children[i], own)
            made += 1
            if child_fitness[i] < best:
                best, improved = child_fitness[i], made
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    copy_into(chromosomes[worst_first[0]], children[i])
                    fitness[worst_first[0]] = 0
                    return made, lines
        replace_worst(population, worst_first, children, child_fitness)
    return made, lines


def replace_worst(population: Population, worst_first: Array, children: Array, child_fitness: Array) -> None:
    """Let the children replace the worse half of the population."""
    size, num_children = len(population.fitness), len(children)
    oldest = population.oldest
    gone = np.zeros(size, dtype=np.bool_)
    for i in range(num_children):
        copy_into(population.chromosomes[worst_first[i]], children[i])
        population.fitness[worst_first[i]] = child_fitness[i]
        gone[worst_first[i]] = True
    num_left = 0
    for i in range(size):
        if not gone[oldest[i]]:
            oldest[num_left] = oldest[i]
            num_left += 1
    copy_into(oldest[num_left:], worst_first[:num_children])


# -- a plain genetic algorithm


def ga_generations(
    genome: Genome, crossing: Crossing, population: Population, key: Key, limits: GenerationLimits, trace: Array
) -> tuple[int, int]:
    """Run generations of a plain genetic algorithm.

    The rows are in the order of age but for the elite, whose rows are the first: so the number of a row is its age.
    """
    chromosomes, fitness = population.chromosomes, population.fitness
    size = len(chromosomes)
    children, child_fitness = chromosomes.copy(), fitness.copy()
    num_elite = min(crossing.num_elite, size - 1)
    age = np.arange(size)
    scratch = new_scratch(genome)
    best, improved = limits.fewest, limits.improved
    made, lines = limits.made, 0
    for _ in range(limits.num_generations):
        if limits.patience > 0 and made - improved >= limits.patience:
            return made, lines
        best_first = size - 1 - np.argsort(fitness[::-1], kind="mergesort")
        for i in range(num_elite):
            copy_into(children[i], chromosomes[best_first[i]])
            child_fitness[i] = fitness[best_first[i]]
        for i in range(num_elite, size):
            if made == limits.most_evaluations:
                return made, lines
            own = key_of(key, made)
            cross(crossing, population, age, children[i], genome.num_items, own)
            child_fitness[i] = finish(genome, crossing.mutation, crossing.num_polish, scratch, children[i], own)
            made += 1
            if child_fitness[i] < best:
                best, improved = child_fitness[i], made
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    copy_into(chromosomes[0], children[i])
                    fitness[0] = 0
                    return made, lines
        for i in range(size):
            copy_into(chromosomes[i], children[i])
        copy_into(fitness, child_fitness)
    return made, lines


@inlined
def cross(crossing: Crossing, population: Population, age: Array, child: Array, num_items: int, key: Key) -> None:
    """Make a child of two parents: between two points, which lie between genes, it takes after the second."""
    chromosomes, num_genes = population.chromosomes, len(child) // num_items
    copy_into(child, chromosomes[tournament(population.fitness, age, crossing.tournament_size, key, 0)])
    other = tournament(population.fitness, age, crossing.tournament_size, key, 1)
    if happens(key, CROSSINGS, crossing.crossover):
        one = below(key, CROSSINGS + 1, num_genes + 1) * num_items
        two = below(key, CROSSINGS + 2, num_genes + 1) * num_items
        for at in range(min(one, two), max(one, two)):
            child[at] = chromosomes[other, at]
