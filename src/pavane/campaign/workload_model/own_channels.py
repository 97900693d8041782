"""Channels of its own for each group, so that groups which work at the same time do not meet.

A channel on a shortest path between members of one group, and on none between members of another, belongs to that
group. Rows of a mesh have all channels along them. A group that its own channels join is searched for on these alone;
its schedule is one on the whole network, where it is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pavane.errors import InputError, InvalidSchedule
from pavane.judge.result import Result
from pavane.model.arrays import Flags, Longs
from pavane.model.network import MOST_ROUTERS_TABLED, Network
from pavane.model.problem import Problem


class OwnChannels:
    """A problem of one group on the whole network, and the same on the channels of its own."""

    def __init__(self, problem: Problem, channels: Longs) -> None:
        network = problem.network
        others = np.setdiff1d(np.arange(network.num_channels), channels)
        self.whole, self.channels = problem, channels
        self.problem = replace(problem, network=network.without(channels=others.tolist()))

    def on_the_whole(self, result: Result) -> Result | None:
        """Return a result on the whole network; None where it breaks a rule there."""
        found = result.schedule
        if found is None:
            return None
        schedule = found.with_columns(path_channels=self.channels[found.path_channels])
        problem = replace(self.whole, collective=result.problem.collective, rules=result.problem.rules)
        try:
            return Result(problem, schedule, (), result.provenance)
        except InvalidSchedule:
            return None


def channels_of_their_own(problems: Sequence[Problem]) -> tuple[OwnChannels | None, ...]:
    """Return the channels of each problem of those carried out at the same time; None where they are too few."""
    if len(problems) < 2:
        return (None,) * len(problems)
    network = problems[0].network
    if network.num_routers > MOST_ROUTERS_TABLED:
        return (None,) * len(problems)
    used = np.array([_between(network, problem) for problem in problems])
    alone = used.sum(axis=0) == 1
    found: list[OwnChannels | None] = []
    for problem, mine in zip(problems, used, strict=True):
        try:
            found.append(OwnChannels(problem, np.flatnonzero(mine & alone)))
        except InputError:  # they do not join all members
            found.append(None)
    return tuple(found)


def _between(network: Network, problem: Problem) -> Flags:
    """Return which channels are on a shortest path between members of a problem."""
    collective = problem.collective
    homes = np.unique(network.router_of[sorted({*collective.senders, *collective.receivers})])
    distances = network.distances.astype(np.int64)
    used = np.zeros(network.num_channels, dtype=bool)
    for source in homes.tolist():
        for target in homes.tolist():
            way = distances[source, network.tails] + 1 + distances[network.heads, target]
            is_joined = (distances[source, network.tails] >= 0) & (distances[network.heads, target] >= 0)
            used |= is_joined & (way == distances[source, target])
    return used
