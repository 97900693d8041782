"""Turns a problem into a result: bounds first, then solvers, until the best schedule meets the best bound.

Progress is reported to a callable, so that a terminal, a notebook and a page can show it alike. An interrupt (Ctrl-C)
ends the search and keeps the best schedule so far. Time may end a search; it never steers it.
"""

from __future__ import annotations

import difflib
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.problem import Problem
from pavane.result import Provenance, Result
from pavane.solvers import SOLVERS, Budget, Solver
from pavane.version import VERSION


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    solver: str
    tried: int | None
    """The number of steps being tried; None: as few as can be."""
    best: int | None
    bound: int
    seconds: float
    seconds_left: float | None


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
    num_steps: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """Find a schedule of as few steps as can be, or of at most `num_steps`, and say how good it is.

    More workers are more processes: they change the time, not the answer.
    """
    started = time.monotonic()
    budget = Budget.of(seconds)
    if num_steps is not None and num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    if workers < 1:
        raise InputError(f"workers {workers}: a search needs at least one; give 1 or more")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: a search needs some; give more than 0 seconds")
    plan = _plan(problem, method, seed)
    bounds = lower_bounds(problem)
    best = Result(problem, None, bounds, Provenance(method, seed, version=VERSION), num_steps)

    def tell() -> None:
        now = time.monotonic()
        left = None if budget.deadline is None else max(0.0, budget.deadline - now)
        solver = best.provenance.solver if best.schedule else method
        progress(Progress(solver, num_steps, best.num_steps, bounds[0].steps, now - started, left))

    try:
        if best.status != "impossible":
            tell()
            for found in _answers(problem, num_steps, plan, budget, workers):
                if found.schedule is not None and (best.num_steps is None or found.schedule.num_steps < best.num_steps):
                    about = replace(best.provenance, solver=found.provenance.solver)
                    best = replace(best, schedule=found.schedule, provenance=about)
                tell()
                if best.status == "optimal" or (best.schedule is not None and budget.is_over):
                    break
    except KeyboardInterrupt:
        if best.schedule is None:
            raise
    elapsed = round(time.monotonic() - started, 3)
    return replace(best, provenance=replace(best.provenance, seconds=elapsed))


def _plan(problem: Problem, method: str, seed: int) -> list[tuple[Solver, int]]:
    """Return solvers and seeds in the order in which to try them."""
    if method != "auto":
        solver = solver_named(method)
        if not solver.supports(problem):
            raise InputError(f"method {method} cannot work on {problem}; try --method auto")
        return [(solver, seed)]
    # First fit in other orders is cheap on small problems; the number of passes is fixed, so that a seed says all.
    passes = max(1, min(100, 10_000 // problem.num_deliveries))
    return [(SOLVERS["greedy"], seed + number) for number in range(passes)]


def _answers(
    problem: Problem, num_steps: int | None, plan: list[tuple[Solver, int]], budget: Budget, workers: int
) -> Iterator[Result]:
    """Yield what the solvers of a plan answer, in its order, whatever the number of workers."""
    if workers == 1 or len(plan) == 1:
        for solver, seed in plan:
            yield solver(problem, num_steps, seed, budget)
        return
    with ProcessPoolExecutor(workers, initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            tasks = [pool.submit(solver, problem, num_steps, seed, budget) for solver, seed in plan]
            for task in tasks:
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
