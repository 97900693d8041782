"""How to search: seed, limits, workers and callbacks, as one value that every search takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from pavane.errors import InputError, expect, expect_whole, shortened
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.progress import Progress
from pavane.solvers.supports import Supports

Goal = Literal["makespan", "sum"]
"""What is made small of several collectives: the steps of the whole, or the sum of the steps of each."""

LEAST_SECONDS = 0.01
"""Time limit of a search where what came before it has taken all the time."""


@dataclass(frozen=True)
class SearchOptions:
    """How to search, whatever the problem: seed, limits, workers and callbacks.

    Attributes:
        seed: Random seed; the same seed gives the same result.
        seconds: Stop after this many seconds and return the best result so far. Without a limit the effort is counted.
        evaluations: Limit for each call of a solver that counts evaluations.
        workers: Number of processes, or a pool of workers. More workers change the time, not the result; with a time
            limit they search further.
        on_progress: Called with the progress of the search.
        on_improvement: Called with every result that is the best so far. A solver that improves one schedule for long
            reports it every few seconds.
        goal: Of several collectives at once: `"makespan"` makes the steps of the whole small, `"sum"` the sum of the
            steps after which each is complete.

    Example:
        >>> problem = pavane.Problem(pavane.network("octagon"), "alltoall")
        >>> pavane.solve(problem, pavane.SearchOptions(seed=1, seconds=60))
        <Result: alltoall (AAS) on octagon in 4 steps, optimal>
    """

    seed: int = 0
    seconds: float | None = None
    evaluations: int | None = None
    workers: int | Workers = 1
    on_progress: Callable[[Progress], None] | None = field(default=None, compare=False, repr=False)
    on_improvement: Callable[[Result], None] | None = field(default=None, compare=False, repr=False)
    goal: Goal = "makespan"

    def __post_init__(self) -> None:
        """Refuse values of the wrong type and limits that make no sense."""
        if expect_whole(self.seed, "seed", 0) < 0:
            raise InputError(f"`seed` is {self.seed}; give 0 or more")
        if self.seconds is not None:
            if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float):
                raise InputError(f"`seconds` is {shortened(self.seconds)}; give a number of seconds, like 10")
            if not self.seconds > 0:
                raise InputError(f"time {self.seconds}: expected more than 0 seconds")
        if self.evaluations is not None and expect_whole(self.evaluations, "evaluations", 10_000) < 1:
            raise InputError(f"evaluations {self.evaluations}: a search needs at least one; give 1 or more")
        if self.goal not in get_args(Goal):
            raise InputError(f"`goal` {shortened(self.goal)} is not known; choose makespan or sum")
        as_workers(self.workers)

    def budget(self) -> Budget:
        """Return the limits as a budget whose clock starts now."""
        return Budget.of(self.seconds, self.evaluations, self.workers)


def seconds_left(seconds: float | None, taken: float) -> float | None:
    """Return what is left of a time limit of which something took a part; a little always is."""
    if seconds is None or not seconds > LEAST_SECONDS:
        return seconds
    return max(LEAST_SECONDS, seconds - taken)


def check_problem(problem: object) -> None:
    """Refuse what is not a problem of one collective."""
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    if isinstance(problem, Problem) and (problem.has_several or problem.has_times):
        what = "several collectives at once" if problem.has_several else "start times"
        raise InputError(f"`problem` has {what}; `pavane.solve` finds a schedule of it")


def check_solver(solver: object) -> None:
    """Refuse what is not a solver, with the parts that it lacks."""
    lacks = [] if hasattr(solver, "name") else ["`name`"]
    lacks += [] if isinstance(getattr(solver, "supports", 0), Supports) else ["`supports = pavane.solvers.Supports()`"]
    lacks += [] if callable(solver) else ["`__call__`, like `__call__ = pavane.solvers.solve_once` beside a `find`"]
    if not lacks:
        return
    if len(lacks) == 3:
        raise InputError(
            f"`solver` is {shortened(solver)}; give a solver, like `pavane.solvers.UMDA()`, or name a `method`"
        )
    raise InputError(f"`solver` is {shortened(solver)}, which has no {' and no '.join(lacks)}; add it")
