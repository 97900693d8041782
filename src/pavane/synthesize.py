"""Turns a problem into a result: bounds first, then solvers, until the best schedule meets the best bound.

Progress is reported to a callable, so that a terminal, a notebook and a page can show it alike. An interrupt (Ctrl-C)
ends the search and keeps the best schedule so far. Time may end a search; it never steers it: without a time limit the
effort is counted, so that the same seed gives the same answer whatever the machine does besides.
"""

from __future__ import annotations

import difflib
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import count

from pavane.bounds import Bound, lower_bounds
from pavane.bounds.congestion import congestion
from pavane.bounds.flow_cuts import best_cut
from pavane.collectives import dual
from pavane.errors import InputError
from pavane.problem import Problem
from pavane.result import Provenance, Result
from pavane.solvers import SOLVERS, Budget, Solver
from pavane.solvers.ejection import Ejection
from pavane.solvers.exact import Exact
from pavane.solvers.routed import Routed
from pavane.symmetry import free_involutions
from pavane.version import VERSION

QUICK_TRIALS = 4_000_000
LONG_TRIALS = 20_000_000
LONG_ROUNDS = 16
"""How often the long search starts anew where no time limit is given; starting anew beats going on."""

BROADCASTERS = ("informed-sets", "rotation", "rarest-first")
"""What broadcasts and reductions are tried with, in this order."""


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


@dataclass(frozen=True)
class Attempt:
    """One call of a solver."""

    solver: Solver
    num_steps: int | None
    seed: int


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
    if num_steps is not None and num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    if workers < 1:
        raise InputError(f"workers {workers}: a search needs at least one; give 1 or more")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: a search needs some; give more than 0 seconds")
    # What was found must still be built and judged before the time is over.
    margin = 5e-6 * problem.num_deliveries
    budget = Budget.of(None if seconds is None else max(seconds / 2, seconds - margin))
    search = _Search(problem, method, num_steps, seed, budget, workers, progress)
    chosen = None if method == "auto" else solver_named(method)
    if chosen is not None and not chosen.supports(problem):
        raise InputError(f"method {method} cannot work on {problem}; try --method auto")
    try:
        search.learn(lower_bounds(problem))
        if search.best.status != "impossible":
            if chosen is None:
                _portfolio(search)
            else:
                search.run([Attempt(chosen, num_steps, seed)])
    except KeyboardInterrupt:
        if search.best.schedule is None:
            raise
    return search.result()


class _Search:
    """The best so far, and what it takes to get further."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        asked: int | None,
        seed: int,
        budget: Budget,
        workers: int,
        progress: Callable[[Progress], None],
    ) -> None:
        self.problem, self.seed, self.budget, self.workers = problem, seed, budget, workers
        self.started = time.monotonic()
        self.progress = progress
        self.best = Result(problem, None, (), Provenance(method, seed, version=VERSION), asked)

    @property
    def lowest(self) -> int:
        """Return the best bound."""
        return self.best.bound.steps if self.best.bound else 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find, or no time to find it."""
        return self.best.status in ("optimal", "impossible") or self.budget.is_over

    def learn(self, bounds: Iterable[Bound]) -> None:
        """Take in bounds, keeping the best of each argument."""
        best = {bound.argument: bound for bound in self.best.bounds}
        for bound in bounds:
            if bound.argument not in best or bound.steps > best[bound.argument].steps:
                best[bound.argument] = bound
        ordered = sorted(best.values(), key=lambda bound: -bound.steps)
        self.best = replace(self.best, bounds=tuple(ordered))

    def tell(self, attempt: Attempt) -> None:
        """Report progress."""
        now = time.monotonic()
        left = None if self.budget.deadline is None else max(0.0, self.budget.deadline - now)
        best = self.best.num_steps
        self.progress(Progress(attempt.solver.name, attempt.num_steps, best, self.lowest, now - self.started, left))

    def run(self, attempts: Iterable[Attempt], *, until_success: bool = False) -> bool:
        """Make attempts in their order until the search is over, or one succeeds; say whether one was better."""
        better = False
        for attempt, found in self._answers(list(attempts)):
            self.learn(found.bounds)
            if found.schedule is not None and found.schedule.num_steps < (self.best.num_steps or 2**31):
                about = replace(self.best.provenance, solver=found.provenance.solver)
                self.best = replace(self.best, schedule=found.schedule, provenance=about)
                better = True
            self.tell(attempt)
            if self.is_over or (better and until_success):
                break
        return better

    def _answers(self, attempts: list[Attempt]) -> Iterator[tuple[Attempt, Result]]:
        """Yield answers in the order of the attempts, whatever the number of workers."""
        if self.workers == 1 or len(attempts) == 1:
            for attempt in attempts:
                self.tell(attempt)
                yield attempt, _answer(self.problem, attempt, self.budget)
            return
        # No `with`: leaving it would wait for every attempt that is still queued.
        pool = ProcessPoolExecutor(self.workers, initializer=_leave_interrupts_to_the_parent)
        try:
            tasks = [pool.submit(_answer, self.problem, attempt, self.budget) for attempt in attempts]
            for attempt, task in zip(attempts, tasks, strict=True):
                self.tell(attempt)
                yield attempt, task.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def result(self) -> Result:
        """Return the best so far, with the time it took."""
        elapsed = round(time.monotonic() - self.started, 3)
        return replace(self.best, provenance=replace(self.best.provenance, seconds=elapsed))


