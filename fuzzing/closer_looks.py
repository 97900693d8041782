"""Detailed checks of problems with pieces, sizes or capacities; every line that they yield is an error.

A check is a function of a problem, of its result, or of both. The optimum, if known, comes from `tests.optimum`, and
schedules are verified by the second judge of the tests.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from tests.checker import judge
from tests.optimum import optimum

import pavane
from fuzzing.forged import proving_too_much
from pavane.bounds import lower_bounds
from pavane.bounds.fractional import FractionalBound, fractional_bound
from pavane.errors import InputError
from pavane.io.notation import aligned, destination_table, path_lines, program_lines
from pavane.judge.certificates import proven_exactly, proven_message_times
from pavane.judge.result import Result
from pavane.model.bound import Bound, of_objective
from pavane.model.duals import dual
from pavane.model.faults import Disconnected, faulty
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.parallel.budget import Budget
from pavane.search.pieces import cut_into
from pavane.solvers import SOLVERS
from pavane.timing import Costs, predicted, profile
from pavane.ui.player import player_page
from pavane.ui.plot.figures import figure_bytes
from pavane.ui.plot.loads import plot_load
from pavane.ui.plot.networks import plot_network, plot_schedule

FORGERIES = 40
"""Certificates that are made up for each problem."""


def broken_rule(problem: Problem, schedule: Schedule) -> Iterator[str]:
    """Say which rule a schedule breaks by the tests' own judge."""
    broken = judge(problem, schedule)
    if broken:
        yield f"invalid: {sorted(broken, key=str)[0]}"


# -- bounds


def inexact_bounds(problem: Problem, bounds: Iterable[Bound]) -> Iterator[str]:
    """Look at what bounds say before they are rounded up."""
    for bound in bounds:
        if bound.exact is None:
            continue
        if math.ceil(bound.exact) != bound.figure:
            yield f"false claim: {bound} rounds {bound.exact} up to {bound.figure}"
        proven = proven_exactly(problem, bound)
        if proven < bound.exact:
            yield f"false claim: {bound} says {bound.exact}, and {proven} is proven"


def too_high(problem: Problem, best: int, rng: random.Random) -> Iterator[str]:
    """Make certificates up, and change those that there are: none may prove more than the optimum."""
    honest = lower_bounds(problem)
    arguments = [bound.argument for bound in honest] + ["mine"]
    pieces = problem.collective.pieces

    def forge() -> Bound:
        certificate = _forged(problem, [bound.certificate for bound in honest], rng)
        return Bound(1, rng.choice(arguments), certificate)

    for bound, proven in proving_too_much(forge, partial(proven_exactly, problem), best, FORGERIES):
        yield f"false claim: {bound} proves {proven}, optimum {best}"
    least = Fraction(best, pieces)
    for bound, times in proving_too_much(forge, partial(proven_message_times, problem), least, FORGERIES):
        if not problem.rules.combining:
            yield f"false claim: {bound} proves {times} message times, optimum {least}"


def too_high_occupancy(problem: Problem, num_steps: int, least: int, rng: random.Random) -> Iterator[str]:
    """Make certificates up of the TCO of schedules with some start-ups, of which the least TCO is known."""
    honest = [bound.certificate for bound in lower_bounds(problem)]

    def forge() -> Bound:
        certificate = _forged(problem, honest, rng) | {"side": rng.choice(("origins", "targets"))}
        given = rng.choice((num_steps, None))
        return Bound(
            1, rng.choice(("moves", "start-ups", "volume", "mine")), certificate, objective="tco", num_steps=given
        )

    for bound, proven in proving_too_much(forge, partial(proven_exactly, problem), least, FORGERIES):
        yield f"false claim: {bound} proves a TCO of {proven}, least with {num_steps} start-ups {least}"


