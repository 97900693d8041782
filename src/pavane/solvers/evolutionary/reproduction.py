"""Reproduction in MBOA (gecco07 sections 3.2 and 5): selection of parents, offspring, mutation and replacement.

Among equals the newer one counts as better, in tournaments as well as for survival: otherwise a population would stay
where it is on a plateau.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from pavane.model.arrays import Ints, Longs
from pavane.solvers.evolutionary.decision_trees import TreeLearner
from pavane.solvers.evolutionary.encoding import Encoding, new_key
from pavane.solvers.evolutionary.kernels.genes import SCATTER_ITEMS
from pavane.solvers.evolutionary.kernels.mutation import Mutation

SWAPS = Mutation(probability=1.0, path_share=0.3, within=True, idle=False, num_changes=1)
"""The mutation of accelerated scatters (gecco08 section 4.4), at gecco07's rate of 100 %."""


class Members(NamedTuple):
    """A population."""

    chromosomes: Ints
    fitness: Longs
    """How many conflicts each has."""
    births: Longs
    """Higher for those that are newer."""


class Reproduction(NamedTuple):
    """How the members of one population have offspring; MBOA explains the settings."""

    encoding: Encoding
    learner: TreeLearner
    num_parents: int
    num_offspring: int
    tournament: int
    window: int | None
    """How many members a restricted tournament looks at; None: the worst of `tournament` members is replaced."""
    mutation: Literal["gene", "item"]
    new_path_after: int | None
    patience: int | None
    accelerate: bool

    @property
    def swaps(self) -> bool:
        """Whether the mutation is a swap of steps: that of accelerated scatters is."""
        return self.accelerate and is_scatter(self.encoding)

    @property
    def repairs(self) -> bool:
        """Whether chromosomes are repaired: those of broadcasts are, and scatters that are accelerated."""
        return self.accelerate or not is_scatter(self.encoding)

    def founders(self, size: int, rng: np.random.Generator) -> Ints:
        """Draw the first population; it is repaired where offspring are."""
        if self.accelerate:
            return self.encoding.founders(size, new_key(rng))
        return rng.integers(0, bounds_of_items(self.encoding), size=(size, self.encoding.num_items)).astype(np.int32)

    def parents(self, members: Members, rng: np.random.Generator) -> Ints:
        """Select the parents by tournaments."""
        return members.chromosomes[winners(members, self.num_parents, self.tournament, rng)]

    def mutate(self, population: Ints, idle: int, rng: np.random.Generator) -> None:
        """Mutate every chromosome, after `idle` evaluations without an improvement."""
        if self.swaps:
            self.encoding.mutate(population, SWAPS, rng)
            return
        redraw(self.encoding, population, self.mutation, rng)
        if self.new_path_after is not None and idle >= self.new_path_after:
            redraw(self.encoding, population, "path", rng)

    def repair(self, population: Ints, rng: np.random.Generator) -> None:
        """Restore broadcasts, and accelerate scatters where that is wanted."""
        if self.repairs:
            self.encoding.repair(population, rng)

    def replace(self, members: Members, offspring: Ints, scores: Longs, rng: np.random.Generator) -> None:
        """Let each offspring, one after the other, take the place of a member that is no better; in place."""
        chromosomes, fitness, births = members
        meetings = rng.integers(0, len(chromosomes), size=(len(offspring), self.window or self.tournament))
        first_birth = int(births.max()) + 1
        for number, (child, score, met) in enumerate(zip(offspring, scores, meetings, strict=True)):
            if self.window is not None:
                rival = met[np.count_nonzero(chromosomes[met] != child, axis=1).argmin()]
            else:
                worst = met[fitness[met] == fitness[met].max()]
                rival = worst[births[worst].argmin()]
            if score <= fitness[rival]:
                chromosomes[rival], fitness[rival], births[rival] = child, score, first_birth + number


def winners(members: Members, size: int, tournament: int, rng: np.random.Generator) -> Longs:
    """Return the winners of `size` tournaments: the members with the fewest conflicts, of equals the newest."""
    met = rng.integers(0, len(members.fitness), size=(size, tournament))
    oldest_first = np.lexsort((members.births, -members.fitness))
    strength = np.empty(len(oldest_first), dtype=np.int64)
    strength[oldest_first] = np.arange(len(oldest_first))
    winners: Longs = met[np.arange(size), strength[met].argmax(axis=1)]
    return winners


def is_scatter(encoding: Encoding) -> bool:
    """Whether genes are (path, step), which stand for a schedule without any repair."""
    return encoding.genome.num_items == SCATTER_ITEMS


def bounds_of_items(encoding: Encoding) -> Longs:
    """Return the number of values that may be drawn for each item; no step is after the last."""
    bounds = encoding.cardinalities
    per_gene = encoding.genome.num_items
    bounds[per_gene - 1 :: per_gene] = encoding.genome.num_steps
    return bounds


def redraw(
    encoding: Encoding, population: Ints, what: Literal["gene", "item", "path"], rng: np.random.Generator
) -> None:
    """Draw new values for one random gene, one random item, or one random path of every chromosome, in place.

    This is the integer bound mutation of gecco07, at its rate of 100 %.
    """
    per_gene = encoding.genome.num_items
    width = 1 if what == "item" else per_gene
    first = width * rng.integers(0, encoding.num_items // width, size=len(population))
    drawn = np.arange(width) if what != "path" else np.array([per_gene - 2])  # the step is the last, the path before it
    items = first[:, None] + drawn
    population[np.arange(len(population))[:, None], items] = rng.integers(0, bounds_of_items(encoding)[items])
