"""MBOA, the mixed Bayesian optimization algorithm of Ocenasek and Schwarz, as gecco07 uses it (sections 3.2 and 5).

Each generation learns from its better members how the items of a chromosome depend on each other, as a set of decision
trees (kernels/decision_trees.py), and draws offspring from what was learned. An item may depend on items that come
before it in an order; the order is random and new in each generation, which keeps the dependencies free of cycles, lets
every tree grow by itself, and gives each pair of items a chance either way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result, Run
from pavane.kernels import compiled
from pavane.kernels.decision_trees import grow_trees, number_values, sample_trees
from pavane.kernels.evolution import SCATTER_ITEMS
from pavane.model.problem import Problem
from pavane.solvers.evolution import broadcast, scatter
from pavane.solvers.evolution.encoding import Encoding, Population
from pavane.workers.budget import Budget

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

BETWEEN_LOOKS = 20_000_000
"""Entries of the data that trees may go through at their roots before the clock is looked at again."""


@dataclass(frozen=True)
class Trees:
    """The model: a decision tree per item, over a random order of the items; MBOA explains its settings."""

    most_candidates: int = 1000
    most_leaves: int = 32
    leaf_price: float = 0.5
    test_price: float = 1.0

    def learned(self, parents: Population, rng: np.random.Generator, budget: Budget) -> Model | None:
        """Learn from the parents; None if time ran out."""
        values = np.ascontiguousarray(parents.T)
        num_items, num_rows = values.shape
        codes, num_codes = np.empty_like(values), np.empty(num_items, dtype=np.int32)
        compiled(number_values)(values, codes, num_codes)
        numbers = np.arange(1, num_rows + int(num_codes.max()) + 1)
        log_factorials = np.concatenate(([0.0], np.cumsum(np.log(numbers))))
        places = (num_items, 2 * self.most_leaves - 1)
        model = Model(
            rng.permutation(num_items).astype(np.int32),
            values,
            np.empty_like(values),
            np.full(places, -1, dtype=np.int32),
            *(np.zeros(places, dtype=np.int32) for _ in range(4)),
        )
        kernel = compiled(grow_trees)
        stride = max(1, BETWEEN_LOOKS // (num_rows * max(1, min(num_items, self.most_candidates))))
        for first in range(0, num_items, stride):
            if budget.is_over:
                return None
            kernel(
                first,
                min(first + stride, num_items),
                model.order,
                values,
                codes,
                num_codes,
                self.most_candidates,
                self.leaf_price * float(np.log(num_rows)),
                self.test_price,
                log_factorials,
                rng,
                model.rows,
                model.fork_item,
                model.fork_value,
                model.branch,
                model.begins,
                model.ends,
            )
        return model


@dataclass(frozen=True, eq=False)
class Model:
    """What was learned: the order of the items, their values in the parents, and the trees as the kernels keep them."""

    order: Ints
    values: Ints
    rows: Ints
    fork_item: Ints
    fork_value: Ints
    branch: Ints
    begins: Ints
    ends: Ints

    @property
    def num_forks(self) -> int:
        """Return the number of forks in all trees."""
        return int((self.fork_item >= 0).sum())

    def sampled(self, size: int, rng: np.random.Generator) -> Population:
        """Draw so many offspring."""
        offspring = np.empty((size, len(self.values)), dtype=np.int32)
        compiled(sample_trees)(
            self.order,
            self.values,
            self.rows,
            self.fork_item,
            self.fork_value,
            self.branch,
            self.begins,
            self.ends,
            rng,
            offspring,
        )
        return offspring


@dataclass(frozen=True)
class MBOA:
    """The mixed Bayesian optimization algorithm, with the parameters of gecco07 section 5."""

    name: str = "mboa"
    population: int | None = None
    """None: `default_population`. The paper sets it by trial for each problem; `population_for` does so, too."""
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
    """Whom an offspring meets for a place: the worst of `tournament` random members, which is what the paper says, or
    the nearest of `window` random members (restricted tournament, MBOA's own way, which keeps different
    solutions alive)."""
    window: int = 20
    """How many random members a restricted tournament looks at; twenty is usual."""
    mutation: Literal["gene", "item"] = "gene"
    """What is drawn anew within its bounds in each chromosome: all items of one random gene, or one random item."""
    accelerate: bool = False
    """Use gecco08's heuristics (section 4.4): scatters never send more than the ports take and mutate by a swap of two
    steps and a new path, broadcasts begin in the first step. gecco07 knows only the restoration of broadcast trees,
    which is always done."""
    patience: int | None = 20_000
    """After so many evaluations without a better best the population is drawn anew. Not in the paper, where a run that
    is stuck is a failure; None for that."""
    most_evaluations: int = 400_000
    """How many evaluations are spent on a number of steps before one more step is tried."""
    most_paths: int = 32
    detour: int = 2

    def supports(self, problem: Problem) -> bool:
        """Say yes to what the encodings know: scatters, broadcasts and reductions without combining."""
        return scatter.supports(problem) or broadcast.supports(problem)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of at most `num_steps` steps; None: of the fewest, walking up from the bound."""
        rng = np.random.default_rng(seed)
        lowest = lower_bounds(problem)[0].steps if num_steps is None else num_steps
        highest = problem.num_deliveries if num_steps is None else num_steps
        books = _Books(budget)
        schedule = None
        for steps in range(max(lowest, 1), highest + 1):
            # Who asks for a number of steps and names the evaluations means those.
            named = None if num_steps is None else budget.evaluations
            books.open(self.most_evaluations if named is None else named)
            encoding = None if books.is_over else self._encoded(problem, steps, rng)
            if encoding is None:
                break
            best = self._evolved(encoding, books, rng)
            if best is not None:
                schedule = encoding.schedule(best)
                break
        run = Run(books.evaluations, tuple(books.trace))
        return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps, run=run)

    def _encoded(self, problem: Problem, num_steps: int, rng: np.random.Generator) -> Encoding | None:
        """Encode the problem; None where a message has no path."""
        encode = scatter.encoded if scatter.supports(problem) else broadcast.encoded
        return encode(problem, num_steps, rng, most_paths=self.most_paths, detour=self.detour)

    def _evolved(self, encoding: Encoding, books: _Books, rng: np.random.Generator) -> Ints | None:
        """Evolve a chromosome without conflicts (gecco07 Fig. 3); None if the evaluations or the time ran out."""
        size = self.population or default_population(encoding.num_genes)
        tournament = self.tournament or default_tournament(encoding.num_genes)
        while not books.is_over:
            population = self._founders(encoding, min(size, books.left), rng)
            fitness = books.judged(encoding, population)
            least, since = int(fitness.min()), books.evaluations
            while least > 0 and not books.is_over:
                if self.patience is not None and books.evaluations - since >= self.patience:
                    break
                parents = population[_winners(fitness, max(2, round(self.parents * size)), tournament, rng)]
                trees = Trees(self.most_candidates, self.most_leaves, self.leaf_price, self.test_price)
                model = trees.learned(parents, rng, books.budget)
                if model is None:
                    break
                offspring = model.sampled(min(max(1, round(self.offspring * size)), books.left), rng)
                self._mutate(encoding, offspring, rng)
                self._repair(encoding, offspring, rng)
                self._replace(population, fitness, offspring, books.judged(encoding, offspring), tournament, rng)
                if fitness.min() < least:
                    least, since = int(fitness.min()), books.evaluations
            if least == 0:
                best: Ints = population[fitness.argmin()]
                return best
        return None

    def _founders(self, encoding: Encoding, size: int, rng: np.random.Generator) -> Population:
        """Draw the first population."""
        if self.accelerate:
            population = encoding.random(size, rng)
        else:
            population = rng.integers(0, bounds_of_items(encoding), size=(size, encoding.num_items)).astype(np.int32)
        self._repair(encoding, population, rng)
        return population

    def _mutate(self, encoding: Encoding, population: Population, rng: np.random.Generator) -> None:
        """Mutate every chromosome."""
        if self.accelerate and is_scatter(encoding):
            encoding.mutate(population, rng, probability=1.0)
        else:
            mutate(encoding, population, self.mutation, rng)

    def _repair(self, encoding: Encoding, population: Population, rng: np.random.Generator) -> None:
        """Restore broadcasts, and accelerate scatters where that is wanted."""
        if self.accelerate or not is_scatter(encoding):
            encoding.repair(population, rng)

    def _replace(
        self,
        population: Population,
        fitness: Longs,
        offspring: Population,
        scores: Longs,
        tournament: int,
        rng: np.random.Generator,
    ) -> None:
        """Let each offspring, one after the other, take the place of a member that is no better; in place."""
        size = self.window if self.replacement == "restricted" else tournament
        meetings = rng.integers(0, len(population), size=(len(offspring), size))
        for child, score, met in zip(offspring, scores, meetings, strict=True):
            if self.replacement == "restricted":
                rival = met[np.count_nonzero(population[met] != child, axis=1).argmin()]
            else:
                rival = met[fitness[met].argmax()]
            if score <= fitness[rival]:
                population[rival], fitness[rival] = child, score


