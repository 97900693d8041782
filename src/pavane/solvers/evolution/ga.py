"""A plain genetic algorithm over the papers' encodings, as the baseline that gecco07 section 3 speaks of.

A generation: tournaments select two parents for every child. The child is the first parent with the genes between two
points from the second. It is mutated, accelerated or restored, and evaluated like UMDA's. The best chromosomes survive
unchanged, the children replace all others. The loop is kernels/evolution.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.kernels import compiled
from pavane.kernels.evolution import Tables, Variation, ga_generations
from pavane.model.problem import Problem
from pavane.solvers.evolution.encoding import Encoding, Longs, Population
from pavane.solvers.evolution.evolve import encoded, evolve, supports
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class GA:
    """A genetic algorithm with tournaments, two-point crossover, mutation and an elite."""

    name: str = "ga"
    population: int = 60
    """As many as UMDA has, for a fair comparison."""
    tournament: int = 2
    crossover: float = 0.8
    """The probability that a child has two parents."""
    mutation: float = 0.9
    """The probability that a child is mutated; as high as UMDA's, for the same reason."""
    path_share: float = 0.3
    """The share of a scatter's mutations that change a path and not steps; see UMDA's."""
    swap_within: bool = True
    """Whether the messages of a scatter that swap steps have the same sender; see UMDA's."""
    changes: int = 1
    """How many genes of a broadcast a mutation draws anew."""
    elite: int = 2
    """How many of the best survive unchanged."""
    radius: int | None = None
    """How far a transfer of a broadcast may go; None: chosen by the network and the collective."""
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_evaluations: int = 1_000_000
    """Evaluations for one number of steps."""
    patience: int = 50_000
    """After so many evaluations, and moves of the polish, without improvement a new population is drawn; 0: never."""
    polish: int = 0
    """So many times after a mutation a transfer in conflict moves to its best path and step; not in the papers."""

    def __post_init__(self) -> None:
        if self.population < 1 or self.tournament < 1:
            raise InputError(
                f"population {self.population}, tournament {self.tournament}: both need at least 1 chromosome"
            )

    def supports(self, problem: Problem) -> bool:
        """Say yes to scatters, broadcasts and reductions without combining that the encodings cover."""
        return supports(problem)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of `num_steps` steps; None: of the fewest, walking up from the bound."""

        def encode(steps: int, rng: np.random.Generator) -> Encoding | None:
            return encoded(
                problem, steps, seed, rng, radius=self.radius, most_paths=self.most_paths, detour=self.detour
            )

        def generations(
            tables: Tables,
            population: Population,
            fitness: Longs,
            oldest: Longs,
            state: Longs,
            num_generations: int,
            most_evaluations: int,
            trace: Longs,
        ) -> tuple[int, int]:
            made: tuple[int, int] = compiled(ga_generations)(
                tables,
                Variation(self.mutation, self.path_share, self.swap_within, self.changes, self.polish),
                population,
                fitness,
                state,
                self.tournament,
                self.crossover,
                min(self.elite, len(population) - 1),
                num_generations,
                most_evaluations,
                trace,
            )
            return made

        return evolve(
            self.name,
            problem,
            num_steps,
            seed,
            budget,
            encode=encode,
            generations=generations,
            population_size=self.population,
            most_evaluations=self.most_evaluations,
            patience=ceil(self.patience / (1 + self.polish)),
            work_per_gene=1 + self.polish,
        )
