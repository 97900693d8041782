"""One problem from every side: what the program says of it, against the tests' own judge and the true optimum.

The program's answer is judged by the tests' own judge, its bounds are checked, compared with the optimum that
`tests.optimum` finds where it can, written to a file and read again. A closer examination looks at other solvers, other
numbers of pieces, forged certificates, faults and exports, too (`fuzzing.closer_looks`). What may not be:

* crash: anything raised but a refusal of the problem itself;
* invalid: a schedule that the tests' judge refuses;
* false claim: a bound above the optimum or without a proof, or "impossible" for what is possible;
* lost answer: no schedule, though there is one, without a word about why;
* overrun: more than two seconds over the limit, twice in a row (the first time may have to compile).
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bounds.exhaustive import TooMany
from tests.checker import judge
from tests.optimum import least_occupancy, optimum

import pavane
from fuzzing import closer_looks as looks
from fuzzing.exports import wrong_exports
from pavane.jit import clock
from pavane.judge.certificates import proven
from pavane.judge.result import Result
from pavane.model.bound import Bound, of_objective
from pavane.model.problem import Problem

MOST_OVERRUN = 2.0
"""Seconds over the limit that are forgiven."""


@dataclass
class Found:
    """What became of one problem."""

    number: int
    text: str
    is_front: bool = False
    """Whether few start-ups are not all that counts, so that a schedule may well have more of them."""
    optimum: int | None = None
    steps: int | None = None
    bound: int = 0
    status: str = ""
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


# -- one problem


def examined(problem: Problem, number: int, limit: float, most_tried: int, *, closely: bool = True) -> Found:
    """Let the program solve a problem, and look at its answer from every side; if its number is even, closely."""
    about = problem.to_dict()
    found = Found(number, f"{problem} {about['collective']} {about['network']}")
    found.is_front = problem.rules.combining
    found.optimum = optimum(problem, most_tried)
    try:
        result, found.seconds = _timed(problem, number, limit)
        if found.seconds > limit + MOST_OVERRUN:
            # Kernels are compiled when they are first called, which no limit can hurry.
            result, found.seconds = _timed(problem, number, limit)
        found.steps, found.status = result.num_steps, result.status
        found.bound = max((bound.figure for bound in of_objective(result.bounds, "steps")), default=0)
        found.failures += list(_faults(problem, result, found))
        if number % 3 == 0 and found.optimum is not None:
            found.failures += list(_asked(problem, number, limit, found.optimum))
        if problem.rules.combining and problem.pattern != "reduction" and number % 2 == 0:
            found.failures += list(_front(problem, number, limit, most_tried))
        if closely and number % 2 == 0:
            found.failures += list(_looked_at(problem, result, number, limit, found.optimum))
    except Exception:
        found.failures.append(f"crash: {traceback.format_exc()}")
    if found.seconds > limit + MOST_OVERRUN:
        found.failures.append(f"overrun: {found.seconds:.1f} s where {limit} s were given")
    return found


def glanced_at(problem: Problem, number: int, limit: float, most_tried: int) -> Found:
    """Look at the answer of the program, and at that of another solver that says yes to the problem: what takes long
    is left out, so that there is time for many problems.
    """
    found = Found(number, str(problem), is_front=problem.rules.combining)
    try:
        result, found.seconds = _timed(problem, number, limit)
        if found.seconds > limit + MOST_OVERRUN:
            result, found.seconds = _timed(problem, number, limit)
        found.steps, found.status = result.num_steps, result.status
        found.bound = max((bound.figure for bound in of_objective(result.bounds, "steps")), default=0)
        found.optimum = optimum(problem, most_tried) if most_tried else None
        found.failures += list(_faults(problem, result, found, in_a_file=number % 16 == 0))
        if number % 8 == 1:
            found.failures += list(looks.contradictions(problem, result, number))
    except Exception:
        found.failures.append(f"crash: {traceback.format_exc()}")
    if found.seconds > limit + MOST_OVERRUN:
        found.failures.append(f"overrun: {found.seconds:.1f} s where {limit} s were given")
    return found


def _looked_at(problem: Problem, result: Result, number: int, limit: float, best: int | None) -> Iterator[str]:
    """Take closer looks at a problem with pieces, sizes or capacities; those that take long, of some problems each."""
    turn, tries = number // 2, 5_000
    yield from looks.inexact_bounds(problem, of_objective(result.bounds, "steps"))
    yield from looks.wrong_solvers(problem, number, limit / 6, best)
    if best is not None:
        yield from looks.too_high(problem, best, random.Random(f"forged/{number}"))
    if problem.num_messages <= 12 and turn % 3 == 0:
        if not problem.rules.combining:
            yield from looks.wrong_message_times(problem, number, limit, tries)
        elif problem.pattern != "reduction":
            yield from looks.wrong_joint_front(problem, number, limit)
    if turn % 3 == 1 and problem.network.num_channels <= 8:
        yield from looks.wrong_faults(problem, number, limit / 6, tries)
    if result.schedule is None:
        return
    for look in (looks.wrong_times, looks.wrong_reversal, looks.wrong_words):
        yield from look(result)
    yield from wrong_exports(result, turn)
    if turn % 3 == 2:
        yield from looks.wrong_repair(result, number, limit / 3, tries)
    if turn % 20 == 0:
        yield from looks.wrong_pictures(result)


def _timed(problem: Problem, number: int, limit: float) -> tuple[Result, float]:
    begun, begun_work = clock.now(), time.process_time()  # as budgets have it: compiling does not count
    result = pavane.solve(problem, pavane.SearchOptions(seconds=limit, seed=number))
    # Where other processes take most of the machine, the time of this one counts.
    return result, min(clock.now() - begun, time.process_time() - begun_work)


def _faults(problem: Problem, result: Result, found: Found, *, in_a_file: bool = True) -> Iterator[str]:
    """Say what is wrong with an answer: its schedule, its bounds, its status, its file."""
    best = found.optimum
    if result.schedule is None:
        if not result.notes:
            yield f"lost answer: none, optimum {best}"
        return
    broken = judge(problem, result.schedule)
    if broken:
        yield f"invalid: {sorted(broken, key=str)[0]}"
    if result.notes:
        yield f"note: {'; '.join(result.notes)}"
    if best is not None and result.schedule.num_steps < best:
        yield f"invalid or the tests are wrong: {result.schedule.num_steps} steps, optimum {best}"
    yield from _false_bounds(problem, of_objective(result.bounds, "steps"), best)
    if in_a_file:
        yield from _other_after_file(result)


def _other_after_file(result: Result) -> Iterator[str]:
    """Write a result into a file, and say what is different when it is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "schedule.json"
        pavane.write_schedule(path, result)
        again = pavane.read_schedule(path).result()
    yield from looks.same_after_file(result, again)
    # That a search found nothing cannot be seen from a file: what only that proves is claimed there.
    status = result.amended(bounds=tuple(one for one in result.bounds if one.argument != "exhaustive")).status
    if again.schedule != result.schedule or again.status != status:
        yield f"false claim: {status} before and {again.status} after the file"


