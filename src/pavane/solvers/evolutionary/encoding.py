"""An encoding: schedules of one problem, in a number of steps, as rows of integers (gecco08 section 4.2).

A population is a matrix with a row per chromosome. The items of a gene stand side by side: (path, step) for a scatter,
(source, path, step) for a broadcast. A step that equals the number of steps stands for any later one. The makers are in
`scatter` and `broadcast`, and `encoders` chooses among them; the work on genes is done by kernels/evolution_*.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs, ranges
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.solvers.evolutionary.kernels.bit_words import Key
from pavane.solvers.evolutionary.kernels.generations import found
from pavane.solvers.evolutionary.kernels.genes import (
    BROADCAST_ITEMS,
    Genome,
    all_conflicts,
    new_loads,
    path_of,
    step_of,
)
from pavane.solvers.evolutionary.kernels.mutation import Mutation, vary_all
from pavane.solvers.evolutionary.kernels.repairing import new_repair_scratch, repair_all
from pavane.symmetry.involutions import Symmetry

Counting = Literal["pairs", "excess"]
"""What counts as a conflict: a pair of transfers that share a channel in a step, or a transfer too many on it."""

MOST_PATHS = 720
"""All shortest paths on a hypercube of 64 processors, and on most other networks of that size."""


def new_key(rng: np.random.Generator) -> Key:
    """Draw a key for the kernels' random words."""
    low, high = rng.integers(0, 2**32, size=2, dtype=np.int64).tolist()
    return Key(low, high)


@dataclass(frozen=True)
class Coding:
    """Which sources and paths genes may name."""

    most_paths: int = MOST_PATHS
    """Of more paths between two processors than these a random sample is taken, the same for every seed."""
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    radius: int | None = None
    """How far a transfer of a broadcast may go; None: chosen by the network and the collective."""
    symmetric: bool = False
    """Whether a scatter has a gene for an orbit of a symmetry of order two rather than for a message."""
    conflicts: Counting = "pairs"


@dataclass(frozen=True, eq=False)
class Encoding:
    """What genes stand for: the genome of the kernels, and what it takes to read a schedule."""

    original: Problem
    """The problem that schedules are for."""
    problem: Problem
    """The problem that is encoded: the requested one, or the scatter that a gather is when read backwards."""
    genome: Genome
    message_of: Longs
    """The message of each gene."""
    channel_offsets: Longs
    channels: Ints
    """Path i runs along channels[channel_offsets[i]:channel_offsets[i + 1]]."""
    symmetry: Symmetry | None = None
    """Each gene stands for a message and its image under this symmetry."""

    @property
    def num_genes(self) -> int:
        """Return the number of genes of a chromosome."""
        return len(self.genome.first_source) - 1

    @property
    def num_items(self) -> int:
        """Return the number of integers in a chromosome."""
        return self.num_genes * self.genome.num_items

    @property
    def cardinalities(self) -> Longs:
        """Return for each item a number that its values stay below."""
        genome, size = self.genome, self.num_genes
        paths = np.diff(genome.first_path)[genome.pair_of]
        most_paths = np.maximum.reduceat(paths, genome.first_source[:-1])
        if genome.num_items == BROADCAST_ITEMS:
            # A transfer may be postponed beyond the last step.
            columns = [np.diff(genome.first_source), most_paths, np.full(size, genome.num_steps + 1)]
        else:
            columns = [most_paths, np.full(size, genome.num_steps)]
        return np.column_stack(columns).reshape(-1).astype(np.int64)

    def founders(self, size: int, key: Key, made: int = 0) -> Ints:
        """Draw chromosomes and repair them, with the words of the evaluations from `made` on (gecco08 section 4.4)."""
        population = np.zeros((size, self.num_items), dtype=np.int32)
        scratch = new_repair_scratch(self.genome)
        compiled(found)(self.genome, self.cardinalities, population, key, made, scratch)
        return population

    def repair(self, population: Ints, rng: np.random.Generator) -> None:
        """Accelerate scatters, restore the trees of broadcasts, in place (gecco08 section 4.4)."""
        compiled(repair_all)(self.genome, population, new_key(rng), new_repair_scratch(self.genome))

    def fitness(self, population: Ints) -> Longs:
        """Count the conflicts of repaired chromosomes, ports included, and the transfers after the last step."""
        fitness: Longs = np.empty(len(population), dtype=np.int64)
        compiled(all_conflicts)(self.genome, population, new_loads(self.genome), fitness)
        return fitness

    def mutate(self, population: Ints, mutation: Mutation, rng: np.random.Generator) -> None:
        """Mutate chromosomes in place: scatters swap steps or change a path, broadcasts redraw genes.

        They want repair afterwards.
        """
        compiled(vary_all)(self.genome, mutation, population, new_key(rng))

    def schedule(self, chromosome: Ints) -> Schedule:
        """Read the schedule off a repaired chromosome without conflicts; steps without transfers are left out."""
        genome, genes = self.genome, range(self.num_genes)
        items = chromosome.reshape(-1, genome.num_items).astype(np.int64)
        steps = np.array([step_of(genome, chromosome, gene) for gene in genes])
        paths = np.array([path_of(genome, chromosome, gene) for gene in genes])
        entries = genome.first_source[:-1]
        if genome.num_items == BROADCAST_ITEMS:
            entries = entries + items[:, 0]
        senders, receivers, messages = genome.source_of[entries], genome.target_of, self.message_of
        lengths = self.channel_offsets[paths + 1] - self.channel_offsets[paths]
        channels = self.channels[ranges(self.channel_offsets[paths], lengths)].astype(np.int64)
        if self.symmetry is not None:
            steps, lengths = np.tile(steps, 2), np.tile(lengths, 2)
            senders = np.concatenate((senders, self.symmetry.processors[senders]))
            receivers = np.concatenate((receivers, self.symmetry.processors[receivers]))
            messages = np.concatenate((messages, self.symmetry.messages[messages]))
            channels = np.concatenate((channels, self.symmetry.channels[channels]))
        schedule = Schedule.from_columns(None, steps, senders, receivers, (lengths, channels), messages)
        return schedule if self.problem is self.original else time_reversed(self.problem, schedule, self.original)
