"""The run of an evolutionary algorithm: encode, draw a population, let generations pass, read the schedule off.

Asked without a number of steps a run begins at the lower bound and goes on to one step more when it has not succeeded
in reasonable time (gecco08 section 4.3); here that is a number of evaluations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result, Run
from pavane.kernels.evolution import Tables
from pavane.model.problem import Problem
from pavane.model.symmetry import free_involutions
from pavane.solvers.evolution import broadcast, scatter
from pavane.solvers.evolution.encoding import Encoding, Longs, Population, random_state
from pavane.workers.budget import Budget

Generations = Callable[[Tables, Population, Longs, Longs, Longs, int, int, Longs], tuple[int, int]]
"""Lets up to so many generations pass and makes up to so many evaluations; returns those made and lines of the trace.

Its arguments: tables, population, fitness, order of age, state of the random numbers, generations, evaluations, trace.
"""

WORK_PER_CALL = 2_000_000
"""Genes handled between two looks at the clock: about a tenth of a second."""


def supports(problem: Problem, symmetric: bool = False) -> bool:
    """Say yes to what can be encoded; the quotient by a symmetry is for scatters only."""
    return scatter.supports(problem) or (broadcast.supports(problem) and not symmetric)


def encoded(
    problem: Problem,
    num_steps: int,
    seed: int,
    rng: np.random.Generator,
    *,
    radius: int | None = None,
    most_paths: int = 32,
    detour: int = 2,
    symmetric: bool = False,
) -> Encoding | None:
    """Encode a scatter, broadcast or reduction; None where a symmetry is wanted and none will do."""
    if problem.pattern != "private":
        return broadcast.encoded(problem, num_steps, rng, radius=radius, most_paths=most_paths, detour=detour)
    symmetry = None
    if symmetric:
        found = list(free_involutions(problem))
        if not found:
            return None
        symmetry = found[seed % len(found)]
    return scatter.encoded(problem, num_steps, rng, most_paths=most_paths, detour=detour, symmetry=symmetry)


def evolve(
    name: str,
    problem: Problem,
    num_steps: int | None,
    seed: int,
    budget: Budget,
    *,
    encode: Callable[[int, np.random.Generator], Encoding | None],
    generations: Generations,
    population_size: int,
    most_evaluations: int,
    patience: int,
    work_per_gene: int = 1,
) -> Result:
    """Look for a schedule of `num_steps` steps; None: of the fewest, walking up from the bound.

    The trace of a walk begins anew with every number of steps.
    """
    rng = np.random.default_rng(seed)
    search = _Search(budget, generations, population_size, patience, work_per_gene)
    found: tuple[Encoding, Population] | None = None
    if not budget.is_over and (num_steps is None or num_steps >= 1):
        # No schedule without empty steps has more steps than deliveries.
        highest = problem.num_deliveries
        lowest = lower_bounds(problem)[0].steps if num_steps is None else min(num_steps, highest)
        for steps in range(lowest, (highest if num_steps is None else lowest) + 1):
            most = search.made + most_evaluations
            if budget.evaluations is not None:
                # Who asks for a number of steps and names the evaluations means those.
                most = budget.evaluations if num_steps is not None else min(most, budget.evaluations)
            if budget.is_over or search.made >= most:
                break
            encoding = encode(steps, rng)
            if encoding is None:
                break
            chromosome = search(encoding, rng, most)
            if chromosome is not None:
                found = encoding, chromosome
                break
    return Result(
        problem,
        None if found is None else found[0].schedule(found[1]),
        provenance=Provenance(name, seed),
        asked=num_steps,
        run=Run(search.made, tuple(search.trace)),
    )


@dataclass
class _Search:
    """Populations that come and go until a chromosome has no conflict; counts evaluations and keeps the trace."""

    budget: Budget
    generations: Generations
    population_size: int
    patience: int
    work_per_gene: int
    made: int = 0
    trace: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, encoding: Encoding, rng: np.random.Generator, most: int) -> Population | None:
        """Return a chromosome without conflicts, or None when `most` evaluations are made or the time is over."""
        best = -1
        while self.made < most and not self.budget.is_over:
            found, best = self._population(encoding, rng, most, best)
            if found is not None:
                return found
        return None

    def _population(
        self, encoding: Encoding, rng: np.random.Generator, most: int, best: int
    ) -> tuple[Population | None, int]:
        """Let a new population live until it succeeds or has not got better for long; return the best count, too."""
        population = encoding.random(min(self.population_size, most - self.made), rng)
        encoding.repair(population, rng)
        fitness = encoding.fitness(population)
        for number, value in enumerate(fitness.tolist(), start=1):
            best = self._note(self.made + number, value, best)
            if value == 0:
                self.made += number
                return population[number - 1], 0
        self.made += len(population)
        improved, here = self.made, int(fitness.min())
        state, oldest = random_state(rng), np.arange(len(population))
        per_generation = max(1, self.population_size * encoding.num_genes * self.work_per_gene)
        num_generations = max(1, WORK_PER_CALL // per_generation)
        if self.patience:
            num_generations = min(num_generations, max(1, self.patience // self.population_size))
        while self.made < most and not self.budget.is_over:
            if self.patience and self.made - improved >= self.patience:
                break
            lines = np.empty((here + 1, 2), dtype=np.int64)
            made, num_lines = self.generations(
                encoding.tables, population, fitness, oldest, state, num_generations, most - self.made, lines
            )
            for at, here in lines[:num_lines].tolist():
                improved = self.made + at
                best = self._note(improved, here, best)
            self.made += made
            if here == 0:
                return population[int(fitness.argmin())], 0
        return None, best

    def _note(self, at: int, value: int, best: int) -> int:
        """Write down an improvement over the best of this number of steps (-1: nothing yet); return the new best."""
        if 0 <= best <= value:
            return best
        self.trace.append((at, value))
        if self.budget.report is not None:
            self.budget.report(at, value)
        return value
