"""The front: schedules of which none is better in both start-ups and TCO, from the fewest start-ups to the least TCO.

Under the combining rule time is start-ups * ts + TCO * m * t1 (noc section 3), so which schedule is fastest depends on
the size of messages. Each number of start-ups is searched on its own; constructions of the papers and the best
schedule without combining, whose TCO is its number of steps, come in as they are.

Without a time limit the effort is counted, so that the same seed gives the same front. With one, searches are repeated
with more effort until the time is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf

from pavane.bounds import lower_bounds
from pavane.bounds.occupancy import occupancy_bound, start_up_bounds
from pavane.errors import InputError
from pavane.problem import Problem
from pavane.result import Result
from pavane.search import _leave_interrupts_to_the_parent
from pavane.solvers import SOLVERS, Budget
from pavane.solvers.combining import Combining
from pavane.synthesize import synthesize

FIRST_WORK = 1e8
"""The work of one trial in the first round, about half a second; every round takes twice that of the last."""

FIRST_MOVES = 100_000
"""The most moves of one trial in the first round."""

EVALUATIONS = 200_000
"""Moves of each solver in the search without combining, where no time limit is given."""

DENSE = 6
"""So many numbers of start-ups from the bound on are all tried; then ever fewer."""

BESIDES = ("greedy", "combining")
"""Solvers that are not run for single points: one is a fallback, the other is run for every number of start-ups."""


@dataclass(frozen=True)
class Point:
    """One schedule of the front."""

    result: Result
    start_ups: int
    tco: int
    optimal_start_ups: bool
    """Whether no schedule has fewer start-ups."""
    optimal_tco: bool
    """Whether no schedule of so many start-ups has less TCO."""


@dataclass(frozen=True)
class FrontProgress:
    """How far the search for a front has come."""

    solver: str
    tried: int | None
    """The number of start-ups being tried; None: any."""
    points: tuple[tuple[int, int], ...]
    """Start-ups and TCO of the points so far."""
    seconds: float
    seconds_left: float | None


@dataclass(frozen=True)
class Front:
    """Schedules of which none is better in both start-ups and TCO, the fewest start-ups first."""

    problem: Problem
    points: tuple[Point, ...]
    seconds: float = 0.0

    def best(self, startup: float, per_message: float) -> Point:
        """Return the fastest point where a start-up takes so long and a message so long to pass a channel."""
        if not self.points:
            raise InputError(f"no schedule of {self.problem} was found; give the search more time")
        return min(self.points, key=lambda p: (p.start_ups * startup + p.tco * per_message, p.start_ups))

    def ranges(self) -> tuple[tuple[float, float] | None, ...]:
        """Return for each point from which to which m * t1 / ts it is the fastest; None: nowhere."""
        found: list[tuple[float, float] | None] = []
        for point in self.points:
            low, high = Fraction(0), None
            for other in self.points:
                more, less = other.start_ups - point.start_ups, point.tco - other.tco
                if more > 0:
                    crossing = Fraction(more, less)
                    high = crossing if high is None else min(high, crossing)
                elif more < 0:
                    low = max(low, Fraction(more, less))
            if high is not None and low >= high:
                found.append(None)
            else:
                found.append((float(low), inf if high is None else float(high)))
        return tuple(found)


def front(
    problem: Problem,
    *,
    seed: int = 0,
    seconds: float | None = None,
    workers: int = 1,
    progress: Callable[[FrontProgress], None] = lambda _: None,
) -> Front:
    """Find the front of start-ups and TCO of a problem under the combining rule.

    More workers are more processes: they change the time, not the answer. An interrupt keeps what was found.
    """
    if not problem.rules.combining:
        raise InputError("a front is about message combining; add --combining to the rules")
    if workers < 1:
        raise InputError(f"workers {workers}: a search needs at least one; give 1 or more")
    if seconds is not None and not seconds > 0:
        raise InputError(f"time {seconds}: a search needs some; give more than 0 seconds")
    # What was found must still be built and judged before the time is over.
    margin = 0.2 + 2e-5 * problem.num_deliveries
    budget = Budget.of(None if seconds is None else max(seconds / 2, 0.97 * seconds - margin))
    search = _Search(problem, seed, budget, workers, progress)
    try:
        search.run()
    except KeyboardInterrupt:
        if not search.found:
            raise
    return search.front()


@dataclass(frozen=True)
class _Task:
    """One search at a number of start-ups."""

    solver: Combining
    num_steps: int
    seed: int


class _Search:
    """The best of each number of start-ups so far, and what it takes to get further."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        budget: Budget,
        workers: int,
        progress: Callable[[FrontProgress], None],
    ) -> None:
        self.problem, self.seed, self.budget, self.workers, self.progress = problem, seed, budget, workers, progress
        self.started = time.monotonic()
        self.found: dict[int, Result] = {}
        self.bounds = lower_bounds(problem) + tuple(start_up_bounds(problem))
        self.lowest = max(bound.steps for bound in self.bounds)
        self.goals: dict[int, int] = {}

    # -- what is known

    def goal(self, num_steps: int) -> int:
        """Return the least TCO that so many start-ups can have, as far as is known."""
        if num_steps not in self.goals:
            # Prices take long and are the same for all start-ups: they are looked for once.
            quick = occupancy_bound(self.problem, num_steps, 0.0).tco
            self.goals[num_steps] = max(quick, self._least)
        return self.goals[num_steps]

    @cached_property
    def _least(self) -> int:
        """The least TCO that any number of start-ups can have, as far as is known."""
        deadline = self.budget.deadline
        now = time.monotonic()
        return occupancy_bound(self.problem, None, None if deadline is None else now + 0.1 * (deadline - now)).tco

    def tco(self, num_steps: int) -> float:
        """Return the least TCO found with at most so many start-ups."""
        return min((_tco(r) for s, r in self.found.items() if s <= num_steps), default=inf)

    def take(self, result: Result) -> None:
        """Take in a schedule if it is better than what has as many start-ups."""
        if result.schedule is None:
            return
        start_ups = result.schedule.num_steps
        if start_ups not in self.found or _tco(result) < _tco(self.found[start_ups]):
            self.found[start_ups] = result

    def tell(self, solver: str, tried: int | None) -> None:
        """Report progress."""
        now = time.monotonic()
        left = None if self.budget.deadline is None else max(0.0, self.budget.deadline - now)
        points = tuple((s, _tco(self.found[s])) for s in self._undominated())
        self.progress(FrontProgress(solver, tried, points, now - self.started, left))

    def _undominated(self) -> list[int]:
        kept: list[int] = []
        for start_ups in sorted(self.found):
            if not kept or _tco(self.found[start_ups]) < _tco(self.found[kept[-1]]):
                kept.append(start_ups)
        return kept

    # -- searching

    def run(self) -> None:
        """Take in constructions, search from the fewest start-ups on, and then without combining."""
        for name, solver in SOLVERS.items():
            if name not in BESIDES and "constructions" in type(solver).__module__ and solver.supports(self.problem):
                self.tell(name, None)
                self.take(solver(self.problem, None, self.seed, self.budget))
        if self.problem.num_deliveries <= 2_000 or not Combining().supports(self.problem):
            self.tell("greedy", None)
            self.take(SOLVERS["greedy"](self.problem, None, self.seed, self.budget))
        # Reserved for the end of the front: it is found without combining.
        self._alone(0.25)
        rounds = 0
        while not self.budget.is_over and Combining().supports(self.problem):
            if self.budget.deadline is None and rounds == 1:
                break
            tasks = list(self._tasks(rounds))
            if not tasks:
                break
            self._search(tasks)
            rounds += 1

    def _alone(self, share: float) -> None:
        """Solve the problem without combining: every step then carries single messages."""
        rules = replace(self.problem.rules, combining=False)
        try:
            alone = Problem(self.problem.network, self.problem.collective, rules)
        except InputError:
            return  # some pair has no single path under restricted routing
        self.tell("auto", None)
        if self.budget.deadline is None:
            result = synthesize(alone, seed=self.seed, evaluations=EVALUATIONS, workers=self.workers)
        else:
            left = share * (self.budget.deadline - time.monotonic())
            if left <= 0:
                return
            result = synthesize(alone, seed=self.seed, seconds=left, workers=self.workers)
        if result.schedule is not None:
            self.take(Result(self.problem, result.schedule, provenance=result.provenance))

    def _tasks(self, rounds: int) -> Iterator[_Task]:
        """Yield the searches of a round: numbers of start-ups whose TCO may still be lowered."""
        scale = 2**rounds
        last = max(self._undominated(), default=self.lowest + DENSE)
        if self.problem.pattern != "private":
            # The bound on the TCO of broadcasts does not fall with the start-ups; a few more than needed reach it.
            last = min(last, self.lowest + DENSE)
        for num_steps in _ladder(self.lowest, last):
            goal = self.goal(num_steps)
            # Fewer start-ups with as little TCO leave nothing to find.
            if self.tco(num_steps) > goal:
                solver = Combining(
                    goal=goal,
                    trials=2,
                    reach_moves=2 * FIRST_MOVES * scale,
                    most_moves=FIRST_MOVES * scale,
                    work=FIRST_WORK * scale,
                )
                yield _Task(solver, num_steps, self.seed + 1000 * rounds + num_steps)

    def _search(self, tasks: list[_Task]) -> None:
        """Make the searches of a round and take their answers in order."""
        for task, result in zip(tasks, self._answers(tasks), strict=False):
            self.take(result)
            self.tell(task.solver.name, task.num_steps)
            if self.budget.is_over:
                break

    def _answers(self, tasks: list[_Task]) -> Iterator[Result]:
        if self.workers == 1:
            for number, task in enumerate(tasks):
                # What was found since for fewer start-ups may leave nothing to find; then any answer is dominated.
                is_done = self.tco(task.num_steps) <= task.solver.goal
                budget = self._share(len(tasks) - number)
                yield Result(self.problem, None) if is_done else _answer(self.problem, task, budget)
            return
        pool = ProcessPoolExecutor(self.workers, initializer=_leave_interrupts_to_the_parent)
        try:
            share = self._share(-(-len(tasks) // self.workers))
            for future in [pool.submit(_answer, self.problem, task, share) for task in tasks]:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _share(self, left: int) -> Budget:
        """Return the time for one search of a round, so that none takes the time of all."""
        if self.budget.deadline is None:
            return self.budget
        now = time.monotonic()
        return replace(self.budget, deadline=now + (self.budget.deadline - now) * min(1.0, 2.0 / left))

    # -- the answer

    def front(self) -> Front:
        """Return the points of which none is better in both, each with what is proven about it."""
        points = []
        for start_ups in self._undominated():
            result = replace(self.found[start_ups], bounds=self.bounds)
            tco = _tco(result)
            points.append(Point(result, start_ups, tco, start_ups <= self.lowest, tco <= self.goal(start_ups)))
        return Front(self.problem, tuple(points), round(time.monotonic() - self.started, 3))


def _tco(result: Result) -> int:
    assert result.schedule is not None
    return result.schedule.tco


def _answer(problem: Problem, task: _Task, budget: Budget) -> Result:
    return task.solver(problem, task.num_steps, task.seed, budget)


def _ladder(lowest: int, last: int) -> Iterable[int]:
    """Yield numbers of start-ups from the lowest on, densely at first, then in growing strides."""
    num_steps = lowest
    while num_steps < last:
        yield num_steps
        num_steps += max(1, (num_steps - lowest - DENSE) // 2)
