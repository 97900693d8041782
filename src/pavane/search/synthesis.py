"""Turns a problem into a result: what the command line, the page and Python do where nobody says more.

Most problems want as few steps as can be. Under combining there is no one best schedule: which is the fastest depends
on the size of messages (noc section 3). So a front of start-ups and TCO is searched for then, unless a method or a
number of steps is named, and who wants one schedule gets the fastest where a message takes as long as a start-up.

Progress is reported to a callable, so that a terminal, a notebook and a page can show it alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from pavane.bounds import counted_bounds
from pavane.errors import expect
from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.journal import Journal
from pavane.parallel.pools import Workers
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.limits import check_search, check_solver, one_of
from pavane.search.search_run import Progress
from pavane.solvers import Solver
from pavane.text import VERSION

if TYPE_CHECKING:
    from pavane.search.pareto_fronts import FrontProgress

__all__ = ["Progress", "is_front_wanted", "synthesize"]


def synthesize(
    problem: Problem,
    *,
    method: str = "auto",
    solver: Solver | None = None,
    num_steps: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | Workers = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    better: Callable[[Result], None] | None = None,
    known: Result | None = None,
    journal: Journal | None = None,
    steps: int | None = None,
    time: float | None = None,
) -> Result:
    """Find a schedule of as few steps as can be, or of at most `num_steps`, and say how good it is.

    An interrupt (Ctrl-C) ends the search: the result is the best so far and `interrupted`; with nothing found the
    interrupt goes on. Under combining, with neither a method nor a number of steps, the result is the schedule of the
    front that is the fastest where a message takes as long as a start-up; `front` returns them all.

    Args:
        problem: The problem.
        method: The name of a solver, or `"auto"`, which tries several.
        solver: A solver with settings of one's own, like UMDA(polish=4); it goes before the method.
        num_steps: Ask for at most this many steps.
        seed: Where chance begins; the same seed gives the same answer.
        seconds: End the search then, with the best so far.
        evaluations: A limit for each call of a solver that counts them.
        workers: The number of processes. More change the time, not the answer; with a time limit they come further.
        progress: Called with how far the search has come.
        better: Called with every result that is the best so far; a solver that improves one schedule for long hands
            it over every few seconds then.
        known: A result of the same problem from which the search starts, as of an atlas.
        journal: With a journal (`pavane.search.checkpoints`) the search can go on after it was killed.
        steps: The command line's word for `num_steps`.
        time: The command line's word for `seconds`.

    Returns:
        The result: a verified schedule, or none, with the bounds that say how good it is.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.synthesize(problem)
        <Result: AAS on octagon in 4 steps, optimal>
        >>> pavane.synthesize(problem, num_steps=3)
        <Result: no schedule of AAS on octagon in 3 steps, impossible>
    """
    num_steps = one_of(num_steps, steps, ("num_steps", "steps"))
    seconds = one_of(seconds, time, ("seconds", "time"))
    check_search(problem, seed, seconds, evaluations, num_steps)
    if solver is not None:
        check_solver(solver)
    if known is not None:
        expect(known, Result, "known", "give a result of the same problem")
    expect(method, str, "method", "name a solver, like auto, or give one as `solver`")
    if is_front_wanted(problem, method if solver is None else solver.name, num_steps):
        limits = Budget.of(seconds, evaluations, workers, journal)
        return _best_of_front(problem, seed, seconds, limits, progress, better)
    return find_fewest_steps(
        problem,
        method=method,
        solver=solver,
        num_steps=num_steps,
        seed=seed,
        seconds=seconds,
        evaluations=evaluations,
        workers=workers,
        progress=progress,
        better=better,
        known=known,
        journal=journal,
    )


def is_front_wanted(problem: Problem, method: str, num_steps: int | None) -> bool:
    """Whether there is no one best schedule: under combining, where neither a method nor a number of steps is named."""
    return problem.rules.combining and method == "auto" and num_steps is None


def _best_of_front(
    problem: Problem,
    seed: int,
    seconds: float | None,
    limits: Budget,
    progress: Callable[[Progress], None],
    better: Callable[[Result], None] | None,
) -> Result:
    """Search for the front, and return its point that is the fastest where a message takes as long as a start-up."""
    from pavane.search.pareto_search import front

    bounds = counted_bounds(problem)

    def tell(now: FrontProgress) -> None:
        fewest = min((start_ups for start_ups, _ in now.points), default=None)
        progress(Progress(now.solver, now.tried, fewest, bounds[0].steps, now.seconds, now.seconds_left))

    def cost(result: Result) -> tuple[int, int]:
        assert result.schedule is not None
        return result.schedule.num_steps + result.schedule.tco, result.schedule.num_steps

    least = (inf, inf)

    def hear(result: Result) -> None:
        nonlocal least
        if better is not None and cost(result) < least:
            least = cost(result)
            better(result)

    found = front(
        problem,
        seed=seed,
        seconds=seconds,
        evaluations=limits.evaluations,
        workers=limits.workers,
        progress=tell,
        better=None if better is None else hear,
        journal=limits.journal,
    )
    if not found.points:
        return Result(problem, None, bounds, Provenance("auto", seed, found.seconds, VERSION), notes=found.notes)
    result = found.best(1.0, 1.0).result
    about = replace(result.provenance, seconds=found.seconds)
    return result.amended(provenance=about, notes=found.notes, interrupted=found.interrupted)
