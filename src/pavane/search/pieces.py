"""Messages cut into several numbers of pieces: a schedule for each number, and which is the best.

S steps with k pieces a message are S / k message times, so that is what schedules of different k compare by. The
fractional bound (`pavane.bounds.fractional`) is what no k goes below. More pieces come nearer to it, and cost more
start-ups: with a start-up of ts and messages that take m * t1, the time is S * (ts + m * t1 / k).

With start times schedules compare by their end: more pieces follow each other more closely, and each costs an overhead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal

from pavane.bounds import lower_bounds
from pavane.bounds.fractional import FractionalBound, fractional_bound
from pavane.bounds.registry import ARGUMENT_OF
from pavane.bounds.steps import listed
from pavane.errors import InputError, shortened
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import LEAST_SECONDS, SearchOptions, check_problem
from pavane.search.synthesis import solve
from pavane.solvers import Solver
from pavane.text import counted
from pavane.timing import picoseconds_text

MOST_PIECES = 12
"""The most pieces of a message that are tried if no number is given."""

MOST_PIECES_TO_MEET = 24
"""The most that are tried beyond that, where so many make the fractional bound whole."""

MOST_PIECES_IN_ALL = 20_000
"""The most pieces of all messages together that are tried if no number is given."""

MOST_PIECES_DOUBLED = 64
"""With start times numbers of pieces are doubled up to this one: more gain less than a hundredth, and take twice as
long."""

SHARE_OF_BOUND = 0.1
"""What part of the time the fractional bound may take."""


@dataclass(frozen=True)
class PieceSweep:
    """What was found for one problem with messages in different numbers of pieces, the fewest pieces first.

    `sweep_pieces` finds it.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "broadcast")
        >>> pavane.sweep_pieces(problem, [1, 2]).best()
        <Result: broadcast (OAB) on ring:4 in 2 steps, optimal>
    """

    problem: Problem
    """The problem with messages in one piece."""
    results: tuple[Result, ...]
    fractional: FractionalBound | None
    """The message times that no number of pieces goes below, and why."""
    seconds: float = 0.0
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search."""
    notes: tuple[str, ...] = ()
    """What went wrong on the way and cost a part of the search, a line each."""

    def __repr__(self) -> str:
        about = f"{self.problem.collective.title} on {self.problem.network.name}"
        tried = counted(len(self.results), "number")
        if not self.solved:
            return f"<PieceSweep: no schedule of {about}, {tried} of pieces>"
        best = self.best()
        pieces = counted(best.problem.collective.pieces, "piece")
        times = f"{best.per_message} message time{'' if best.per_message == 1 else 's'}"
        if best.finish is not None:
            times = picoseconds_text(best.finish)
        return f"<PieceSweep: {about}, {tried} of pieces, best {times} with {pieces}>"

    @property
    def solved(self) -> tuple[Result, ...]:
        """Return the results that have a schedule."""
        return tuple(result for result in self.results if result.schedule is not None)

    def best(self, startup: float = 0.0, per_message: float = 1.0) -> Result:
        """Return the fastest result, given the time of a start-up and of a message on a channel; of equals the first.

        Without them it is the one of the fewest message times. With start times it is the one that ends first.
        """
        if not self.solved:
            raise InputError(f"no schedule of {self.problem} was found; give the search more time")
        return min(self.solved, key=lambda result: time_of(result, startup, per_message))

    def is_final(self, result: Result) -> bool:
        """Return whether no number of pieces has fewer message times than a result."""
        times = result.per_message
        return times is not None and self.fractional is not None and times <= self.fractional.per_message


def time_of(result: Result, startup: float, per_message: float) -> Fraction:
    """Return the time of a schedule, exactly: its end, or its steps with a start-up and one piece of a message each."""
    if result.finish is not None:
        return Fraction(result.finish)
    assert result.num_steps is not None
    assert result.per_message is not None
    return result.num_steps * Fraction(startup) + result.per_message * Fraction(per_message)