def _forged(problem: Problem, honest: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    """Return a certificate of several kinds at once, some of them honest, others made up."""
    network = problem.network
    routers, processors = range(network.num_routers), range(network.num_processors)

    def some(least: int = 0) -> list[int]:
        return rng.sample(routers, rng.randint(least, len(routers)))

    def priced(size: int) -> list[list[int]]:
        return [[rng.randint(0, 3), *rng.sample(range(size), rng.randint(0, size))] for _ in range(rng.randint(0, 3))]

    made: dict[str, Any] = {
        "routers": some(),
        "blocks": [some(1) for _ in range(rng.randint(1, 3))],
        "processor": rng.choice(processors),
        "origin": rng.choice(processors),
        "from": rng.choice(processors),
        "to": rng.choice(processors),
        "receiver": rng.choice(processors),
        "joining": [some() if rng.random() < 0.4 else [] for _ in range(rng.randint(1, 7))],
        "channels": priced(network.num_channels),
        "injection": priced(network.num_processors),
        "ejection": priced(network.num_processors),
    }
    groups = (
        *(("routers",), ("blocks",), ("processor",), ("origin",), ("from", "to")),
        *(("receiver", "joining"), ("channels", "injection", "ejection")),
    )
    certificate = deepcopy(rng.choice(honest)) if honest and rng.random() < 0.5 else {}
    for _ in range(rng.randint(1, 2)):
        certificate |= {key: made[key] for key in rng.choice(groups)}
    if "blocks" in certificate and rng.random() < 0.3:
        certificate["blocks"] = certificate["blocks"] + certificate["blocks"][:1]
    return certificate


# -- several numbers of pieces


def wrong_message_times(problem: Problem, number: int, limit: float, most_tried: int) -> Iterator[str]:
    """Cut messages into one, two and three pieces, and hold each against its optimum."""
    pieces = (1, 2, 3)
    best = {k: optimum(cut_into(problem, k), most_tried) for k in pieces}
    found = pavane.sweep_pieces(problem, pieces, pavane.SearchOptions(seconds=limit, seed=number))
    yield from _above(problem, fractional_bound(problem), best)
    yield from _above(problem, found.fractional, best)
    for result in found.results:
        cut, known = result.problem, best[result.problem.collective.pieces]
        yield from inexact_bounds(cut, result.bounds)
        yield from beyond(result, known)
        if result.schedule is None:
            continue
        yield from broken_rule(cut, result.schedule)
        times = result.per_message
        assert times is not None
        if found.fractional is not None and times < found.fractional.per_message:
            yield f"false claim: {times} message times, below the fractional bound {found.fractional}"
        others = [Fraction(steps, k) for k, steps in best.items() if steps is not None]
        if found.is_final(result) and others and min(others) < times:
            yield f"false claim: {times} message times called final, {min(others)} are possible"


def wrong_joint_front(problem: Problem, number: int, limit: float) -> Iterator[str]:
    """Look at the front of one and two pieces together, under combining."""
    whole = optimum(cut_into(problem, 1), 5_000)
    found = pavane.pareto_front_over_pieces(problem, (1, 2), pavane.SearchOptions(seconds=limit, seed=number))
    least = None
    for point in found.points:
        assert point.result.schedule is not None
        yield from broken_rule(point.result.problem, point.result.schedule)
        if found.fractional is not None and point.message_times < found.fractional.per_message:
            yield f"false claim: {point.message_times} message times, below the fractional bound {found.fractional}"
        if whole is not None and point.start_ups < whole:
            yield f"invalid or the tests are wrong: {point.start_ups} start-ups, optimum {whole}"
        if whole is not None and point.optimal_start_ups and point.start_ups > whole:
            yield f"false claim: {point.start_ups} start-ups called optimal, optimum {whole}"
        if least is not None and point.message_times >= least:
            yield f"false claim: {point} is no better than the point before"
        least = point.message_times


def _above(problem: Problem, fractional: FractionalBound | None, best: dict[int, int | None]) -> Iterator[str]:
    if fractional is None:
        return
    proven = proven_message_times(problem, fractional.bound)
    if proven < fractional.per_message:
        yield f"false claim: {fractional} is not proven, only {proven}"
    for pieces, steps in best.items():
        if steps is not None and fractional.per_message > Fraction(steps, pieces):
            yield f"false claim: {fractional} above {steps} steps with {pieces} pieces"


def beyond(result: Result, best: int | None) -> Iterator[str]:
    """Compare a result with the optimum, where that is known."""
    if best is None:
        return
    if result.num_steps is not None and result.num_steps < best:
        yield f"invalid or the tests are wrong: {result.num_steps} steps, optimum {best}"
    for bound in of_objective(result.bounds, "steps"):
        if bound.figure > best:
            yield f"false claim: {bound} above the optimum {best}"


# -- solvers


def wrong_solvers(problem: Problem, number: int, limit: float, best: int | None, most: int = 4) -> Iterator[str]:
    """Let some solvers that say yes to a problem work on it; others with another number."""
    able = [name for name in SOLVERS if SOLVERS[name].supports(problem)]
    chosen = random.Random(number).sample(able, min(most, len(able)))
    for name in chosen:
        wanted = best if best is not None and number % 4 == 0 else None
        try:
            result = SOLVERS[name](problem, wanted, number, Budget.of(limit))
        except InputError as error:
            yield f"crash: {name} refuses what it supports: {error}"
            continue
        for line in beyond(result, best):
            yield f"{line} ({name})"
        if result.schedule is not None:
            for line in broken_rule(problem, result.schedule):
                yield f"{line} ({name})"
            if wanted is not None and result.schedule.num_steps > wanted:
                yield f"invalid: {name} has more than the {wanted} steps that were requested"


MOST_EVALUATIONS = 300
"""Of a solver that is only glanced at."""


def contradictions(problem: Problem, result: Result, number: int) -> Iterator[str]:
    """Let one more solver work on a problem for a moment, and hold its answer against what is proven."""
    able = [name for name in SOLVERS if SOLVERS[name].supports(problem)]
    name = random.Random(f"solver/{number}").choice(able)
    budget = Budget.of(0.05, MOST_EVALUATIONS)
    other = SOLVERS[name](problem, None, number, budget)
    if other.schedule is None:
        return
    for line in broken_rule(problem, other.schedule):
        yield f"{line} ({name})"
    bound = max((bound.figure for bound in of_objective(result.bounds, "steps")), default=0)
    if other.schedule.num_steps < bound:
        yield f"false claim: {name} has {other.schedule.num_steps} steps, below the bound {bound}"


# -- what becomes of a schedule


def wrong_times(result: Result) -> Iterator[str]:
    """Compare predicted times with S * (ts + m / k * t1), and under combining with S * ts + TCO / k * m * t1."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    costs, size, pieces = Costs(1e-6, 1e-9), 4096, problem.collective.pieces
    about = profile(schedule, pieces)
    wanted = schedule.num_steps * costs.startup + schedule.tco * size / pieces * costs.per_byte
    prediction = predicted(costs, size, about)
    if not math.isclose(prediction, wanted):
        yield f"false claim: {prediction} s, {wanted} s by hand"
    if about.message_times != Fraction(schedule.tco, pieces):
        yield f"false claim: {about.message_times} message times, TCO {schedule.tco} and {pieces} pieces"


def wrong_reversal(result: Result) -> Iterator[str]:
    """Read a schedule backwards, and forwards again."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    mirror = dual(problem)
    turned = time_reversed(problem, schedule, mirror)
    if time_reversed(mirror, turned, problem) != schedule:
        yield "invalid: a schedule read backwards twice is another one"
    # A broadcast may make copies that are not needed, and there are no partial results to match them. In an allreduce a
    # sum may take the place of one that it contains, as no copy does backwards.
    if problem.pattern not in ("broadcast", "allreduce"):
        yield from broken_rule(mirror, turned)


def wrong_words(result: Result) -> Iterator[str]:
    """Write a schedule in every form for people."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    if len(list(path_lines(problem, schedule))) != schedule.num_steps:
        yield "false claim: path notation does not have a line a step"
    list(aligned(destination_table(problem, schedule)))
    list(program_lines(problem, schedule))
    if "</html>" not in player_page(result):
        yield "crash: the player's page has no end"


def wrong_pictures(result: Result) -> Iterator[str]:
    """Draw a schedule and its network in all ways."""
    for drawn in (plot_load(result), plot_network(result.problem.network), plot_schedule(result)):
        if not figure_bytes(drawn, "svg"):
            yield "crash: a picture is empty"


# -- faults


def wrong_repair(result: Result, number: int, limit: float, most_tried: int) -> Iterator[str]:
    """Remove a channel that a schedule needs, and repair the schedule."""
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    used = sorted(set(schedule.path_channels.tolist()))
    if not used:
        return
    dead = random.Random(number).choice(used)
    try:
        left = replace(problem, network=problem.network.without(channels=[dead]))
        repaired = pavane.repair(problem, schedule, left, seed=number, seconds=limit).result
    except (Disconnected, InputError):
        return
    assert repaired.schedule is not None
    yield from broken_rule(repaired.problem, repaired.schedule)
    yield from inexact_bounds(repaired.problem, repaired.bounds)
    yield from beyond(repaired, optimum(repaired.problem, most_tried))


def wrong_faults(problem: Problem, number: int, limit: float, most_tried: int) -> Iterator[str]:
    """Study all faults of a channel, and compare each with the optimum of what it leaves."""
    try:
        found = pavane.faults(
            problem.network,
            [problem.collective],
            problem.rules,
            pavane.SearchOptions(seed=number, seconds=limit),
            kind="channel",
        )
    except InputError:
        return
    for row in found.rows:
        (replan,) = row.replans
        try:
            left = faulty(problem, row.fault)
        except Disconnected:
            if replan.steps is not None:
                yield f"invalid or the tests are wrong: {row.fault} has {replan}, and disconnects"
            continue
        best = optimum(left, most_tried)
        if best is not None and (
            (replan.steps is not None and replan.steps < best) or (replan.bound is not None and replan.bound > best)
        ):
            yield f"false claim: {row.fault} has {replan}, optimum {best}"


def same_after_file(result: Result, again: Result) -> Iterator[str]:
    """Compare a result with what is read from its file: problem, digest and proofs."""
    if again.problem != result.problem or again.problem.digest() != result.problem.digest():
        yield "false claim: the problem in the file is another one"
    for verdict in again.verdicts:
        if not verdict.is_on_trust and not verdict.is_proven:
            yield f"false claim: {verdict.bound} in the file: {verdict}"
    before = {(bound.argument, bound.figure, bound.exact) for bound in result.bounds}
    after = {(v.bound.argument, v.bound.figure, v.bound.exact) for v in again.verdicts}
    if not result.problem.is_plain and before != after:
        yield f"false claim: bounds {sorted(map(str, before ^ after))} before or after the file only"
