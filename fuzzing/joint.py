"""Random problems of several collectives at once: the answer to each, against the second judge and the true optimum.

The schedule is judged by both judges, its bounds are checked, and neither they nor what forged certificates prove may
be above its steps, or above the fewest steps that an exhaustive search of tiny problems finds. Both judges must agree
on mutated schedules.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.checker import in_short
from tests.joint_checker import judge_joint
from tests.joint_optimum import fewest_joint_steps
from tests.strategies import SPOILERS

import pavane
from fuzzing.exports import wrong_exports
from fuzzing.forged import FORGED, Answer, forged_certificate, proving_too_much
from fuzzing.problems import drawn_collective, drawn_problem, drawn_trees
from fuzzing.spoiled import MOST_LISTED
from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.search.options import Goal

SECONDS = 0.15
"""Time limit of a search; small problems rarely need it."""

MOST_DELIVERIES = 7
"""Deliveries of all collectives of a problem whose fewest steps are searched exhaustively."""

TRIED = 8_000
"""States and sets of transfers that the search for the fewest steps may look at."""


def drawn_joint(seed: int, number: int) -> Problem:
    """Return problem number n of a seed: two or three collectives; of ten, one may be on any network.

    In every fifth routers copy, and half of the others are tiny.
    """
    rng = random.Random(f"{seed}/{number}/joint")
    while True:
        drawn = drawn_problem(seed, rng.randrange(2**40), is_small=number % 10 != 0)
        if number % 5 == 1:
            drawn = drawn_trees(seed, 20 * rng.randrange(2**30) + 1)
        try:
            size = drawn.network.num_processors
            listed = [drawn_collective(rng, size) for _ in range(rng.choice((2, 2, 3)))]
            if rng.random() < 0.2:
                listed = [replace(each, pieces=rng.choice((1, 2))) for each in listed]
            rules = replace(drawn.rules, combining=False)
            problem = Problem(drawn.network, listed, rules)
        except InputError:
            continue
        if number % 2 or sum(part.num_deliveries for part in problem.parts) <= MOST_DELIVERIES:
            return problem


def examined_joint(seed: int, number: int) -> Answer:
    """Solve problem number n of a seed, and look at the answer from every side."""
    rng = random.Random(f"{seed}/{number}/examined jointly")
    problem = drawn_joint(seed, number)
    where = f" ({problem}: {problem.to_dict()['collectives']} {problem.to_dict()['network']})"
    goal: Goal = rng.choice(("makespan", "sum"))
    try:
        result = pavane.solve(problem, pavane.SearchOptions(seconds=SECONDS, seed=number, goal=goal))
        if result.schedule is None or result.num_steps is None:
            return Answer([f"lost answer: none, notes {result.notes}{where}"])
        best = None
        if sum(part.num_deliveries for part in problem.parts) <= MOST_DELIVERIES:
            best = fewest_joint_steps(problem, TRIED)
        least = result.num_steps if best is None else best
        failures = [*_wrong_answer(result, least), *_too_high(problem, result.bounds, least, rng)]
        if best is not None and number % 3 == 0:
            failures += _wrong_limits(problem, number, best)
        if number % 8 == 0:
            failures += [*_other_after_file(result), *wrong_exports(result, number // 8)]
        failures += _differing(problem, result.schedule, rng)
        bound = max((one.figure for one in result.bounds), default=0)
        failures = [line + where for line in failures]
        return Answer(failures, result.is_optimal, best, result.num_steps, bound)
    except Exception:
        return Answer([f"crash: {traceback.format_exc()}{where}"])


def _wrong_answer(result: Result, least: int) -> Iterator[str]:
    """Yield what is wrong with a schedule or its bounds; no schedule has fewer steps than `least`."""
    problem, steps = result.problem, result.num_steps
    assert result.schedule is not None
    broken = judge_joint(problem, result.schedule)
    if broken:
        yield f"invalid: {sorted(broken, key=str)[0]}"
    if result.notes:
        yield f"note: {'; '.join(result.notes)}"
    if steps is not None and steps < least:
        yield f"invalid or the tests are wrong: {steps} steps, optimum {least}"
    for bound in result.bounds:
        if bound.figure > least:
            yield f"false claim: {bound} above {least} (found {steps})"
        if bound.reason != "exhaustive" and proven_exactly(problem, bound) <= bound.figure - 1:
            yield f"false claim: {bound} is not proven"
    for number, part in enumerate(result.problem.parts):
        alone = result.steps_alone[number] if result.steps_alone else None
        if alone is not None and alone < result.bounds_alone[number]:
            yield f"false claim: {part.collective} alone in {alone} steps, bound {result.bounds_alone[number]}"


def _too_high(problem: Problem, bounds: tuple[Bound, ...], least: int, rng: random.Random) -> Iterator[str]:
    """Yield the forged certificates that prove more than the steps of a schedule."""

    def forge() -> Bound:
        bound = rng.choice(bounds)
        return Bound(1, bound.argument, forged_certificate(problem.network, bound.certificate, rng))

    count = FORGED if bounds else 0
    for bound, proven in proving_too_much(forge, partial(proven_exactly, problem), least, count):
        yield f"false claim: {bound.argument} {bound.certificate} proves {proven}, above {least}"


def _wrong_limits(problem: Problem, number: int, best: int) -> Iterator[str]:
    """Request the optimum, and one step less."""
    options = pavane.SearchOptions(seconds=SECONDS, seed=number)
    if pavane.solve(problem, options, num_steps=best).status == "impossible":
        yield f"false claim: {best} steps called impossible"
    if best > 1 and pavane.solve(problem, options, num_steps=best - 1).schedule is not None:
        yield f"invalid or the tests are wrong: {best - 1} steps, optimum {best}"


def _other_after_file(result: Result) -> Iterator[str]:
    """Write a result into a file, and yield what is different when it is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "several.json"
        pavane.write_schedule(path, result)
        again = pavane.read_schedule(path).result()
    # That a search found nothing cannot be seen from a file.
    proven = tuple(bound for bound in result.bounds if bound.reason != "exhaustive")
    if (again.schedule, again.status) != (result.schedule, result.amended(bounds=proven).status):
        yield f"false claim: {result.status} before and {again.status} after the file"


def _differing(problem: Problem, schedule: Schedule, rng: random.Random) -> Iterator[str]:
    """Yield where the two judges differ on mutated schedules."""
    for _ in range(3):
        part = rng.choice(problem.parts)
        changed, num_steps = rng.choice(SPOILERS)(rng, part, list(schedule), schedule.num_steps)
        # The second judge reads transfers of one message.
        spoiled = Schedule.from_transfers([one._replace(messages=one.messages[:1]) for one in changed], num_steps)
        first, second = in_short(verify(problem, spoiled, MOST_LISTED)), judge_joint(problem, spoiled)
        if first != second:
            yield f"judges differ: {sorted(map(str, first ^ second))[:3]} on {list(spoiled)}"
