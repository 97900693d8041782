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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import inf

from pavane.bounds import best_of_each, lower_bounds
from pavane.bounds.occupancy import occupancy_bound
from pavane.bounds.start_ups import start_up_bounds
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.search.fewest_steps import searched
from pavane.search.products import as_product, both_at_once, factors, is_two_at_once, rows_then_columns
from pavane.solvers import SOLVERS
from pavane.solvers.combining.combining import Combining
from pavane.solvers.combining.groups import free_groups
from pavane.workers.budget import Budget
from pavane.workers.crew import Lost, crew_of

FIRST_WORK = 1e8
"""The work of one search in the first round, about half a second; every round takes six times that of the last.
Where groups of symmetries were scouted the first takes nine times as much, and every round half as much again; private
messages take fourteen times as much in the first two, and half as much again in the next two."""

FIRST_MOVES, MOVES_PER_DELIVERY = 60_000, 150
"""The most moves of one search in the first round, and how many for each arrival of a message there are at most."""

ROUNDS = 2
"""Rounds where no time limit is given."""

EVALUATIONS = 200_000
"""Moves of each solver in the search without combining, where no time limit is given."""

DENSE, DENSE_IF_LARGE = 6, 2
"""So many numbers of start-ups from the bound on are all tried; then ever fewer."""

FEW_MORE = 3
"""Where groups of symmetries were scouted: how many numbers of start-ups are tried for broadcasts, from the fewest
found on."""

MOST_TIMES_LOWEST, MOST_TIMES_LOWEST_IF_LARGE = 8, 2.5
"""Beyond so many times the fewest start-ups combining gains too little to be found."""

FEW_MESSAGES, FEW_BROADCASTS = 500, 32
"""Above this a scatter is large, or a broadcast."""

SCOUTED, SCOUT_WORK, MOST_ORDERS = range(2, 7), 5e7, 2
"""Where all groups of symmetries are tried: so many start-ups above the bound, if need be more; with how much work,
and groups of how many orders, the largest ones."""

PART, PART_OF_BROADCASTS = 0.05, 0.08
"""What part of the time the rows of a product of networks may take, and the columns; broadcasts mostly gain most."""

DOUBT = 0.1
"""A group of symmetries whose TCO in the short searches is by so much worse may still be the better one."""

HOPE = 0.06
"""What part of its TCO a point may lose in later rounds; points so far above the hull are given up."""

