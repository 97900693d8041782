"""The base of UMDA and of the genetic algorithm: a population that evolves."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary import scatter
from pavane.solvers.evolutionary.encoders import ENCODED
from pavane.solvers.evolutionary.encoding import Coding
from pavane.solvers.evolutionary.kernels.generations import Variation
from pavane.solvers.evolutionary.kernels.mutation import Mutation
from pavane.solvers.evolutionary.populations import Evolution, evolve
from pavane.solvers.solver import Finding
from pavane.solvers.supports import Supports


class PopulationSolver(ABC):
    """A solver that evolves a population; its settings are the fields of the algorithm, in an order of its own."""

    population: int
    mutation: float
    path_share: float
    swap_within: bool
    swap_idle: bool
    changes: int
    most_evaluations: int
    patience: int

    @property
    @abstractmethod
    def coding(self) -> Coding:
        """How schedules are encoded."""

    @property
    @abstractmethod
    def variation(self) -> Variation:
        """How new chromosomes are made."""

    @property
    def mutations(self) -> Mutation:
        """How chromosomes are mutated."""
        return Mutation(self.mutation, self.path_share, self.swap_within, self.swap_idle, self.changes)

    def evolution(self) -> Evolution:
        """Return the algorithm that the settings describe."""
        return Evolution(self.coding, self.variation, self.population, self.patience, self.most_evaluations)

    def check_limits(self) -> None:
        """Raise InputError if `patience` is too small."""
        if self.patience < 0:
            raise InputError(f"patience {self.patience}: at least 0")

    @property
    def supports(self) -> Supports:
        """Supports what the encodings cover; the quotient by a symmetry is for scatters only."""
        return scatter.SUPPORTS if self.coding.symmetric else ENCODED

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Look for a schedule of `num_steps` steps."""
        return evolve(self.evolution(), problem, num_steps, rng, budget)
