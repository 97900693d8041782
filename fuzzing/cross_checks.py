"""Cross-checks of what a search records, proves and reads, each against a computation of its own.

Case n of a seed is one of: a front over pieces against the exhaustive optimum, a fractional bound against a linear
program, a repair and a study of faults with pieces, and, more rarely, a construction on a torus of more than a thousand
routers, or the time limit of a search on a network of thousands. Every line that a check yields is an error.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from tests.bounds.exhaustive import TooMany
from tests.optimum import least_occupancy

import pavane
from fuzzing.closer_looks import broken_rule, wrong_faults, wrong_repair
from fuzzing.problems import drawn_problem
from pavane.bounds.fractional import fractional_bound
from pavane.jit import clock
from pavane.model.bound import of_objective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS

SECONDS = 0.1
"""Time limit of a search."""

MOST_TRIED = 2_000
"""States that the exhaustive optimum may look at."""

LARGE = 2_000
"""Of so many cases one is a construction on a large torus, and another one a search on a large network."""

SECONDS_IF_LARGE = 2.0
"""Time limit of a search on a large network, and what may be added to it."""


def failures_of_check(seed: int, number: int) -> list[str]:
    """Return the errors of case number n of a seed, each in a line."""
    rng = random.Random(f"{seed}/{number}/check")
    rare = {LARGE - 1: wrong_on_large_torus, LARGE // 2 - 1: late_on_large_network}
    check = rare.get(number % LARGE, CHECKS[number % len(CHECKS)])
    try:
        return [f"{line} ({check.__name__})" for line in check(seed, number, rng)]
    except Exception:
        return [f"crash: {traceback.format_exc()}"]


def _drawn(seed: int, number: int, is_wanted: Callable[[Problem], bool]) -> Problem:
    """Return a small random problem that is wanted; half of them are in pieces."""
    return next(
        problem
        for attempt in count()
        for problem in (drawn_problem(seed, number + 1_000_003 * attempt, is_small=True),)
        if is_wanted(problem)
    )


# -- fronts and bounds


def wrong_fronts(seed: int, number: int, rng: random.Random) -> Iterator[str]:
    """Compare the points of a front over one, two and three pieces with the least TCO of their start-ups."""
    problem = _drawn(seed, number, lambda one: one.rules.combining and one.pattern not in ("reduction", "allreduce"))
    pieces = rng.choice(((1, 2), (1, 3), (2,)))
    front = pavane.pareto_front_over_pieces(problem, pieces, pavane.SearchOptions(seconds=SECONDS, seed=number))
    for point in (point for each in front.fronts for point in each.points):
        cut = point.result.problem
        assert point.result.schedule is not None
        yield from broken_rule(cut, point.result.schedule)
        try:
            least_of = [least_occupancy(cut, steps, MOST_TRIED) for steps in range(1, point.start_ups + 1)]
        except (TooMany, RecursionError):
            continue
        # The exhaustive search leaves out schedules of so many start-ups that fewer are as good.
        least = min((tco for tco in least_of if tco is not None), default=None)
        if least is None or point.tco < least:
            yield f"invalid or the tests are wrong: {point.start_ups}/{point.tco}, least TCO {least}"
            continue
        if point.optimal_tco and least_of[-1] is not None and point.tco > least_of[-1]:
            yield f"false claim: {point.start_ups}/{point.tco} called optimal, least TCO {least_of[-1]}"
        if front.fractional is not None and front.fractional.per_message > Fraction(least, cut.collective.pieces):
            yield f"false claim: {front.fractional} above TCO {least} of {cut.collective.pieces} pieces"


def wrong_fractional_bound(seed: int, number: int, rng: random.Random) -> Iterator[str]:
    """Compare the fractional bound of private messages with the least congestion of fractional flows."""
    problem = _drawn(
        seed,
        number,
        lambda one: (
            one.pattern == "private"
            and one.network.is_slim
            and not one.rules.combining
            and one.rules.ports == "all"
            and one.rules.duplex == "full"
            and one.rules.routing in ("minimal", "any")
        ),
    )
    bound, least = fractional_bound(problem), _least_congestion(problem)
    if bound is not None and float(bound.per_message) > least * (1 + 1e-6) + 1e-9:
        yield f"false claim: {bound} above the congestion {least} of fractional flows"


def _least_congestion(problem: Problem) -> float:
    """Return the least load of the busiest channel, for one unit a message, by a linear program of flows."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    network = problem.network
    ends = network.channels
    demands = {(int(a), int(b)): 0 for a, b in problem.ends.tolist()}
    for a, b in problem.ends.tolist():
        demands[int(a), int(b)] += 1
    hops = _hops(network)
    entries, values, limits, rows, num_columns = [], [], [], 0, 1
    loads: list[tuple[int, int]] = []
    for (a, b), units in demands.items():
        start, end = int(network.router_of[a]), int(network.router_of[b])
        if start == end:
            continue
        usable = [
            channel
            for channel, (tail, head) in enumerate(ends.tolist())
            if problem.rules.routing == "any" or hops[start][tail] + 1 + hops[head][end] == hops[start][end]
        ]
        for channel in usable:
            tail, head = ends[channel].tolist()
            entries += [(rows + tail, num_columns), (rows + head, num_columns)]
            values += [1.0, -1.0]
            loads.append((channel, num_columns))
            num_columns += 1
        limits += [float(units) * ((router == start) - (router == end)) for router in range(network.num_routers)]
        rows += network.num_routers
    if not loads:
        return 0.0
    flows = coo_array((values, tuple(zip(*entries, strict=True))), shape=(rows, num_columns))
    capacity = network.capacity.tolist()
    above = coo_array(
        (
            [1.0] * len(loads) + [-float(room) for room in capacity],
            ([c for c, _ in loads] + list(range(len(capacity))), [column for _, column in loads] + [0] * len(capacity)),
        ),
        shape=(len(capacity), num_columns),
    )
    cost = np.zeros(num_columns)
    cost[0] = 1.0
    found: Any = linprog(cost, above, np.zeros(len(capacity)), flows, np.array(limits))  # type: ignore[call-overload]
    assert found.status == 0, found.message
    return float(found.fun) / problem.collective.pieces