FEW_DELIVERIES = 20_000
"""Up to this every number of start-ups has its own bound on the TCO; above, those take too long."""

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
        raise InputError("a front is about message combining; add `combining=True` to the rules")
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
        self.bounds = best_of_each((*lower_bounds(problem), *start_up_bounds(problem)))
        self.lowest = self.bounds[0].steps
        self.goals: dict[int, int] = {}
        most = FEW_MESSAGES if problem.pattern == "private" else FEW_BROADCASTS
        self.is_large = problem.num_messages > most
        self.groups: list[int] = []
        """Groups of symmetries that did best where all were tried, the best first."""

    # -- what is known

    def goal(self, num_steps: int) -> int:
        """Return the least TCO that so many start-ups can have, as far as is known."""
        if num_steps not in self.goals:
            # Prices take long and are the same for all start-ups: they are looked for once.
            is_quick = self.problem.num_deliveries <= FEW_DELIVERIES
            quick = occupancy_bound(self.problem, num_steps, 0.0).tco if is_quick else num_steps
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
            self.found[start_ups] = result.amended(bounds=self.bounds)

    def tell(self, solver: str, tried: int | None) -> None:
        """Report progress."""
        now = time.monotonic()
        left = None if self.budget.deadline is None else max(0.0, self.budget.deadline - now)
        points = tuple((s, _tco(self.found[s])) for s in self._undominated())
        self.progress(FrontProgress(solver, tried, points, now - self.started, left))

    def undominated_results(self) -> list[Result]:
        """Return the results of which none is better in both, the fewest start-ups first."""
        return [self.found[start_ups] for start_ups in self._undominated()]

    def _undominated(self) -> list[int]:
        kept: list[int] = []
        for start_ups in sorted(self.found):
            if not kept or _tco(self.found[start_ups]) < _tco(self.found[kept[-1]]):
                kept.append(start_ups)
        return kept

    # -- searching

    def run(self) -> None:
        """Take in constructions, search from the fewest start-ups on, and without combining."""
        for name, solver in SOLVERS.items():
            if name not in BESIDES and "constructions" in type(solver).__module__ and solver.supports(self.problem):
                self.tell(name, None)
                self.take(solver(self.problem, None, self.seed, self.budget))
        if self.problem.num_deliveries <= 2_000 or not Combining().supports(self.problem):
            self.tell("greedy", None)
            self.take(SOLVERS["greedy"](self.problem, None, self.seed, self.budget))
        self._products()
        # The other end of the front is found without combining; broadcasts hardly ever need it.
        is_private = self.problem.pattern == "private"
        is_scouted = self.is_large and self.problem.num_deliveries <= FEW_DELIVERIES
        if is_scouted and Combining().supports(self.problem):
            self._scout()
        if is_private:
            self._alone(0.2 if is_scouted else 0.3)
        rounds = 0
        while not self.budget.is_over and Combining().supports(self.problem):
            tasks = list(self._tasks(rounds))
            if not tasks or (self.budget.deadline is None and rounds == ROUNDS):
                break
            self._search(tasks)
            rounds += 1
            if rounds == 1 and not is_private:
                self._alone(0.3)

    def _products(self) -> None:
        """Solve rows and columns of a product of networks, and put them together."""
        problem = self.problem
        forwards = dual(problem) if problem.pattern == "reduction" else problem
        product = as_product(forwards.network)
        parts = None if product is None else factors(forwards, product)
        if product is None or parts is None or self.budget.is_over:
            return
        rows = self._parts(parts[0])
        columns = rows if parts[0].network == parts[1].network else self._parts(parts[1])
        height, width = product.shape
        made: list[tuple[int, int, Callable[[], Schedule]]] = []
        for row in rows:
            for column in columns:
                tco = (1 if problem.pattern != "private" else height) * row.tco + width * column.tco
                joined = partial(rows_then_columns, forwards, product, row, column)
                made.append((row.num_steps + column.num_steps, tco, joined))
        if is_two_at_once(forwards) and problem.pattern == "private":
            both = [(row, _fitting(columns, row.num_steps)) for row in rows]
            for first in both:
                for then in both:
                    tco = sum(max(height * row.tco, width * column.tco) // 2 for row, column in (first, then))
                    start_ups = sum(max(row.num_steps, column.num_steps) for row, column in (first, then))
                    made.append((start_ups, tco, partial(both_at_once, forwards, product, first, then)))
        least, took = inf, 0.0
        for _, tco, build in sorted(made, key=lambda some: some[:2]):
            started = time.monotonic()
            # Large ones take long to build and to judge.
            if tco < least and (self.budget.deadline is None or started + 1.5 * took < self.budget.deadline):
                least = tco
                schedule = build()
                if forwards is not problem:
                    schedule = time_reversed(forwards, schedule, problem)
                self.take(Result(problem, schedule, provenance=Provenance("product", self.seed)))
                took = time.monotonic() - started

    def _parts(self, problem: Problem) -> list[Schedule]:
        """Return the schedules of the front of a row or column."""
        budget = self.budget
        if budget.deadline is not None:
            now = time.monotonic()
            part = PART if problem.pattern == "private" else PART_OF_BROADCASTS
            budget = replace(budget, deadline=now + part * (budget.deadline - now))
        search = _Search(problem, self.seed, budget, self.workers, self.progress)
        search.run()
        return [found.schedule for found in search.undominated_results() if found.schedule is not None]

    def _alone(self, share: float) -> None:
        """Solve the problem without combining: every step then carries single messages."""
        if self.tco(max(self.found, default=0)) <= self._least:
            return
        rules = replace(self.problem.rules, combining=False)
        # What is routed minimally is quicker to find, and valid under any routing.
        for routing in dict.fromkeys(("minimal", rules.routing) if rules.routing == "any" else (rules.routing,)):
            try:
                alone = Problem(self.problem.network, self.problem.collective, replace(rules, routing=routing))
            except InputError:
                return  # some pair has no single path under restricted routing
            self.tell("auto", None)
            if self.budget.deadline is None:
                result = searched(alone, seed=self.seed, evaluations=EVALUATIONS, workers=self.workers)
            else:
                left = share * (self.budget.deadline - time.monotonic())
                if left <= 0:
                    return
                result = searched(alone, seed=self.seed, seconds=left, workers=self.workers)
            if result.schedule is not None:
                self.take(Result(self.problem, result.schedule, provenance=result.provenance))
            if result.status == "optimal":
                return

    def _scout(self) -> None:
        """Find out at one number of start-ups which groups of symmetries suit; they serve the others as well."""
        forwards = dual(self.problem) if self.problem.pattern == "reduction" else self.problem
        groups = free_groups(forwards)
        orders = sorted({len(group) for group in groups}, reverse=True)[:MOST_ORDERS]
        tried = [number for number, group in enumerate(groups) if len(group) in orders]
        if len(tried) < 2:
            return
        for more in SCOUTED:
            num_steps = self.lowest + more
            goal = self.goal(num_steps)
            if self.tco(num_steps) <= goal:
                return
            solvers = [
                Combining(goal=goal, group=number, reach_moves=FIRST_MOVES, most_moves=FIRST_MOVES, work=SCOUT_WORK)
                for number in tried
            ]
            tasks = [_Task(solver, num_steps, self.seed) for solver in solvers]
            reached = {
                task.solver.group: _tco(result) for task, result in self._search(tasks) if result.schedule is not None
            }
            ranked = sorted((group for group in reached if group is not None), key=lambda g: (reached[g], g))
            # One process leaves out the others once the goal is met; several must come to the same.
            most = 1 if ranked and reached[ranked[0]] <= goal else 2
            self.groups = [group for group in ranked[:most] if reached[group] <= (1 + DOUBT) * reached[ranked[0]]]
            if reached or self.budget.is_over:
                return

    def _tasks(self, rounds: int) -> Iterator[_Task]:
        """Yield the searches of a round: numbers of start-ups whose TCO may still be lowered."""
        # Where groups were scouted, a few long searches do better than many short ones.
        is_private = self.problem.pattern == "private"
        longer = 14 * 1.5 ** (rounds // 2) if is_private else 9 * 1.5**rounds
        scale = longer if self.groups else 6**rounds
        moves = int(scale * min(FIRST_MOVES, MOVES_PER_DELIVERY * self.problem.num_deliveries))
        most = MOST_TIMES_LOWEST_IF_LARGE if self.groups else MOST_TIMES_LOWEST
        last = min(int(most * self.lowest), max(self._undominated(), default=self.lowest + DENSE))
        if not is_private:
            # The bound on the TCO of broadcasts does not fall with the start-ups; a few more than needed reach it.
            last = min(last, self.lowest + DENSE)
            if self.groups:
                last = min(last, min(self.found) + FEW_MORE)
        is_sparse = self.is_large and is_private
        ladder = list(_ladder(self.lowest, last, DENSE_IF_LARGE if is_sparse else DENSE))
        if self.groups:
            # Fewer start-ups than scouting came by are hard: they are tried once, after the others.
            fewer = [num_steps for num_steps in ladder if num_steps < min(self.found)]
            others = [s for s in ladder[len(fewer) :] if self.tco(s) > self.goal(s)]
            ladder = others + (fewer if rounds == 1 or not others else [])
        for num_steps in ladder:
            goal = self.goal(num_steps)
            # Fewer start-ups with as little TCO leave nothing to find.
            if self.tco(num_steps) > goal and (not rounds or self._is_near_hull(num_steps)):
                solver = Combining(
                    goal=goal,
                    # Every other round goes all the way with the largest group, which mostly is the best.
                    trials=1 if rounds % 2 else 3,
                    group=self.groups[rounds % len(self.groups)] if self.groups else None,
                    reach_moves=4 * moves,
                    most_moves=moves,
                    work=FIRST_WORK * scale,
                )
                yield _Task(solver, num_steps, self.seed + 1000 * rounds + num_steps)

    def _is_near_hull(self, num_steps: int) -> bool:
        """Say whether so many start-ups are the fastest for some size, if they lose a little TCO yet."""
        others = [(s, _tco(self.found[s])) for s in self._undominated() if s != num_steps]
        hoped = (1 - HOPE) * self.tco(num_steps)
        for fewer, high in others:
            for more, low in others:
                if fewer < num_steps < more:
                    between = high + (low - high) * (num_steps - fewer) / (more - fewer)
                    if hoped >= between:
                        return False
        return True

    def _search(self, tasks: list[_Task]) -> list[tuple[_Task, Result]]:
        """Make the searches of a round and take their answers in order."""
        answered = []
        for task, result in zip(tasks, self._answers(tasks), strict=False):
            answered.append((task, result))
            self.take(result)
            self.tell(task.solver.name, task.num_steps)
            if self.budget.is_over:
                break
        return answered

    def _answers(self, tasks: list[_Task]) -> Iterator[Result]:
        if self.workers == 1:
            for number, task in enumerate(tasks):
                # What was found since for fewer start-ups may leave nothing to find; then any answer is dominated.
                is_done = self.tco(task.num_steps) <= task.solver.goal
                budget = self._share(1 if number == len(tasks) - 1 else 1.5 if self.groups else 2.5)
                yield Result(self.problem, None) if is_done else _answer(self.problem, task, budget)
            return
        share = self._share(1 if len(tasks) <= self.workers else 2.5).for_another_process()
        with crew_of(self.workers, self.problem) as crew:
            for _, found in crew.answers(_answer_elsewhere, [(task, share) for task in tasks]):
                yield Result(self.problem, None) if isinstance(found, Lost) else found

    def _share(self, parts: float) -> Budget:
        """Return the time for one search of a round, so that none takes the time of all."""
        if self.budget.deadline is None:
            return self.budget
        now = time.monotonic()
        return replace(self.budget, deadline=now + (self.budget.deadline - now) / parts)

    # -- the answer

    def front(self) -> Front:
        """Return the points of which none is better in both, each with what is proven about it."""
        points = []
        for result in self.undominated_results():
            assert result.num_steps is not None
            start_ups, tco = result.num_steps, _tco(result)
            points.append(Point(result, start_ups, tco, start_ups <= self.lowest, tco <= self.goal(start_ups)))
        return Front(self.problem, tuple(points), round(time.monotonic() - self.started, 3))


def _fitting(schedules: list[Schedule], num_steps: int) -> Schedule:
    """Return the schedule of most steps that has no more than so many, or else that of the fewest."""
    return max((s for s in schedules if s.num_steps <= num_steps), key=lambda s: s.num_steps, default=schedules[0])


def _tco(result: Result) -> int:
    assert result.schedule is not None
    return result.schedule.tco


def _answer(problem: Problem, task: _Task, budget: Budget) -> Result:
    return task.solver(problem, task.num_steps, task.seed, budget)


def _answer_elsewhere(problem: Problem, is_stopped: Callable[[], bool], task: _Task, budget: Budget) -> Result:
    return _answer(problem, task, replace(budget, is_stopped=is_stopped))


def _ladder(lowest: int, last: int, dense: int) -> Iterable[int]:
    """Yield numbers of start-ups from the lowest on, densely at first, then in growing strides."""
    num_steps = lowest
    while num_steps < last:
        yield num_steps
        num_steps += 1 if num_steps < lowest + dense else 2 + (num_steps - lowest - dense) // 3
