"""The search for a front: each number of start-ups on its own, and whatever else is known to give good schedules.

First fit comes in where it is quick, scatters along the trees of broadcasts, rows and columns of products of networks
put together, and the best schedule without combining, whose TCO is its number of steps. The front of an allreduce is
made of the fronts of its phases.

Without a time limit the effort is counted, so that the same seed gives the same front. With one, searches are repeated
with more effort until the time is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf

from pavane.bounds import counted_bounds
from pavane.errors import InputError, in_one_line
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.allreduce import phases
from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.best_points import BestPoints
from pavane.search.broadcast_trees import along_broadcast, broadcast_of
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions, check_problem
from pavane.search.pareto_fronts import ParetoFront
from pavane.search.products import as_product, factors, joined_schedules
from pavane.search.search_run import Answer, Attempt, Search
from pavane.search.tuning import Effort
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of
from pavane.solvers.combining.combining import Combining
from pavane.solvers.reductions import TIME_REVERSAL, Chain
from pavane.symmetry.groups import free_groups
from pavane.text import VERSION


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
    # What was found must still be built and judged before the time is over.
    margin = 0.2 + 2e-5 * problem.num_deliveries
    seconds = options.seconds
    limit = None if seconds is None else max(seconds / 2, 0.97 * seconds - margin)
    front = FrontSearch(problem, options, replace(options, seconds=limit).budget(), effort or Effort())
    search, best = front.search, front.best
    interrupted, is_whole = False, True
    try:
        front.run()
    except KeyboardInterrupt:
        search.take_reported()
        if not best.results:
            raise
        interrupted, is_whole = True, False
    except Exception as error:
        if not best.results:
            raise
        is_whole = False
        search.notes.append(f"the search ended early: {in_one_line(error)}")
    if seconds is not None:
        search.take_reported()
    points = best.points(known_only=not is_whole)
    elapsed = round(clock.now() - search.started, 3)
    return ParetoFront(problem, points, elapsed, interrupted, tuple(search.notes))


def fastest_of_front(problem: Problem, options: SearchOptions) -> Result:
    """Search for the front, and return its point that is the fastest where a message takes as long as a start-up."""
    bounds = counted_bounds(problem)

    def report(now: Progress) -> None:
        assert options.on_progress is not None
        fewest = min((start_ups for start_ups, _ in now.points or ()), default=None)
        options.on_progress(replace(now, best=fewest, bound=bounds[0].figure, points=None))

    def cost(result: Result) -> tuple[int, int]:
        assert result.schedule is not None
        return result.schedule.num_steps + result.schedule.tco, result.schedule.num_steps

    least = (inf, inf)

    def report_improvement(result: Result) -> None:
        nonlocal least
        if options.on_improvement is not None and cost(result) < least:
            least = cost(result)
            options.on_improvement(result)

    found = pareto_front(
        problem,
        replace(
            options,
            on_progress=None if options.on_progress is None else report,
            on_improvement=None if options.on_improvement is None else report_improvement,
        ),
    )
    if not found.points:
        provenance = Provenance("auto", options.seed, found.seconds, VERSION)
        return Result(problem, None, bounds, provenance, notes=found.notes)
    result = found.best(1.0, 1.0).result
    about = replace(result.provenance, seconds=found.seconds)
    return result.amended(provenance=about, notes=found.notes, interrupted=found.interrupted)


class FrontSearch:
    """The stages of a search for a front."""

    def __init__(self, problem: Problem, options: SearchOptions, budget: Budget, effort: Effort) -> None:
        self.problem, self.effort, self.seed = problem, effort, options.seed
        self.best = BestPoints(problem, budget, effort)
        self.search = Search(problem, self.best, options, budget)
        self.is_private = problem.pattern == "private"
        size = problem.num_messages if self.is_private else problem.num_deliveries / 2
        self.is_large = size > effort.most_unscouted
        self.is_small = problem.num_deliveries <= effort.most_deliveries_bounded // 10
        self.groups: list[int] = []
        """Groups of symmetries that did best where all were tried, the best first."""

    def run(self) -> None:
        """Place messages by first fit, search from the fewest start-ups on, and without combining."""
        if self.problem.pattern == "allreduce":
            self._add_up_phases()
            return
        can_combine = Combining().supports(self.problem)
        self._place_first(can_combine)
        self._do("broadcast tree", self._scatter_along_broadcast)
        self._do("product", self._join_lines)
        is_scouted = self.is_large and self.problem.num_deliveries <= self.effort.most_deliveries_bounded
        if is_scouted and can_combine:
            self._do("scouting", self._scout)
        # The other end of the front is found without combining; broadcasts hardly ever need it.
        if self.is_private:
            self._do("auto without combining", lambda: self._solve_alone(self.effort.share_alone))
        number = 0
        while not self.search.is_over and can_combine:
            attempts = list(self._attempts(number))
            if not attempts or (not self.search.is_timed and number == self.effort.passes):
                break
            self._try(attempts)
            number += 1
            if number == 1 and not self.is_private:
                self._do("auto without combining", lambda: self._solve_alone(self.effort.share_alone))
        if not self.best.results:
            # First fit solves everything, and mostly soon enough to be waited for.
            budget = self.search.budget
            if self.problem.num_deliveries <= self.effort.most_deliveries_bounded:
                self.search.budget = replace(budget, deadline=None)
            self.search.run([Attempt(SOLVERS["greedy"], None, self.seed)])
            self.search.budget = budget

    def _do(self, name: str, part: Callable[[], None]) -> None:
        """Do a part of the search; if it fails, that is noted, and the others follow."""
        try:
            part()
        except Exception as error:
            self.search.notes.append(f"{name} failed: {in_one_line(error)}")

    def _place_first(self, can_combine: bool) -> None:
        """Take in first fit where it is quick or nothing else is there."""
        if self.is_small or not can_combine:
            self.search.run([Attempt(SOLVERS["greedy"], None, self.seed)])

    def _scatter_along_broadcast(self) -> None:
        """Find a broadcast of few steps, and send the messages of a scatter or gather along its tree."""
        broadcast = broadcast_of(self.problem)
        options = None if broadcast is None else self._options_alone(self.effort.share_alone)
        if broadcast is None or options is None:
            return
        result = find_fewest_steps(broadcast, options)
        if result.schedule is not None:
            self.search.offer("broadcast tree", along_broadcast(self.problem, result.schedule))
        if result.interrupted:
            raise KeyboardInterrupt

    def _join_lines(self) -> None:
        """Solve rows and columns of a product of networks, and put them together."""
        problem = self.problem
        chain = Chain.of(problem, [TIME_REVERSAL])
        ahead = chain.problem
        product = as_product(ahead.network)
        parts = None if product is None else factors(ahead, product)
        if product is None or parts is None or self.search.is_over:
            return
        rows = self._line(parts[0])
        columns = rows if parts[0].network == parts[1].network else self._line(parts[1])
        least, took = float("inf"), 0.0
        for lines in joined_schedules(ahead, product, rows, columns):
            left = self.search.budget.seconds_left
            # Large ones take long to build and to judge.
            if lines.tco < least and (left is None or 1.5 * took < left):
                started = clock.now()
                least = lines.tco
                self.search.offer("product", chain.invert(lines.build()))
                took = clock.now() - started

    def _add_up_phases(self) -> None:
        """Find the fronts of both phases of an allreduce, and join each schedule of one with each of the other.

        Whole sums that groups exchange may need fewer start-ups, trees without combining less TCO.
        """
        if SOLVERS["exchange"].supports(self.problem):
            self.search.run([Attempt(SOLVERS["exchange"], None, self.seed)], share=self.effort.share_alone)
        gathering, spreading = phases(self.problem)
        symmetric = is_symmetric(spreading)
        share = 1.0 - self.effort.share_alone
        spread = self._front_of(spreading, share if symmetric else share / 2)
        if symmetric:
            gathered = [reduction_of(spreading, schedule) for schedule in spread]
        else:
            gathered = self._front_of(gathering, share)
        pairs = [(first, then) for first in gathered for then in spread]
        least = inf
        for first, then in sorted(pairs, key=lambda two: (two[0].num_steps + two[1].num_steps, _tco_of_both(*two))):
            if _tco_of_both(first, then) < least:
                least = _tco_of_both(first, then)
                self.search.offer("two phases", join_schedules(first, then))
        self._do("auto without combining", lambda: self._solve_alone(1.0))

    def _line(self, problem: Problem) -> list[Schedule]:
        """Return the schedules of the front of a row or column."""
        return self._front_of(problem, self.effort.share_aside)

    def _front_of(self, problem: Problem, share: float) -> list[Schedule]:
        """Return the schedules of the front of another problem, found in a share of the time left."""
        search = self.search
        part = FrontSearch(problem, search.options_of_part(), search.budget.part(share), self.effort)
        part.run()
        self.best.evaluations += part.best.evaluations
        search.notes += part.search.notes
        return [result.schedule for result in part.best.results if result.schedule is not None]

    def _solve_alone(self, share: float) -> None:
        """Solve the problem without combining: every step then carries single messages."""
        if self.best.tco() <= self.best.least_tco:
            return
        search, rules = self.search, replace(self.problem.rules, combining=False)
        # What is routed minimally is quicker to find, and valid under any routing.
        for routing in dict.fromkeys(("minimal", rules.routing) if rules.routing == "any" else (rules.routing,)):
            try:
                alone = Problem(self.problem.network, self.problem.collective, replace(rules, routing=routing))
            except InputError:
                return  # some pair has no single path under restricted routing
            options = self._options_alone(share)
            if options is None:
                return
            if search.options.on_improvement is not None:
                options = replace(options, on_improvement=self._hear_alone)
            result = find_fewest_steps(alone, options)
            search.notes += result.notes
            if result.schedule is not None:
                search.offer("auto", result.schedule, result.provenance, result.run)
            if result.interrupted:
                raise KeyboardInterrupt
            if result.status == "optimal":
                return

    def _options_alone(self, share: float) -> SearchOptions | None:
        """Return how to search without combining in a share of the time left; None where there is none."""
        search = self.search
        search.report_progress("auto", None)
        seconds = search.budget.part(share).seconds_left
        if seconds == 0:
            return None
        evaluations = search.budget.evaluations
        if evaluations is None and seconds is None:
            evaluations = self.effort.evaluations_alone
        return SearchOptions(self.seed, seconds, evaluations, search.workers)

    def _hear_alone(self, result: Result) -> None:
        """Report a result without combining, whose schedule is one with combining, too."""
        if result.schedule is not None:
            self.search.hear(result.provenance.solver, result.schedule)

    # -- searching at numbers of start-ups

    def _scout(self) -> None:
        """Find out at one number of start-ups which groups of symmetries suit; they serve the others as well."""
        effort = self.effort
        groups = free_groups(forwards(self.problem))
        orders = sorted({len(group) for group in groups}, reverse=True)[:2]
        tried = [number for number, group in enumerate(groups) if len(group) in orders]
        if len(tried) < 2:
            return
        quick = Combining(reach_moves=effort.first_moves, most_moves=effort.first_moves, work=effort.first_work / 2)
        for num_steps in (self.best.fewest_tried + more for more in range(2, effort.dense_start_ups + 1)):
            if self.best.is_met(num_steps):
                return
            goal = self.best.goal(num_steps)
            reached: dict[int, int] = {}

            def compare(attempt: Attempt, answer: Answer, reached: dict[int, int] = reached) -> None:
                if answer.schedule is not None and isinstance(attempt.solver, Combining):
                    reached[attempt.solver.group or 0] = answer.schedule.tco

            self._try(
                [Attempt(replace(quick, goal=goal, group=group), num_steps, self.seed) for group in tried], compare
            )
            ordered = sorted(reached, key=lambda group: (reached[group], group))
            # One process leaves out the others once the goal is met; several must come to the same.
            most = 1 if ordered and reached[ordered[0]] <= goal else 2
            self.groups = [g for g in ordered[:most] if reached[g] <= (1 + effort.doubt) * reached[ordered[0]]]
            if reached or self.search.is_over:
                return

    def _attempts(self, number: int) -> Iterator[Attempt]:
        """Yield the attempts of a pass, by its number from 0: start-ups whose TCO may still be lowered."""
        scale = self._scale(number)
        moves = int(scale * self.effort.first_moves * min(1.0, self.problem.num_deliveries / 400))
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
                yield Attempt(solver, num_steps, self.seed + 1000 * number + num_steps)

    def _scale(self, number: int) -> float:
        """Return how many times the first work a search takes in a pass."""
        effort = self.effort
        if not self.groups:
            return float(effort.work_growth**number)
        # Where groups were scouted, a few long searches do better than many short ones.
        if self.is_private:
            return effort.scouted_work * effort.scouted_growth ** (number // 2)
        return effort.scouted_work * effort.scouted_growth ** (number - 1)

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
                last = min(last, fewest + effort.dense_start_ups // 2)
        is_sparse = self.is_large and self.is_private
        ladder = list(_ladder(lowest, last, effort.dense_start_ups // 3 if is_sparse else effort.dense_start_ups))
        if not self.groups or fewest is None:
            return ladder
        # Fewer start-ups than scouting came by are hard: they are tried once, after the others.
        fewer = [num_steps for num_steps in ladder if num_steps < fewest]
        others = [num_steps for num_steps in ladder[len(fewer) :] if not self.best.is_met(num_steps)]
        return others + (fewer if number == 1 or not others else [])

    def _try(self, attempts: list[Attempt], on_answer: Callable[[Attempt, Answer], None] | None = None) -> None:
        """Make attempts; what was found since for fewer start-ups may leave nothing to find for some."""
        is_scouted = bool(self.groups) and self.search.workers.is_serial
        in_time = self.effort.searches_in_time - is_scouted
        self.search.run(attempts, share_of_each=1 / in_time, is_met=self._is_met, on_answer=on_answer)

    def _is_met(self, attempt: Attempt) -> bool:
        assert isinstance(attempt.solver, Combining)
        return self.best.tco(attempt.num_steps) <= attempt.solver.goal


def _share_until(budget: Budget, until: Budget) -> float:
    """Return the share of the time left of a budget until another one is over."""
    left, part = budget.seconds_left, until.seconds_left
    return 1.0 if not left or part is None else part / left


def _tco_of_both(first: Schedule, then: Schedule) -> int:
    """Return the TCO of two schedules one after the other."""
    return first.tco + then.tco


def _ladder(lowest: int, last: int, dense: int) -> Iterable[int]:
    """Yield numbers of start-ups from the lowest on, densely at first, then in growing strides."""
    num_steps = lowest
    while num_steps < last:
        yield num_steps
        num_steps += 1 if num_steps < lowest + dense else 2 + (num_steps - lowest - dense) // 3
