"""The best schedule of each number of start-ups so far, and the bounds on what any schedule can have."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf
from typing import Any

from pavane.bounds import best_of_each, counted_bounds
from pavane.bounds.moves import bounds_by_moves
from pavane.bounds.occupancy import occupancy_bound, one_message_a_step
from pavane.bounds.start_ups import start_up_bounds
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.bound import Bound, of_objective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.search.pareto_fronts import Point
from pavane.search.search_run import Answer
from pavane.search.tuning import Effort


class BestPoints:
    """What the search for a front has found and proven so far."""

    is_settled = False

    def __init__(self, problem: Problem, budget: Budget, effort: Effort) -> None:
        self.problem, self.budget, self.effort = problem, budget, effort
        self.bounds = best_of_each((*counted_bounds(problem), *start_up_bounds(problem)))
        self.lowest = self.bounds[0].figure
        """No schedule has fewer start-ups."""
        self._found: dict[int, Result] = {}
        self._goals: dict[int, Bound] = {}
        self.evaluations = 0
        """Moves that all searches have made, where they count them."""

    # -- bounds

    def goal(self, num_steps: int) -> int:
        """Return a TCO below which no schedule with `num_steps` start-ups comes."""
        if num_steps not in self._goals:
            # Prices take long and are the same for all start-ups: they are looked for once.
            is_quick = self.problem.num_deliveries <= self.effort.most_deliveries_bounded
            quick = occupancy_bound(self.problem, num_steps, 0.0) if is_quick else one_message_a_step(num_steps)
            self._goals[num_steps] = max(quick, self._bound_of_all, key=lambda bound: bound.figure)
        return self._goals[num_steps].figure

    def learn(self, answer: Answer) -> None:
        """Take in what an attempt has counted, and proven about the TCO of numbers of start-ups."""
        self.evaluations += 0 if answer.run is None else answer.run.evaluations
        for bound in of_objective(answer.bounds, "tco"):
            if bound.num_steps is not None and bound.figure > self.goal(bound.num_steps):
                self._goals[bound.num_steps] = bound

    @property
    def least_tco(self) -> int:
        """Return a TCO below which no schedule comes."""
        return self._bound_of_all.figure

    @cached_property
    def _bound_of_all(self) -> Bound:
        """The bound on the TCO of schedules of any number of start-ups."""
        limit = self.budget.part(self.effort.share_aside).deadline
        return occupancy_bound(self.problem, None, limit)

    @cached_property
    def fewest_tried(self) -> int:
        """The fewest start-ups that are worth a try: with less, growth and distance together leave no schedule."""
        number = self.lowest
        while self._is_refuted(number):
            number += 1
        return number

    def _is_refuted(self, num_steps: int) -> bool:
        """Return whether private messages have too few ways to their targets in `num_steps` start-ups."""
        if self.problem.num_deliveries > self.effort.most_deliveries_bounded:
            return False
        try:
            list(bounds_by_moves(self.problem, num_steps))
        except InputError:
            return True
        return False

    def is_met(self, num_steps: int) -> bool:
        """Return whether `num_steps` start-ups leave nothing to find: as few or fewer reach their goal."""
        return self.tco(num_steps) <= self.goal(num_steps)

    # -- schedules

    @property
    def start_ups(self) -> list[int]:
        """Return the numbers of start-ups of the non-dominated points, the fewest first."""
        kept: list[int] = []
        for number in sorted(self._found):
            if not kept or tco_of(self._found[number]) < tco_of(self._found[kept[-1]]):
                kept.append(number)
        return kept

    @property
    def fewest(self) -> int | None:
        """Return the fewest start-ups found."""
        return min(self._found, default=None)

    @property
    def results(self) -> list[Result]:
        """Return the results of the points, the fewest start-ups first."""
        return [self._found[number] for number in self.start_ups]

    @property
    def figures(self) -> tuple[tuple[int, int], ...]:
        """Return start-ups and TCO of the points."""
        return tuple((number, tco_of(self._found[number])) for number in self.start_ups)

    def tco(self, num_steps: int | None = None) -> float:
        """Return the least TCO found with at most `num_steps` start-ups; None: with any number."""
        return min((tco_of(r) for s, r in self._found.items() if num_steps is None or s <= num_steps), default=inf)

    @property
    def progress(self) -> dict[str, Any]:
        """Return the figures of the points."""
        return {"points": self.figures}

    def slot(self, schedule: Schedule) -> int:
        """Return the start-ups: schedules compete with those that have as many."""
        return schedule.num_steps

    def covers(self, schedule: Schedule) -> bool:
        """Return whether some schedule with as few start-ups has as little TCO."""
        return self.tco(schedule.num_steps) <= schedule.tco

    def is_improved_by(self, schedule: Schedule) -> bool:
        """Return whether no schedule with as many start-ups has as little TCO."""
        start_ups = schedule.num_steps
        return start_ups not in self._found or schedule.tco < tco_of(self._found[start_ups])

    def add(self, result: Result) -> None:
        """Replace the incumbent with its number of start-ups by a better result."""
        assert result.schedule is not None
        self._found[result.schedule.num_steps] = result

    def present(self, result: Result, seconds: float, notes: tuple[str, ...] = ()) -> Result:
        """Return a result with the bounds on its start-ups, and the time it took."""
        return result.amended(bounds=self.bounds, provenance=replace(result.provenance, seconds=seconds))

    def is_near_hull(self, num_steps: int) -> bool:
        """Return whether a schedule of `num_steps` start-ups would be the fastest for some size of messages.

        It is taken to lose a little of the TCO that it has by now.
        """
        others = [(start_ups, tco) for start_ups, tco in self.figures if start_ups != num_steps]
        hoped = (1 - self.effort.hoped_gain) * self.tco(num_steps)
        for fewer, high in others:
            for more, low in others:
                if fewer < num_steps < more:
                    between = high + (low - high) * (num_steps - fewer) / (more - fewer)
                    if hoped >= between:
                        return False
        return True

    def points(self, *, known_only: bool = False) -> tuple[Point, ...]:
        """Return the points, each with what is proven about it; no bound is looked for where only known ones count."""
        found = []
        for result, (start_ups, tco) in zip(self.results, self.figures, strict=True):
            if not known_only:
                self.goal(start_ups)
            goal = self._goals.get(start_ups)
            proven = result.amended(bounds=self.bounds if goal is None else (*self.bounds, goal))
            found.append(Point(proven, start_ups, tco, proven.has_least_figure, proven.has_least_tco))
        return tuple(found)


def tco_of(result: Result) -> int:
    """Return the TCO of a result that has a schedule."""
    assert result.schedule is not None
    return result.schedule.tco
