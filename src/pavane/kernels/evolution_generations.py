"""Generations of UMDA (gecco08 section 4.5) and of a plain genetic algorithm.

Both vary, repair and evaluate every new chromosome alike. Both run until a chromosome has no conflict, which is then
left in the population, or until their limits are met; and both return the number of evaluations made and of lines
written to the trace, an int64[:, 2] of evaluations and conflicts whenever the best got better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.kernels.compiling import inlined
from pavane.kernels.evolution_genes import Array, Genome, conflicts, new_loads
from pavane.kernels.evolution_mutation import Mutation, mutate
from pavane.kernels.evolution_polish import polish
from pavane.kernels.evolution_random import chance, draw
from pavane.kernels.evolution_repair import RepairScratch, new_repair_scratch, repair


class Population(NamedTuple):
    """Chromosomes with their conflicts."""

    chromosomes: Array
    """int32[size, items]"""
    fitness: Array
    """int64[size]: the conflicts of each chromosome."""
    oldest: Array
    """int64[size]: the rows by age, the oldest first; kept by UMDA."""


class Limits(NamedTuple):
    """When to come back."""

    num_generations: int
    most_evaluations: int


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


class Scratch(NamedTuple):
    """What a generation works in, made once."""

    loads: Array
    """int32[units * steps]"""
    known: Array
    """int64[processors]"""
    repair: RepairScratch


def new_scratch(genome: Genome) -> Scratch:
    """Make the memory for generations."""
    return Scratch(new_loads(genome), np.zeros(len(genome.room), dtype=np.int64), new_repair_scratch(genome))


@inlined
def finish(
    genome: Genome, mutation: Mutation, num_polish: int, scratch: Scratch, chromosome: Array, state: Array
) -> int:
    """Mutate, repair and evaluate a new chromosome, and polish it; return its conflicts."""
    if chance(state, mutation.probability):
        mutate(genome, mutation, chromosome, state)
    repair(genome, chromosome, state, scratch.repair)
    total = conflicts(genome, chromosome, scratch.loads)
    if num_polish > 0:
        total = polish(genome, chromosome, state, scratch.loads, total, num_polish, scratch.known)
    return total


@inlined
def tournament(fitness: Array, size: int, state: Array) -> int:
    """Return the best of `size` random chromosomes."""
    best = draw(state, len(fitness))
    for _ in range(size - 1):
        other = draw(state, len(fitness))
        if fitness[other] < fitness[best]:
            best = other
    return best


# -- UMDA


@inlined
def sample(chromosomes: Array, parents: Array, child: Array, state: Array, width: int) -> None:
    """Draw a chromosome from the univariate marginals of the parents.

    Copying every item, or every `width` items, from a parent chosen at random draws each value with the frequency that
    it has among the parents. That is the marginal distribution, exactly, and no table of it is needed.
    """
    # This happens for every item of every chromosome, so `draw` is written out, with its state in registers.
    x, y, z, w = state[0], state[1], state[2], state[3]
    for first in range(0, len(child), width):
        t = x ^ ((x << 11) & 0xFFFFFFFF)
        x, y, z = y, z, w
        w = w ^ (w >> 19) ^ t ^ (t >> 8)
        parent = parents[(w * len(parents)) >> 32]
        for at in range(first, first + width):
            child[at] = chromosomes[parent, at]
    state[0], state[1], state[2], state[3] = x, y, z, w


def umda_generations(
    genome: Genome, sampling: Sampling, population: Population, state: Array, limits: Limits, trace: Array
) -> tuple[int, int]:
    """Run generations of UMDA (gecco08 section 4.5)."""
    chromosomes, fitness = population.chromosomes, population.fitness
    num_children = len(chromosomes) // 2
    children = np.empty((num_children, chromosomes.shape[1]), dtype=chromosomes.dtype)
    child_fitness = np.empty(num_children, dtype=np.int64)
    parents = np.empty(num_children, dtype=np.int64)
    width = genome.num_items if sampling.whole_genes else 1
    scratch = new_scratch(genome)
    best = fitness.min()
    made, lines = 0, 0
    for _ in range(limits.num_generations):
        # The binary tournament selects as many parents as there are chromosomes in half the population.
        for i in range(num_children):
            parents[i] = tournament(fitness, 2, state)
        # Of equally bad ones the older give way, or nothing would ever move on a plateau.
        worst_first = population.oldest[np.argsort(-fitness[population.oldest], kind="mergesort")]
        for i in range(num_children):
            if made == limits.most_evaluations:
                return made, lines
            sample(chromosomes, parents, children[i], state, width)
            child_fitness[i] = finish(genome, sampling.mutation, sampling.num_polish, scratch, children[i], state)
            made += 1
            if child_fitness[i] < best:
                best = child_fitness[i]
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    chromosomes[worst_first[0]] = children[i]
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
        population.chromosomes[worst_first[i]] = children[i]
        population.fitness[worst_first[i]] = child_fitness[i]
        gone[worst_first[i]] = True
    oldest[: size - num_children] = oldest[~gone[oldest]]
    oldest[size - num_children :] = worst_first[:num_children]


# -- a plain genetic algorithm


def ga_generations(
    genome: Genome, crossing: Crossing, population: Population, state: Array, limits: Limits, trace: Array
) -> tuple[int, int]:
    """Run generations of a plain genetic algorithm."""
    chromosomes, fitness = population.chromosomes, population.fitness
    size = len(chromosomes)
    children, child_fitness = chromosomes.copy(), fitness.copy()
    num_elite = min(crossing.num_elite, size - 1)
    scratch = new_scratch(genome)
    best = fitness.min()
    made, lines = 0, 0
    for _ in range(limits.num_generations):
        best_first = np.argsort(fitness, kind="mergesort")
        for i in range(num_elite):
            children[i] = chromosomes[best_first[i]]
            child_fitness[i] = fitness[best_first[i]]
        for i in range(num_elite, size):
            if made == limits.most_evaluations:
                return made, lines
            cross(crossing, population, children[i], genome.num_items, state)
            child_fitness[i] = finish(genome, crossing.mutation, crossing.num_polish, scratch, children[i], state)
            made += 1
            if child_fitness[i] < best:
                best = child_fitness[i]
                trace[lines, 0], trace[lines, 1] = made, best
                lines += 1
                if best == 0:
                    chromosomes[0] = children[i]
                    fitness[0] = 0
                    return made, lines
        chromosomes[:] = children
        fitness[:] = child_fitness
    return made, lines


@inlined
def cross(crossing: Crossing, population: Population, child: Array, num_items: int, state: Array) -> None:
    """Make a child of two parents: between two points, which lie between genes, it takes after the second."""
    chromosomes, num_genes = population.chromosomes, len(child) // num_items
    child[:] = chromosomes[tournament(population.fitness, crossing.tournament_size, state)]
    other = tournament(population.fitness, crossing.tournament_size, state)
    if chance(state, crossing.crossover):
        one, two = draw(state, num_genes + 1) * num_items, draw(state, num_genes + 1) * num_items
        for at in range(min(one, two), max(one, two)):
            child[at] = chromosomes[other, at]
