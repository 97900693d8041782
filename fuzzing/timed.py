"""Random timed problems: what the program says of each, against the second judge and the earliest end there is.

The schedule is judged by both judges, its bounds are checked, and neither they nor what forged certificates prove may
be above its end. Of tiny problems an exhaustive search finds the earliest end. Both judges must agree on mutated
schedules.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.timed_cases import spoiled
from tests.timed_checker import is_valid
from tests.timed_optimum import earliest_end

import pavane
from fuzzing.exports import wrong_exports
from fuzzing.forged import FORGED, Answer, forged_certificate, proving_too_much
from fuzzing.problems import drawn_problem, drawn_trees
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.links import Links
from pavane.model.problem import Problem

SECONDS = 0.05
"""Time limit of a search; small problems rarely need it."""

MOST_DELIVERIES = 6
"""Deliveries of a problem whose earliest end is searched exhaustively: each takes a transfer at least."""

TRIED = 4_000
"""Transfers that the search for the earliest end may place."""


def drawn_timed(seed: int, number: int) -> Problem:
    """Return timed problem number n of a seed; of ten, one may be on any network, and the others on small ones.

    In one of ten routers copy and add.
    """
    rng = random.Random(f"{seed}/{number}/timed")
    while True:
        drawn = drawn_problem(seed, rng.randrange(2**40), is_small=number % 10 != 0)
        if number % 10 == 5:
            drawn = drawn_trees(seed, 20 * rng.randrange(2**30) + 1)
        count = drawn.network.num_channels
        most = rng.choice((0, 3, 9, 60))
        latencies, overheads = ([rng.randint(0, most) for _ in range(count)] for _ in range(2))
        if rng.random() < 0.5:
            overheads = [0] * count
        # So many picoseconds a byte, or a fraction of them.
        rates = [rng.choice((1, 2, 3, 4, 7, 10, 25)) * 10**11 for _ in range(count)]
        if rng.random() < 0.3:
            rates = rates[:1] * count
        latency, overhead, rate = (np.array(column, dtype=np.int64) for column in (latencies, overheads, rates))
        links = Links(latency, overhead, rate)
        try:
            rules, num_bytes = replace(drawn.rules, combining=False), rng.choice((1, 3, 8, 20, 50))
            return Problem(drawn.network, drawn.collective, rules, links=links, num_bytes=num_bytes)
        except InputError:
            continue


def examined_timed(seed: int, number: int) -> Answer:
    """Solve timed problem number n of a seed, and look at the answer from every side."""
    rng = random.Random(f"{seed}/{number}/examined")
    problem = drawn_timed(seed, number)
    where = f" ({problem})"
    try:
        result = pavane.solve(problem, pavane.SearchOptions(seconds=SECONDS, seed=number))
        if result.schedule is None or result.finish is None:
            return Answer([f"lost answer: none{where}"])
        earliest = None
        if problem.num_deliveries <= MOST_DELIVERIES and not problem.has_trees:
            earliest = earliest_end(problem, result.finish, TRIED)
        least = result.finish if earliest is None else earliest
        failures = [*_wrong_answer(result, least), *_too_high(problem, result.bounds, least, rng)]
        if number % 8 == 0:
            failures += [*_other_after_file(result), *wrong_exports(result, number // 8)]
        for _ in range(3):
            one = spoiled(problem, result.schedule, rng)
            if (verify(problem, one) == []) != is_valid(problem, one):
                failures.append(f"judges differ: {list(one)}")
        bound = max((one.figure for one in result.bounds), default=0)
        failures = [line + where for line in failures]
        return Answer(failures, result.status == "optimal", earliest, result.finish, bound)
    except Exception:
        return Answer([f"crash: {traceback.format_exc()}"])


def _wrong_answer(result: Result, least: int) -> Iterator[str]:
    """Yield what is wrong with a schedule or its bounds; no schedule ends before `least`."""
    problem, finish = result.problem, result.finish
    assert result.schedule is not None
    if not is_valid(problem, result.schedule):
        yield "invalid: the second judge refuses the schedule"
    for bound in result.bounds:
        end = proven(problem, bound)
        if end < bound.figure:
            yield f"false claim: {bound} is not proven, only {end:,}"
        if bound.figure > least:
            yield f"false claim: {bound} above the end {least:,} (found {finish:,})"


def _too_high(problem: Problem, bounds: tuple[Bound, ...], least: int, rng: random.Random) -> Iterator[str]:
    """Yield the forged certificates that prove more than the end of a schedule."""

    def forge() -> Bound:
        bound = rng.choice(bounds)
        return Bound(0, bound.argument, forged_certificate(problem.network, bound.certificate, rng), objective="finish")

    count = FORGED if bounds else 0
    for bound, end in proving_too_much(forge, partial(proven, problem), least, count):
        yield f"false claim: {bound.argument} {bound.certificate} proves {end:,}, above the end {least:,}"


def _other_after_file(result: Result) -> Iterator[str]:
    """Write a result into a file, and yield what is different when it is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "timed.json"
        pavane.write_schedule(path, result)
        again = pavane.read_schedule(path).result()
    if (again.finish, again.status, again.known_bounds) != (result.finish, result.status, result.bounds):
        yield f"false claim: {result.status} before and {again.status} after the file"