def _false_bounds(problem: Problem, bounds: Iterable[Bound], best: int | None) -> Iterator[str]:
    for bound in bounds:
        if best is not None and bound.figure > best:
            yield f"false claim: {bound} above the optimum {best}"
        if bound.argument != "exhaustive" and proven(problem, bound) < bound.figure:
            yield f"false claim: {bound} is not proven"


def _asked(problem: Problem, number: int, limit: float, best: int) -> Iterator[str]:
    """Request the optimum, and for one step less."""
    enough = pavane.solve(problem, pavane.SearchOptions(seconds=limit, seed=number), num_steps=best)
    if enough.status == "impossible":
        yield f"false claim: {best} steps called impossible"
    if best > 1:
        less = pavane.solve(problem, pavane.SearchOptions(seconds=limit, seed=number), num_steps=best - 1)
        yield from _false_bounds(problem, less.bounds, best)
        if less.schedule is not None:
            yield f"invalid or the tests are wrong: {best - 1} steps, optimum {best}"


def _front(problem: Problem, number: int, limit: float, most_tried: int) -> Iterator[str]:
    """Compare the points of a front with the least TCO of their start-ups."""
    for point in pavane.pareto_front(problem, pavane.SearchOptions(seconds=limit, seed=number)).points:
        assert point.result.schedule is not None
        broken = judge(problem, point.result.schedule)
        if broken:
            yield f"invalid: {sorted(broken, key=str)[0]}"
        try:
            least = least_occupancy(problem, point.start_ups, most_tried)
        except (TooMany, RecursionError):
            continue
        if least is None or point.tco < least:
            yield f"invalid or the tests are wrong: {point.start_ups}/{point.tco}, least TCO {least}"
        elif point.optimal_tco and point.tco > least:
            yield f"false claim: {point.start_ups}/{point.tco} called optimal, least TCO {least}"
        if least is not None:
            yield from looks.too_high_occupancy(problem, point.start_ups, least, random.Random(f"forged/{number}"))
