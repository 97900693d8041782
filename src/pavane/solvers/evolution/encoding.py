"""An encoding: schedules of one problem, in a number of steps, as rows of integers (gecco08 section 4.2).

A population is a matrix with a row per chromosome. The items of a gene stand side by side: (path, step) for a scatter,
(source, path, step) for a broadcast. A step that equals the number of steps stands for any later one. The makers are
`scatter.encoded` and `broadcast.encoded`; the work on genes is done by kernels/evolution.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pavane.kernels import compiled
from pavane.kernels.evolution import (
    BROADCAST_ITEMS,
    Tables,
    all_conflicts,
    mutate_all,
    path_of,
    repair_all,
    step_of,
)
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.model.symmetry import Symmetry

Longs = npt.NDArray[np.int64]
Population = npt.NDArray[np.int32]


def random_state(rng: np.random.Generator) -> Longs:
    """Seed the kernels' random numbers."""
    return rng.integers(1, 2**32, size=4, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Encoding:
    """What genes stand for: the tables of the kernels, and what it takes to read a schedule."""

    asked: Problem
    """The problem that schedules are for."""
    problem: Problem
    """The problem that is encoded: the one asked, or its dual, read backwards in the end."""
    tables: Tables
    message_of: Longs
    """The message of each gene."""
    target_of: Longs
    """The receiver of each gene."""
    channel_offsets: Longs
    channels: npt.NDArray[np.int32]
    """Path i runs along channels[channel_offsets[i]:channel_offsets[i + 1]]."""
    symmetry: Symmetry | None = None
    """Each gene stands for a message and its image under this symmetry."""

    def with_steps(self, num_steps: int) -> Encoding:
        """Return the encoding of schedules with another number of steps."""
        return replace(self, tables=self.tables._replace(num_steps=num_steps))

    @property
    def num_genes(self) -> int:
        """Return the number of genes of a chromosome."""
        return len(self.tables.first_source) - 1

    @property
    def num_items(self) -> int:
        """Return the number of integers in a chromosome."""
        return self.num_genes * self.tables.num_items

    @property
    def cardinalities(self) -> Longs:
        """Return for each item a number that its values stay below."""
        tables, size = self.tables, self.num_genes
        paths = np.diff(tables.first_path)[tables.pair_of]
        most_paths = np.maximum.reduceat(paths, tables.first_source[:-1])
        if tables.num_items == BROADCAST_ITEMS:
            # A transfer may be postponed beyond the last step.
            columns = [np.diff(tables.first_source), most_paths, np.full(size, tables.num_steps + 1)]
        else:
            columns = [most_paths, np.full(size, tables.num_steps)]
        return np.column_stack(columns).reshape(-1).astype(np.int64)

    def random(self, size: int, rng: np.random.Generator) -> Population:
        """Draw chromosomes, not yet repaired; the transfers of broadcasts all begin in the first step.

        The restoration then postpones each as little as can be, which makes good building blocks (gecco08 section 4.4).
        """
        population = rng.integers(0, self.cardinalities, size=(size, self.num_items)).astype(np.int32)
        if self.tables.num_items == BROADCAST_ITEMS:
            population[:, BROADCAST_ITEMS - 1 :: BROADCAST_ITEMS] = 0
        return population

    def repair(self, population: Population, rng: np.random.Generator) -> None:
        """Accelerate scatters, restore the trees of broadcasts, in place (gecco08 section 4.4)."""
        compiled(repair_all)(self.tables, population, random_state(rng))

    def fitness(self, population: Population) -> Longs:
        """Count the conflicts of repaired chromosomes, ports included, and the transfers after the last step."""
        fitness: Longs = compiled(all_conflicts)(self.tables, population)
        return fitness

    def mutate(
        self,
        population: Population,
        rng: np.random.Generator,
        probability: float = 0.9,
        path_share: float = 0.3,
        within: bool = True,
        num_changes: int = 1,
    ) -> None:
        """Mutate chromosomes in place, with a probability each: scatters swap steps or change a path, broadcasts genes.

        They want repair afterwards.
        """
        compiled(mutate_all)(self.tables, population, random_state(rng), probability, path_share, within, num_changes)

    def schedule(self, chromosome: npt.NDArray[np.int32]) -> Schedule:
        """Read the schedule off a repaired chromosome without conflicts; steps without transfers are left out."""
        tables, genes = self.tables, range(self.num_genes)
        items = chromosome.reshape(-1, tables.num_items).astype(np.int64)
        steps = np.array([step_of(tables, chromosome, gene) for gene in genes])
        paths = np.array([path_of(tables, chromosome, gene) for gene in genes])
        entries = tables.first_source[:-1]
        if tables.num_items == BROADCAST_ITEMS:
            entries = entries + items[:, 0]
        senders, receivers, messages = tables.source_of[entries], self.target_of, self.message_of
        lengths = self.channel_offsets[paths + 1] - self.channel_offsets[paths]
        ends = np.cumsum(lengths)
        within = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
        channels = self.channels[np.repeat(self.channel_offsets[paths], lengths) + within].astype(np.int64)
        if self.symmetry is not None:
            steps, lengths = np.tile(steps, 2), np.tile(lengths, 2)
            senders = np.concatenate((senders, self.symmetry.processors[senders]))
            receivers = np.concatenate((receivers, self.symmetry.processors[receivers]))
            messages = np.concatenate((messages, self.symmetry.messages[messages]))
            channels = np.concatenate((channels, self.symmetry.channels[channels]))
        used = np.unique(steps)
        schedule = Schedule.from_columns(
            len(used),
            np.searchsorted(used, steps),
            senders,
            receivers,
            lengths,
            channels,
            np.ones(len(messages), dtype=np.int64),
            messages,
        )
        return schedule if self.problem is self.asked else time_reversed(self.problem, schedule, self.asked)