def sweep_pieces(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    options: SearchOptions = SearchOptions(),
    *,
    method: str = "auto",
    solver: Solver | None = None,
) -> PieceSweep:
    """Find a schedule of as few steps as possible for each number of pieces a message, and prove how good they are.

    With `auto` messages stay whole first. Then come the numbers that the fractional bound suggests, until one meets it;
    numbers that could not be better than the best so far are skipped. With start times numbers are doubled until one
    ends later. The time is shared: each number has an equal part of what is left, or half of it where they are doubled.
    An interrupt (Ctrl-C) ends the search: the best so far is returned, and with nothing found the interrupt is raised.

    Args:
        problem: The problem, without combining.
        pieces: The numbers of pieces to try, or `"auto"`.
        options: How to search. `on_improvement` is called with every result that is the best so far of its number of
            pieces; with start times with every result that ends before all others so far.
        method: The name of a solver, or `"auto"`.
        solver: A solver with settings of its own; it takes precedence over the method.

    Returns:
        The result for each number of pieces, and which is the best.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "broadcast")
        >>> pavane.sweep_pieces(problem, [1, 2]).best().per_message
        Fraction(1, 1)
    """
    check_pieces(problem.in_steps if isinstance(problem, Problem) else problem, pieces)
    if problem.rules.combining:
        raise InputError(
            "numbers of pieces are compared by their steps, and combining has start-ups and TCO; leave `combining` out"
        )
    started, budget = clock.now(), options.budget()
    problems, fractional = problems_in_pieces(problem, pieces, budget)
    found = PieceSweep(cut_into(problem, 1), (), fractional)
    search, is_doubled = solve if problem.has_times else find_fewest_steps, pieces == "auto" and problem.has_times
    for number, each in enumerate(problems):
        if pieces == "auto" and not _may_be_better(each, found):
            continue
        if budget.is_over and found.solved:
            found = replace(found, notes=(*found.notes, out_of_time(problems[number:])))
            break
        shares = min(len(problems) - number, 2 if is_doubled else len(problems))
        try:
            report = _report_of(each, found, options.on_progress)
            part = replace(options, seconds=seconds_of_share(budget, shares), on_progress=report)
            result = search(each, part, method=method, solver=solver)
        except KeyboardInterrupt:
            if not found.solved:
                raise
            found = replace(found, interrupted=True)
            break
        found = _with(found, result)
        is_best = result.schedule is not None and found.best() is found.results[-1]
        if problem.has_times and is_best and options.on_improvement is not None:
            options.on_improvement(result)
        # Once more pieces cost more than they gain, still more do.
        if result.interrupted or (is_doubled and result.schedule is not None and not is_best):
            break
    return replace(found, seconds=round(clock.now() - started, 3))


