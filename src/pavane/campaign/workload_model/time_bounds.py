"""The least time of a communication, whatever the schedule.

By the papers' model a schedule takes start-ups * ts + TCO / k * m * t1, and for each step its longest path times tr
(noc eq. (1)). No schedule has fewer start-ups than the bound under combining, and none has less occupancy, in whole
messages, than the fractional bound under combining; a schedule without combining is one with combining, and the
fractional bound holds for any number of pieces. A message goes over at least as many channels as its ends are apart,
in different steps, so the longest paths of all steps add up to that or more. Each of the three figures holds for every
schedule, so their sum is no more than the time of any. Only bounds that the judge finds proven count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from pavane.bounds import channel_prices
from pavane.bounds.fractional import fractional_bound
from pavane.bounds.joint import joint_bounds
from pavane.bounds.occupancy import unrolled
from pavane.bounds.prices import CertificatePrices, priced
from pavane.bounds.start_ups import start_up_bounds
from pavane.judge.certificates import proven_steps
from pavane.judge.joint_certificates import proven_joint
from pavane.judge.message_times import proven_message_times
from pavane.model.bound import Bound
from pavane.model.joint import JointProblem
from pavane.model.problem import Problem
from pavane.timing import Costs


@dataclass(frozen=True)
class TimeBound:
    """Lower bounds on every schedule of a problem, for any number of pieces, with or without combining."""

    start_ups: int
    message_times: Fraction
    hops: int

    def seconds(self, costs: Costs, size: float) -> float:
        """Return the least time with messages of `size` bytes."""
        per_bytes = float(self.message_times) * size * costs.per_byte
        return self.start_ups * costs.startup + per_bytes + self.hops * costs.per_hop


def combining(problem: Problem) -> Problem:
    """Return the same problem where one transfer may carry several messages, and none is copied on its way."""
    return replace(problem, rules=replace(problem.rules.without_copies(), combining=True))


def time_bound(problem: Problem, deadline: float | None = None) -> TimeBound:
    """Return the proven bounds on the time of every schedule; prices are optimized until the deadline."""
    whole = replace(problem, collective=replace(problem.collective, pieces=1))
    # Trees do not go with combining, and one of them may be all.
    whole = whole if whole.has_trees else combining(whole)
    fewest = start_up_bounds(whole) if whole.rules.combining else ()
    start_ups = proven_steps(whole, fewest[0]) if fewest else 1
    found = fractional_bound(whole, deadline)
    bounds = [*_across_halves(whole), *(() if found is None else (found.bound,))]
    times = max((proven_message_times(whole, bound) for bound in bounds), default=Fraction(0))
    return TimeBound(max(1, start_ups), times, _farthest(problem))


@lru_cache(maxsize=16)
def joint_message_times(problems: tuple[Problem, ...]) -> Fraction:
    """Return the proven occupancy, in whole messages, of problems that run at the same time, by their loads together.

    Loads count what channels carry in a step at most, so they hold for units of occupancy as for steps.
    """
    rules = replace(problems[0].rules, combining=False)
    whole = JointProblem(problems[0].network, [replace(each.collective, pieces=1) for each in problems], rules)
    bounds = joint_bounds(whole, alone=[()] * len(problems))
    return max((proven_joint(whole, bound) for bound in bounds), default=Fraction(0))


def _across_halves(problem: Problem) -> Iterator[Bound]:
    """Yield bounds on private messages of a grid by what must cross its middle, along each of its dimensions.

    Messages in rows cross one middle only, which a search for the narrowest one misses and prices take long to find.
    """
    network = problem.network
    if network.grid is None or problem.pattern != "private":
        return
    coordinates = network.grid.coordinates(np.arange(network.num_routers))
    for axis, size in enumerate(network.grid.sizes):
        side = coordinates[:, axis] >= size // 2
        crossing = np.flatnonzero(side[network.tails] != side[network.heads])
        if size > 1 and len(crossing):
            yield priced(unrolled(problem), CertificatePrices.of(problem, crossing), channel_prices.NAME)


def _farthest(problem: Problem) -> int:
    """Return the largest distance between the ends of a message, in channels."""
    network, collective = problem.network, problem.collective
    ends = problem.distinct_ends
    if problem.pattern == "private":
        senders, rows = np.unique(network.router_of[ends[:, 0]], return_inverse=True)
        distances = network.distance_rows(senders)[rows, network.router_of[ends[:, 1]]]
    else:
        senders = np.unique(network.router_of[list(collective.senders)])
        receivers = collective.senders if problem.pattern == "allreduce" else collective.receivers
        distances = network.distance_rows(senders)[:, network.router_of[list(receivers)]]
    return int(distances.max(initial=0))
