"""Chromosomes of schedules: what genes stand for, and how many conflicts they have.

A chromosome is a row of integers, `num_items` for each gene. A gene of a scatter is (path, step); a gene of a broadcast
is (source, path, step), one for each message and destination (gecco08 section 4.2). A gene with one possible source is
read like a scatter's, so that both share everything but the repair.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.jit.copying import fill_line

Array = np.ndarray[Any, Any]

SCATTER_ITEMS = 2
BROADCAST_ITEMS = 3


class Genome(NamedTuple):
    """What the genes of a problem stand for, as flat arrays; nothing in it changes."""

    num_items: int
    """Integers per gene."""
    num_steps: int
    sender_of: Array
    """int64[genes]: the processor that sends each gene's message; of a scatter. With a symmetry, the first of its
    orbit."""
    room: Array
    """int64[processors]: how many messages each processor may send in a step."""
    first_sent: Array
    """int64[processors + 1]: processor p sends the messages of the genes genes_sent[first_sent[p]:first_sent[p + 1]];
    of a scatter."""
    genes_sent: Array
    """int64[genes]"""
    first_gene: Array
    """int64[messages + 1]: message m of a broadcast has the genes first_gene[m] to first_gene[m + 1]."""
    origin_of: Array
    """int64[messages]: the processor that each message of a broadcast starts from."""
    target_of: Array
    """int64[genes]: the processor that each gene's transfer goes to."""
    first_source: Array
    """int64[genes + 1]: gene g has the possible sources first_source[g] to first_source[g + 1]."""
    source_of: Array
    """int64[sources]: the processor that each possible source is."""
    pair_of: Array
    """int64[sources]: the list of paths from each possible source to the gene's target."""
    first_path: Array
    """int64[lists + 1]: list p has the paths first_path[p] to first_path[p + 1]."""
    unit_offsets: Array
    """int64[paths + 1]"""
    units: Array
    """int32[]: path i uses the units (channels, links, ports) units[unit_offsets[i]:unit_offsets[i + 1]]."""
    capacity: Array
    """int64[units]: how many transfers each unit takes in a step."""
    counts_pairs: bool
    """Whether conflicts are pairs of transfers, or transfers too many."""


def path_of(genome: Genome, chromosome: Array, gene: int) -> int:
    """Return the path that a gene names; a path index beyond the list is taken modulo its length (gecco07 3.2)."""
    at = gene * genome.num_items
    pair = gene
    if genome.num_items == BROADCAST_ITEMS:
        pair = genome.pair_of[genome.first_source[gene] + chromosome[at]]
    first = genome.first_path[pair]
    index = chromosome[at + genome.num_items - 2]
    count = genome.first_path[pair + 1] - first
    return int(first + (index if index < count else index % count))


def step_of(genome: Genome, chromosome: Array, gene: int) -> int:
    """Return the step that a gene names; `num_steps` stands for any step after the last."""
    return int(chromosome[gene * genome.num_items + genome.num_items - 1])


def conflicts(genome: Genome, chromosome: Array, loads: Array) -> int:
    """Count the conflicts of a chromosome, and fill `loads[unit * num_steps + step]`.

    Every unit counts its own, as `added` says. A transfer after the last step counts one (gecco08 section 4.4).
    """
    num_steps, units, unit_offsets = genome.num_steps, genome.units, genome.unit_offsets
    fill_line(loads, 0)
    total = 0
    for gene in range(len(genome.first_source) - 1):
        step = step_of(genome, chromosome, gene)
        if step >= num_steps:
            total += 1
            continue
        path = path_of(genome, chromosome, gene)
        for i in range(unit_offsets[path], unit_offsets[path + 1]):
            unit = units[i]
            index = unit * num_steps + step
            total += added(genome, unit, loads[index])
            loads[index] += 1
    return total


@inlined
def added(genome: Genome, unit: int, load: int) -> int:
    """Return how many conflicts one more transfer makes on a unit that has `load` transfers in that step.

    Counted in pairs (gecco08 section 4.3) it is in conflict with every transfer that is there already, beyond what the
    unit takes at once; otherwise it is one too many. Both are 0 as long as there is room.
    """
    beyond = load - genome.capacity[unit] + 1
    if beyond <= 0:
        return 0
    return int(beyond) if genome.counts_pairs else 1


def new_loads(genome: Genome) -> Array:
    """Return counters for every unit and step."""
    return np.zeros(len(genome.capacity) * genome.num_steps, dtype=np.int32)


def all_conflicts(genome: Genome, population: Array, loads: Array, fitness: Array) -> None:
    """Count the conflicts of every chromosome of a population, into `fitness`."""
    for row in range(len(population)):
        fitness[row] = conflicts(genome, population[row], loads)
