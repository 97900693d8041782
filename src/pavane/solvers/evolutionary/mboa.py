"""MBOA, the mixed Bayesian optimization algorithm of Ocenasek and Schwarz, as gecco07 uses it (sections 3.2 and 5).

Each generation learns from its better members how the items of a chromosome depend on each other, as a set of decision
trees (`decision_trees`), and draws offspring from what was learned (`reproduction`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from pavane.errors import InputError
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.counting import Evaluations
from pavane.solvers.evolutionary.decision_trees import TreeLearner
from pavane.solvers.evolutionary.encoders import ENCODED, encode
from pavane.solvers.evolutionary.encoding import MOST_PATHS, Coding, Counting, Encoding
from pavane.solvers.evolutionary.reproduction import Members, Reproduction
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_by_steps

SIZES = tuple(2**power for power in range(5, 13))
"""The population sizes that are tried: from 32 to 4096."""

NUM_TRIALS = 6
"""Runs for each size."""

FIRST_TRIAL = 1_000_000
"""The seed of the first trial run: those of a study come before."""


@dataclass(frozen=True)
class MBOA:
    """The mixed Bayesian optimization algorithm, with the parameters of gecco07 section 5.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> options = pavane.SearchOptions(evaluations=10_000)
        >>> pavane.solve(problem, options, solver=pavane.solvers.MBOA(), num_steps=3).num_steps
        3
    """

    name: str = "mboa"
    population: int | Literal["by-trial"] | None = None
    """How many chromosomes there are. None: `default_population`. The paper sets it by trial for each problem: such
    that at least half of the runs succeed, if possible. So does by-trial, by six runs of each size from 32 to 4096 with
    seeds of their own; what they take is not counted as the run's."""
    tournament: int | None = None
    """How many random members meet for each place among the parents, and in a tournament for replacement; None:
    `default_tournament`. The paper gives no figure."""
    parents: float = 0.5
    """How many parents there are, as a share of the population."""
    offspring: float = 0.5
    """How many offspring there are in a generation, as a share of the population."""
    most_candidates: int = 1000
    """How many random earlier items a tree may try; more items than these cost time in proportion."""
    most_leaves: int = 32
    """Of a tree."""
    leaf_price: float = 0.5
    """What a fork costs, times the logarithm of the number of parents: as in BOA with trees."""
    test_price: float = 1.0
    """What it costs besides, times the logarithm of the number of tests that it was chosen from. At 0 trees over 480
    independent items grow ten to twenty forks each by chance, and take ten times as long."""
    replacement: Literal["tournament", "restricted"] = "tournament"
    """The member that an offspring competes with for a place: the worst of `tournament` random members, which is what
    the paper says, or the nearest of `window` random members (restricted tournament, MBOA's own way, which keeps
    different solutions alive)."""
    window: int = 20
    """How many random members a restricted tournament looks at; twenty is usual."""
    mutation: Literal["gene", "item"] = "gene"
    """What is redrawn within its bounds in each chromosome: all items of one random gene, or one random item."""
    new_path_after: int | None = None
    """After how many evaluations without an improvement one more path of each offspring is redrawn; None: never.
    Section 3.2 calls the replacement of a path a good remedy when the fitness was not improving in a certain period; it
    gives no period, and the mutation redraws a path in every chromosome anyway. papers/studies.md compares three."""
    accelerate: bool = False
    """Use gecco08's heuristics (section 4.4): scatters never send more than the ports take and mutate by a swap of two
    steps and a new path, broadcasts begin in the first step. gecco07 knows only the restoration of broadcast trees,
    which is always done."""
    patience: int | None = None
    """How many evaluations may bring no improvement before the population is redrawn. None: there is one population,
    as in the paper, where a run that is stuck is a failure."""
    most_evaluations: int = 400_000
    """How many evaluations are spent on a number of steps before one more step is tried."""
    conflicts: Counting = "pairs"
    """What the fitness counts: pairs of transfers in conflict (gecco07 section 3.2), or transfers too many, ours."""
    most_paths: int = MOST_PATHS
    """The most shortest paths between two processors; of more, a sample. The paper knows all of them."""
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""

    def __post_init__(self) -> None:
        for name in ("patience", "new_path_after"):
            if (value := getattr(self, name)) is not None and value < 0:
                raise InputError(f"{name} {value}: expected a number of evaluations, or none")

    @property
    def coding(self) -> Coding:
        """How schedules are encoded."""
        return Coding(self.most_paths, self.detour, conflicts=self.conflicts)

    supports = ENCODED

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Look for a schedule of `num_steps` steps."""
        evaluations = Evaluations(budget, self.most_evaluations)
        # No schedule without empty steps has more steps than deliveries.
        is_final = num_steps >= problem.num_deliveries
        if num_steps < 1 or evaluations.are_over:
            return Finding(None, run=evaluations.run, is_final=is_final)
        encoding = encode(problem, num_steps, self.coding, rng)
        if encoding is None:
            return Finding(None, run=evaluations.run, is_final=True)
        best = None
        size = self.size_for(problem, num_steps, encoding.num_genes, budget)
        while best is None and not evaluations.are_over:
            best = self._evolved(encoding, size, evaluations, rng)
        schedule = None if best is None else encoding.schedule(best)
        return Finding(schedule, run=evaluations.run, is_final=is_final)

    __call__ = solve_by_steps

    def reproduction(self, encoding: Encoding, size: int) -> Reproduction:
        """Return how a population of a size has offspring."""
        return Reproduction(
            encoding,
            TreeLearner(self.most_candidates, self.most_leaves, self.leaf_price, self.test_price),
            max(2, round(self.parents * size)),
            max(1, round(self.offspring * size)),
            self.tournament or default_tournament(encoding.num_genes),
            self.window if self.replacement == "restricted" else None,
            self.mutation,
            self.new_path_after,
            self.patience,
            self.accelerate,
        )

    def size_for(self, problem: Problem, num_steps: int, num_genes: int, budget: Budget) -> int:
        """Return how many chromosomes there are."""
        if self.population != "by-trial":
            return self.population or default_population(num_genes)
        most = self.most_evaluations if budget.evaluations is None else budget.evaluations
        # Of a time limit the trials get half.
        trials = Budget(most, budget.part(0.5).deadline, is_stopped=budget.is_stopped)
        return population_by_trial(problem, num_steps, self, trials) or default_population(num_genes)

    def _evolved(
        self, encoding: Encoding, size: int, evaluations: Evaluations, rng: np.random.Generator
    ) -> Ints | None:
        """Evolve a chromosome without conflicts (gecco07 Fig. 3); None when evaluations, time or patience run out."""
        reproduction = self.reproduction(encoding, size)
        chromosomes = reproduction.founders(min(size, evaluations.left), rng)
        reproduction.repair(chromosomes, rng)
        fitness = _judged(encoding, chromosomes, evaluations)
        members, since = Members(chromosomes, fitness, np.arange(len(chromosomes))), evaluations.made
        fewest = int(members.fitness.min())
        while fewest > 0 and not evaluations.are_over:
            if self.patience is not None and evaluations.made - since >= self.patience:
                return None
            model = reproduction.learner.learned(reproduction.parents(members, rng), rng, evaluations.budget)
            if model is None:
                return None
            offspring = model.sampled(min(reproduction.num_offspring, evaluations.left), rng)
            reproduction.mutate(offspring, evaluations.made - since, rng)
            reproduction.repair(offspring, rng)
            scores = _judged(encoding, offspring, evaluations)
            reproduction.replace(members, offspring, scores, rng)
            if members.fitness.min() < fewest:
                fewest, since = int(members.fitness.min()), evaluations.made
        best: Ints = members.chromosomes[members.fitness.argmin()]
        return best if fewest == 0 else None


def default_population(num_genes: int) -> int:
    """Return a population size for a number of genes: four times as many, from 100 to 240.

    From trials on AAS on hypercube:3 (56 genes): with tournaments of 8, 800 solved none of ten runs and 400 two.
    """
    return min(max(100, 4 * num_genes), 240)


def default_tournament(num_genes: int) -> int:
    """Return how many members meet in a tournament for a number of genes: one for eight genes, but at least eight.

    With little pressure the population does not settle: AAS on hypercube:3 stays at 16 to 19 conflicts with tournaments
    of two (population 560), AAS on hypercube:4 at about 150 with eight, but comes down to 19 with 64 (population 400,
    a seed or two each). Perhaps because any renumbering of the steps of a solution is another one, and a mixture of
    them has poor offspring.
    """
    return max(8, num_genes // 8)


@lru_cache(maxsize=4)
def population_by_trial(problem: Problem, num_steps: int, solver: MBOA, budget: Budget) -> int | None:
    """Return the first population size by which at least half of the trial runs succeed (gecco07 section 5).

    Where there is none, it is the one by which most do; None if no run succeeds. A size is left as soon as more than
    half of its runs have failed. The evaluations of the budget are those of one run.
    """
    best, most_won = None, 0
    for size in SIZES:
        sized, won = replace(solver, population=size), 0
        for number in range(NUM_TRIALS):
            if budget.is_over:
                return best
            won += sized(problem, num_steps, FIRST_TRIAL + number, budget).schedule is not None
            if 2 * (number + 1 - won) > NUM_TRIALS:
                break
        if won > most_won:
            best, most_won = size, won
        if 2 * won >= NUM_TRIALS:
            break
    return best


def _judged(encoding: Encoding, population: Ints, evaluations: Evaluations) -> Longs:
    """Count the conflicts of every chromosome, and note where the best got better."""
    fitness = encoding.fitness(population)
    for number, conflicts in enumerate(fitness.tolist(), start=1):
        evaluations.note(conflicts, after=number)
    evaluations.made += len(population)
    return fitness
