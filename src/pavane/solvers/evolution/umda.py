"""UMDA, the univariate marginal distribution algorithm, as in gecco08 sections 4.4 and 4.5.

A generation: binary tournaments select as many parents as half the population holds. The frequencies of each item's
values among the parents are the probabilistic model, and new chromosomes are drawn from it. Each is mutated with a
probability of 90 %, accelerated or restored, and evaluated; the new ones replace the worse half of the population. The
run ends when a chromosome has no conflict. The loop is kernels/evolution.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.kernels import compiled
from pavane.kernels.evolution import Tables, Variation, umda_generations
from pavane.model.problem import Problem
from pavane.solvers.evolution.encoding import Encoding, Longs, Population
from pavane.solvers.evolution.evolve import encoded, evolve, supports
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class UMDA:
    """UMDA over the papers' encodings."""

    name: str = "umda"
    population: int = 60
    """As in gecco08 section 4.5, where larger ones did not pay."""
    mutation: float = 0.9
    """The probability that a new chromosome is mutated (gecco08 section 4.5)."""
    path_share: float = 0.3
    """The share of a scatter's mutations that change a path; the others swap the steps of two messages.

    Section 4.4 says that the swap replaces the mutation, section 4.5 that the mutation changes paths, and the paper
    speaks of one simple operator: so a mutation does the one or the other.
    """
    swap_within: bool = True
    """Whether the two messages that swap steps have the same sender; that keeps what the acceleration has achieved.

    The paper does not say. In short trials neither was clearly better.
    """
    changes: int = 1
    """How many genes of a broadcast a mutation draws anew: source, path and step.

    One in the whole chromosome, of AAB as well; the paper says that a chromosome is mutated, not each row of it.
    """
    patience: int | None = None
    """After so many evaluations without improvement a new population is drawn; 0: never. None: 200,000, with polish
    10,000.

    The paper averages over successful runs (section 5, Table 7) and so repeats what does not succeed in reasonable
    time; this does so within one call.
    """
    radius: int | None = None
    """How far a transfer of a broadcast may go (section 4.4); None: chosen by the network and the collective."""
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_evaluations: int = 1_000_000
    """Evaluations for one number of steps: the paper's reasonable time."""
    polish: int = 0
    """Ours: so many times after a mutation a transfer in conflict moves to its best path and step."""
    units: bool = False
    """Ours: genes are drawn whole, so that a path keeps its step."""
    symmetric: bool = False
    """Ours: schedule one message per orbit of a free symmetry of order two, and lift the schedule; scatters only."""

    def __post_init__(self) -> None:
        if self.population < 2:
            raise InputError(f"population {self.population}: a better and a worse half need at least 2 chromosomes")

    def supports(self, problem: Problem) -> bool:
        """Say yes to scatters, broadcasts and reductions without combining that the encodings cover."""
        return supports(problem, self.symmetric)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of `num_steps` steps; None: of the fewest, walking up from the bound."""

        def encode(steps: int, rng: np.random.Generator) -> Encoding | None:
            return encoded(
                problem,
                steps,
                seed,
                rng,
                radius=self.radius,
                most_paths=self.most_paths,
                detour=self.detour,
                symmetric=self.symmetric,
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
            variation = Variation(self.mutation, self.path_share, self.swap_within, self.changes, self.polish)
            width = tables.num_items if self.units else 1
            made: tuple[int, int] = compiled(umda_generations)(
                tables, variation, population, fitness, oldest, state, width, num_generations, most_evaluations, trace
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
            patience=(10_000 if self.polish else 200_000) if self.patience is None else self.patience,
            work_per_gene=1 + self.polish,
        )