def _answer(problem: Problem, attempt: Attempt, budget: Budget) -> Result:
    return attempt.solver(problem, attempt.num_steps, attempt.seed, budget)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# -- the portfolio


def _portfolio(search: _Search) -> None:
    """Try what is exact or known first, then what is quick, then what is thorough."""
    problem, asked, seed = search.problem, search.best.asked, search.seed
    for name in ("flow", "complement-pairs"):
        if SOLVERS[name].supports(problem) and (search.run([Attempt(SOLVERS[name], asked, seed)]) or search.is_over):
            return
    whole_paths = any(SOLVERS[name].supports(problem) for name in ("first-fit", "ejection"))
    if problem.pattern != "private":
        _broadcast(search)
    elif whole_paths and problem.num_messages > 5_000:
        _large_scatter(search)
    else:
        search.run(_passes(search, 20))
        if whole_paths and not search.is_over:
            _small_scatter(search)
    if not search.is_over and Exact().supports(problem):
        _exactly(search)


def _passes(search: _Search, most: int) -> Iterator[Attempt]:
    """Yield first fit in several orders: cheap on small problems, and counted, so that a seed says all."""
    for number in range(max(1, min(most, 10_000 // search.problem.num_deliveries))):
        yield Attempt(SOLVERS["greedy"], search.best.asked, search.seed + number)


def _broadcast(search: _Search) -> None:
    """First fit where it is quick, then informed sets, the known rotation and rarest first; then the best cut."""
    problem = search.problem
    if problem.num_deliveries <= 1_000:
        search.run(_passes(search, 5))
    for name in BROADCASTERS:
        if not search.is_over and SOLVERS[name].supports(problem):
            search.run([Attempt(SOLVERS[name], search.best.asked, search.seed)])
    if search.best.schedule is None and not search.is_over:
        search.run(_passes(search, 1))
    if not search.is_over:
        _cut(search)


def _large_scatter(search: _Search) -> None:
    """Translations where the network has them, first fit for an answer at once, ejection where it still fits."""
    problem, seed = search.problem, search.seed
    if SOLVERS["translation"].supports(problem):
        search.run([Attempt(SOLVERS["translation"], search.lowest, seed)])
    if search.is_over:
        return
    quick = "first-fit" if SOLVERS["first-fit"].supports(problem) else "greedy"
    search.run([Attempt(SOLVERS[quick], search.best.asked, seed)])
    _price(search)
    if not search.is_over and SOLVERS["ejection"].supports(problem):
        _walk(search)


def _small_scatter(search: _Search) -> None:
    """Better bounds, translations, then ejection search at every number of steps from the bound upwards."""
    _price(search)
    if not search.is_over and SOLVERS["translation"].supports(search.problem):
        search.run([Attempt(SOLVERS["translation"], search.lowest, search.seed)])
    if not search.is_over:
        _walk(search)


def _price(search: _Search) -> None:
    """Raise the bound by the best prices on channels."""
    bound = None if search.is_over else congestion(search.problem, search.budget.deadline)
    if bound is not None:
        search.learn([bound])


def _cut(search: _Search) -> None:
    """Raise the bound of a broadcast by the best cut; a reduction is cut as the broadcast it is backwards."""
    forwards = dual(search.problem) if search.problem.pattern == "reduction" else search.problem
    bound = best_cut(forwards, search.lowest, search.budget.deadline)
    if bound is not None:
        search.learn([bound])


def _walk(search: _Search) -> None:
    """Quick attempts from the bound upwards until one succeeds, then long ones downwards until none does."""
    symmetric = next(free_involutions(search.problem), None) is not None

    def attempts(num_steps: int, trials: int, rounds: Iterable[int]) -> Iterator[Attempt]:
        for number in rounds:
            # What has a symmetry and resisted the quick attempts mostly wants the symmetry.
            if not symmetric or number % 4 == 0:
                yield Attempt(Ejection(most_trials=trials), num_steps, search.seed + number)
            if symmetric:
                yield Attempt(Ejection("quotient", symmetric=True, most_trials=trials), num_steps, search.seed + number)
            if search.problem.rules.routing == "any":
                yield Attempt(Routed(most_trials=trials), num_steps, search.seed + number)

    above = search.best.num_steps if search.best.num_steps is not None else (search.best.asked or 2**31) + 1
    for num_steps in range(search.lowest, above):
        if search.run(attempts(num_steps, QUICK_TRIALS, range(1)), until_success=True) or search.is_over:
            break
    while not search.is_over and search.best.num_steps is not None:
        target = search.best.num_steps - 1
        rounds = range(1, 1 + LONG_ROUNDS) if search.budget.deadline is None else count(1)
        if not _first_success(search, attempts(target, LONG_TRIALS, rounds)):
            return


def _first_success(search: _Search, attempts: Iterator[Attempt]) -> bool:
    """Make attempts, a batch for the workers at a time, until one succeeds."""
    while True:
        batch = [attempt for _, attempt in zip(range(2 * search.workers), attempts, strict=False)]
        if not batch or search.is_over:
            return False
        if search.run(batch, until_success=True):
            return True


def _exactly(search: _Search) -> None:
    """Let CP-SAT decide fewer steps than the best, one at a time from the bound upwards."""
    solver = Exact(effort=5.0)
    for num_steps in range(search.lowest, search.best.num_steps or search.lowest + 1):
        if search.run([Attempt(solver, num_steps, search.seed)]) or search.is_over:
            return
        if search.lowest <= num_steps:
            return  # neither found nor refuted: more steps would prove nothing
