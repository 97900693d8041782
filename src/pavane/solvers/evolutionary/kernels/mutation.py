"""Mutation of chromosomes: scatters swap steps or change a path, broadcasts redraw genes (gecco08 section 4.4)."""

from __future__ import annotations

from typing import NamedTuple

from pavane.solvers.evolutionary.kernels.bit_words import CHANGES, Key, below, happens, key_of
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS, Array, Genome


class Mutation(NamedTuple):
    """How chromosomes are mutated."""

    probability: float
    """That a chromosome is mutated at all."""
    path_share: float
    """The share of a scatter's mutations that change a path; the others swap steps."""
    within: bool
    """Whether the messages that swap steps have the same sender."""
    idle: bool
    """Whether a message may also swap with a time in which its sender, or anyone, could send and does not."""
    num_changes: int
    """How many changes a mutation consists of: genes of a broadcast, or paths and swaps of a scatter."""


def vary(genome: Genome, mutation: Mutation, chromosome: Array, key: Key) -> None:
    """Mutate a chromosome, in place, with the probability of the mutation."""
    if happens(key, CHANGES, mutation.probability):
        mutate(genome, mutation, chromosome, key)


def vary_all(genome: Genome, mutation: Mutation, population: Array, key: Key) -> None:
    """Mutate each chromosome of a population with the probability of the mutation, in place."""
    for row in range(len(population)):
        vary(genome, mutation, population[row], key_of(key, row))


def mutate(genome: Genome, mutation: Mutation, chromosome: Array, key: Key) -> None:
    """Mutate a chromosome in place: a scatter swaps steps or changes a path, a broadcast changes genes."""
    for change in range(mutation.num_changes):
        if genome.num_items == BROADCAST_ITEMS:
            change_gene(genome, chromosome, key, CHANGES + 4 * (change + 1))
        elif happens(key, CHANGES + 8 * change + 1, mutation.path_share):
            change_gene(genome, chromosome, key, CHANGES + 8 * change + 4)
        else:
            swap_steps(genome, mutation, chromosome, key, CHANGES + 8 * change + 4)


def swap_steps(genome: Genome, mutation: Mutation, chromosome: Array, key: Key, first_word: int) -> None:
    """Exchange the times of two messages of a scatter, of one sender or of any.

    A sender with k ports has k times in every step, and not all are taken. A message that is to change with an idle
    time moves to a random step; the acceleration sees to it that there is room.
    """
    gene = below(key, first_word, len(genome.sender_of))
    if mutation.within:
        sender = genome.sender_of[gene]
        first, last = genome.first_sent[sender], genome.first_sent[sender + 1]
        times = genome.room[sender] * genome.num_steps
    else:
        first, last = genome.first_sent[0], genome.first_sent[-1]
        times = 0
        for sender in range(len(genome.room)):
            times += genome.room[sender] * genome.num_steps
    times = max(times, last - first) if mutation.idle else last - first
    pick = first + below(key, first_word + 1, times)
    if pick < last:
        other = genome.genes_sent[pick]
        step = chromosome[2 * gene + 1]
        chromosome[2 * gene + 1] = chromosome[2 * other + 1]
        chromosome[2 * other + 1] = step
    else:
        chromosome[2 * gene + 1] = below(key, first_word + 2, genome.num_steps)


def change_gene(genome: Genome, chromosome: Array, key: Key, first_word: int) -> None:
    """Give a random gene of a scatter another path; redraw source, path and step of a broadcast's gene."""
    items = genome.num_items
    gene = below(key, first_word, len(genome.first_source) - 1)
    at = gene * items
    entry = genome.first_source[gene]
    if items == BROADCAST_ITEMS:
        source = below(key, first_word + 1, genome.first_source[gene + 1] - entry)
        chromosome[at] = source
        chromosome[at + 2] = below(key, first_word + 2, genome.num_steps)
        entry += source
    pair = genome.pair_of[entry]
    paths = genome.first_path[pair + 1] - genome.first_path[pair]
    chromosome[at + items - 2] = below(key, first_word + 3, paths)
