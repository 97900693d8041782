"""Generations of UMDA (gecco08 section 4.5) and of a plain genetic algorithm.

They run until a chromosome has no conflict, which then stands in the population, or until their limits are met. They
return the number of evaluations that the run has made and of lines written to the trace, an int64[:, 2] of evaluations
and conflicts whenever the best got better.

Among equals the newer one counts as better, in tournaments as well as for survival. Otherwise a population would stay
where it is on a plateau, and most of the way to a schedule without conflicts leads over plateaus.

`islands.cu` has the same generations for GPUs: what is changed here must be changed there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.jit.copying import copy_line, copy_table
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
    """int64[size]: the rows by age, the oldest first; the genetic algorithm never changes their order."""


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


class Variation(NamedTuple):
    """How new chromosomes are made."""

    mutation: Mutation
    num_polish: int
    """How often a transfer in conflict is moved to its best path and step."""
    is_sampled: bool
    """Whether they are drawn from the marginals of the better half (UMDA), or crossed (the genetic algorithm)."""
    whole_genes: bool = False
    """Whether UMDA draws the items of a gene together."""
    tournament_size: int = 2
    crossover: float = 0.0
    """The probability that a child has two parents."""
    num_elite: int = 0
    """How many of the best survive the genetic algorithm unchanged."""
    truncates: bool = False
    """Whether the parents of UMDA are the better half itself, instead of winners of tournaments."""
    keeps_better: bool = False
    """Whether a child of UMDA with more conflicts than the chromosome it would replace is dropped."""


# -- every new chromosome


class GenerationScratch(NamedTuple):
    """Memory that generations work in."""

    loads: Array
    """int32[units * steps]"""
    known: Array
    """int64[processors]"""
    repair: RepairScratch
    children: Array
    """int32[size, items]"""
    child_fitness: Array
    """int64[size]"""
    parents: Array
    """int64[size]: rows."""
    age: Array
    """int64[size]: of each row, lower for older ones."""
    best_first: Array
    """int64[size]: the rows in order."""
    merged: Array
    """int64[size]: memory for sorting."""


def new_scratch(genome: Genome, chromosomes: Array) -> GenerationScratch:
    """Make the memory for generations of a population."""
    size = len(chromosomes)
    return GenerationScratch(
        new_loads(genome),
        np.zeros(len(genome.room), dtype=np.int64),
        new_repair_scratch(genome),
        np.empty_like(chromosomes),
        *(np.empty(size, dtype=np.int64) for _ in range(5)),
    )


def finish(genome: Genome, variation: Variation, scratch: GenerationScratch, chromosome: Array, key: Key) -> int:
    """Mutate, repair and evaluate a new chromosome, and polish it; return its conflicts."""
    vary(genome, variation.mutation, chromosome, key)
    repair(genome, chromosome, key, scratch.repair)
    total = conflicts(genome, chromosome, scratch.loads)
    if variation.num_polish > 0:
        total = polish(genome, chromosome, key, scratch.loads, total, variation.num_polish, scratch.known)
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


def sort_by_conflicts(rows: Array, fitness: Array, merged: Array) -> None:
    """Sort rows by their conflicts, the fewest first; equals keep their order.

    It is a merge sort of our own: numpy's takes seconds to compile.
    """
    size, width = len(rows), 1
    while width < size:
        for first in range(0, size, 2 * width):
            middle, last = min(first + width, size), min(first + 2 * width, size)
            left, right = first, middle
            for at in range(first, last):
                if left < middle and (right == last or fitness[rows[left]] <= fitness[rows[right]]):
                    merged[at] = rows[left]
                    left += 1
                else:
                    merged[at] = rows[right]
                    right += 1
        copy_line(rows, merged)
        width *= 2


# -- founders


def found(
    genome: Genome, cardinalities: Array, chromosomes: Array, key: Key, made: int, scratch: RepairScratch
) -> None:
    """Draw chromosomes, and repair them; the transfers of broadcasts all begin in the first step.

    The restoration then postpones each as little as possible, which makes good building blocks (gecco08 section 4.4).
    """
    items = genome.num_items
    for row in range(len(chromosomes)):
        own = key_of(key, made + row)
        for item in range(len(cardinalities)):
            chromosomes[row, item] = below(own, ITEMS + item, cardinalities[item])
            if items == BROADCAST_ITEMS and item % items == items - 1:
                chromosomes[row, item] = 0
        repair(genome, chromosomes[row], own, scratch)


# -- generations


def run_generations(
    genome: Genome,
    variation: Variation,
    population: Population,
    key: Key,
    limits: GenerationLimits,
    trace: Array,
    scratch: GenerationScratch,
) -> tuple[int, int]:
    """Run generations of UMDA (gecco08 section 4.5) or of a plain genetic algorithm."""
    chromosomes, fitness, oldest = population.chromosomes, population.fitness, population.oldest
    children, child_fitness, best_first = scratch.children, scratch.child_fitness, scratch.best_first
    size = len(chromosomes)
    first, last = 0, size // 2
    if not variation.is_sampled:
        first, last = min(variation.num_elite, size - 1), size
    best, improved = limits.fewest, limits.improved
    made, lines = limits.made, 0
    for _ in range(limits.num_generations):
        if limits.patience > 0 and made - improved >= limits.patience:
            return made, lines
        for i in range(size):
            scratch.age[oldest[i]] = i
            best_first[i] = oldest[size - 1 - i]
        sort_by_conflicts(best_first, fitness, scratch.merged)
        if variation.is_sampled:
            # The binary tournament selects as many parents as there are chromosomes in half the population.
            own = key_of(key, made)
            for i in range(last):
                is_given = variation.truncates
                scratch.parents[i] = best_first[i] if is_given else tournament(fitness, scratch.age, 2, own, i)
        for i in range(first, last):
            if made == limits.most_evaluations:
                return made, lines
            own = key_of(key, made)
            if variation.is_sampled:
                width = genome.num_items if variation.whole_genes else 1
                sample(chromosomes, scratch.parents[:last], children[i], own, width)
            else:
                cross(variation, population, scratch.age, children[i], genome.num_items, own)
            child_fitness[i] = finish(genome, variation, scratch, children[i], own)
            made += 1
            if child_fitness[i] < best:
                best, improved = child_fitness[i], made
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    row = best_first[size - 1] if variation.is_sampled else 0
                    copy_line(chromosomes[row], children[i])
                    fitness[row] = 0
                    return made, lines
        if variation.is_sampled:
            replace_worst(population, scratch, last, variation.keeps_better)
        else:
            replace_all(population, scratch, first)
    return made, lines


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


def replace_worst(population: Population, scratch: GenerationScratch, num_children: int, keeps_better: bool) -> None:
    """Let the children replace the worse half of the population, of equally bad ones the older."""
    oldest, age, worst = population.oldest, scratch.age, len(scratch.best_first) - 1
    for i in range(num_children):
        row = scratch.best_first[worst - i]
        if keeps_better and scratch.child_fitness[i] > population.fitness[row]:
            continue
        copy_line(population.chromosomes[row], scratch.children[i])
        population.fitness[row] = scratch.child_fitness[i]
        age[row] = -1
    num_left = 0
    for i in range(len(oldest)):
        if age[oldest[i]] >= 0:
            oldest[num_left] = oldest[i]
            num_left += 1
    for i in range(num_children):
        row = scratch.best_first[worst - i]
        if age[row] < 0:
            oldest[num_left] = row
            num_left += 1


# -- a plain genetic algorithm


@inlined
def cross(variation: Variation, population: Population, age: Array, child: Array, num_items: int, key: Key) -> None:
    """Make a child of two parents: between two points, which lie between genes, it takes after the second."""
    chromosomes, num_genes = population.chromosomes, len(child) // num_items
    copy_line(child, chromosomes[tournament(population.fitness, age, variation.tournament_size, key, 0)])
    other = tournament(population.fitness, age, variation.tournament_size, key, 1)
    if happens(key, CROSSINGS, variation.crossover):
        one = below(key, CROSSINGS + 1, num_genes + 1) * num_items
        two = below(key, CROSSINGS + 2, num_genes + 1) * num_items
        for at in range(min(one, two), max(one, two)):
            child[at] = chromosomes[other, at]


def replace_all(population: Population, scratch: GenerationScratch, num_elite: int) -> None:
    """Replace all but the elite, which come first: so the number of a row is its age."""
    for i in range(num_elite):
        copy_line(scratch.children[i], population.chromosomes[scratch.best_first[i]])
        scratch.child_fitness[i] = population.fitness[scratch.best_first[i]]
    copy_table(population.chromosomes, scratch.children)
    copy_line(population.fitness, scratch.child_fitness)
