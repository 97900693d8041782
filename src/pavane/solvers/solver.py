"""What a solver is, and what every solver needs, once: reading backwards, the walk over steps, the Result.

A solver is a frozen dataclass of settings with `name`, `supports` and `find`. How it is called it takes from here, by a
line in its class:

    __call__ = answer               `find` is asked once, and gives as few steps as it can
    __call__ = answer_step_by_step  `find` decides one number of steps; from the bound upwards until it succeeds

A number of steps means the same everywhere: a schedule of at most that many. None means as few as the solver can.
Reductions are broadcasts read backwards, and an allreduce is one and the other: `find` sees private messages and
broadcasts only. It sees channels of one
message a step, too, and parallel ones where a channel carries several, unless its class says that it counts them:

    takes_capacities: ClassVar[bool] = True

And it sees an allreduce as a whole where its class says:

    takes_allreduce: ClassVar[bool] = True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from pavane.bounds import counted_bounds
from pavane.judge.result import Provenance, Result, Run
from pavane.model.allreduce import phases
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.parallel.budget import Budget
from pavane.parallel.loop_state import Mark, generator_figures, set_generator, whole
from pavane.solvers.joining import is_symmetric, joined, turned_round
from pavane.solvers.unit_capacities import Spread

WALK = "walk"
"""The kind of marks of a walk over numbers of steps."""


class Solver(Protocol):
    """What every solver is: a configuration that can be called."""

    @property
    def name(self) -> str:
        """Return the name by which the registry knows it."""
        ...

    def supports(self, problem: Problem) -> bool:
        """Say whether it can work on the problem at all."""
        ...

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of at most `num_steps` steps; None: as few as it can."""
        ...


class Finding(NamedTuple):
    """What `find` returns where there is more to say than a schedule or none."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()
    """What the search has proven on the way."""
    run: Run | None = None
    """What it counted."""
    evaluations: int = 0
    """How many of the budget's it made, where it keeps no run to say so."""
    is_final: bool = False
    """Whether there is no use in asking for more steps."""
    needs: float | None = None
    """About how many seconds a first schedule takes, where the time limit was too short for one."""
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    """What the search has proven about the TCO."""


class Finder(Protocol):
    """The solver's own part: its idea."""

    @property
    def name(self) -> str:
        """Return the name by which the registry knows it."""
        ...

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Look for a schedule of private messages or broadcasts."""
        ...


class Decider(Protocol):
    """The own part of a solver that decides one number of steps at a time."""

    @property
    def name(self) -> str:
        """Return the name by which the registry knows it."""
        ...

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Look for a schedule of at most `num_steps` steps."""
        ...


class EachDecider(Decider, Protocol):
    """The own part of a solver that can try many seeds at once."""

    def find_each(
        self, problem: Problem, num_steps: int, rngs: Sequence[np.random.Generator], budget: Budget
    ) -> Iterator[tuple[int, Finding]]:
        """Look for a schedule with each of some generators; yield their numbers and findings as they come."""
        ...


