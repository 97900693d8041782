"""HGSA, hybrid parallel genetic simulated annealing, for broadcasts from neighbour to neighbour (gecco07 section 3.1).

A chromosome has a gene for every pair of a sender and a receiver: one of the shortest paths between them, and the step
in which each channel of the path is used; a message may rest on its way (gecco07 Fig. 2). Several annealers each work
on a chromosome by Metropolis moves towards fewer conflicts. Every so many moves a master collects their solutions and
hands each of them one, drawn on a roulette wheel, to cross its own with (gecco07 Fig. 1, section 5).

Single channels are valid paths under wormhole and store-and-forward alike, and for AAB and MNB the bounds of the two
coincide. Where ports are scarce, and for OAB, they do not: there a message may also run on over several channels in one
step (`runs_on`), always along a shortest path from its origin. Reductions are solved backwards.

The papers leave choices open. Each is a field, with the likely reading as its default and the reason beside it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result, Run
from pavane.kernels import compiled
from pavane.kernels.hgsa import Tables, evolve, recount, start_genes
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.solvers.evolution.hops import Hops, has_scarce_ports, has_switches, hops_of, may_start_at_once
from pavane.workers.budget import Budget

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Reals = npt.NDArray[np.float64]

MOST_DELIVERIES = 20_000
MOST_ROUTERS = 512
"""Larger problems would take more paths than fit, and more moves than anyone waits for."""

INTERPRETED_GENES = 2_000
"""So many genes of all annealers together are dealt with before machine code would be loaded."""

MOST_COUNTS = 2**27
"""The most counts of uses of all annealers together, two bytes each; above, steps are refused."""


@dataclass(frozen=True)
class HGSA:
    """Annealers that exchange and cross their solutions; defaults as in gecco07 section 5, where it says."""

    name: str = "hgsa"
    num_annealers: int = 10
    exchange_every: int = 100
    """Metropolis moves of each annealer between two exchanges."""
    start_temperature: float = 100.0
    moves_per_temperature: int = 200
    cooling: float = 0.99
    first_channel_at_once: bool | None = None
    """Whether the first channel of every path is used in step 1, as the paper says. None: where nothing is lost by it
    (all-port, full duplex, one processor a router); few ports cannot send over all channels in step 1."""
    runs_on: bool | None = None
    """Whether under wormhole successive channels of a path may be used in one step, as one transfer. None: where ports
    are scarce or there is one message. Hop by hop 1-port AAB on mesh 4x4 cannot take 15 steps, nor OAB on a hypercube
    of 64 three, which the paper reports of HGSA (gecco07 Tables 2 and 3)."""
    new_path: float = 1.0
    """The chance that a move draws another path of the pair; a move changes the values of a gene at random."""
    new_sequence: float = 1.0
    """The chance that a move draws all steps of a path anew; otherwise one of them changes, between its neighbours.
    The paper draws all at random at the start and does not say how a move changes them."""
    child_mutation: float = 0.5
    """The chance that a child is mutated: a predefined probability, which the paper does not give."""
    mutated_genes: int = 1
    """How many genes a mutation changes: one, as in the papers' other algorithms."""
    wheel: Literal["inverse", "gap"] = "inverse"
    """The chance of a solution on the wheel: proportional to 1 / (1 + conflicts), the usual way where less is better;
    or to the conflicts it has less than the worst, plus one. The paper asks that the best have the highest."""
    master_keeps: Literal["drawn", "best"] = "drawn"
    """What the master, itself an annealer, crosses its own solution with: it keeps one, drawn like the others."""
    most_paths: int = 120
    """The most shortest paths of a pair; of more a sample is drawn. All of them on a hypercube of 32."""
    most_evaluations: int = 5_000_000
    """Moves for each number of steps; for one that is asked for, a budget of moves counts instead."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to broadcasts and reductions without combining, as far as their paths fit.

        Under restricted routing a hop through pure switches could break the order of its turns.
        """
        return (
            problem.pattern != "private"
            and not problem.rules.combining
            and problem.num_deliveries <= MOST_DELIVERIES
            and problem.network.num_routers <= MOST_ROUTERS
            and (problem.restriction is None or not has_switches(problem))
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of `num_steps` steps; None: of the fewest, walking up from the bound."""
        forwards = dual(problem) if problem.pattern == "reduction" else problem
        tally = _Tally(budget)
        schedule = self._walk(forwards, num_steps, seed, tally)
        if schedule is not None and problem.pattern == "reduction":
            schedule = time_reversed(forwards, schedule, problem)
        run = Run(tally.moves, tuple(tally.trace))
        return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps, run=run)

    def _walk(self, problem: Problem, asked: int | None, seed: int, tally: _Tally) -> Schedule | None:
        """Try one number of steps after another."""
        lowest = lower_bounds(problem)[0].steps
        if tally.has_ended() or (asked is not None and asked < lowest):
            return None
        # One hop after another is a schedule of this encoding, if a long one.
        highest = problem.num_deliveries * problem.network.num_routers if asked is None else asked
        most_of_all = tally.budget.evaluations
        if most_of_all is None:
            most_of_all = self.most_evaluations * (highest if asked is None else 1)
        for steps in range(lowest if asked is None else asked, highest + 1):
            hops = hops_of(problem, steps, self.most_paths, self._runs_on(problem), tally.budget)
            if hops is None or tally.has_ended():
                break
            case = self._case(hops, steps)
            most = min(most_of_all, tally.moves + self.most_evaluations) if asked is None else most_of_all
            found = None if case is None else self._anneal(case, seed, tally, most)
            if found is not None:
                return hops.schedule(*found)
        return None

    def _runs_on(self, problem: Problem) -> bool:
        turns = problem.restriction
        if problem.rules.switching == "store-and-forward" or not (turns is None or turns.is_whole):
            return False
        return has_scarce_ports(problem) or problem.num_messages == 1 if self.runs_on is None else self.runs_on

    def _case(self, hops: Hops, num_steps: int) -> Case | None:
        """Prepare the search for a number of steps; None where a pair has no path of them or the books do not fit."""
        problem, first_path, end_path = hops.problem, hops.first_path[:-1], hops.first_path[1:]
        num_counts = problem.num_messages * len(hops.moves) * num_steps
        if not hops.is_complete or num_counts * self.num_annealers > MOST_COUNTS:
            return None
        at_once = self.first_channel_at_once
        if at_once is None:
            at_once = may_start_at_once(problem) and not self._runs_on(problem)
        lengths = np.diff(hops.first_hop)
        free = lengths[first_path] - at_once
        has_choice = (end_path - first_path > 1) | ((free > 0) & (free < num_steps - at_once))
        return Case(
            (
                hops.message_of,
                first_path,
                end_path,
                hops.first_hop,
                hops.hops,
                hops.first_unit,
                hops.units,
                hops.capacity,
            ),
            num_steps,
            at_once,
            (self.new_path, self.new_sequence, self.child_mutation),
            self.mutated_genes,
            np.flatnonzero(has_choice).astype(np.int32),
            (hops.num_genes, int(lengths.max())),
            num_counts,
        )

    def _anneal(self, case: Case, seed: int, tally: _Tally, most: int) -> tuple[Ints, Ints] | None:
        """Run the annealers until one has no conflicts or so many moves are made; return its paths and steps."""
        size = self.num_annealers
        # One generator for each annealer, and one for the master's wheel.
        source = np.random.SeedSequence((seed, case.num_steps))
        wheel = np.random.default_rng(source)
        team = started(case, np.maximum(source.generate_state(size, np.uint64), np.uint64(1)))
        tally.begin(int(team.conflicts.min()))
        mates = team.rows(np.zeros(0, dtype=np.int64))
        iteration = 0
        with _advancing(case, team, min(tally.budget.workers, size)) as advance:
            while team.conflicts.min() > 0:
                left = most - tally.moves
                if left <= 0 or tally.budget.is_over or not len(case.movable):
                    return None
                each, rest = divmod(min(left, size * self.exchange_every), size)
                levels = (iteration + np.arange(self.exchange_every)) // self.moves_per_temperature
                temperatures: Reals = np.float64(self.start_temperature) * np.float64(self.cooling) ** levels
                made, best = advance(mates, temperatures, each + (np.arange(size) < rest))
                iteration += self.exchange_every
                tally.count(int(made.sum()), int(best.min()))
                mates = team.rows(self._drawn(team.conflicts, wheel))
        winner = int(team.conflicts.argmin())
        return team.paths[winner], team.steps[winner]

    def _drawn(self, conflicts: Longs, wheel: np.random.Generator) -> Longs:
        """Turn the wheel once for every annealer, and return whose solution each gets."""
        chances = conflicts.max() - conflicts + 1.0 if self.wheel == "gap" else 1.0 / (1.0 + conflicts)
        ends = np.cumsum(chances)
        drawn: Longs = np.searchsorted(ends, wheel.random(len(conflicts)) * ends[-1], side="right")
        if self.master_keeps == "best":
            drawn[0] = conflicts.argmin()
        return drawn.clip(max=len(conflicts) - 1)


@dataclass(frozen=True, eq=False)
class Case:
    """What stays the same while the annealers look for a schedule of so many steps."""

    tables: Tables
    num_steps: int
    starts_at_once: bool
    odds: tuple[float, float, float]
    num_mutated: int
    movable: Ints
    """The genes that have more than one value."""
    shape: tuple[int, int]
    """The number of genes, and of steps that a gene has room for."""
    num_counts: int
    """The number of counts of uses: of a message, a hop and a step."""

    def constants(self) -> tuple[Tables, int, bool, tuple[float, float, float], int, Ints]:
        """Return what the kernel takes first."""
        return self.tables, self.num_steps, self.starts_at_once, self.odds, self.num_mutated, self.movable


@dataclass(frozen=True, eq=False)
class Team:
    """The solutions of several annealers, and their generators; one row each."""

    paths: Ints
    steps: Ints
    conflicts: Longs
    words: Words

    def rows(self, numbers: Longs) -> Team:
        """Return copies of some of them."""
        return Team(self.paths[numbers], self.steps[numbers], self.conflicts[numbers], self.words[numbers])

    def take_in(self, numbers: Longs, others: Team) -> None:
        """Put others in the place of some of them."""
        self.paths[numbers], self.steps[numbers] = others.paths, others.steps
        self.conflicts[numbers], self.words[numbers] = others.conflicts, others.words


def started(case: Case, words: Words) -> Team:
    """Make a team of random solutions, one for each generator."""
    size = len(words)
    paths, steps = np.zeros((size, case.shape[0]), dtype=np.int32), np.zeros((size, *case.shape), dtype=np.int32)
    start = start_genes if size * case.shape[0] <= INTERPRETED_GENES else compiled(start_genes)
    start(case.tables, case.num_steps, case.starts_at_once, paths, steps, words)
    team = Team(paths, steps, np.zeros(size, dtype=np.int64), words)
    Books(case, team)
    return team


class Books:
    """Who uses what when, for the solutions of a team; made anew wherever the team comes to."""

    def __init__(self, case: Case, team: Team, *, is_passing: bool = False) -> None:
        """Count anew; books that are passing serve one of many tasks, which are worth machine code."""
        self.case, self.team = case, team
        size = len(team.words)
        self.uses = np.zeros((size, case.num_counts), dtype=np.int16)
        self.loads = np.zeros((size, len(case.tables[-1]) * case.num_steps), dtype=np.int16)
        self.is_young = size * case.shape[0] <= INTERPRETED_GENES and not is_passing
        count = recount if self.is_young else compiled(recount)
        count(case.tables, case.num_steps, team.paths, team.steps, self.uses, self.loads, team.conflicts)

    def advance(self, mates: Team, temperatures: Reals, iterations: Longs) -> tuple[Longs, Longs]:
        """Cross with the mates, if any, and anneal; return the moves made and the fewest conflicts seen."""
        team = self.team
        made, best = np.zeros_like(iterations), np.zeros_like(iterations)
        # The first moves solve the smallest problems, and take less time than loading machine code.
        kernel = evolve if self.is_young else compiled(evolve)
        self.is_young = False
        kernel(
            *self.case.constants(),
            temperatures,
            iterations,
            team.paths,
            team.steps,
            self.uses,
            self.loads,
            team.conflicts,
            mates.paths,
            mates.steps,
            mates.conflicts,
            team.words,
            made,
            best,
        )
        return made, best


Advance = Callable[[Team, Reals, Longs], tuple[Longs, Longs]]


@contextmanager
def _advancing(case: Case, team: Team, workers: int) -> Iterator[Advance]:
    """Give the function that lets the team work until the next exchange, in this process or in several."""
    if workers == 1:
        yield Books(case, team).advance
        return
    parts = np.array_split(np.arange(len(team.words)), workers)
    pool = ProcessPoolExecutor(workers, initializer=_remember, initargs=(case,))

    def advance(mates: Team, temperatures: Reals, iterations: Longs) -> tuple[Longs, Longs]:
        made, best = np.zeros_like(iterations), np.zeros_like(iterations)
        no_mates = len(mates.words) == 0
        tasks = [
            pool.submit(
                _advanced, team.rows(part), mates if no_mates else mates.rows(part), temperatures, iterations[part]
            )
            for part in parts
        ]
        for part, task in zip(parts, tasks, strict=True):
            others, made[part], best[part] = task.result()
            team.take_in(part, others)
        return made, best

    try:
        yield advance
    finally:
        pool.shutdown(cancel_futures=True)


_remembered: list[Case] = []
"""In a process of the pool: what all its tasks have in common."""


def _remember(case: Case) -> None:
    # The parent is interrupted, too, and ends the pool.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _remembered[:] = [case]


def _advanced(team: Team, mates: Team, temperatures: Reals, iterations: Longs) -> tuple[Team, Longs, Longs]:
    """Do one task: let some annealers work until the next exchange."""
    books = Books(_remembered[0], team, is_passing=True)
    made, best = books.advance(mates, temperatures, iterations)
    return team, made, best


class _Tally:
    """The moves made, what they led to, and what is left of the budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.moves = 0
        self.trace: list[tuple[int, int]] = []
        self.fewest = 0

    def has_ended(self) -> bool:
        """Say whether time or moves are spent."""
        most = self.budget.evaluations
        return self.budget.is_over or (most is not None and self.moves >= most)

    def begin(self, conflicts: int) -> None:
        """Note the conflicts at the start, for each number of steps."""
        self.fewest = conflicts
        self.trace.append((self.moves, conflicts))
        if self.budget.report is not None:
            self.budget.report(self.moves, conflicts)

    def count(self, moves: int, conflicts: int) -> None:
        """Count moves, and note the fewest conflicts when they have become fewer."""
        self.moves += moves
        if conflicts < self.fewest:
            self.begin(conflicts)