def doubled_counts(num_bytes: int) -> Iterator[int]:
    """Yield the numbers of pieces to try with start times: those that a message of some bytes can be cut into."""
    count = 1
    while count <= MOST_PIECES_DOUBLED and (count - 1) * -(-num_bytes // count) < num_bytes:
        yield count
        count *= 2


def check_pieces(problem: Problem, pieces: object) -> None:
    """Refuse what is not a problem, and what is not a list of numbers of pieces."""
    check_problem(problem)
    if pieces != "auto" and (isinstance(pieces, str | bytes) or not isinstance(pieces, Iterable)):
        raise InputError(f"`pieces` is {shortened(pieces)}; list some numbers, like [1, 2, 3], or give auto")
    if not pieces:
        raise InputError("`pieces` lists no number; give some, like [1, 2, 3], or auto")


def cut_into(problem: Problem, pieces: int) -> Problem:
    """Return the same problem with every message, or unit of one, cut into another number of pieces."""
    return replace(problem, collectives=(replace(problem.collective, pieces=pieces),))


def problems_in_pieces(
    problem: Problem, pieces: Sequence[int] | Literal["auto"], budget: Budget
) -> tuple[list[Problem], FractionalBound | None]:
    """Return the problem in each number of pieces to try, and the bound that no number goes below."""
    if pieces == "auto" and problem.has_times:
        pieces = tuple(doubled_counts(problem.timing.num_bytes))
    # A number that cannot be is refused before any search.
    named = [] if pieces == "auto" else [cut_into(problem, number) for number in sorted(set(pieces))]
    if problem.has_times:
        return named, None
    whole = cut_into(problem, 1)
    fractional = fractional_bound(whole, budget.part(SHARE_OF_BOUND).deadline)
    return named or [cut_into(whole, number) for number in hinted(whole, fractional)], fractional


def out_of_time(untried: Sequence[Problem]) -> str:
    """Return a note about the numbers of pieces that no time was left for."""
    numbers = ", ".join(str(problem.collective.pieces) for problem in untried)
    return f"no time was left to try {numbers} pieces; a longer `seconds` may find more"


def seconds_of_share(budget: Budget, shares: int) -> float | None:
    """Return the seconds of the next of several searches that share what is left."""
    left = budget.seconds_left
    return None if left is None else max(LEAST_SECONDS, left / shares)


def with_fractional_bound(result: Result, deadline: float | None = None) -> Result:
    """Return a result with the fractional bound among its bounds, unless those that it has show that it is met."""
    problem = result.problem
    known = [
        bound.exact for bound in result.bounds if bound.exact is not None and ARGUMENT_OF[bound.argument].counts_units
    ]
    if result.num_steps is not None and result.num_steps in known:
        return result
    return _bounded(result, fractional_bound(problem, deadline))


def _bounded(result: Result, fractional: FractionalBound | None) -> Result:
    """Return a result with the fractional bound among its own; the certificate is the same for all pieces."""
    if fractional is None:
        return result
    exact = result.problem.collective.pieces * fractional.per_message
    scaled = Bound(ceil(exact), fractional.bound.argument, fractional.bound.certificate, exact)
    return result.amended(bounds=listed((scaled, *result.bounds)))


def hinted(problem: Problem, fractional: FractionalBound | None) -> tuple[int, ...]:
    """Return the numbers of pieces worth a try: 1, and what makes the fractional bound whole, or comes near to that.

    These are the divisors and multiples of its denominator, few enough to be searched; where no multiple is, also the
    number that rounding up costs least, and the denominator itself if it is not much larger.
    """
    times = Fraction(1) if fractional is None else fractional.per_message
    most = max(1, min(MOST_PIECES, MOST_PIECES_IN_ALL // problem.num_messages))
    numbers = range(1, most + 1)
    chosen = {n for n in numbers if times.denominator % n == 0 or n % times.denominator == 0}
    if times.denominator > most:
        chosen.add(min(numbers, key=lambda n: Fraction(ceil(n * times), n)))
        if times.denominator <= min(MOST_PIECES_TO_MEET, MOST_PIECES_IN_ALL // problem.num_messages):
            chosen.add(times.denominator)
    return tuple(sorted(chosen))


def _may_be_better(problem: Problem, found: PieceSweep) -> bool:
    """Return whether a number of pieces could be the best so far by the fractional bound, or by bounds on its end."""
    if problem.has_times and found.solved:
        return max((bound.figure for bound in lower_bounds(problem)), default=0) < (found.best().finish or 0)
    if found.fractional is None or not found.solved:
        return True
    pieces = problem.collective.pieces
    hoped = Fraction(ceil(pieces * found.fractional.per_message), pieces)
    return all(result.per_message is not None and hoped < result.per_message for result in found.solved)


def _report_of(
    problem: Problem, found: PieceSweep, on_progress: Callable[[Progress], None] | None
) -> Callable[[Progress], None] | None:
    """Return a callback that reports the progress of one search as one of several."""
    if on_progress is None:
        return None
    best = min((result.per_message for result in found.solved if result.per_message is not None), default=None)
    return lambda now: on_progress(replace(now, pieces=problem.collective.pieces, message_times=best))


def _with(found: PieceSweep, result: Result) -> PieceSweep:
    """Return what was found with one more result."""
    pieces = counted(result.problem.collective.pieces, "piece")
    return replace(
        found,
        results=(*found.results, _bounded(result, found.fractional)),
        interrupted=result.interrupted,
        notes=(*found.notes, *(f"{pieces}: {text}" for text in result.notes)),
    )
