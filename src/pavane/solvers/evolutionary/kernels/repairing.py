"""Repair of chromosomes: acceleration of scatters and restoration of broadcast trees (gecco08 section 4.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.jit.copying import fill_line
from pavane.solvers.evolutionary.kernels.bit_words import MOVES, PATHS, SOURCES, STARTS, Key, below, key_of
from pavane.solvers.evolutionary.kernels.genes import BROADCAST_ITEMS, Array, Genome


class RepairScratch(NamedTuple):
    """The memory that a repair works in; what the other encoding needs is empty."""

    sent: Array
    """int64[steps]: how many messages one processor of a scatter sends in each step."""
    known: Array
    """int64[processors]: the step in which each processor is informed of a broadcast message; -1: its origin."""
    waiting: Array
    """int64[steps]: the first gene of those that wait for each step, or -1."""
    following: Array
    """int64[genes]: the next gene that waits for the same step, or -1."""


def new_repair_scratch(genome: Genome) -> RepairScratch:
    """Make the memory for the repairs of one encoding."""
    num_processors = len(genome.room)
    is_broadcast = genome.num_items == BROADCAST_ITEMS
    return RepairScratch(
        np.zeros(0 if is_broadcast else genome.num_steps, dtype=np.int64),
        np.zeros(num_processors if is_broadcast else 0, dtype=np.int64),
        np.zeros(genome.num_steps if is_broadcast else 0, dtype=np.int64),
        np.zeros(len(genome.first_source) - 1 if is_broadcast else 0, dtype=np.int64),
    )


def repair(genome: Genome, chromosome: Array, key: Key, scratch: RepairScratch) -> None:
    """Accelerate a scatter or restore a broadcast, in place."""
    if genome.num_items == BROADCAST_ITEMS:
        restore(genome, chromosome, key, scratch)
    else:
        for sender in range(len(genome.room)):
            accelerate(genome, chromosome, key, sender, scratch.sent)


def repair_all(genome: Genome, population: Array, key: Key, scratch: RepairScratch) -> None:
    """Repair every chromosome of a population, in place."""
    for row in range(len(population)):
        repair(genome, population[row], key_of(key, row), scratch)


# -- acceleration


def accelerate(genome: Genome, chromosome: Array, key: Key, sender: int, sent: Array) -> None:
    """Let a processor send no more messages in a step than it has ports: move surplus ones to steps with room.

    Which of them are surplus, and where they go, is left to chance. Messages that find no room stay where they are.
    """
    num_steps, room = genome.num_steps, genome.room[sender]
    first = genome.first_sent[sender]
    count = genome.first_sent[sender + 1] - first
    fill_line(sent, 0)
    surplus = 0
    for turn in range(count):
        step = chromosome[2 * genome.genes_sent[first + turn] + 1]
        sent[step] += 1
        if sent[step] > room:
            surplus += 1
    if surplus == 0:
        return
    at = below(key, STARTS + sender, count)
    for _ in range(count):
        gene = genome.genes_sent[first + at]
        at = at + 1 if at + 1 < count else 0
        step = chromosome[2 * gene + 1]
        if sent[step] <= room:
            continue
        other = below(key, MOVES + gene, num_steps)
        for _ in range(num_steps):
            if sent[other] < room:
                sent[step] -= 1
                sent[other] += 1
                chromosome[2 * gene + 1] = other
                break
            other = other + 1 if other + 1 < num_steps else 0
        surplus -= 1
        if surplus == 0:
            return


# -- restoration


def restore(genome: Genome, chromosome: Array, key: Key, scratch: RepairScratch) -> None:
    """Make the genes of every message a broadcast tree, step by step.

    A destination whose source is not informed yet gets a random informed source and a random path from it. Where no
    possible source is informed, the transfer is postponed to the next step. Transfers that would come after the last
    step get the step `num_steps`; next time they are taken up as early as possible.
    """
    num_steps, known, waiting, following = genome.num_steps, scratch.known, scratch.waiting, scratch.following
    first_source, source_of, first_path = genome.first_source, genome.source_of, genome.first_path
    for message in range(len(genome.origin_of)):
        fill_line(known, num_steps)
        known[genome.origin_of[message]] = -1
        fill_line(waiting, -1)
        for gene in range(genome.first_gene[message + 1] - 1, genome.first_gene[message] - 1, -1):
            step = chromosome[3 * gene + 2] if chromosome[3 * gene + 2] < num_steps else 0
            following[gene] = waiting[step]
            waiting[step] = gene
        for step in range(num_steps):
            gene = waiting[step]
            while gene >= 0:
                next_gene = following[gene]
                first = first_source[gene]
                source = first + chromosome[3 * gene]
                if known[source_of[source]] >= step:
                    source = informed_source(genome, known, gene, step, key)
                    if source >= 0:
                        pair = genome.pair_of[source]
                        chromosome[3 * gene] = source - first
                        chromosome[3 * gene + 1] = below(key, PATHS + gene, first_path[pair + 1] - first_path[pair])
                if source >= 0:
                    pair = genome.pair_of[source]
                    chromosome[3 * gene + 1] %= first_path[pair + 1] - first_path[pair]
                    chromosome[3 * gene + 2] = step
                    known[genome.target_of[gene]] = step
                elif step + 1 < num_steps:
                    following[gene] = waiting[step + 1]
                    waiting[step + 1] = gene
                else:
                    chromosome[3 * gene + 2] = num_steps
                gene = next_gene


def informed_source(genome: Genome, known: Array, gene: int, step: int, key: Key) -> int:
    """Return one at random of a gene's possible sources that are informed before a step, or -1."""
    source_of, first, last = genome.source_of, genome.first_source[gene], genome.first_source[gene + 1]
    choices = 0
    for source in range(first, last):
        if known[source_of[source]] < step:
            choices += 1
    if choices > 0:
        pick = below(key, SOURCES + gene, choices)
        for source in range(first, last):
            if known[source_of[source]] < step:
                if pick == 0:
                    return source
                pick -= 1
    return -1
