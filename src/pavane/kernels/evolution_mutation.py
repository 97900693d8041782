"""Mutation of chromosomes: scatters swap steps or change a path, broadcasts draw genes anew (gecco08 section 4.4)."""

from __future__ import annotations

from typing import NamedTuple

from pavane.kernels.evolution_genes import BROADCAST_ITEMS, Array, Genome
from pavane.kernels.evolution_random import chance, draw


class Mutation(NamedTuple):
    """How chromosomes are mutated."""

    probability: float
    """That a chromosome is mutated at all."""
    path_share: float
    """The share of a scatter's mutations that change a path; the others swap steps."""
    within: bool
    """Whether the messages that swap steps have the same sender."""
    num_changes: int
    """How many genes of a broadcast a mutation changes."""


def mutate(genome: Genome, mutation: Mutation, chromosome: Array, state: Array) -> None:
    """Mutate a chromosome in place: a scatter swaps steps or changes a path, a broadcast changes genes."""
    if genome.num_items == BROADCAST_ITEMS:
        for _ in range(mutation.num_changes):
            change_gene(genome, chromosome, state)
    elif chance(state, mutation.path_share):
        change_gene(genome, chromosome, state)
    else:
        swap_steps(genome, chromosome, state, mutation.within)


def mutate_all(genome: Genome, mutation: Mutation, population: Array, state: Array) -> None:
    """Mutate each chromosome of a population with the probability of the mutation, in place."""
    for row in range(len(population)):
        if chance(state, mutation.probability):
            mutate(genome, mutation, population[row], state)


def swap_steps(genome: Genome, chromosome: Array, state: Array, within: bool) -> None:
    """Exchange the times of two messages of a scatter, of one sender or of any.

    A sender with k ports has k times in every step, and not all are taken. A message that is to change with an idle
    time moves to a random step; the acceleration sees to it that there is room.
    """
    gene = draw(state, len(genome.sender_of))
    if within:
        sender = genome.sender_of[gene]
        first, last = genome.first_sent[sender], genome.first_sent[sender + 1]
        times = genome.room[sender] * genome.num_steps
    else:
        first, last = genome.first_sent[0], genome.first_sent[-1]
        times = genome.room.sum() * genome.num_steps
    pick = first + draw(state, max(times, last - first))
    if pick < last:
        other = genome.genes_sent[pick]
        step = chromosome[2 * gene + 1]
        chromosome[2 * gene + 1] = chromosome[2 * other + 1]
        chromosome[2 * other + 1] = step
    else:
        chromosome[2 * gene + 1] = draw(state, genome.num_steps)


def change_gene(genome: Genome, chromosome: Array, state: Array) -> None:
    """Give a random gene of a scatter another path; draw source, path and step of a broadcast's gene anew."""
    items = genome.num_items
    gene = draw(state, len(genome.first_source) - 1)
    at = gene * items
    entry = genome.first_source[gene]
    if items == BROADCAST_ITEMS:
        source = draw(state, genome.first_source[gene + 1] - entry)
        chromosome[at] = source
        chromosome[at + 2] = draw(state, genome.num_steps)
        entry += source
    pair = genome.pair_of[entry]
    chromosome[at + items - 2] = draw(state, genome.first_path[pair + 1] - genome.first_path[pair])