def _hops(network: Network) -> list[list[float]]:
    """Return the number of channels from every router to every other."""
    size = network.num_routers
    hops = [[0 if a == b else float("inf") for b in range(size)] for a in range(size)]
    for tail, head in network.channels.tolist():
        hops[tail][head] = 1
    for via in range(size):
        for a in range(size):
            for b in range(size):
                hops[a][b] = min(hops[a][b], hops[a][via] + hops[via][b])
    return hops


# -- faults


def wrong_repairs(seed: int, number: int, rng: random.Random) -> Iterator[str]:
    """Repair a schedule of a problem with pieces, sizes or capacities, or study all its faults."""
    problem = _drawn(seed, number, lambda one: not one.is_plain and not one.rules.combining)
    if rng.random() < 0.2:
        yield from wrong_faults(problem, number, SECONDS, MOST_TRIED)
        return
    result = pavane.solve(problem, pavane.SearchOptions(seconds=SECONDS, seed=number))
    if result.schedule is not None:
        yield from wrong_repair(result, number, SECONDS, MOST_TRIED)


# -- large tori


def wrong_on_large_torus(_: int, number: int, rng: random.Random) -> Iterator[str]:
    """Construct an alltoall on a torus of more than 1,024 routers, and count its channels and deliveries."""
    while True:
        height, width = 2 * rng.randint(13, 20), 2 * rng.randint(13, 20)
        if not 1_024 < height * width <= 1_300:
            continue
        problem = Problem(pavane.network(f"torus:{height}x{width}"), "alltoall")
        if SOLVERS["table"].supports(problem):
            break
    result = SOLVERS["table"](problem, None, number, Budget.of(60.0))
    if (schedule := result.schedule) is None:
        return
    ends = problem.network.channels
    lengths = np.diff(schedule.path_offsets)
    channels, first, last = schedule.path_channels, schedule.path_offsets[:-1], schedule.path_offsets[1:] - 1
    keys = np.repeat(schedule.starts.astype(np.int64), lengths) * problem.network.num_channels + channels
    if len(np.unique(keys)) < len(keys):
        yield f"invalid: two messages share a channel on {problem}"
    inner = np.ones(len(channels), dtype=bool)
    inner[first] = False
    if (ends[channels[inner], 0] != ends[channels[np.flatnonzero(inner) - 1], 1]).any():
        yield f"invalid: a path is broken on {problem}"
    pairs = np.stack((ends[channels[first], 0], ends[channels[last], 1]), axis=1)
    if (pairs != problem.labels[schedule.messages]).any():
        yield f"invalid: a path has other ends than its message on {problem}"
    if len(np.unique(schedule.messages)) != problem.num_messages or len(schedule) != problem.num_messages:
        yield f"invalid: a message is not delivered once on {problem}"
    if any(bound.figure > schedule.num_steps for bound in of_objective(result.bounds, "steps")):
        yield f"false claim: a bound above {schedule.num_steps} steps on {problem}"


def late_on_large_network(_: int, __: int, rng: random.Random) -> Iterator[str]:
    """Search on a network of a thousand routers and more with a short time limit, twice: once may compile."""
    families = ("torus:{0}x{0}", "mesh:{0}x{0}", "ring:{1}", "complete:{0}", "star:{1}", "hypercube:{2}")
    side = rng.randint(32, 64)
    made = pavane.network(rng.choice(families).format(side, side * side, rng.randint(10, 12)))
    kind, switching = rng.choice(("aab", "aas", "oab", "allreduce")), rng.choice(("wormhole", "store-and-forward"))
    for _ in range(2):
        begun, begun_work = clock.now(), time.process_time()
        problem = Problem(made, kind, Rules(switching))  # type: ignore[arg-type]
        result = pavane.solve(problem, pavane.SearchOptions(seconds=SECONDS_IF_LARGE))
        # Where other processes take most of the machine, the time of this one counts.
        seconds = min(clock.now() - begun, time.process_time() - begun_work)
        if seconds <= 2 * SECONDS_IF_LARGE:
            return
    yield f"overrun: {seconds:.1f} s instead of {SECONDS_IF_LARGE} s by {result.provenance.solver} on {problem}"


CHECKS = (
    wrong_fronts,
    wrong_fractional_bound,
    wrong_repairs,
)
"""The checks that take turns."""
