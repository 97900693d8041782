"""Schedules of one problem that are fast at some message sizes.

The time of a schedule is start-ups * ts + TCO / k * m * t1, so for messages of a known size one figure decides. The
search tries only what could be the fastest there: first whole messages, one in each transfer; then messages in pieces
or several of them in one transfer, until the best schedule meets the lower bound, or the time is over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from pavane.bounds.fractional import fractional_bound
from pavane.campaign.workload_model.own_channels import OwnChannels
from pavane.campaign.workload_model.time_bounds import TimeBound, combining, time_bound
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front
from pavane.search.pieces import cut_into, hinted
from pavane.search.synthesis import solve
from pavane.timing import Costs, Profile, predicted, profile

SHARE_OF_BOUNDS = 0.2
"""The part of its time that the bounds of a problem may take."""

LEAST_SECONDS_OF_BOUNDS = 5.0
"""The seconds that they may take at least."""

SHARE_OF_FIRST = 0.4
"""The part of the remaining time for the search with whole messages, one in each transfer."""

GAIN_SOUGHT = 0.01
"""The least part of the time that a kind of schedule must promise to save to be searched."""

MOST_NUMBERS = 3
"""The most numbers of pieces that are tried for each of the two kinds of schedules."""

MOST_PIECES_COMBINED = 2_000
"""The most pieces of all messages together that are combined; searches with more take too long to be of use."""


class WorkloadSearch(NamedTuple):
    """How the schedules of a prediction are searched."""

    options: SearchOptions = SearchOptions()
    known: Callable[[Problem], Result | None] = lambda _: None
    """Returns a schedule to start from, for example from an atlas."""


class Found(NamedTuple):
    """A schedule with its profile."""

    result: Result
    about: Profile

    @property
    def pieces(self) -> int:
        """Return the number of pieces of a message."""
        return self.result.problem.collective.pieces


@dataclass(frozen=True)
class Ways:
    """The schedules of one problem, and a lower bound on the time."""

    problem: Problem
    found: tuple[Found, ...]
    bound: TimeBound
    interrupted: bool = False

    def best(self, costs: Costs, size: float, pieces: int | None = None) -> Found | None:
        """Return the fastest schedule with messages of `size` bytes, in given pieces or in any; None without one."""
        some = [each for each in self.found if pieces in (None, each.pieces) and is_cut_so(size, each.pieces)]
        return min(some, key=lambda each: simplest_of_fastest(costs, size, each.about), default=None)


def simplest_of_fastest(costs: Costs, size: float, about: Profile) -> tuple[float, int, int]:
    """Return the sort key of schedules: their time, rounded; then fewer pieces, then less TCO."""
    return float(f"{predicted(costs, size, about):.9g}"), about.pieces, about.tco


def is_cut_so(size: float, pieces: int) -> bool:
    """Return whether a message has at least as many bytes as pieces; whole messages may have any size."""
    return pieces == 1 or size >= pieces


class _Try(NamedTuple):
    """A kind of schedule, and the least time of each size that it could reach."""

    pieces: int
    combines: bool
    hoped: tuple[float, ...]

    @property
    def effort(self) -> int:
        """Return the effort relative to whole messages."""
        return self.pieces if self.combines else 1


class Aim(NamedTuple):
    """The objective of a search: schedules that are fast at some sizes, in bytes of a message."""

    costs: Costs
    sizes: tuple[float, ...]


def search_ways(
    problem: Problem, aim: Aim, search: WorkloadSearch, budget: Budget, own: OwnChannels | None = None
) -> Ways:
    """Search for schedules of a problem without combining that are fast at some sizes.

    With channels of its own, schedules use only these; bounds hold for the whole network. An interrupt (Ctrl-C) ends
    the search: the schedules so far are returned; with none the interrupt is raised.
    """
    deadline = _deadline_of_bounds(budget)
    bound = time_bound(problem, deadline)
    searching = _Searching(problem if own is None else own.problem, own, aim, search)
    searching.run(_Try(1, False, ()), budget.part(SHARE_OF_FIRST))
    tries = _tries(searching.problem, aim, bound, deadline)
    while tries and not searching.interrupted and not (budget.is_over and searching.found):
        gains = [searching.gain(each) for each in tries]
        most = max(range(len(tries)), key=lambda index: (gains[index] / tries[index].effort, -index))
        if max(gains) < GAIN_SOUGHT:
            break
        if gains[most] < GAIN_SOUGHT:
            del tries[most]
            continue
        searching.run(tries.pop(most), budget.part(1 / max(1, sum(gain >= GAIN_SOUGHT for gain in gains))))
    return Ways(problem, tuple(searching.found), bound, searching.interrupted)


def _deadline_of_bounds(budget: Budget) -> float | None:
    """Return the deadline of the bounds of a problem: mostly they take a moment, and nothing replaces them."""
    share = budget.part(SHARE_OF_BOUNDS).deadline
    return None if share is None else max(share, clock.now() + LEAST_SECONDS_OF_BOUNDS)


def _tries(problem: Problem, aim: Aim, bound: TimeBound, deadline: float | None) -> list[_Try]:
    """Return the kinds of schedules that may be worth a search, with the least time of each size."""
    costs, sizes = aim
    fractional = fractional_bound(problem, deadline)
    numbers = [k for k in hinted(problem, fractional) if is_cut_so(max(sizes), k)]
    plain = bound.message_times if fractional is None else max(bound.message_times, fractional.per_message)
    tries: list[_Try] = []
    for combines, least in ((False, plain), (True, bound.message_times)):
        if combines and problem.has_trees:
            continue  # a tree carries one message
        some = []
        for k in numbers:
            num_pieces = k * problem.num_messages
            is_tried = k == 1 and not combines
            if is_tried or (combines and (num_pieces == 1 or (k > 1 and num_pieces > MOST_PIECES_COMBINED))):
                continue
            tco = ceil(k * least)
            start_ups = bound.start_ups if combines else max(bound.start_ups, tco)
            hoped = tuple(
                start_ups * costs.startup + Fraction(max(tco, start_ups), k) * size * costs.per_byte for size in sizes
            )
            some.append(_Try(k, combines, hoped))
        # Few pieces are combined well in little time; without combining, more pieces come nearer to the least time.
        tries += sorted(some, key=lambda each: (0.0 if combines else min(each.hoped), each.pieces))[:MOST_NUMBERS]
    return tries


class _Searching:
    """The searches of one problem, and the best of each size so far."""

    def __init__(self, problem: Problem, own: OwnChannels | None, aim: Aim, search: WorkloadSearch) -> None:
        self.problem, self.own, self.aim, self.search = problem, own, aim, search
        self.found: list[Found] = []
        self.interrupted = False

    def gain(self, what: _Try) -> float:
        """Return the largest part of the time, over all sizes, that a kind of schedule could save."""
        if not self.found:
            return 1.0
        gains = []
        for size, hoped in zip(self.aim.sizes, what.hoped, strict=True):
            now = min(predicted(self.aim.costs, size, each.about) for each in self.found)
            gains.append((now - hoped) / now if now and is_cut_so(size, what.pieces) else 0.0)
        return max(gains)

    def run(self, what: _Try, budget: Budget) -> None:
        """Search for one kind of schedule."""
        whole = cut_into(self.problem, what.pieces)
        # Every search has a minimum of time, so that it can return a schedule.
        seconds = None if budget.seconds_left is None else max(0.05, budget.seconds_left)
        options = replace(self.search.options, seconds=seconds, on_progress=None)
        try:
            if what.combines:
                front = pareto_front(combining(whole), options)
                results = [point.result for point in front.points]
                self.interrupted |= front.interrupted
            else:
                result = solve(whole, options, start=self.search.known(whole))
                results = [result]
                self.interrupted |= result.interrupted
        except KeyboardInterrupt:
            if not self.found:
                raise
            self.interrupted = True
            return
        for result in results:
            judged = result if self.own is None else self.own.on_the_whole(result)
            if judged is not None and judged.schedule is not None:
                self.found.append(Found(judged, profile(judged.schedule, what.pieces)))