def default_population(num_genes: int) -> int:
    """Return a population size for so many genes: four times as many, from 100 to 240.

    From trials on AAS on hypercube:3 (56 genes): with tournaments of 8, 800 solved none of ten runs and 400 two.
    """
    return min(max(100, 4 * num_genes), 240)


def default_tournament(num_genes: int) -> int:
    """Return how many members meet in a tournament for so many genes: one for eight genes, but at least eight.

    With little pressure the population does not settle: AAS on hypercube:3 stays at 16 to 19 conflicts with tournaments
    of two (population 560), AAS on hypercube:4 at about 150 with eight, but comes down to 19 with 64 (population 400,
    a seed or two each). Perhaps because any renumbering of the steps of a solution is another one, and a mixture of
    them has poor offspring.
    """
    return max(8, num_genes // 8)


def population_for(
    problem: Problem,
    num_steps: int,
    *,
    solver: MBOA | None = None,
    num_runs: int = 6,
    smallest: int = 32,
    largest: int = 4096,
    seed: int = 0,
    budget: Budget | None = None,
) -> int | None:
    """Return the least power-of-two multiple of `smallest` by which at least half of the runs succeed (gecco07 5).

    None if no population up to `largest` does, or the time ran out. The evaluations of the budget are those of one run.
    """
    solver, budget = solver or MBOA(), budget or Budget()
    size = smallest
    while size <= largest:
        sized = replace(solver, population=size)
        won = sum(sized(problem, num_steps, seed + run, budget).schedule is not None for run in range(num_runs))
        if 2 * won >= num_runs:
            return size
        if budget.is_over:
            break
        size *= 2
    return None


def is_scatter(encoding: Encoding) -> bool:
    """Say whether genes are (path, step), which stand for a schedule without any repair."""
    return encoding.tables.num_items == SCATTER_ITEMS


def bounds_of_items(encoding: Encoding) -> Longs:
    """Return the number of values that may be drawn for each item; no step is after the last."""
    bounds = encoding.cardinalities
    per_gene = encoding.tables.num_items
    bounds[per_gene - 1 :: per_gene] = encoding.tables.num_steps
    return bounds


def mutate(encoding: Encoding, population: Population, what: Literal["gene", "item"], rng: np.random.Generator) -> None:
    """Draw one random gene, or one random item, of every chromosome anew within its bounds, in place.

    This is the integer bound mutation of gecco07, at its rate of 100 %.
    """
    width = encoding.tables.num_items if what == "gene" else 1
    first = width * rng.integers(0, encoding.num_items // width, size=len(population))
    items = first[:, None] + np.arange(width)
    population[np.arange(len(population))[:, None], items] = rng.integers(0, bounds_of_items(encoding)[items])


def _winners(fitness: Longs, size: int, tournament: int, rng: np.random.Generator) -> Longs:
    """Return the winners of so many tournaments: the members with the fewest conflicts."""
    met = rng.integers(0, len(fitness), size=(size, tournament))
    winners: Longs = met[np.arange(size), fitness[met].argmin(axis=1)]
    return winners


class _Books:
    """The evaluations of a run: how many were made, how many are left, and what they brought."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.evaluations = 0
        self.trace: list[tuple[int, int]] = []
        self.end = 0
        self.best = -1

    def open(self, evaluations: int) -> None:
        """Begin with another number of steps, for which there are so many evaluations at most."""
        self.end = self.evaluations + evaluations
        if self.budget.evaluations is not None:
            self.end = min(self.end, self.budget.evaluations)
        self.best = -1

    @property
    def left(self) -> int:
        """Return how many evaluations are left for this number of steps."""
        return self.end - self.evaluations

    @property
    def is_over(self) -> bool:
        """Whether nothing is left, be it evaluations or time."""
        return self.left <= 0 or self.budget.is_over

    def judged(self, encoding: Encoding, population: Population) -> Longs:
        """Count the conflicts of every chromosome, and note where the best got better."""
        fitness = encoding.fitness(population)
        for number, conflicts in enumerate(fitness.tolist(), start=self.evaluations + 1):
            if self.best < 0 or conflicts < self.best:
                self.best = conflicts
                self.trace.append((number, conflicts))
                if self.budget.report is not None:
                    self.budget.report(number, conflicts)
        self.evaluations += len(population)
        return fitness
