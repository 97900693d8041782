"""Searches for start times: by events, by insertion, and by re-timing a schedule of steps; the best is improved.

Schedules are listed again with other orders on their channels, and messages of the best one are taken out and inserted
again. Reductions are broadcasts read backwards, and an allreduce is a reduction and a broadcast, or trees for each of
its sums. The search ends when a schedule meets the bound. Where routers copy and add, trees are searched for first
(`solvers/timed/tree_greedy`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pavane.bounds import lower_bounds
from pavane.errors import InputError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.judge.timed_case import finish_time
from pavane.model.allreduce import phases
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.switch_hops import hops
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.solvers.timed.event_greedy import EventGreedy
from pavane.solvers.timed.hops import MOST_HOPS, stored, timed_hops
from pavane.solvers.timed.insertion import MOST_MESSAGES_INSERTED, Insertion
from pavane.solvers.timed.relisting import Relisting
from pavane.solvers.timed.retiming import without_barriers
from pavane.solvers.timed.reversal import backwards, in_two_phases, in_two_phases_by_trees
from pavane.solvers.timed.tree_greedy import TreeGreedy
from pavane.text import VERSION

SHARES = {"synthesis": 0.3, "phases": 0.25, "steps": 0.6, "steps of sums": 0.3, "steps by trees": 0.3}
"""The part of the time that is left which each may take: solvers without steps, of that each phase of an allreduce, and
the search for a schedule of steps. The rest is for improving the best schedule, which allreduces gain more from; where
routers copy, for the search without copies."""

INSERTION, RELISTING, TREES = Insertion(), Relisting(), TreeGreedy()


Solve = Callable[[Problem, SearchOptions], Result]


def solve_in_time(problem: Problem, options: SearchOptions, solve: Solve) -> Result:
    """Return a schedule with start times that ends early, and bounds on its end; `solve` finds schedules of steps."""
    search = _TimedSearch(problem, options, solve)
    try:
        search.run()
    except KeyboardInterrupt:
        if search.best.schedule is None:
            raise
        return search.best.amended(interrupted=True)
    refusal = _why_not_searched(problem)
    if refusal is not None and search.best.schedule is not None:
        note = f"start times were not searched, and are those of a schedule of steps without its barriers: {refusal}"
        return search.best.amended(notes=(*search.best.notes, note))
    return search.best


def _why_not_searched(problem: Problem) -> str | None:
    """Return why no solver of start times supports a problem; None where one does."""
    if problem.pattern == "private" and problem.num_messages > MOST_MESSAGES_INSERTED:
        return f"{problem.num_messages:,} messages are more than {MOST_MESSAGES_INSERTED:,}"
    if timed_hops(problem) is not None or (problem.has_trees and TREES.supports(problem)):
        return None
    if problem.restriction is not None and stored(problem).passes_switches:
        return f"{problem.rules.routing} routing does not say which ways over switches are hops"
    num_hops = len(hops(stored(problem)))
    return f"{num_hops:,} hops are more than {MOST_HOPS:,}" if num_hops else None


class _TimedSearch:
    """A search and its best result so far."""

    def __init__(self, problem: Problem, options: SearchOptions, solve: Solve) -> None:
        self.problem, self.options, self.solve = problem, options, solve
        self.budget = Budget.of(options.seconds)
        bounds = lower_bounds(problem)
        self.lowest = max((bound.figure for bound in bounds), default=0)
        self.best = Result(problem, None, bounds)

    @property
    def is_over(self) -> bool:
        """Whether nothing better is to be found, or there is a schedule and no time is left."""
        return self.best.status == "optimal" or (self.best.schedule is not None and self.budget.is_over)

    def run(self) -> None:
        """Run the phases until the search is over."""
        by_paths = (self.synthesize, self.retime_steps, self.improve)
        by_trees = (self.grow_trees, self.retime_steps, self.search_without_copies)
        for phase in by_trees if self.problem.has_trees else by_paths:
            if not self.is_over:
                self._attempt(phase)

    def _attempt(self, phase: Callable[[], None]) -> None:
        """Run a phase; if it fails, a note is recorded. Invalid input is reported unless there is a schedule."""
        try:
            phase()
        except Exception as error:
            if isinstance(error, InputError) and self.best.schedule is None:
                raise
            note = f"{phase.__name__.replace('_', ' ')} failed: {in_one_line(error)}"
            self.best = self.best.amended(notes=(*self.best.notes, note))

    def offer(self, name: str, schedule: Schedule) -> None:
        """Judge a schedule, and keep it if it ends earlier than the best."""
        about = Provenance(name, self.options.seed, clock.now() - self.budget.started, VERSION)
        result = Result(self.problem, schedule, self.best.bounds, about, notes=self.best.notes)
        if self.best.finish is None or (result.finish is not None and result.finish < self.best.finish):
            self.best = result

    def synthesize(self) -> None:
        """Search without steps."""
        found = _synthesized(self.problem, self.lowest, self.options.seed, self.budget.part(SHARES["synthesis"]))
        if found is not None:
            self.offer(*found)

    def retime_steps(self) -> None:
        """Search for a schedule of steps, and time it without barriers."""
        has_trees = self.problem.has_trees
        of_sums = "steps of sums" if self.problem.pattern == "allreduce" else "steps"
        seconds = self.budget.part(SHARES["steps by trees" if has_trees else of_sums]).seconds_left
        limits = replace(self.options, on_improvement=None)
        steps = self.solve(
            self.problem.in_steps, replace(limits, seconds=None if seconds is None else max(0.1, seconds))
        )
        if steps.schedule is None:
            return
        name, schedule = f"{steps.provenance.solver}, re-timed", without_barriers(self.problem, steps.schedule)
        self.offer(name, schedule)
        if steps.interrupted:
            raise KeyboardInterrupt
        if not self.is_over and not has_trees:
            rng = np.random.default_rng(self.options.seed)
            relisted = RELISTING.improve(self.problem, schedule, self.lowest, rng, self.budget)
            self.offer(f"{name}, re-listed", relisted)

    def grow_trees(self) -> None:
        """Search for trees, where routers copy and add."""
        schedule = _by_trees(self.problem, self.lowest, self.options.seed, self.budget.part(SHARES["synthesis"]))
        if schedule is not None:
            self.offer(TREES.name, schedule)

    def search_without_copies(self) -> None:
        """Search for a schedule in which no router copies, which is valid where routers may."""
        plain = replace(self.problem, rules=self.problem.rules.without_copies())
        found = _TimedSearch(plain, replace(self.options, seconds=self.budget.seconds_left), self.solve)
        found.lowest = self.lowest
        try:
            found.run()
        finally:  # an interrupt keeps the best schedule, too
            self.best = self.best.amended(notes=(*self.best.notes, *found.best.notes))
            if found.best.schedule is not None:
                self.offer(found.best.provenance.solver, found.best.schedule)

    def improve(self) -> None:
        """Improve the best schedule by moves, as far as time allows."""
        problem, schedule = self.problem, self.best.schedule
        if schedule is None or not INSERTION.supports(problem):
            return
        name, rng = self.best.provenance.solver, np.random.default_rng(self.options.seed)
        moved = INSERTION.improve(problem, schedule, self.lowest, rng, self.budget)
        self.offer(f"{name}, {INSERTION.name}", moved)


def _by_trees(problem: Problem, lowest: int, seed: int, budget: Budget) -> Schedule | None:
    """Return a schedule by trees; None where the solver does not support the problem."""
    rng = np.random.default_rng(seed)
    if problem.pattern == "broadcast":
        return TREES.find(problem, lowest, rng, budget) if TREES.supports(problem) else None
    parts = (problem,) if problem.pattern == "reduction" else phases(problem)
    turned = dual(parts[0])
    gathering = _by_trees(turned, lowest if len(parts) == 1 else 0, seed, budget)
    if gathering is None:
        return None
    if len(parts) == 1:
        return backwards(problem, gathering)
    spread = _by_trees(parts[1], 0, seed, budget)
    return None if spread is None else in_two_phases_by_trees(problem, gathering, spread)


def _synthesized(problem: Problem, lowest: int, seed: int, budget: Budget) -> tuple[str, Schedule] | None:
    """Return the schedule of the solver that supports the problem, listed again; None where none does."""

    def relisted(schedule: Schedule) -> Schedule:
        return RELISTING.improve(problem, schedule, lowest, np.random.default_rng(seed), budget)

    if problem.pattern == "reduction":
        turned = dual(problem)
        found = _synthesized(turned, lowest, seed, budget)
        return None if found is None else (found[0], backwards(problem, found[1]))
    if problem.pattern == "allreduce":
        both = [_synthesized(part, 0, seed, budget.part(SHARES["phases"])) for part in phases(problem)]
        if both[0] is None or both[1] is None:
            return None
        joined = relisted(in_two_phases(problem, both[0][1], both[1][1]))
        supported = INSERTION.supports(problem)
        inserted = INSERTION.find(problem, lowest, np.random.default_rng(seed), budget) if supported else None
        if inserted is None or finish_time(problem, joined) <= finish_time(problem, inserted):
            return both[0][0], joined
        return INSERTION.name, relisted(inserted)
    for solver in (EventGreedy(), INSERTION):
        if solver.supports(problem):
            schedule = solver.find(problem, lowest, np.random.default_rng(seed), budget)
            if schedule is not None:
                return solver.name, relisted(schedule)
    return None
