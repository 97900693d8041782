"""The search for a front: each number of start-ups on its own, and whatever else is known to give good schedules.

Constructions of the papers come in as they are, rows and columns of products of networks put together, and the best
schedule without combining, whose TCO is its number of steps. The front of an allreduce is made of the fronts of its
phases.

Without a time limit the effort is counted, so that the same seed gives the same front. With one, searches are repeated
with more effort until the time is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from pavane.errors import CheckpointError, InputError, InvalidSchedule, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.allreduce import phases
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.parallel.budget import Budget
from pavane.parallel.checkpoint import key_of
from pavane.parallel.improvements import ImprovementThrottle
from pavane.parallel.pools import SERIAL
from pavane.parallel.progress import Progress
from pavane.parallel.tasks import PoolLost, TaskContext, WorkerLost
from pavane.search.best_points import BestPoints, tco_of
from pavane.search.effort import Effort
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions, check_problem
from pavane.search.pareto_fronts import FrontMark, ParetoFront
from pavane.search.products import as_product, factors, joined_schedules
from pavane.solvers import CONSTRUCTIONS, SOLVERS, Solver
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of
from pavane.solvers.combining.combining import Combining
from pavane.solvers.widths import Widths
from pavane.symmetry.groups import free_groups


def pareto_front(
    problem: Problem, options: SearchOptions = SearchOptions(), *, effort: Effort | None = None
) -> ParetoFront:
    """Find the Pareto front of start-ups and TCO of a problem under the combining rule.

    If a solver raises, or the judge rejects its schedule, its share of the search is lost and a note is recorded. An
    interrupt (Ctrl-C) ends the search: the front is what was found so far and `interrupted`; with nothing found the
    interrupt is raised.

    Args:
        problem: The problem; its rules have `combining=True`.
        options: How to search. `on_improvement` is called with every result that is the best so far of its number of
            start-ups.
        effort: How much is tried without a time limit.

    Returns:
        The front, whose `points` have the fewest start-ups first.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall", pavane.Rules(combining=True))
        >>> [(point.start_ups, point.tco) for point in pavane.pareto_front(problem).points]
        [(2, 2)]
    """
    check_problem(problem)
    if not problem.rules.combining:
        raise InputError("a front is about message combining; add `combining=True` to the rules")
    started = clock.now()
    # What was found must still be built and judged before the time is over.
    margin = 0.2 + 2e-5 * problem.num_deliveries
    seconds = options.seconds
    limit = None if seconds is None else max(seconds / 2, 0.97 * seconds - margin)
    budget = replace(options, seconds=limit).budget()
    search = FrontSearch(problem, options, budget, effort or Effort())
    interrupted, is_whole = False, True
    try:
        search.run()
    except KeyboardInterrupt:
        search.take_told()
        if not search.best.results:
            raise
        interrupted, is_whole = True, False
    except Exception as error:
        if isinstance(error, CheckpointError) or not search.best.results:
            raise
        is_whole = False
        search.notes.append(f"the search ended early: {in_one_line(error)}")
    if seconds is not None:
        search.take_told()
    if options.checkpoint is not None and budget.is_over:
        options.checkpoint.is_cut = True
    points = search.best.points(known_only=not is_whole)
    elapsed = round(clock.now() - started, 3)
    return ParetoFront(problem, points, elapsed, interrupted, tuple(search.notes), tuple(search.trace))


@dataclass(frozen=True)
class FrontTask:
    """One search at a number of start-ups."""

    solver: Combining
    num_steps: int
    seed: int


class FrontSearch:
    """The best of each number of start-ups so far, and what it takes to get further."""

    def __init__(self, problem: Problem, options: SearchOptions, budget: Budget, effort: Effort) -> None:
        self.problem, self.options, self.budget, self.effort = problem, options, budget, effort
        self.seed, self.better = options.seed, options.on_improvement
        self.told: dict[int, Result] = {}
        """The best of each number of start-ups that searches have told of before they had their answers."""
        self.started = clock.now()
        self.best = BestPoints(problem, budget, effort)
        self.is_private = problem.pattern == "private"
        most = effort.most_private_unscouted if self.is_private else effort.most_broadcasts_unscouted
        self.is_large = problem.num_messages > most
        self.groups: list[int] = []
        """Groups of symmetries that did best where all were tried, the best first."""
        self.evaluations = 0
        self.trace: list[FrontMark] = []
        self.notes: list[str] = []

    def run(self) -> None:
        """Take in what is known, search from the fewest start-ups on, and without combining."""
        if self.problem.pattern == "allreduce":
            self._add_up_phases()
            return
        can_combine = Combining().supports(self.problem)
        self._construct(can_combine)
        if Widths().supports(self.problem) and self.problem.num_deliveries <= self.effort.most_deliveries_widened:
            self._do("widths", self._widen)
        self._do("product", self._join_lines)
        is_scouted = self.is_large and self.problem.num_deliveries <= self.effort.most_deliveries_bounded
        if is_scouted and can_combine:
            self._do("scouting", self._scout)
        # The other end of the front is found without combining; broadcasts hardly ever need it.
        if self.is_private:
            share = self.effort.scouted_share_alone if is_scouted else self.effort.share_alone
            self._do("auto without combining", lambda: self._solve_alone(share))
        number = 0
        while not self.budget.is_over and can_combine:
            tasks = list(self._tasks(number))
            if not tasks or (self.budget.deadline is None and number == self.effort.passes):
                break
            self._answered(tasks)
            number += 1
            if number == 1 and not self.is_private:
                self._do("auto without combining", lambda: self._solve_alone(self.effort.share_alone))
        if not self.best.results:
            # Whatever went wrong, first fit has an answer to everything, and mostly soon enough to be waited for.
            is_quick = self.problem.num_deliveries <= self.effort.most_deliveries_bounded
            budget = replace(self.budget, deadline=None) if is_quick else self.budget
            self._call(SOLVERS["greedy"], None, self.seed, budget)

    def _do(self, called: str, part: Callable[[], None]) -> None:
        """Do a part of the search; one that breaks leaves a note and what was found, and the others go on."""
        try:
            part()
        except CheckpointError:
            raise
        except Exception as error:
            self.notes.append(f"{called} failed: {in_one_line(error)}")

    def _tell(self, solver: str, tried: int | None) -> None:
        """Report progress."""
        if self.options.on_progress is not None:
            elapsed = clock.now() - self.started
            left, points = self.budget.seconds_left, self.best.figures
            self.options.on_progress(Progress(solver, elapsed, left, num_steps=tried, points=points))

    # -- what is known

    def _construct(self, can_combine: bool) -> None:
        """Take in the constructions of the papers, and first fit where it is quick or nothing else is there."""
        known = (SOLVERS[name] for name in CONSTRUCTIONS)
        solvers = [solver for solver in known if solver.supports(self.problem)]
        if self.problem.num_deliveries <= self.effort.most_deliveries_of_first_fit or not can_combine:
            solvers.append(SOLVERS["greedy"])
        for solver in solvers:
            self._tell(solver.name, None)
            self._call(solver, None, self.seed, self.budget)

    def _call(self, solver: Solver, num_steps: int | None, seed: int, budget: Budget) -> None:
        """Call a solver in this process and take its answer; one that breaks leaves a note."""
        found: Result | WorkerLost | None = self._known(solver, num_steps, seed)
        if found is None:
            found = _made(solver, self.problem, num_steps, seed, budget)
            self._record(solver, num_steps, seed, found)
        self._take(f"{solver.name} with seed {seed}", found)

    # -- the journal of a search that can go on

    def _known(self, solver: Solver, num_steps: int | None, seed: int) -> Result | None:
        """Return what a call has answered before a kill; None where it is to be made."""
        journal = self.budget.checkpoint
        if journal is None:
            return None
        key = key_of(self.problem, solver, num_steps, seed, self.budget.evaluations)
        return journal.recorded_result(key, self.problem, self.budget.deadline is not None)

    def _known_of(self, task: FrontTask) -> Result | None:
        return self._known(task.solver, task.num_steps, task.seed)

    def _record(self, solver: Solver, num_steps: int | None, seed: int, found: Result | WorkerLost) -> None:
        """Write an answer into the journal; what an interrupt or the end of the time has cut short is left out."""
        journal = self.budget.checkpoint
        if journal is None or isinstance(found, WorkerLost) or found.interrupted:
            return
        if self.budget.is_over:
            journal.is_cut = True
            return
        key = key_of(self.problem, solver, num_steps, seed, self.budget.evaluations)
        journal.record(key, found, self.budget.deadline is not None)

    def _take(self, called: str, found: Result | WorkerLost) -> None:
        """Take in an answer, and note that there is none where something broke."""
        if isinstance(found, WorkerLost):
            self.notes.append(f"{called} failed: {found.why}")
            self.take_told()
            return
        self.evaluations += 0 if found.run is None else found.run.evaluations
        self.best.learn(found.occupancy_bounds)
        if self.best.take(found):
            assert found.schedule is not None
            self.trace.append(FrontMark(self.evaluations, found.schedule.num_steps, found.schedule.tco))
            if self.better is not None:
                self.better(self._told(found))

    def _told(self, found: Result) -> Result:
        """Return a result with the bounds on its start-ups, and the time it took."""
        elapsed = round(clock.now() - self.started, 3)
        return found.amended(bounds=self.best.bounds, provenance=replace(found.provenance, seconds=elapsed))

    def _hear(self, solver: str, schedule: Schedule) -> None:
        """Tell of what a search has found so far, where it is the best of its start-ups and the judge agrees."""
        start_ups = schedule.num_steps
        if self.better is None or self.best.tco(start_ups) <= schedule.tco:
            return
        if start_ups in self.told and tco_of(self.told[start_ups]) <= schedule.tco:
            return
        found = _judged(self.problem, schedule, Provenance(solver, self.seed))
        if isinstance(found, Result):
            self.told[start_ups] = found
            self.better(self._told(found))

    def take_told(self) -> None:
        """Take in what was told and is better than the answers: a process may have been lost, or time have run out."""
        for found in self.told.values():
            self._take(found.provenance.solver, found)
        self.told.clear()

    def _join_lines(self) -> None:
        """Solve rows and columns of a product of networks, and put them together."""
        problem = self.problem
        forwards = dual(problem) if problem.pattern == "reduction" else problem
        product = as_product(forwards.network)
        parts = None if product is None else factors(forwards, product)
        if product is None or parts is None or self.budget.is_over:
            return
        rows = self._line(parts[0])
        columns = rows if parts[0].network == parts[1].network else self._line(parts[1])
        least, took = float("inf"), 0.0
        for lines in joined_schedules(forwards, product, rows, columns):
            left = self.budget.seconds_left
            # Large ones take long to build and to judge.
            if lines.tco < least and (left is None or 1.5 * took < left):
                started = clock.now()
                least = lines.tco
                schedule = lines.build()
                if forwards is not problem:
                    schedule = time_reversed(forwards, schedule, problem)
                self._take("product", _judged(problem, schedule, Provenance("product", self.seed)))
                took = clock.now() - started

    def _add_up_phases(self) -> None:
        """Find the fronts of both phases of an allreduce, and join each schedule of one with each of the other.

        Whole sums that groups exchange may need fewer start-ups, trees without combining less TCO.
        """
        if SOLVERS["exchange"].supports(self.problem):
            self._call(SOLVERS["exchange"], None, self.seed, self.budget.part(self.effort.share_of_exchange))
        gathering, spreading = phases(self.problem)
        symmetric = is_symmetric(spreading)
        share = self.effort.share_of_phases
        spread = self._phase(spreading, share if symmetric else share / 2)
        if symmetric:
            gathered = [reduction_of(spreading, schedule) for schedule in spread]
        else:
            gathered = self._phase(gathering, share)
        pairs = [(first, then) for first in gathered for then in spread]
        least = inf
        for first, then in sorted(pairs, key=lambda two: (two[0].num_steps + two[1].num_steps, _tco_of_both(*two))):
            if _tco_of_both(first, then) < least:
                least = _tco_of_both(first, then)
                about = Provenance("two phases", self.seed)
                self._take("two phases", _judged(self.problem, join_schedules(first, then), about))
        self._do("auto without combining", lambda: self._solve_alone(1.0))

    def _phase(self, problem: Problem, share: float) -> list[Schedule]:
        """Return the schedules of the front of one phase, the fewest start-ups first."""

        def report(now: Progress) -> None:
            if self.options.on_progress is not None:
                self.options.on_progress(replace(now, points=self.best.figures))

        return self._front_of(problem, share, report)

    def _widen(self) -> None:
        """Find widths for the steps of each number of start-ups, from the fewest on until more of them gain nothing."""
        lowest = self.best.fewest_tried
        budget = self.budget.part(self.effort.share_of_widths)
        for num_steps in range(lowest, lowest + self.effort.dense_start_ups):
            if budget.is_over or self.best.tco(num_steps) <= self.best.least_tco:
                return
            if self.best.is_met(num_steps):
                continue
            known = self.best.tco(num_steps)
            most = None if known == float("inf") else int(known) - 1
            solver = Widths(goal=self.best.goal(num_steps), most_tco=most)
            self._tell(solver.name, num_steps)
            self._call(solver, num_steps, self.seed, budget)

    def _line(self, problem: Problem) -> list[Schedule]:
        """Return the schedules of the front of a row or column."""
        effort = self.effort
        share = effort.share_of_private_lines if self.is_private else effort.share_of_broadcast_lines
        return self._front_of(problem, share, self.options.on_progress)

    def _front_of(
        self, problem: Problem, share: float, on_progress: Callable[[Progress], None] | None
    ) -> list[Schedule]:
        """Return the schedules of the front of another problem, found in a share of the time left."""
        options = replace(self.options, on_progress=on_progress, on_improvement=None)
        search = FrontSearch(problem, options, self.budget.part(share), self.effort)
        search.run()
        self.evaluations += search.evaluations
        self.notes += search.notes
        return [found.schedule for found in search.best.results if found.schedule is not None]

    def _solve_alone(self, share: float) -> None:
        """Solve the problem without combining: every step then carries single messages."""
        if self.best.tco() <= self.best.least_tco:
            return
        rules = replace(self.problem.rules, combining=False)
        # What is routed minimally is quicker to find, and valid under any routing.
        for routing in dict.fromkeys(("minimal", rules.routing) if rules.routing == "any" else (rules.routing,)):
            try:
                alone = Problem(self.problem.network, self.problem.collective, replace(rules, routing=routing))
            except InputError:
                return  # some pair has no single path under restricted routing
            self._tell("auto", None)
            seconds = self.budget.part(share).seconds_left
            if seconds == 0:
                return
            evaluations = self.budget.evaluations
            if evaluations is None and seconds is None:
                evaluations = self.effort.evaluations_alone
            options = SearchOptions(
                self.seed,
                seconds,
                evaluations,
                self.budget.workers,
                on_improvement=None if self.better is None else self._hear_alone,
                checkpoint=self.budget.checkpoint,
            )
            result = find_fewest_steps(alone, options)
            self.notes += result.notes
            if result.schedule is not None:
                found = _judged(self.problem, result.schedule, result.provenance)
                self._take("auto", found if isinstance(found, WorkerLost) else found.amended(run=result.run))
            if result.interrupted:
                raise KeyboardInterrupt
            if result.status == "optimal":
                return

    # -- searching at numbers of start-ups

    def _scout(self) -> None:
        """Find out at one number of start-ups which groups of symmetries suit; they serve the others as well."""
        effort = self.effort
        forwards = dual(self.problem) if self.problem.pattern == "reduction" else self.problem
        groups = free_groups(forwards)
        orders = sorted({len(group) for group in groups}, reverse=True)[: effort.scouted_orders]
        tried = [number for number, group in enumerate(groups) if len(group) in orders]
        if len(tried) < 2:
            return
        quick = Combining(reach_moves=effort.first_moves, most_moves=effort.first_moves, work=effort.scout_work)
        for num_steps in (self.best.fewest_tried + more for more in effort.scouted_above_bound):
            if self.best.is_met(num_steps):
                return
            goal = self.best.goal(num_steps)
            tasks = [FrontTask(replace(quick, goal=goal, group=group), num_steps, self.seed) for group in tried]
            reached = {
                task.solver.group: tco_of(result)
                for task, result in self._answered(tasks)
                if isinstance(result, Result) and result.schedule is not None
            }
            ordered = sorted((group for group in reached if group is not None), key=lambda g: (reached[g], g))
            # One process leaves out the others once the goal is met; several must come to the same.
            most = 1 if ordered and reached[ordered[0]] <= goal else 2
            self.groups = [g for g in ordered[:most] if reached[g] <= (1 + effort.doubt) * reached[ordered[0]]]
            if reached or self.budget.is_over:
                return

    def _tasks(self, number: int) -> Iterator[FrontTask]:
        """Yield the searches of a pass, by its number from 0: start-ups whose TCO may still be lowered."""
        scale = self._scale(number)
        arrivals = self.problem.num_deliveries
        moves = int(scale * min(self.effort.first_moves, self.effort.moves_per_delivery * arrivals))
        for num_steps in self._start_ups(number):
            # Fewer start-ups with as little TCO leave nothing to find.
            if not self.best.is_met(num_steps) and (not number or self.best.is_near_hull(num_steps)):
                solver = Combining(
                    goal=self.best.goal(num_steps),
                    # Every other pass goes all the way with the largest group, which mostly is the best.
                    trials=1 if number % 2 else 3,
                    group=self.groups[number % len(self.groups)] if self.groups else None,
                    reach_moves=4 * moves,
                    most_moves=moves,
                    work=self.effort.first_work * scale,
                )
                yield FrontTask(solver, num_steps, self.seed + 1000 * number + num_steps)

    def _scale(self, number: int) -> float:
        """Return how many times the first work a search takes in a pass."""
        effort = self.effort
        if not self.groups:
            return float(effort.work_growth**number)
        # Where groups were scouted, a few long searches do better than many short ones.
        if self.is_private:
            return effort.scouted_private_work * effort.scouted_growth ** (number // 2)
        return effort.scouted_broadcast_work * effort.scouted_growth**number

    def _start_ups(self, number: int) -> list[int]:
        """Return the numbers of start-ups that a pass tries."""
        effort, lowest = self.effort, self.best.fewest_tried
        ratio = effort.scouted_start_up_ratio if self.groups else effort.most_start_up_ratio
        last = min(int(ratio * lowest), max(self.best.start_ups, default=lowest + effort.dense_start_ups))
        fewest = self.best.fewest
        if not self.is_private:
            # The bound on the TCO of broadcasts does not fall with the start-ups; a few more than needed reach it.
            last = min(last, lowest + effort.dense_start_ups)
            if self.groups and fewest is not None:
                last = min(last, fewest + effort.scouted_broadcast_more)
        is_sparse = self.is_large and self.is_private
        ladder = list(_ladder(lowest, last, effort.dense_start_ups_if_large if is_sparse else effort.dense_start_ups))
        if not self.groups or fewest is None:
            return ladder
        # Fewer start-ups than scouting came by are hard: they are tried once, after the others.
        fewer = [num_steps for num_steps in ladder if num_steps < fewest]
        others = [num_steps for num_steps in ladder[len(fewer) :] if not self.best.is_met(num_steps)]
        return others + (fewer if number == 1 or not others else [])

    def _answered(self, tasks: list[FrontTask]) -> list[tuple[FrontTask, Result | WorkerLost]]:
        """Make searches and take their answers in order."""
        answered = []
        for task, result in zip(tasks, self._answers(tasks), strict=False):
            answered.append((task, result))
            self._take(f"{task.solver.name} at {task.num_steps:,} with seed {task.seed}", result)
            self._tell(task.solver.name, task.num_steps)
            if self.budget.is_over:
                break
        return answered

    def _answers(self, tasks: list[FrontTask]) -> Iterator[Result | WorkerLost]:
        return self._answers_here(tasks) if self.budget.workers.is_serial else self._answers_of_crew(tasks)

    def _answers_here(self, tasks: list[FrontTask]) -> Iterator[Result | WorkerLost]:
        effort = self.effort
        in_time = effort.scouted_searches_in_time if self.groups else effort.searches_in_time
        for number, task in enumerate(tasks):
            # What was found since for fewer start-ups may leave nothing to find; then any answer is dominated.
            is_done = self.best.tco(task.num_steps) <= task.solver.goal
            budget = replace(self.budget.part(1 if number == len(tasks) - 1 else 1 / in_time), on_schedule=self._keep)
            if self.better is not None:
                budget = ImprovementThrottle(budget, partial(self._hear, task.solver.name)).budget
            yield Result(self.problem, None) if is_done else self._made_here(task, budget)

    def _answers_of_crew(self, tasks: list[FrontTask]) -> Iterator[Result | WorkerLost]:
        effort, workers = self.effort, self.budget.workers
        share = self.budget.part(1 if len(tasks) <= workers.size else 1 / effort.searches_in_time)
        answered = 0
        while answered < len(tasks) and (known := self._known_of(tasks[answered])) is not None:
            answered += 1
            yield known
        tasks = tasks[answered:]
        if not tasks:
            return
        calls = [(task, share, self.better is not None) for task in tasks]
        answered = 0
        try:
            with workers.pool(len(tasks), self.problem) as pool:
                hear = partial(self._hear_from, tasks)
                for number, found in pool.results(_answer, calls, on_update=hear):
                    answered = number + 1
                    self._record(tasks[number].solver, tasks[number].num_steps, tasks[number].seed, found)
                    yield found if isinstance(found, WorkerLost) else found.amended(interrupted=False)
        except PoolLost as error:
            self.notes.append(f"{error}; the search goes on in one process")
            self.budget = replace(self.budget, workers=SERIAL)
            yield from self._answers(tasks[answered:])

    def _made_here(self, task: FrontTask, budget: Budget) -> Result | WorkerLost:
        found = self._known_of(task)
        if found is not None:
            return found
        made = _made_for(self.problem, task, budget)
        self._record(task.solver, task.num_steps, task.seed, made)
        return made

    def _hear_from(self, tasks: list[FrontTask], number: int, told: Schedule) -> None:
        """Hear of a schedule before the answer of its task is there."""
        self._hear(tasks[number].solver.name, told)

    def _hear_alone(self, result: Result) -> None:
        """Hear of a result without combining, whose schedule is one with it, too."""
        if result.schedule is not None:
            self._hear(result.provenance.solver, result.schedule)

    def _keep(self, schedule: Schedule) -> None:
        """Take in what a search has found when an interrupt ends it."""
        self._take("combining", _judged(self.problem, schedule, Provenance(Combining().name, self.seed)))


def _answer(
    problem: Problem, contact: TaskContext, task: FrontTask, budget: Budget, is_heard: bool
) -> Result | WorkerLost:
    budget = replace(budget, is_stopped=contact.is_stopped)
    found = _made_for(problem, task, ImprovementThrottle(budget, contact.report).budget if is_heard else budget)
    if is_heard and isinstance(found, Result) and found.schedule is not None:
        contact.report(found.schedule)  # the answer waits for those before it
    return found.amended(interrupted=True) if isinstance(found, Result) and contact.is_stopped() else found


def _made_for(problem: Problem, task: FrontTask, budget: Budget) -> Result | WorkerLost:
    return _made(task.solver, problem, task.num_steps, task.seed, budget)


def _made(solver: Solver, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result | WorkerLost:
    """Call a solver; whatever breaks costs this call alone."""
    try:
        return solver(problem, num_steps, seed, budget)
    except InvalidSchedule as error:
        return WorkerLost(str(error))
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        if isinstance(error, CheckpointError):
            raise
        return WorkerLost(in_one_line(error))


def _judged(problem: Problem, schedule: Schedule, provenance: Provenance) -> Result | WorkerLost:
    """Make a result of a schedule that was put together here."""
    try:
        return Result(problem, schedule, provenance=provenance)
    except InvalidSchedule as error:
        return WorkerLost(str(error))


def _tco_of_both(first: Schedule, then: Schedule) -> int:
    """Return the TCO of two schedules one after the other."""
    return first.tco + then.tco


def _ladder(lowest: int, last: int, dense: int) -> Iterable[int]:
    """Yield numbers of start-ups from the lowest on, densely at first, then in growing strides."""
    num_steps = lowest
    while num_steps < last:
        yield num_steps
        num_steps += 1 if num_steps < lowest + dense else 2 + (num_steps - lowest - dense) // 3