class View(NamedTuple):
    """A problem as a solver sees it: forwards, and with parallel channels where it does not count capacities."""

    asked: Problem
    problem: Problem
    spread: Spread | None

    @classmethod
    def of(cls, solver: Finder | Decider, problem: Problem) -> View:
        """Return what a solver sees of a problem."""
        ahead = dual(problem) if problem.pattern == "reduction" else problem
        if ahead.network.capacities is None or getattr(solver, "takes_capacities", False):
            return cls(problem, ahead, None)
        spread = Spread.of(ahead)
        return cls(problem, spread.problem, spread)

    def read(self, schedule: Schedule) -> Schedule:
        """Return a schedule of what the solver sees as one of the problem that was asked."""
        if self.spread is not None:
            schedule = self.spread.gathered(schedule)
        if self.asked.pattern != "reduction":
            return schedule
        return time_reversed(dual(self.asked), schedule, self.asked)

    def budget(self, budget: Budget) -> Budget:
        """Return a budget that reads what is kept of the solver's work."""
        if self.problem is self.asked:
            return budget
        keep, better = budget.keep, budget.better
        return replace(
            budget,
            keep=None if keep is None else lambda schedule: keep(self.read(schedule)),
            better=lambda build: better(lambda: self.read(build())),
        )

    def bounds(self, bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
        """Return those bounds whose certificates can be read without the parallel channels."""
        if self.spread is None:
            return bounds
        return tuple(bound for bound in bounds if "channels" not in bound.certificate)


def answer(solver: Finder, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Ask a solver once and make a Result of what it finds."""
    if problem.pattern == "allreduce" and not getattr(solver, "takes_allreduce", False):
        return _answer_in_phases(partial(answer, solver), solver.name, problem, num_steps, seed, budget)
    view = View.of(solver, problem)
    found = _finding(solver.find(view.problem, num_steps, np.random.default_rng(seed), view.budget(budget)))
    return _result(solver.name, problem, view, found, num_steps, seed)


def answer_step_by_step(solver: Decider, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Ask a solver for `num_steps`; None: for one number of steps after the other, from the bound upwards.

    A walk shares the evaluations of the budget, and spends at most the solver's own `most_evaluations`, where it has
    such a setting, on each number of steps.
    """
    if problem.pattern == "allreduce" and not getattr(solver, "takes_allreduce", False):
        return _answer_in_phases(partial(answer_step_by_step, solver), solver.name, problem, num_steps, seed, budget)
    view, rng = View.of(solver, problem), np.random.default_rng(seed)
    budget = view.budget(budget)
    if num_steps is not None:
        found = _finding(solver.find(view.problem, num_steps, rng, budget))
    else:
        found = _walked(solver, view.problem, rng, budget)
    return _result(solver.name, problem, view, found, num_steps, seed)


def answer_each(
    solver: EachDecider, problem: Problem, num_steps: int, seeds: Sequence[int], budget: Budget
) -> Iterator[tuple[int, Callable[[], Result]]]:
    """Ask a solver for `num_steps` with many seeds at once; yield numbers of seeds, and how to make their Results.

    A Result is judged when it is made, which may fail for one seed and not for the next.
    """
    view = View.of(solver, problem)
    rngs = [np.random.default_rng(seed) for seed in seeds]
    for number, found in solver.find_each(view.problem, num_steps, rngs, view.budget(budget)):
        yield number, partial(_result, solver.name, problem, view, found, num_steps, seeds[number])


def _answer_in_phases(
    ask: Callable[[Problem, int | None, int, Budget], Result],
    name: str,
    problem: Problem,
    num_steps: int | None,
    seed: int,
    budget: Budget,
) -> Result:
    """Ask for the broadcast of an allreduce, and for the reduction where that is not the broadcast turned round."""
    gathering, spreading = phases(problem)
    symmetric = is_symmetric(problem)
    alone = budget.of_a_part()
    spread = ask(spreading, None, seed, alone.part(1.0 if symmetric else 0.5))
    run, schedule = spread.run, None
    if spread.schedule is not None:
        gathered: Schedule | None
        if symmetric:
            gathered = turned_round(spreading, spread.schedule)
        else:
            other = ask(gathering, None, seed, alone)
            gathered, run = other.schedule, _joined(one for one in (run, other.run) if one is not None)
        if gathered is not None:
            schedule = joined(gathered, spread.schedule)
    if schedule is not None and num_steps is not None and schedule.num_steps > num_steps:
        schedule = None
    return Result(problem, schedule, (), Provenance(name, seed), num_steps, run)


def seed_of(rng: np.random.Generator) -> int:
    """Return the seed that a generator was made with, for libraries and kernels that take a number."""
    return cast(int, cast(np.random.SeedSequence, rng.bit_generator.seed_seq).entropy)


def _finding(found: Schedule | Finding | None) -> Finding:
    return found if isinstance(found, Finding) else Finding(found)


def _walked(solver: Decider, problem: Problem, rng: np.random.Generator, budget: Budget) -> Finding:
    """Try one number of steps after the other until the solver finds a schedule or has nothing more to try."""
    left, most_each = budget.evaluations, getattr(solver, "most_evaluations", None)
    # Who has evaluations of its own counts them, also where none is made.
    bounds, runs = [counted_bounds(problem)[0]], [] if most_each is None else [Run(0)]
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    # One channel after another is a schedule, if a long one.
    longest = problem.num_deliveries * problem.network.num_routers
    schedule = None
    first, bookmark = bounds[0].steps, budget.bookmark
    mark = None if bookmark is None else bookmark.read(WALK)
    if bookmark is not None and mark is not None:
        with bookmark.reading():
            first = whole(mark.figures["num_steps"], max(longest, first) + 1, first)
            left = None if left is None else whole(mark.figures["left"], left + 1)
            runs += [_run_of(one) for one in mark.figures["runs"][len(runs) :]]
            set_generator(rng, mark.figures["rng"])
    for num_steps in range(first, max(longest, first) + 1):
        if budget.is_over or left == 0:
            break
        limits = [most for most in (left, most_each) if most is not None]
        share = replace(budget, evaluations=min(limits, default=None), report=_report_after(budget, runs))
        if bookmark is not None:
            # What was proven on the way would have to be believed: then there is no bookmark.
            within = None if len(bounds) > 1 else bookmark.within(_walk_mark(num_steps, left, runs, rng))
            share = replace(share, bookmark=within)
        found = _finding(solver.find(problem, num_steps, rng, share))
        bounds += found.bounds
        occupancy_bounds += found.occupancy_bounds
        if found.run is not None:
            runs.append(found.run)
        spent = found.evaluations if found.run is None else found.run.evaluations
        left = None if left is None else max(0, left - spent)
        schedule = found.schedule
        if schedule is not None or found.is_final:
            break
    return Finding(schedule, tuple(bounds), _joined(runs), occupancy_bounds=occupancy_bounds)


def _walk_mark(num_steps: int, left: int | None, runs: list[Run], rng: np.random.Generator) -> Mark:
    """Say where a walk is before it tries a number of steps."""
    told = [[run.evaluations, run.trace] for run in runs]
    return Mark(WALK, {"num_steps": num_steps, "left": left or 0, "runs": told, "rng": generator_figures(rng)}, {})


def _run_of(told: Any) -> Run:
    """Return a run that was read."""
    evaluations, trace = told
    return Run(whole(evaluations), tuple((whole(made), whole(conflicts)) for made, conflicts in trace))


def _report_after(budget: Budget, runs: list[Run]) -> Callable[[int, int], None] | None:
    """Return how a run that follows others reports: its evaluations are counted from theirs on."""
    report, made = budget.report, sum(run.evaluations for run in runs)
    return None if report is None else lambda evaluations, conflicts: report(made + evaluations, conflicts)


def _joined(runs: Iterable[Run]) -> Run | None:
    """Return several runs, one after the other, as one."""
    joined: Run | None = None
    for run in runs:
        made = 0 if joined is None else joined.evaluations
        trace = () if joined is None else joined.trace
        joined = Run(made + run.evaluations, (*trace, *((made + at, conflicts) for at, conflicts in run.trace)))
    return joined


def _result(name: str, problem: Problem, view: View, found: Finding, num_steps: int | None, seed: int) -> Result:
    schedule = found.schedule
    if schedule is not None and num_steps is not None and schedule.num_steps > num_steps:
        schedule = None
    if schedule is not None and view.problem is not problem:
        schedule = view.read(schedule)
    notes = () if found.needs is None else (_too_short(name, found.needs),)
    return Result(
        problem,
        schedule,
        view.bounds(found.bounds),
        Provenance(name, seed),
        num_steps,
        found.run,
        notes,
        occupancy_bounds=found.occupancy_bounds,
    )


def _too_short(name: str, seconds: float) -> str:
    """Say which time limit would do, in two digits, rounded up with some room: it is an estimate."""
    enough = int(1.2 * seconds + 1)
    unit = 10 ** max(0, len(str(enough)) - 2)
    about = -(-enough // unit) * unit
    return f"the time limit is too short for a first schedule; {name} takes about {about:,} s (`seconds`)"
