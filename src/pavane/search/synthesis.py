"""Turns a problem into a result: bounds first, then solvers, until the best schedule meets the best bound.

Progress is reported to a callable, so that a terminal, a notebook and a page can show it alike. An interrupt (Ctrl-C)
ends the search and keeps the best schedule so far.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.search.attempts import Attempt, Progress, Search
from pavane.search.portfolio import portfolio
from pavane.solvers import SOLVERS, Solver
from pavane.workers.budget import Budget

__all__ = ["Progress", "solver_named", "synthesize"]


def solver_named(name: str) -> Solver:
    """Return a solver of the registry."""
    if name in SOLVERS:
        return SOLVERS[name]
    near = difflib.get_close_matches(name, SOLVERS, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose auto or {', '.join(SOLVERS)}"
    raise InputError(f"unknown method {name!r}; {hint}")


def synthesize(
    problem: Problem,
    *,
    method: str = "auto",
    solver: Solver | None = None,
    num_steps: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """Find a schedule of as few steps as can be, or of at most `num_steps`, and say how good it is.

    A solver with settings of one's own, like UMDA(polish=4), goes before a method's name. Evaluations limit each call
    of a solver. More workers are more processes: they change the time, not the answer.
    """
    if num_steps is not None and num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    if workers < 1:
        raise InputError(f"workers {workers}: a search needs at least one; give 1 or more")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: a search needs some; give more than 0 seconds")
    if evaluations is not None and evaluations < 1:
        raise InputError(f"evaluations {evaluations}: a search needs at least one; give 1 or more")
    # What was found must still be built and judged before the time is over.
    margin = 5e-6 * problem.num_deliveries
    budget = Budget.of(None if seconds is None else max(seconds / 2, seconds - margin), evaluations)
    chosen = solver if solver is not None or method == "auto" else solver_named(method)
    method = method if chosen is None else chosen.name
    search = Search(problem, method, num_steps, seed, budget, workers, progress)
    if chosen is not None and not chosen.supports(problem):
        raise InputError(f"method {method} cannot work on {problem}; try --method auto")
    try:
        search.learn(lower_bounds(problem))
        if search.best.status != "impossible":
            if chosen is None:
                portfolio(search)
            else:
                search.run([Attempt(chosen, num_steps, seed)])
    except KeyboardInterrupt:
        if search.best.schedule is None:
            raise
    return search.result()
